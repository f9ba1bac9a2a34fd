"""Dataset complementation (Fong): unreal records that grow exactly the tree of the originals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.disguise.base import method
from privet.disguise.plan import Plan
from privet.disguise.recipe import ROWS
from privet.disguise.treatment import Exact, ValueClass
from privet.disguise.unrealize import Pick, Unrealizer, check_pick
from privet.disguise.whole import WholeTable
from privet.errors import DataError, PlanError
from privet.frames import columns
from privet.progress import track
from privet.randomness import Randomness
from privet.release import Claim, Part, Release
from privet.release.shown import shown_values
from privet.release.universe import Dummy, Universe
from privet.schema import Files
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from privet.coding import Ints
    from privet.disguise.recipe import Recipe
    from privet.schema import Schema

__all__ = ["Complement", "complemented_release", "originals"]


@method
@dataclass(frozen=True)
class Complement(WholeTable):
    """Keep what is missing from some copies of the universe, never a collected record as such.

    Protects from someone who gets hold of *some* rows of the two tables: none of them was put
    there by a collected record. It does not protect from someone who gets a whole table: both
    together give every record back, and so does T^P alone with ``pick="dummy"``; with other picks
    many records can be guessed from T^P alone, which the audit's attack ``one-table`` measures. A
    tree grown from both is exactly that of the originals.

    Parameters
    ----------
    pick
        Which record of the perturbing set becomes unreal with each sample: ``"first"`` as in the
        thesis, ``"most-frequent"``, ``"random"``, or ``"dummy"``: a record that no sample can be.
    dummy
        With ``pick="dummy"``: the attribute that gets as many dummy values as it has values, or a
        table of an attribute and the names of its dummies; by default an attribute is added for
        them.

    >>> from privet import datasets
    >>> release = Complement().disguise(datasets.load("weather"), datasets.schema("weather"))
    >>> release.universe.copies, [part.sign for part in release.parts]
    (2, [-1, -1])
    """

    method: ClassVar[str] = "complement"

    pick: Pick = "first"
    dummy: str | Mapping[str, Sequence[str]] | None = None

    def check(self, schema: Schema) -> None:
        """Validate settings for this schema.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> method = pv.Complement()
        >>> method.check(schema)
        """
        self.universe(schema)

    def recipe(self, schema: Schema) -> Recipe:
        """Return how records are coded: categories as they are, numbers by their cells.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> method = pv.Complement()
        >>> method.recipe(schema).schema.names
        ['Outlook', 'Humidity', 'Wind', 'Play']
        """
        coded = {
            attribute.name: Exact() if attribute.is_categorical else ValueClass()
            for attribute in schema
        }
        return Plan(coded).recipe(schema)

    def universe(self, schema: Schema) -> Universe:
        """Return the universe of a schema, no copies yet; a universe too large is refused.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> method = pv.Complement()
        >>> method.universe(schema).size
        24
        """
        check_pick(self.pick)
        codings = {step.name: step.coding for step in self.recipe(schema).steps}
        if self.pick != "dummy":
            if self.dummy is not None:
                raise PlanError("Complement: dummy goes with pick='dummy' only.")
            return Universe.of(codings)
        return Universe.of(codings, self._dummy(schema))

    def _dummy(self, schema: Schema) -> Dummy:
        if self.dummy is None:
            name = "dummy"
            while name in schema:
                name += "_"
            return Dummy(name, ("yes",))
        if isinstance(self.dummy, str):
            return self._named(schema, self.dummy, None)
        if not isinstance(self.dummy, Mapping) or len(self.dummy) != 1:
            message = "Complement: dummy must be an attribute's name, or one name with its dummies."
            raise PlanError(message, hint='dummy = { Wind = ["Crazy", "Deathly"] }.')
        ((name, values),) = self.dummy.items()
        return self._named(schema, name, list(values))

    def _named(self, schema: Schema, name: str, values: list[str] | None) -> Dummy:
        if name not in schema:
            return Dummy(name, tuple(values or ("yes",)))
        size = schema[name].coding().size
        known = {str(value) for value in schema[name].values or ()}
        if values is None:
            values = [f"dummy {number + 1}" for number in range(size)]
        fine = all(isinstance(value, str) for value in values) and not known & set(values)
        if len(set(values)) < size or len(set(values)) < len(values) or not fine:
            message = f"Complement: {name!r} needs at least {size} dummies, each a name of its own."
            raise PlanError(message, hint="it takes as many as the attribute has values.")
        return Dummy(name, tuple(values))

    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise; no data are needed.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> method = pv.Complement()
        >>> method.claim(schema)
        <Claim: no formal guarantee>
        """
        treatments = dict.fromkeys(schema.names, self.method)
        notes = self.universe(schema).notes()
        return self.claimed(schema, treatments, notes, seeded=seeded, tables=2)

    def made(self, records: Any, schema: Schema, source: Randomness, *, shuffle: bool) -> Release:
        """Unrealize records and return the release.

        Rows are distinct records in the order of the universe, whatever ``shuffle`` says.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> from privet.randomness import Randomness
        >>> with Randomness.of(1) as words:
        ...     pv.Complement().made(table, schema, words, shuffle=True).rows
        14
        """
        del shuffle
        universe = self.universe(schema)
        unrealizer = Unrealizer(universe, self.pick, source)
        for cells in self.cells(records, schema):
            unrealizer.add(cells)
        if not unrealizer.samples:
            raise DataError("The table has no rows.")
        tables = unrealizer.tables()
        return complemented_release(
            self.recipe(schema),
            universe.with_copies(unrealizer.copies),
            tables,
            seeded=source.is_seeded,
        )

    def cells(self, records: Any, schema: Schema) -> Iterator[Ints]:
        """Yield the cells of records, batch by batch: of a frame, or of a path's files.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> sum(len(cells) for cells in pv.Complement().cells(table, schema))
        14
        """
        recipe, universe = self.recipe(schema), self.universe(schema)
        with Randomness.system() as source:  # of which nothing is drawn: no step has a channel
            records = Files.of(records, schema.format)
            if not isinstance(records, Files):
                raw = columns(records, schema.names)
                rows = len(next(iter(raw.values())))
                if rows > ROWS:
                    yield universe.join(recipe.apply(raw, rows, source).columns)
                elif rows:  # a few are quicker without threads
                    yield universe.join(recipe.work(raw, source, 0, 0))
                return
            from privet.table.source import Source

            for batch in track(Source(records, schema.attributes).batches(), "unrealizing"):
                coded = recipe.work(batch.columns, source, batch.start, batch.row, batch.path)
                yield universe.join(coded)


