"""The owner's records as an audit uses them: coded by the card, counted in full, sampled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disguise.treatment import ValueClass
from privet.errors import DataError
from privet.frames import columns
from privet.progress import track
from privet.schema import Files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints
    from privet.release import Release
    from privet.schema import Attribute

__all__ = ["SAMPLE", "Original", "coded_original", "read_original"]

SAMPLE = 200_000  # records that attacks are run on; the rest only count
ROWS = 1 << 17  # coded in one go
_SAME = ("exact", "substitution")  # treatments that keep an attribute's domain
_LARGEST = float(np.finfo(np.float64).max) / 4


@dataclass(frozen=True)
class Original:
    """Records coded as the release codes them, before any channel.

    ``sample`` holds a uniformly random choice of at most ``SAMPLE`` of the ``rows``; ``counts``
    are of all rows. ``skipped`` names attributes whose raw values the card cannot code, as value
    classes of categories, whose members only the owner's plan knows, and their groups.
    ``collected`` counts all rows by the cells of a complement's universe.
    """

    rows: int
    sample: dict[str, NDArray[Any]]
    counts: dict[str, Ints]
    skipped: tuple[str, ...]
    collected: Ints | None = None

    @property
    def sampled(self) -> int:
        """The number of records in the sample."""
        return len(next(iter(self.sample.values())))


def read_original(
    records: Any, release: Release, rng: np.random.Generator, limit: int = SAMPLE
) -> Original:
    """Read the records that a release was made from, a frame or files by their path."""
    original = coded_original(records, release, rng, limit)
    fewer = release.anonymity is not None or release.people is not None
    suppressed = fewer and original.rows > release.rows
    if original.rows != release.rows and not suppressed:
        message = f"The original has {original.rows:,} records, the release {release.rows:,}."
        raise DataError(message, hint="give the very table that the release was made from.")
    return original


def coded_original(
    records: Any, release: Release, rng: np.random.Generator, limit: int = SAMPLE
) -> Original:
    """Code records as a release would, holding a batch and the sample in memory."""
    used = list(release.schema)
    counts: dict[str, Ints] = {}
    sample: dict[str, NDArray[Any]] = {}
    keys = np.empty(0)
    rows = 0
    universe = release.universe
    collected = None if universe is None else np.zeros(universe.size, np.int64)
    for raw in track(_batches(records, used), "reading the original"):
        if not rows:
            used = _used(release, raw)
            counts = _zeros(used, release)
        coded = {
            attribute.name: _code(attribute, release, raw[attribute.name]) for attribute in used
        }
        for name, total in counts.items():
            counts[name] = total + np.bincount(coded[name], minlength=len(total))
        if universe is not None and collected is not None:
            np.add.at(collected, universe.join(coded), 1)
        rows += len(coded[release.schema.target])
        sample, keys = _sampled(sample, keys, coded, rng, limit)
    if not rows:
        raise DataError("The original has no rows.")
    skipped = tuple(name for name in release.schema.names if name not in sample)
    return Original(rows, sample, counts, skipped, collected)


def _used(release: Release, raw: Mapping[str, Any]) -> list[Attribute]:
    """Return the attributes that can be coded, of groups disguised together all or none."""
    fine = {attribute.name for attribute in release.schema if _codable(attribute, release, raw)}
    for part in release.parts:
        for channel in part.channels:
            if not fine.issuperset(channel.attributes):
                fine -= set(channel.attributes)
    return [attribute for attribute in release.schema if attribute.name in fine]


def _zeros(used: list[Attribute], release: Release) -> dict[str, Ints]:
    """Return empty counts, after checking that there is something to compare."""
    if release.schema.target not in [attribute.name for attribute in used] or len(used) < 2:
        raise DataError("The card does not tell how the original's columns became the release's.")
    return {
        attribute.name: np.zeros(coding.size, np.int64)
        for attribute in used
        if (coding := release.codings[attribute.name]) is not None
    }


def _codable(attribute: Attribute, release: Release, raw: Mapping[str, Any]) -> bool:
    """Whether the card tells how an attribute's raw values became what is released."""
    if release.treatments.get(attribute.name, "exact") in _SAME:
        return True  # a value that does not fit is then the caller's mistake
    try:
        _code(attribute, release, raw[attribute.name])
    except DataError:
        return False
    return True


def _batches(records: Any, used: list[Attribute]) -> Iterator[Mapping[str, Any]]:
    if isinstance(Files.of(records), Files):
        from privet.table.source import Source

        for batch in Source(records, used).batches():
            yield batch.columns
        return
    raw = columns(records, [attribute.name for attribute in used])
    for start in range(0, len(next(iter(raw.values()))), ROWS):
        yield {
            name: column[start : start + ROWS]
            if isinstance(column, np.ndarray)
            else column.slice(start, ROWS)
            for name, column in raw.items()
        }


def _code(attribute: Attribute, release: Release, column: Any) -> NDArray[Any]:
    coding = release.codings[attribute.name]
    treatment = release.treatments.get(attribute.name, "exact")
    if treatment == "monotone":  # the card has the range of what is released, not of the originals
        return _any_numbers(attribute, column)
    if coding is None and treatment == ValueClass.method:
        raise DataError(f"Groups of {attribute.name!r} were cut by all records; no card tells how.")
    if coding is None:
        return attribute.numbers(column)
    return attribute.encode(column, coding)


def _any_numbers(attribute: Attribute, column: Any) -> Floats:
    wide = replace(attribute, low=-_LARGEST, high=_LARGEST, integer=False)
    return wide.numbers(column)


def _sampled(
    sample: dict[str, NDArray[Any]],
    keys: Floats,
    coded: dict[str, NDArray[Any]],
    rng: np.random.Generator,
    limit: int,
) -> tuple[dict[str, NDArray[Any]], Floats]:
    """Keep the rows with the smallest of random keys: a uniform sample of all rows so far."""
    fresh = rng.random(len(next(iter(coded.values()))))
    keys = np.concatenate([keys, fresh])
    sample = {
        name: np.concatenate([sample[name], column]) if sample else column
        for name, column in coded.items()
    }
    if len(keys) <= limit:
        return sample, keys
    kept = np.sort(np.argpartition(keys, limit)[:limit])
    return {name: column[kept] for name, column in sample.items()}, keys[kept]
