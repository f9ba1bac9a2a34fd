"""Plans: what happens to each attribute."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from privet.disguise.applied import from_files, from_memory, on_cluster
from privet.disguise.base import Disguise, Planned
from privet.disguise.recipe import Lot, Recipe, Step
from privet.disguise.treatment import Exact, Treatment
from privet.errors import PlanError
from privet.release import Claim, Release
from privet.release.people import People
from privet.release.release import TUNED
from privet.schema import Files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from privet.channel import Channel
    from privet.disguise.base import Delivery
    from privet.disguise.group import Group
    from privet.disguise.units import Kept
    from privet.schema import Schema
    from privet.table import Table

__all__ = ["Plan"]

Make: TypeAlias = "Callable[[Recipe, int], Table]"


@dataclass(frozen=True)
class Plan(Planned):
    """What happens to each attribute, by name.

    ``default`` is for the attributes not named; the class, if it is not named, is then exact.
    Without a default every attribute must be named. ``groups`` are attributes that go through one
    channel together, each in one group and without a treatment of its own. ``wave`` is the share of
    the records that are released first, to draw the cells of numbers from; ``"auto"`` takes a share
    that suits the number of records, if there are enough and some numbers go through a band over
    cells that are not given; 0 is a single wave. ``tuned`` says that the plan was chosen by trying
    it on the records, as the card then does.

    >>> from privet.disguise import Exact, Plan, Substitution
    >>> plan = Plan({"age": Substitution(gamma=8, bins=12)}, default=Exact())
    """

    method: ClassVar[str] = "plan"

    treatments: Mapping[str, Treatment] = field(default_factory=dict)
    default: Treatment | None = None
    groups: Sequence[Group] = ()
    wave: float | str | None = "auto"
    tuned: bool = False

    @classmethod
    def read(cls, path: str | Path) -> Disguise:
        """Read a plan, or a whole-table method, from a TOML file.

        >>> import pathlib, tempfile, privet as pv
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = pathlib.Path(folder, "plan.toml").write_text('default = "exact"')
        ...     pv.Plan.read(f"{folder}/plan.toml").default
        Exact()
        """
        from privet.disguise.planfile import read_plan

        return read_plan(path)

    def plan(self, schema: Schema) -> Plan:  # noqa: ARG002
        """Return the plan itself.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> plan = pv.Plan({}, default=pv.Exact())
        >>> plan.plan(schema) is plan
        True
        """
        return self

    def treatment(self, name: str, schema: Schema) -> Treatment:
        """Return what happens to an attribute of a schema.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> plan = pv.Plan({}, default=pv.Exact())
        >>> plan.treatment("Wind", schema)
        Exact()
        """
        if name in self.treatments:
            return self.treatments[name]
        if self.default is None:
            message = f"The plan does not say what happens to attribute {name!r}."
            hint = "name every attribute, or give a default: 'withheld' is the safe one."
            raise PlanError(message, hint=hint)
        return Exact() if name == schema.goal else self.default

    def recipe(self, schema: Schema) -> Recipe:
        """Check the plan against a schema and return the work to do for each attribute.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> plan = pv.Plan({}, default=pv.Exact())
        >>> [step.name for step in plan.recipe(schema).steps]
        ['Outlook', 'Humidity', 'Wind', 'Play']
        """
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
        if schema.goal is not None and schema.goal not in names:
            message = f"The plan withholds the class {schema.goal!r}: nothing could be learned."
            raise PlanError(message, hint="disguise the class by substitution instead.")
        if len(names) < 2 and schema.goal is not None:
            raise PlanError("The plan withholds every attribute but the class.")
        if not names:
            raise PlanError("The plan withholds every attribute.")
        return Recipe(
            schema.with_attributes(step.released for step in steps),
            tuple(steps),
            {name: grouped.get(name, chosen).method for name, chosen in treatments.items()},
            _group_channels(self.groups, steps),
        )

    def _grouped(self, schema: Schema) -> dict[str, Group]:
        """Return the group of each attribute that is in a group."""
        grouped: dict[str, Group] = {}
        for group in self.groups:
            group.check(schema)
            for name in group.attributes:
                if name in grouped or name in self.treatments:
                    message = f"The plan says twice what happens to attribute {name!r}."
                    raise PlanError(message, hint="an attribute is in one group, or has its own.")
                grouped[name] = group
        return grouped

    def _own(self, schema: Schema) -> dict[str, Treatment]:
        """Return the treatments of the attributes that are in no group."""
        grouped = self._grouped(schema)
        return {name: self.treatment(name, schema) for name in schema.names if name not in grouped}

    def waves(self, schema: Schema) -> tuple[Plan, ...]:
        """Return the plan of the first wave, and that of the rest before its cells are drawn.

        Without a wave it is the plan itself. ``"auto"`` is settled by ``suited``.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> plan = pv.Plan({}, default=pv.Exact()).suited(schema, 14)
        >>> len(plan.waves(schema))
        1
        """
        from privet.disguise.waves import check_share, first_wave

        if not self.wave:
            return (self,)
        check_share(self.wave)
        own = self._own(schema)
        rest = Plan(own, groups=self.groups, wave=None)
        return replace(rest, treatments={**own, **first_wave(own, schema)}), rest

    def suited(self, schema: Schema, rows: int) -> Plan:
        """Return the plan for so many records: with numbers of cells, and a wave or none.

        >>> from privet.disguise import Plan, Substitution
        >>> from privet.schema import Attribute, Schema
        >>> schema = Schema([Attribute.numeric("age", low=0, high=99)])
        >>> Plan({"age": Substitution(gamma=8)}).suited(schema, 4_000).treatments["age"].bins
        16
        """
        from privet.disguise.suited import check_cells, with_cells

        own = with_cells(self._own(schema), schema, rows)
        if rows:  # an empty table has a complaint of its own
            check_cells(own, schema, rows)
        return Plan(own, None, self.groups, self._wave(own, schema, rows), self.tuned)

    def _wave(self, own: Mapping[str, Treatment], schema: Schema, rows: int) -> float | str | None:
        """Return the share of the first of two waves for so many records; None for one wave."""
        from privet.disguise.suited import share_for
        from privet.disguise.waves import suiting

        if self.wave != "auto":
            return self.wave or None
        return share_for(rows) if suiting(own, schema) else None

    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise; no data are needed.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> plan = pv.Plan({}, default=pv.Exact())
        >>> plan.claim(schema).disclosed
        ('Outlook', 'Humidity', 'Wind', 'Play')
        """
        from privet.disguise.suited import ENOUGH

        self.recipe(schema)  # complains of what does not fit
        planned = replace(self, wave=self._wave(self._own(schema), schema, ENOUGH))
        recipes = [plan.recipe(schema) for plan in planned.waves(schema)]
        return Claim.of(
            recipes[-1].treatments,
            [recipe.channels for recipe in recipes],
            columns=recipes[-1].types,
            target=schema.goal,
            learned=schema.learned,
            seeded=seeded,
            people=None if schema.rows_per_unit is None else People(schema.rows_per_unit),
            notes=(TUNED,) if self.tuned else (),
        )

    def made(
        self, schema: Schema, make: Make, kept: Kept, *, seeded: bool, shuffled: bool
    ) -> Release:
        """Return the release of what is ``kept``.

        ``make`` writes the table of a recipe's lot, the parts' by number.

        >>> import numpy as np, privet as pv
        >>> from privet.disguise.units import Kept
        >>> from privet.table import MemoryTable
        >>> schema = pv.datasets.schema("weather")
        >>> codes = MemoryTable({name: np.zeros(3, np.uint8) for name in schema.names})
        >>> plan = pv.Plan(default=pv.Exact()).suited(schema, 3)
        >>> plan.made(schema, lambda *_: codes, Kept(), seeded=False, shuffled=True).rows
        3
        """
        if not self.wave:
            recipe = replace(self.recipe(schema), kept=kept)
            parts = [recipe.part(make(recipe, 0))]
            release = recipe.release(parts, seeded=seeded, shuffled=shuffled)
            return replace(release, tuned=self.tuned)
        from privet.disguise.waves import check_share, drawn_cells

        share = check_share(self.wave)
        first, rest = self.waves(schema)
        lots = Lot.shares([share, 1 - share])
        early = replace(first.recipe(schema), lot=lots[0], kept=kept)
        wave = early.part(make(early, 1))
        asked = {name: first.treatments[name] for name in first.treatments}
        changed = {n: t for n, t in asked.items() if t != rest.treatments[n]}
        cells = drawn_cells(wave, changed, dict(rest.treatments), schema)
        recipe = replace(replace(rest, treatments=cells).recipe(schema), lot=lots[1], kept=kept)
        parts = [recipe.part(make(recipe, 0)), early.part(wave.table, beside=recipe)]
        release = recipe.release(parts, seeded=seeded, shuffled=shuffled, drawn=True)
        return replace(release, tuned=self.tuned)

    def check(self, schema: Schema) -> None:
        """Validate the plan for this schema.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> plan = pv.Plan({}, default=pv.Exact())
        >>> plan.check(schema)
        """
        self.recipe(schema)

    def disguised(self, records: Any, schema: Schema, delivery: Delivery) -> Release:
        """Return the release of records in memory, in files or on a cluster, delivered.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> plan = pv.Plan({"Wind": pv.Withheld()}, default=pv.Exact())
        >>> from privet.disguise.base import Delivery
        >>> from privet.randomness import Randomness
        >>> with Randomness.system() as source:
        ...     delivery = Delivery(source, to=None, overwrite=False, shuffle=True, key=None)
        ...     plan.disguised(table, schema, delivery).schema.names
        ['Outlook', 'Humidity', 'Play']
        """
        records = Files.of(records, schema.format)
        if isinstance(records, Files):
            return from_files(self, records, schema, delivery)
        from privet.table.spark import is_on_spark

        if is_on_spark(records):
            return on_cluster(self, records, schema, delivery)
        return from_memory(self, records, schema, delivery)


def _check_treatment(treatment: object, where: str) -> None:
    if not isinstance(treatment, Treatment):
        message = f"{where}: a treatment is expected, not {type(treatment).__name__}."
        raise PlanError(message, hint="Exact(), Withheld(), ValueClass(...), Substitution(...).")


def _group_channels(groups: Sequence[Group], steps: Sequence[Step]) -> tuple[Channel, ...]:
    sizes = {step.name: step.coding.size for step in steps if step.coding is not None}
    return tuple(group.channel([sizes[name] for name in group.attributes]) for group in groups)
