"""True pairs of whole-table methods: the card's method, run once more on the originals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disguise.base import METHODS
from privet.disguise.monotone import Monotone
from privet.disguise.noised import Noised
from privet.disguise.regression import SingularWarning
from privet.errors import InputError
from privet.schema import Attribute
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints
    from privet.disguise.monotone_key import Key
    from privet.randomness import Randomness
    from privet.release import Release
    from privet.schema import Schema


__all__ = ["Pairs", "encoded", "method_of", "monotone_names", "pairs_of", "windows"]

CLOSE = 0.05  # of the range: how near a guessed number has to be
ENCODED = 20_000  # originals that are put through fresh monotone functions


@dataclass(frozen=True)
class Pairs:
    """Originals and released records of the same people, row for row.

    ``shown`` is what is released for each; ``plain`` pairs show the originals themselves.
    """

    schema: Schema
    true: MemoryTable
    shown: MemoryTable
    is_plain: bool = False

    def plain(self) -> Pairs:
        """Return the pairs as they would be without a disguise."""
        return Pairs(self.schema, self.true, self.true, is_plain=True)

    def moved(self, order: Ints) -> Pairs:
        """Return the pairs with the released rows of other people."""
        return Pairs(self.schema, self.true, self.shown.take(order))


def method_of(release: Release) -> Noised | None:
    """Return the method that made a release, by its card; None if it made no such noise."""
    if release.unbounded is None:
        return None
    kind: Any = METHODS.get(release.unbounded.method)
    if kind is None or not issubclass(kind, Noised):
        return None
    settings = release.unbounded.settings
    return kind(**settings) if set(settings) == {field.name for field in fields(kind)} else None


def pairs_of(
    release: Release, sample: Mapping[str, NDArray[Any]], source: Randomness
) -> Pairs | None:
    """Return true pairs, or None where there is no such method, or no originals to do it to."""
    if monotone_names(release) and sample:
        true = MemoryTable({name: sample[name] for name in release.schema.names})
        true = true.slice(0, ENCODED).collect(ENCODED)
        made, _ = encoded(release, true.columns, source)
        shown = made.parts[0].table.collect(ENCODED)
        return Pairs(_raw_schema(release, true.columns), true, shown)
    method = method_of(release)
    if method is None or release.unbounded is None or not sample:
        return None
    schema = release.unbounded.original_schema(release.schema)
    true = MemoryTable({name: sample[name] for name in schema.names})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SingularWarning)  # the owner was told
            return Pairs(schema, true, method.perturb(true, schema, source))
    except InputError:  # a sample may be too small, or of one class
        return None


def monotone_names(release: Release) -> list[str]:
    """Return the attributes that went through a secret monotone function."""
    treatments = release.treatments
    return [name for name in release.schema.names if treatments.get(name) == Monotone.method]


def _raw_schema(release: Release, columns: Mapping[str, NDArray[Any]]) -> Schema:
    """Return the schema of originals under a monotone disguise; their range is what they span."""

    def declared(name: str) -> Attribute:
        attribute = release.schema[name]
        known = columns[name][~np.isnan(columns[name])]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        high = high if high > low else low + 1.0
        return Attribute.numeric(name, low=low, high=high, missing=attribute.missing)

    hidden = monotone_names(release)
    return release.schema.with_attributes(
        declared(attribute.name) if attribute.name in hidden else attribute
        for attribute in release.schema
    )


def encoded(
    release: Release, columns: Mapping[str, NDArray[Any]], source: Randomness
) -> tuple[Release, Key]:
    """Put originals through fresh monotone functions, rows in order; return the key as well.

    Which kinds of pieces the owner chose is on no card: they are the usual ones here.
    """
    target = release.schema.target
    coding = release.codings[target]
    labels = columns[target] if coding is None else coding.decode(columns[target])
    schema = _raw_schema(release, columns)
    seed = source.words(0, 0, 8).tobytes()
    return Monotone().encode({**columns, target: labels}, schema, seed=seed, shuffle=False)


def windows(values: Floats, width: float) -> float:
    """Return the middle of the window of ``width`` that holds most values: the best blind guess."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return 0.0
    inside = np.searchsorted(known, known + width, side="right") - np.arange(len(known))
    return float(known[int(inside.argmax())] + width / 2)
