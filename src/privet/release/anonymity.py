"""k-anonymity, l-diversity and t-closeness: promises about groups of records that look alike."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.errors import ReleaseError
from privet.release.diversity import distances

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from privet.coding import Ints, Mask
    from privet.release.release import Release
    from privet.schema import Schema

    Counts = Ints

__all__ = ["Anonymity", "Groups", "counted", "groups_of"]

SLACK = 1e-9  # of a distance: the sums of shares are rounded


class Groups(NamedTuple):
    """Records that look alike: ``member`` is each record's group, ``sizes`` how many share it."""

    member: Ints
    sizes: Ints


def groups_of(columns: Sequence[NDArray[Any]]) -> Groups:
    """Group coded records by all of some columns.

    >>> groups_of([np.array([0, 1, 0]), np.array([2, 2, 2])]).sizes
    array([2, 1])
    """
    member = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, codes = np.unique(column, return_inverse=True)
        # Renumbered at every column, so that no product of domains can overflow.
        _, member = np.unique(member * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)
    return Groups(member, np.bincount(member))


def counted(groups: Groups, codes: NDArray[Any], size: int) -> Counts:
    """Count codes in groups, groups × codes.

    >>> counted(groups_of([np.array([0, 1, 0])]), np.array([1, 0, 1]), 2)
    array([[0, 2],
           [1, 0]])
    """
    places = groups.member * size + codes
    return np.bincount(places, minlength=len(groups.sizes) * size).reshape(-1, size)


@dataclass(frozen=True)
class Anonymity:
    """Every record of a release has the same ``quasi`` attributes as at least k − 1 others.

    That hides which record is whose among k. Of what a whole group has in common it bounds nothing,
    unless groups are also ``l``-diverse in the ``sensitive`` attribute (each has at least l of its
    values; Machanavajjhala and others, 2006) or ``t``-close (its distribution in each group is at
    most t away from that of all records; Li and others, 2007). What someone with knowledge of
    their own can rule out is never bounded.
    """

    k: int
    quasi: tuple[str, ...]
    sensitive: str | None = None
    l: int | None = None  # noqa: E741 - its name in all the literature
    t: float | None = None

    def good(self, counts: Counts, whole: Counts) -> Mask:
        """Return which groups keep the promise.

        ``counts`` are groups × sensitive values, ``whole`` those of all records; without a
        sensitive attribute a single column.

        >>> promise = Anonymity(2, ("age",), "ill", l=2, t=0.3)
        >>> promise.good(np.array([[1, 0], [2, 0], [1, 3], [2, 2]]), np.array([6, 5]))
        array([False, False,  True,  True])
        """
        sizes = counts.sum(axis=1)
        good: Mask = sizes >= self.k
        if self.l is not None:
            good &= (counts > 0).sum(axis=1) >= self.l
        if self.t is not None:
            shares = counts / np.maximum(sizes, 1)[:, None]
            good &= distances(shares, whole / max(1, int(whole.sum()))) <= self.t + SLACK
        return good

    def verify(self, release: Release) -> None:
        """Count the groups of a release again; a group that breaks the promise is an error."""
        for part in release.parts:
            rows = part.table.rows
            if not rows:
                continue
            columns = part.table.collect(rows).columns
            groups = groups_of([columns[name] for name in self.quasi])
            counts = groups.sizes[:, None]
            if self.sensitive is not None:
                coding = release.codings[self.sensitive]
                if coding is None:
                    raise ReleaseError(f"{self.sensitive!r} has exact numbers: groups differ.")
                counts = counted(groups, columns[self.sensitive], coding.size)
            if groups.sizes.min() < self.k:
                message = f"The release is not {self.k}-anonymous: some group is smaller."
                raise ReleaseError(message, hint="do not rely on this release; ask the owner.")
            if not self.good(counts, counts.sum(axis=0)).all():
                message = f"Some group has too few values of {self.sensitive!r}, or other shares "
                message += f"of them, for {self.words}."
                raise ReleaseError(message, hint="do not rely on this release; ask the owner.")

    @property
    def words(self) -> str:
        """Name what is promised.

        >>> Anonymity(5, ("age",), "ill", l=2, t=0.2).words
        '5-anonymity, 2-diversity and 0.2-closeness'
        """
        named = [f"{self.k}-anonymity"]
        named += [] if self.l is None else [f"{self.l}-diversity"]
        named += [] if self.t is None else [f"{self.t:g}-closeness"]
        *first, last = named
        return f"{', '.join(first)} and {last}" if first else last

    def notes(self) -> tuple[str, ...]:
        """Say what is kept and what is not."""
        names = ", ".join(repr(name) for name in self.quasi)
        shared = f"every record shares its values of {names} with at least {self.k - 1} others"
        said = [f"{self.k}-anonymous: {shared}."]
        if self.l is not None:
            said.append(
                f"{self.l}-diverse: every such group has at least {self.l} values of "
                f"{self.sensitive!r}."
            )
        if self.t is not None:
            said.append(
                f"{self.t:g}-close: the shares of {self.sensitive!r} in every such group are at "
                f"most {self.t:g} away from those of all records (half the sum of differences)."
            )
        if self.sensitive is None:
            said.append(
                "That is no bound on what can be learned: a group that agrees on a value gives it "
                "away, and whoever knows more can rule members out."
            )
        else:
            said.append(
                "That is no bound on what can be learned: of other attributes a group may agree on "
                "a value and give it away, and whoever knows more can rule members out."
            )
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """Return what the card says."""
        form: dict[str, Any] = {"k": self.k, "quasi_identifier": list(self.quasi)}
        if self.sensitive is not None:
            form["sensitive"] = self.sensitive
        form |= {} if self.l is None else {"l": self.l}
        return form if self.t is None else form | {"t": self.t}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any], schema: Schema) -> Anonymity:
        """Read what ``to_dict`` wrote."""
        k, names = form["k"], form["quasi_identifier"]
        if list(form)[:2] != ["k", "quasi_identifier"] or not isinstance(k, int) or k < 1:
            raise ValueError
        if not names or not all(name in schema for name in names):
            raise ValueError
        sensitive, most, away = (form.get(word) for word in ("sensitive", "l", "t"))
        made = cls(k, tuple(names), sensitive, most, away)
        if made.to_dict() != dict(form) or (sensitive is None) != (most is None and away is None):
            raise ValueError
        known = isinstance(sensitive, str) and sensitive in schema and sensitive not in names
        if sensitive is not None and not known:
            raise ValueError
        if not _is_whole(most) or not _is_distance(away):
            raise ValueError
        return made


def _is_whole(most: object) -> bool:
    return most is None or (isinstance(most, int) and not isinstance(most, bool) and most >= 2)


def _is_distance(away: object) -> bool:
    number = isinstance(away, Real) and not isinstance(away, bool)
    return away is None or (number and 0 <= float(away) < 1)  # type: ignore[arg-type]
