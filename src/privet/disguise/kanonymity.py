"""k-anonymity by stepwise generalisation: the baseline that gives up values (Fong §4.1.1).

Groups can be asked to be l-diverse or t-close as well: k-anonymity alone does not keep a group from
agreeing on a value.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.disguise.applied import in_memory
from privet.disguise.base import method
from privet.disguise.hierarchy import Hierarchies, ladders
from privet.disguise.mondrian import mondrian
from privet.disguise.plan import Plan
from privet.disguise.treatment import Exact, Treatment, ValueClass
from privet.disguise.whole import WholeTable, taken, whole
from privet.errors import PlanError, PrivetWarning
from privet.release.anonymity import Anonymity, counted, groups_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints, Mask
    from privet.frames import Column
    from privet.randomness import Randomness
    from privet.release import Claim, Release
    from privet.schema import Schema

__all__ = ["PARTITIONS", "KAnonymity", "information"]

# On Adult, 5-anonymous by all 14 attributes, leaving out up to so many records keeps four of them
# from becoming a single value; leaving out none keeps no attribute at all, 2 % two, 10 % five.
BUDGET = 0.05
PARTITIONS = ("hierarchy", "mondrian")


@method
@dataclass(frozen=True)
class KAnonymity(WholeTable):
    """Make attributes coarser, step by step, until every record has k − 1 others like it.

    Protects from being told apart by the quasi-identifier; what a group has in common is given
    away, unless groups are asked to be diverse (``l``) or close to all records (``t``).

    Parameters
    ----------
    k
        How many records must share their quasi-identifier: each and k − 1 others.
    hierarchies
        The steps of each attribute, or the TOML file that has them.
    quasi
        The quasi-identifier; all attributes but the class by default. The class may be among them.
    suppress
        The share of records that may be left out because their groups stay too small; 5 % by
        default.
    order
        Attributes in the order of their steps; by default the step that loses least information
        about the class comes next.
    partition
        ``"hierarchy"`` makes an attribute coarser for all records alike. ``"mondrian"`` does so for
        categories only, and cuts numbers in several dimensions at once: each group of equal
        categories is halved at the median of its widest attribute while both halves keep k records
        (LeFevre and others, 2006). A number is released as the middle of its group's interval.
    l
        How many values of the sensitive attribute every group must have (l-diversity;
        Machanavajjhala and others, 2006).
    t
        How far the shares of the sensitive attribute in a group may be from those of all released
        records: half the sum of differences, 0 to 1 (t-closeness; Li and others, 2007).
    sensitive
        A category outside the quasi-identifier, for ``l`` and ``t``; the class by default.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.KAnonymity(k=2, quasi=["Outlook"]).disguise(table, schema, seed=1)
    >>> release.anonymity.k
    2
    >>> diverse = pv.KAnonymity(k=2, quasi=["Wind"], l=2).disguise(table, schema, seed=1)
    >>> diverse.anonymity.words
    '2-anonymity and 2-diversity'
    """

    method: ClassVar[str] = "k-anonymity"

    k: int = 2
    hierarchies: Hierarchies = field(default_factory=dict)
    quasi: Sequence[str] | None = None
    suppress: float | None = None
    order: Sequence[str] | None = None
    partition: str = "hierarchy"
    l: int | None = None  # noqa: E741 - its name in all the literature
    t: float | None = None
    sensitive: str | None = None

    @property
    def _budget(self) -> float:
        return BUDGET if self.suppress is None else self.suppress

    def check(self, schema: Schema) -> None:
        """Validate settings for this schema.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> pv.KAnonymity(k=2).check(schema)
        """
        self._promise(schema)

    def _promise(self, schema: Schema) -> Anonymity:
        """Return what every group has to keep; settings that do not go together are refused."""
        quasi = self._checked(schema)
        if self.l is None and self.t is None:
            if self.sensitive is not None:
                message = "KAnonymity: sensitive goes with l or t."
                raise PlanError(message, hint="l = 2 asks for two values in every group.")
            return Anonymity(self.k, quasi)
        name = schema.target if self.sensitive is None else self.sensitive
        if name not in schema or name in quasi or not schema[name].is_categorical:
            message = "KAnonymity: sensitive must name a category outside the quasi-identifier."
            raise PlanError(message, hint=f"the quasi-identifier is {', '.join(quasi)}.")
        most = len(schema[name].values or ())
        if self.l is not None and not (_is_whole(self.l) and 2 <= self.l <= most):
            message = f"KAnonymity: l must be a whole number from 2 to {most}, the values of "
            raise PlanError(message + f"{name!r}.")
        if self.t is not None and not _is_share(self.t):
            raise PlanError("KAnonymity: t must be a number from 0 up to, but not, 1.")
        away = None if self.t is None else float(self.t)
        return Anonymity(self.k, quasi, name, self.l, away)

    def _checked(self, schema: Schema) -> tuple[str, ...]:
        if not _is_whole(self.k) or self.k < 2:
            raise PlanError("KAnonymity: k must be a whole number of at least 2.")
        if not _is_share(self._budget):
            raise PlanError("KAnonymity: suppress must be a share from 0 up to, but not, 1.")
        inputs = [attribute.name for attribute in schema.inputs]
        for word, names in (("quasi", self.quasi), ("order", self.order)):
            if names is not None and not isinstance(names, list | tuple):
                raise PlanError(f"KAnonymity: {word} must be a list of names.")
        quasi = tuple(inputs if self.quasi is None else self.quasi)
        for name in (*quasi, *(self.order or ())):
            if name not in schema:
                message = f"KAnonymity names {name!r}, which the schema does not have; "
                raise PlanError(message + f"it has {', '.join(schema.names)}.")
        if not quasi or len(set(quasi)) < len(quasi):
            raise PlanError("KAnonymity: quasi must name attributes, each once.")
        if not isinstance(self.partition, str) or self.partition not in PARTITIONS:
            message = f"KAnonymity: partition must be one of {', '.join(map(repr, PARTITIONS))}."
            raise PlanError(message)
        return quasi

    def _cut(self, quasi: Sequence[str], schema: Schema) -> list[str]:
        """Return the numbers that are cut in several dimensions."""
        if self.partition == "hierarchy":
            return []
        return [name for name in quasi if not schema[name].is_categorical]

    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise; no data are needed.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> pv.KAnonymity(k=2).claim(schema).epsilon
        inf
        """
        anonymity = self._promise(schema)
        treatments = dict.fromkeys(schema.names, ValueClass.method)
        treatments[schema.target] = Exact.method
        return self.claimed(schema, treatments, anonymity.notes(), seeded=seeded, formal=True)

    def made(self, records: Any, schema: Schema, source: Randomness, *, shuffle: bool) -> Release:
        """Generalise records and return the release.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> from privet.randomness import Randomness
        >>> with Randomness.system() as source:
        ...     method = pv.KAnonymity(k=2, quasi=["Wind"])
        ...     method.made(table, schema, source, shuffle=True).anonymity.k
        2
        """
        promise = self._promise(schema)
        quasi = promise.quasi
        raw = whole(records, schema)
        steps, keep = self.generalise(raw, schema)
        kept = {name: taken(column, keep) for name, column in raw.items()}
        cut = self._cut(quasi, schema)
        if cut:
            kept |= self._partitioned(kept, steps, schema, [n for n in quasi if n not in cut], cut)
        made = in_memory(kept, Plan(steps).recipe(schema), source, shuffle=shuffle)
        words = made.treatments | dict.fromkeys(cut, ValueClass.method)
        release = replace(made, treatments=words, anonymity=promise)
        release.verify()
        for message in self._losses(steps, schema, keep):
            warnings.warn(message, PrivetWarning, stacklevel=4)
        return release

    def _partitioned(
        self,
        raw: dict[str, Column],
        steps: dict[str, Treatment],
        schema: Schema,
        equal: Sequence[str],
        cut: Sequence[str],
    ) -> dict[str, Column]:
        """Return the numbers to cut, each the middle of its group's interval."""
        coded = [
            step.encode(schema[name], step.coding(schema[name]), raw[name])
            for name in equal
            for step in [steps[name]]
        ]
        numbers = np.column_stack([schema[name].numbers(raw[name]) for name in cut])
        if np.isnan(numbers).any():
            message = "KAnonymity: numbers that may be missing cannot be cut by 'mondrian'."
            raise PlanError(message, hint="fill them before, or use partition='hierarchy'.")
        ranges = np.array([schema[name].range for name in cut])
        start = groups_of(coded).member if coded else np.zeros(len(numbers), np.int64)
        promise = self._promise(schema)
        secret, size = _secret(promise, raw, schema)
        everyone = np.bincount(secret, minlength=size)

        def good(rows: Ints) -> bool:
            counts = np.bincount(secret[rows], minlength=size)
            return bool(promise.good(counts[None], everyone)[0])

        middles = mondrian(numbers, ranges, start, self.k, good)
        whole_numbers = np.array([schema[name].integer for name in cut])
        middles = np.where(whole_numbers, np.floor(middles), middles)
        return dict(zip(cut, middles.T, strict=True))

    def generalise(
        self, raw: dict[str, Column], schema: Schema
    ) -> tuple[dict[str, Treatment], Mask]:
        """Return what happens to each attribute, and which records are not suppressed.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> from privet.disguise.whole import whole
        >>> steps, keep = pv.KAnonymity(k=2, quasi=["Wind"]).generalise(
        ...     whole(table, schema), schema
        ... )
        >>> steps["Wind"], int(keep.sum())
        (Exact(), 14)
        """
        promise = self._promise(schema)
        cut = self._cut(promise.quasi, schema)
        quasi = tuple(name for name in promise.quasi if name not in cut)
        secret, size = _secret(promise, raw, schema)
        ladder = ladders(self.hierarchies, schema)
        rungs = dict.fromkeys(quasi, 0)
        if not quasi:
            exact: dict[str, Treatment] = {name: Exact() for name in schema.names}
            rows = len(next(iter(raw.values())))
            everyone = np.bincount(secret, minlength=size)
            if not promise.good(everyone[None], everyone)[0]:
                message = f"{promise.words} cannot be reached with these {rows:,} records."
                raise PlanError(message, hint="lower k or l, or collect more records.")
            return exact, np.ones(rows, np.bool_)

        def coded(name: str, rung: int) -> NDArray[Any]:
            attribute, step = schema[name], ladder[name][rung]
            return step.encode(attribute, step.coding(attribute), raw[name])

        codes = {name: coded(name, 0) for name in quasi}
        target = schema[schema.target].encode(raw[schema.target])
        order = list(self.order or ())
        while True:
            groups = groups_of(list(codes.values()))
            keep = _kept(promise, counted(groups, secret, size))[groups.member]
            if (~keep).sum() <= self._budget * len(keep) and keep.any():
                break
            higher = {
                name: coded(name, rung + 1)
                for name, rung in rungs.items()
                if rung + 1 < len(ladder[name]) and (not self.order or name in order)
            }
            if not higher:
                message = f"{promise.words} cannot be reached: no step is left and "
                message += f"{int((~keep).sum()):,} of {len(keep):,} records are in groups that "
                message += "fall short of it."
                hint = "add steps, suppress a share of records, or ask for less."
                raise PlanError(message, hint=hint)
            name = self._next(order, codes, higher, target)
            rungs[name] += 1
            codes[name] = higher[name]
        treatments: dict[str, Treatment] = {name: Exact() for name in schema.names}
        treatments |= {name: ladder[name][rung] for name, rung in rungs.items()}
        return treatments, keep

    def _losses(self, steps: dict[str, Treatment], schema: Schema, keep: Mask) -> list[str]:
        """Say what was lost that nobody chose to lose."""
        lost = []
        for attribute in schema.inputs:
            released = steps[attribute.name].released(attribute)
            if released is not None and released.coding().known < min(2, attribute.coding().known):
                lost.append(attribute.name)
        left = [attribute.name for attribute in schema.inputs if attribute.name not in lost]
        said = []
        if not self.hierarchies and lost:
            said.append(
                f"k-anonymity made one value of {len(lost)} of {len(schema.inputs)} attributes: "
                f"{', '.join(lost)}. What is left: {', '.join(left) or 'nothing'}. To keep more, "
                "give hierarchies of finer steps, name fewer attributes in quasi, or lower k."
            )
        if self.suppress is None and not keep.all():
            said.append(
                f"k-anonymity left out {int((~keep).sum()):,} of {len(keep):,} records, whose "
                f"groups fell short of it; suppress = 0 keeps all, and makes attributes coarser."
            )
        return said

    def _next(
        self,
        order: list[str],
        codes: dict[str, NDArray[Any]],
        higher: dict[str, NDArray[Any]],
        target: NDArray[Any],
    ) -> str:
        while order:
            name = order.pop(0)
            if name in higher:
                return name
        lost = {
            name: information(codes[name], target) - information(after, target)
            for name, after in higher.items()
        }
        least = min(lost.values())
        return next(name for name, loss in lost.items() if loss <= least + 1e-12)


