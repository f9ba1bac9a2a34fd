"""What all methods of noise without a bound share: records in, a table that looks plain out."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.disguise.treatment import Exact
from privet.disguise.whole import WholeTable, whole
from privet.release import Claim, Part, Release
from privet.release.treatments import UNBOUNDED
from privet.release.unbounded import UnboundedNoise
from privet.table import MemoryTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.randomness import Randomness
    from privet.schema import Attribute, Schema

__all__ = ["Noised", "coded", "normals", "uniforms"]


class Noised(WholeTable):
    """Noise without a bound, for a whole table in memory. There is no formal guarantee.

    A method says in ``changed`` which attributes it changes, in ``perturb`` how, and in ``said``,
    with its settings in braces, what that discloses. What it releases has the names, the order
    and, unless it says otherwise, the domains of the originals, and is mined as a plain table is.
    """

    said: ClassVar[tuple[str, ...]]

    @abstractmethod
    def perturb(self, table: MemoryTable, schema: Schema, source: Randomness) -> MemoryTable:
        """Return the records with noise, row for row; the table holds codes and numbers."""

    def changed(self, schema: Schema) -> list[str]:
        """Return the names of the attributes that get noise; all, if a method says nothing.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> "salary" in pv.RandomNoise(noise=0.1).changed(schema)
        True
        """
        return schema.names

    def released(self, attribute: Attribute) -> Attribute:
        """Return the domain of a changed attribute in the release.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> pv.RandomNoise(noise=0.1).released(schema["salary"]) == schema["salary"]
        True
        """
        return attribute

    def noise_of_card(self, schema: Schema) -> UnboundedNoise:
        """Return what the card says was done.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> pv.RandomNoise(noise=0.1).noise_of_card(schema).method
        'random-noise'
        """
        own = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        settings = {
            name: tuple(value) if isinstance(value, list | tuple) else value
            for name, value in own.items()
        }
        declared = {
            name: schema[name]
            for name in self.changed(schema)
            if self.released(schema[name]) != schema[name]
        }
        told = tuple(sentence.format(**settings) for sentence in self.said)
        return UnboundedNoise(self.method, settings, told, declared)

    def treatments(self, schema: Schema) -> dict[str, str]:
        """Return the word for what is done to each attribute.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> pv.RandomNoise(noise=0.1).treatments(schema)["salary"]
        'unbounded-noise'
        """
        changed = set(self.changed(schema))
        return {name: UNBOUNDED if name in changed else Exact.method for name in schema.names}

    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise: nothing; no data are needed.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> pv.RandomNoise(noise=0.1).claim(schema)
        <Claim: no formal guarantee>
        """
        self.check(schema)
        notes = self.noise_of_card(schema).notes()
        return self.claimed(schema, self.treatments(schema), notes, seeded=seeded)

    def made(self, records: Any, schema: Schema, source: Randomness, *, shuffle: bool) -> Release:
        """Add noise to records and return the release.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
        >>> from privet.randomness import Randomness
        >>> with Randomness.of(1) as words:
        ...     pv.RandomNoise(noise=0.1).made(table, schema, words, shuffle=True).rows
        300
        """
        made = self.perturb(coded(whole(records, schema), schema), schema, source)
        if shuffle:
            made = made.take(source.permutation(0, made.rows).astype(np.int64))
        changed = set(self.changed(schema))
        released = schema.with_attributes(
            self.released(attribute) if attribute.name in changed else attribute
            for attribute in schema
        )
        return Release(
            released,
            {
                attribute.name: attribute.coding() if attribute.is_categorical else None
                for attribute in released
            },
            (Part(made, ()),),
            self.treatments(schema),
            seeded=source.is_seeded,
            shuffled=shuffle,
            unbounded=self.noise_of_card(schema),
        )


def coded(raw: dict[str, Any], schema: Schema) -> MemoryTable:
    """Check raw columns against the schema; return codes of categories, and numbers as they are."""
    return MemoryTable(
        {
            attribute.name: attribute.encode(raw[attribute.name])
            if attribute.is_categorical
            else attribute.numbers(raw[attribute.name])
            for attribute in schema
        }
    )


def uniforms(source: Randomness, stream: int, rows: int) -> Floats:
    """Return numbers strictly between 0 and 1, equally likely, two words each.

    53 bits per number: with fewer, few differences to an original would be possible, and whoever
    has the original could tell its row by that.
    """
    words: NDArray[np.uint32] = source.words(stream, 0, 2 * rows)
    high = words[::2].astype(np.float64)
    low = (words[1::2] >> np.uint32(11)).astype(np.float64)
    drawn: Floats = (high * 2.0**21 + low + 0.5) * 2.0**-53
    return np.minimum(drawn, 1.0 - 2.0**-53)


def normals(source: Randomness, stream: int, rows: int) -> Floats:
    """Return numbers of the standard normal law, two words each."""
    from scipy.special import ndtri

    drawn: Floats = ndtri(uniforms(source, stream, rows))
    return drawn
