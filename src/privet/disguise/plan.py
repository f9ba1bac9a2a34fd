"""Plans: what happens to each attribute, and the work of doing it to records in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.disguise.base import Disguise, kept
from privet.disguise.recipe import Recipe, Step
from privet.disguise.treatment import Exact, Treatment
from privet.errors import DataError, PlanError
from privet.frames import columns
from privet.randomness import Randomness
from privet.release import Claim, Part, Release
from privet.table.spark import SparkFiles, SparkTable, is_on_spark

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privet.channel import Channel
    from privet.disguise.group import Group
    from privet.schema import Schema

__all__ = ["Plan", "in_memory"]


@dataclass(frozen=True)
class Plan(Disguise):
    """What happens to each attribute, by name.

    ``default`` is for the attributes not named; the class, if it is not named, is then exact.
    Without a default every attribute must be named. ``groups`` are attributes that go through one
    channel together, each in one group and without a treatment of its own.

    >>> from privet.disguise import Exact, Plan, Substitution
    >>> plan = Plan({"age": Substitution(gamma=8, bins=12)}, default=Exact())
    """

    method: ClassVar[str] = "plan"

    treatments: Mapping[str, Treatment] = field(default_factory=dict)
    default: Treatment | None = None
    groups: Sequence[Group] = ()

    @classmethod
    def read(cls, path: str | Path) -> Disguise:
        """Read a plan, or a whole-table method, from a TOML file."""
        from privet.disguise.planfile import read_plan

        return read_plan(path)

    def plan(self, schema: Schema) -> Plan:  # noqa: ARG002
        """Return the plan itself."""
        return self

    def treatment(self, name: str, schema: Schema) -> Treatment:
        """Return what happens to one attribute of a schema."""
        if name in self.treatments:
            return self.treatments[name]
        if self.default is None:
            message = f"The plan does not say what happens to attribute {name!r}."
            hint = "name every attribute, or give a default: 'withheld' is the safe one."
            raise PlanError(message, hint=hint)
        return Exact() if name == schema.target else self.default

    def recipe(self, schema: Schema) -> Recipe:
        """Check the plan against a schema and return the work to do for each attribute."""
        for name, treatment in self.treatments.items():
            if name not in schema:
                message = f"The plan names {name!r}, which the schema does not have; "
                raise PlanError(message + f"it has {', '.join(schema.names)}.")
            _check_treatment(treatment, f"Attribute {name!r}")
        if self.default is not None:
            _check_treatment(self.default, "default")
        grouped = self._grouped(schema)
        treatments = {
            name: grouped[name].treatment(name) if name in grouped else self.treatment(name, schema)
            for name in schema.names
        }
        steps = []
        for place, attribute in enumerate(schema):
            chosen = treatments[attribute.name]
            released = chosen.released(attribute)
            if released is not None:
                coding = chosen.coding(attribute)
                channel = None if attribute.name in grouped else chosen.channel(attribute)
                steps.append(Step(place, attribute, chosen, released, coding, channel))
        names = {step.name for step in steps}
        if schema.target not in names:
            message = f"The plan withholds the class {schema.target!r}: nothing could be learned."
            raise PlanError(message, hint="disguise the class by substitution instead.")
        if len(names) < 2:
            raise PlanError("The plan withholds every attribute but the class.")
        return Recipe(
            schema.with_attributes(step.released for step in steps),
            tuple(steps),
            {name: grouped.get(name, chosen).method for name, chosen in treatments.items()},
            _group_channels(self.groups, steps),
        )

    def _grouped(self, schema: Schema) -> dict[str, Group]:
        """Return the group of each attribute that has one."""
        grouped: dict[str, Group] = {}
        for group in self.groups:
            group.check(schema)
            for name in group.attributes:
                if name in grouped or name in self.treatments:
                    message = f"The plan says twice what happens to attribute {name!r}."
                    raise PlanError(message, hint="an attribute is in one group, or has its own.")
                grouped[name] = group
        return grouped

    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise; no data are needed."""
        recipe = self.recipe(schema)
        return Claim.of(
            recipe.treatments,
            [recipe.channels],
            target=schema.target,
            learned=schema.learned,
            seeded=seeded,
        )

    def disguise(
        self,
        records: Any,
        schema: Schema,
        *,
        to: str | Path | None = None,
        overwrite: bool = False,
        seed: int | str | bytes | None = None,
        shuffle: bool = True,
    ) -> Release:
        """Disguise records and return the release; see ``Disguise.disguise``."""
        recipe = self.recipe(schema)
        if to is not None:
            from privet.release.folder import check_free

            check_free(to, overwrite=overwrite)
        with Randomness.of(seed) as source:
            if isinstance(records, str | Path):
                if to is None:
                    message = "Records in a file are disguised out of core."
                    raise PlanError(message, hint="say where to write the release: to='folder'.")
                from privet.disguise.stream import disguise_files

                disguise_files(records, recipe, source, to, overwrite=overwrite, shuffle=shuffle)
                return Release.read(to)
            if is_on_spark(records):
                return _on_cluster(
                    records, recipe, source, to, overwrite=overwrite, shuffle=shuffle
                )
            release = in_memory(records, recipe, source, shuffle=shuffle)
        return kept(release, to, overwrite=overwrite)


def _on_cluster(
    records: Any,
    recipe: Recipe,
    source: Randomness,
    to: str | Path | None,
    *,
    overwrite: bool,
    shuffle: bool,
) -> Release:
    if to is None:
        message = "Records on a cluster are disguised there."
        raise PlanError(message, hint="say where to write the release: to='folder'.")
    from privet.disguise.cluster import disguise_table

    if isinstance(records, SparkFiles):
        records = records.table([step.attribute for step in recipe.steps])
    elif not isinstance(records, SparkTable):
        records = SparkTable.of(records, [step.name for step in recipe.steps])
    absent = [step.name for step in recipe.steps if step.name not in records.names]
    if absent:
        message = f"The table has no column {absent[0]!r}; it has {', '.join(records.names)}."
        raise DataError(message, hint="rename the column, or correct the schema.")
    disguise_table(records, recipe, source, to, overwrite=overwrite, shuffle=shuffle)
    return Release.read(to, spark=records.session)


def _check_treatment(treatment: object, where: str) -> None:
    if not isinstance(treatment, Treatment):
        message = f"{where}: a treatment is expected, not {type(treatment).__name__}."
        raise PlanError(message, hint="Exact(), Withheld(), ValueClass(...), Substitution(...).")


def _group_channels(groups: Sequence[Group], steps: Sequence[Step]) -> tuple[Channel, ...]:
    sizes = {step.name: step.coding.size for step in steps if step.coding is not None}
    return tuple(group.channel([sizes[name] for name in group.attributes]) for group in groups)


def in_memory(records: Any, recipe: Recipe, source: Randomness, *, shuffle: bool) -> Release:
    """Disguise records in memory by the steps of a recipe."""
    raw = columns(records, [step.name for step in recipe.steps])
    rows = len(next(iter(raw.values())))
    if rows == 0:
        raise DataError("The table has no rows.")
    table = recipe.apply(raw, rows, source)
    if shuffle:
        table = table.take(source.permutation(0, rows).astype(np.int64))
    return recipe.release([Part(table, recipe.channels)], seeded=source.is_seeded, shuffled=shuffle)