def information(codes: NDArray[Any], target: NDArray[Any]) -> float:
    """Return the information gain of an attribute about the class in bits, a branch per value."""
    table = np.zeros((int(codes.max()) + 1, int(target.max()) + 1))
    np.add.at(table, (codes, target), 1)
    total = table.sum()

    def entropy(counts: Floats) -> float:
        share = counts[counts > 0] / total
        return float(-(share * np.log2(share)).sum())

    return entropy(table.sum(0)) + entropy(table.sum(1)) - entropy(table.ravel())


def _secret(promise: Anonymity, raw: Mapping[str, Column], schema: Schema) -> tuple[Ints, int]:
    """Return the codes of the sensitive attribute, and how many there are; one if none is."""
    if promise.sensitive is None:
        return np.zeros(len(next(iter(raw.values()))), np.int64), 1
    attribute = schema[promise.sensitive]
    return attribute.encode(raw[promise.sensitive]).astype(np.int64), attribute.coding().size


def _kept(promise: Anonymity, counts: Ints) -> Mask:
    """Return which groups stay: closeness is to those that stay, so it is asked again."""
    keep = np.ones(len(counts), np.bool_)
    while True:
        good = keep & promise.good(counts, counts[keep].sum(axis=0))
        if (good == keep).all():
            return keep
        keep = good


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _is_share(budget: object) -> bool:
    number = isinstance(budget, int | float) and not isinstance(budget, bool)
    return number and 0 <= budget < 1  # type: ignore[operator]  # it is a number
