"""k-anonymity: the promise that every record shares its quasi-identifier with k − 1 others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.errors import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from privet.release.release import Release
    from privet.schema import Schema
    from privet.table import Table

__all__ = ["Anonymity", "Groups", "groups_of"]


class Groups(NamedTuple):
    """Records that look alike: ``member`` is each record's group, ``sizes`` how many share it."""

    member: NDArray[np.int64]
    sizes: NDArray[np.int64]


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


@dataclass(frozen=True)
class Anonymity:
    """Every record of a release has the same ``quasi`` attributes as at least k − 1 others.

    That hides which record is whose among k. It bounds neither what a whole group discloses nor
    what someone with knowledge of their own can rule out.
    """

    k: int
    quasi: tuple[str, ...]

    def verify(self, release: Release) -> None:
        """Count the groups of a release again; one that is too small is an error."""
        for part in release.parts:
            if part.table.rows and self._groups(part.table).sizes.min() < self.k:
                message = f"The release is not {self.k}-anonymous: some group is smaller."
                raise ReleaseError(message, hint="do not rely on this release; ask the owner.")

    def _groups(self, table: Table) -> Groups:
        batch = table.collect(table.rows)
        return groups_of([batch.columns[name] for name in self.quasi])

    def notes(self) -> tuple[str, ...]:
        """Say what is kept and what is not."""
        names = ", ".join(repr(name) for name in self.quasi)
        return (
            (
                f"{self.k}-anonymous: every record shares its values of {names} with at least "
                f"{self.k - 1} others."
            ),
            (
                "That is no bound on what can be learned: a group that agrees on a value gives it "
                "away, and whoever knows more can rule members out."
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what the card says."""
        return {"k": self.k, "quasi_identifier": list(self.quasi)}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any], schema: Schema) -> Anonymity:
        """Read what ``to_dict`` wrote."""
        k, names = form["k"], form["quasi_identifier"]
        if list(form) != ["k", "quasi_identifier"] or not isinstance(k, int) or k < 1:
            raise ValueError
        if not names or not all(name in schema for name in names):
            raise ValueError
        return cls(k, tuple(names))