def complemented_release(
    recipe: Recipe,
    universe: Universe,
    tables: Sequence[Mapping[str, NDArray[Any]]],
    *,
    seeded: bool = False,
) -> Release:
    """Return the release of T′ and T^P, which are both to be taken away from the universe."""
    return Release(
        recipe.schema,
        {step.name: step.coding for step in recipe.steps},
        tuple(Part(MemoryTable(table), (), -1) for table in tables),
        dict.fromkeys(recipe.schema.names, Complement.method),
        seeded=seeded,
        universe=universe,
    )


def originals(release: Release) -> Any:
    """Reconstruct the original records of a complemented release, as an Arrow table.

    This undoes the disguise: what comes back are the collected records themselves (in the order
    of the universe; the order of collection is lost, and numbers come back as the centres of
    their cells, whole ones as whole numbers). Mining does not need it.
    """
    import pyarrow as pa

    if release.universe is None:
        raise PlanError("Only a complemented release can be reconstructed so.")
    universe = release.universe
    cells = np.repeat(np.arange(universe.size), universe.collected(release.parts))
    codes = universe.part(cells)
    unused = np.random.default_rng(0)  # centres are not drawn
    shown = {
        name: shown_values(
            coding, codes[name], "centre", unused, whole=release.schema[name].integer
        )
        for name, coding in release.codings.items()
        if coding is not None
    }
    return pa.table({name: pa.array(values, from_pandas=True) for name, values in shown.items()})
