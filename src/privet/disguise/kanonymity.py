"""k-anonymity by stepwise generalisation: the baseline that gives up values (Fong §4.1.1)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from privet.disguise.base import method
from privet.disguise.hierarchy import Hierarchies, ladders
from privet.disguise.plan import Plan, in_memory
from privet.disguise.treatment import Exact, Treatment, ValueClass
from privet.disguise.whole import WholeTable, taken, whole
from privet.errors import PlanError
from privet.release import Claim, Release
from privet.release.anonymity import Anonymity, groups_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.frames import Column
    from privet.randomness import Randomness
    from privet.schema import Schema

__all__ = ["Diversity", "KAnonymity", "diversity", "information"]


class Diversity(NamedTuple):
    """What groups of a release give away.

    ``k`` is the smallest group by the quasi-identifier without the class, ``l`` the fewest
    classes in a group, ``homogeneous`` the share of records whose group has one class only.
    """

    k: int
    groups: int
    l: int  # noqa: E741
    homogeneous: float


@method
@dataclass(frozen=True)
class KAnonymity(WholeTable):
    """Make attributes coarser, step by step, until every record has k − 1 others like it.

    Protects from being told apart by the quasi-identifier; what a group has in common is given
    away.

    Parameters
    ----------
    k
        How many records must share their quasi-identifier: each one and k − 1 others.
    hierarchies
        The steps of each attribute, or the TOML file that has them.
    quasi
        The quasi-identifier; all attributes but the class by default. The class may be among them.
    suppress
        The share of records that may be left out because their groups stay too small.
    order
        Attributes in the order of their steps; by default the step that loses least information
        about the class comes next.
    """

    method: ClassVar[str] = "k-anonymity"

    k: int = 2
    hierarchies: Hierarchies = field(default_factory=dict)
    quasi: Sequence[str] | None = None
    suppress: float = 0.0
    order: Sequence[str] | None = None

    def check(self, schema: Schema) -> None:
        """Refuse settings that cannot be, or not for this schema."""
        self._checked(schema)

    def _checked(self, schema: Schema) -> tuple[str, ...]:
        if not isinstance(self.k, int) or isinstance(self.k, bool) or self.k < 2:
            raise PlanError("KAnonymity: k must be a whole number of at least 2.")
        if not 0 <= self.suppress < 1:
            raise PlanError("KAnonymity: suppress must be a share from 0 up to, but not, 1.")
        inputs = [attribute.name for attribute in schema.inputs]
        quasi = tuple(inputs if self.quasi is None else self.quasi)
        for name in (*quasi, *(self.order or ())):
            if name not in schema:
                message = f"KAnonymity names {name!r}, which the schema does not have; "
                raise PlanError(message + f"it has {', '.join(schema.names)}.")
        if not quasi or len(set(quasi)) < len(quasi):
            raise PlanError("KAnonymity: quasi must name attributes, each once.")
        return quasi

    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise; no data are needed."""
        anonymity = Anonymity(self.k, self._checked(schema))
        treatments = dict.fromkeys(schema.names, ValueClass.method)
        treatments[schema.target] = Exact.method
        return Claim.of(
            treatments,
            [()],
            target=schema.target,
            learned=schema.learned,
            seeded=seeded,
            notes=anonymity.notes(),
        )

    def made(self, records: Any, schema: Schema, source: Randomness, *, shuffle: bool) -> Release:
        """Generalise records and return the release."""
        quasi = self._checked(schema)
        raw = whole(records, schema)
        steps, keep = self.generalise(raw, schema)
        held = {name: taken(column, keep) for name, column in raw.items()}
        made = in_memory(held, Plan(steps).recipe(schema), source, shuffle=shuffle)
        release = replace(made, anonymity=Anonymity(self.k, quasi))
        release.verify()
        return release

    def generalise(
        self, raw: dict[str, Column], schema: Schema
    ) -> tuple[dict[str, Treatment], NDArray[np.bool_]]:
        """Return what happens to each attribute, and which records are not suppressed."""
        quasi = self._checked(schema)
        ladder = ladders(self.hierarchies, schema)
        rungs = dict.fromkeys(quasi, 0)

        def coded(name: str, rung: int) -> NDArray[Any]:
            attribute, step = schema[name], ladder[name][rung]
            return step.encode(attribute, step.coding(attribute), raw[name])

        codes = {name: coded(name, 0) for name in quasi}
        target = schema[schema.target].encode(raw[schema.target])
        order = list(self.order or ())
        while True:
            groups = groups_of(list(codes.values()))
            keep = (groups.sizes >= self.k)[groups.member]
            if (~keep).sum() <= self.suppress * len(keep) and keep.any():
                break
            higher = {
                name: coded(name, rung + 1)
                for name, rung in rungs.items()
                if rung + 1 < len(ladder[name]) and (not self.order or name in order)
            }
            if not higher:
                message = f"{self.k}-anonymity cannot be reached: no step is left and "
                message += f"{int((~keep).sum()):,} of {len(keep):,} records are in smaller groups."
                raise PlanError(message, hint="add steps, suppress a share of records, or lower k.")
            name = self._next(order, codes, higher, target)
            rungs[name] += 1
            codes[name] = higher[name]
        treatments: dict[str, Treatment] = {name: Exact() for name in schema.names}
        treatments |= {name: ladder[name][rung] for name, rung in rungs.items()}
        return treatments, keep

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
    """Return the information gain of an attribute about the class, in bits, one branch a value."""
    table = np.zeros((int(codes.max()) + 1, int(target.max()) + 1))
    np.add.at(table, (codes, target), 1)
    total = table.sum()

    def entropy(counts: NDArray[np.float64]) -> float:
        share = counts[counts > 0] / total
        return float(-(share * np.log2(share)).sum())

    return entropy(table.sum(0)) + entropy(table.sum(1)) - entropy(table.ravel())


def diversity(release: Release, quasi: Sequence[str] | None = None) -> Diversity:
    """Report k, l-diversity and homogeneity of the class in a release's groups."""
    names = quasi or (release.anonymity.quasi if release.anonymity else release.schema.names)
    target = release.schema.target
    table = release.parts[0].table.collect(release.rows)
    groups = groups_of([table.columns[name] for name in names if name != target])
    counts = np.zeros((len(groups.sizes), len(release.schema.classes)), np.int64)
    np.add.at(counts, (groups.member, table.columns[target]), 1)
    kinds = (counts > 0).sum(1)
    return Diversity(
        int(groups.sizes.min()),
        len(groups.sizes),
        int(kinds.min()),
        float(groups.sizes[kinds == 1].sum() / len(groups.member)),
    )
