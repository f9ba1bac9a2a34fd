"""Releases made otherwise than by a disguise: gathered from people, joined, with another class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import Coding, code_type
from privet.errors import DataError, ReleaseError, SchemaError
from privet.frames import columns
from privet.release.folds import shuffled
from privet.release.release import IN_MEMORY, Part, Release, released_size, treatments_of
from privet.schema import Attribute
from privet.table import MemoryTable, ParquetTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.schema import Schema
    from privet.table import Table

__all__ = ["concat", "of_disguised", "with_target"]


def of_disguised(
    schema: Schema,
    channels: Sequence[Channel],
    rows: Any,
    treatments: Mapping[str, str] | None,
    *,
    shuffle: bool,
) -> Release:
    """Return the release of records that were disguised elsewhere; see ``Release.of_disguised``."""
    coded = {name for channel in channels if not channel.numbers for name in channel.attributes}
    codings = {
        attribute.name: attribute.coding()
        if attribute.is_categorical or attribute.name in coded
        else None
        for attribute in schema
    }
    raw = columns(rows, schema.names)
    empty = Part(MemoryTable({name: np.empty(0) for name in raw}), tuple(channels))
    sizes = {
        name: None if coding is None else released_size(empty, name, coding)
        for name, coding in codings.items()
    }
    table = MemoryTable({name: _stored(name, raw[name], size) for name, size in sizes.items()})
    if not table.rows:
        raise DataError("There are no records.")
    part = replace(empty, table=shuffled(table) if shuffle else table)
    done = dict(treatments or treatments_of(schema, (part,)))
    release = Release(schema, codings, (part,), done, shuffled=shuffle)
    release.verify()
    return release


def _stored(name: str, column: Any, size: int | None) -> NDArray[Any]:
    """Return a column in the type it is stored in; what is no code of it is an error."""
    if not isinstance(column, np.ndarray) or column.dtype.kind not in "iuf":
        message = f"Column {name!r} does not hold {'numbers' if size is None else 'codes'}."
        hint = "a code is the place of a value in the attribute's domain, from 0."
        raise DataError(message, hint="" if size is None else hint, column=name)
    if size is None:
        return column.astype(np.float64)
    with np.errstate(invalid="ignore"):
        wrong = ~((column >= 0) & (column < size) & (column == np.floor(column)))
    if wrong.any():
        message = f"Column {name!r} has a code outside its domain; allowed are 0 to {size - 1}."
        raise DataError(message, column=name, row=int(np.argmax(wrong)))
    return column.astype(code_type(size))


def concat(releases: Iterable[Release]) -> Release:
    """Return the records of several releases as one; see ``Release.concat``."""
    given = list(releases)
    if not given:
        raise ReleaseError("There is no release to join.")
    first = given[0]
    for other in given:
        if not isinstance(other, Release):
            raise ReleaseError(f"A release is expected, not {type(other).__name__}.")
        if any(extra is not None for extra in (other.universe, other.anonymity, other.unbounded)):
            message = "A method that looked at all records at once made one of the releases: "
            message += "such releases cannot be joined."
            raise ReleaseError(message, hint="disguise all records together.")
        if _plan(other) != _plan(first):
            message = "The releases were not made by one plan: schemas, codings, channels or "
            raise ReleaseError(message + "treatments differ.", hint="mine them one by one.")
    tables = [
        [release.parts[number].table for release in given] for number in range(len(first.parts))
    ]
    joined = [_joined(group) for group in tables]
    parts = [replace(part, table=table) for part, table in zip(first.parts, joined, strict=True)]
    return replace(
        first,
        parts=tuple(parts),
        seeded=any(release.seeded for release in given),
        tuned=any(release.tuned for release in given),
        shuffled=all(isinstance(table, MemoryTable) for table in joined),
    )


def _plan(release: Release) -> object:
    """Return what releases of one plan have in common."""
    codings = [None if coding is None else coding.to_dict() for coding in release.codings.values()]
    parts = [
        (part.channels, part.sign, {n: coding.to_dict() for n, coding in part.codings.items()})
        for part in release.parts
    ]
    return release.schema, codings, parts, release.treatments


def _joined(tables: Sequence[Table]) -> Table:
    if all(type(table) is ParquetTable for table in tables):
        groups = [piece.origin for table in tables for piece in table.pieces]  # type: ignore[attr-defined]  # all are Parquet
        whole = {group.path: group.stamp for group in groups}
        made = ParquetTable(whole, stamps=list(whole.values()))
        if made.rows == sum(table.rows for table in tables):  # none is a slice, or there twice
            return made
    tables_read = [table.collect(IN_MEMORY).columns for table in tables]
    return shuffled(
        MemoryTable(
            {
                name: np.concatenate([table[name] for table in tables_read])
                for name in tables_read[0]
            }
        )
    )


def with_target(release: Release, name: str) -> Release:
    """Return the same records with another class; see ``Release.with_target``."""
    attribute = release.schema[name]
    coding = release.codings[name]
    if release.anonymity is not None:
        message = "The class of this release belongs to the way it was made: it cannot be changed."
        raise SchemaError(message)
    if coding is None:
        message = f"Attribute {name!r} was released as numbers, which make no class."
        raise SchemaError(message, hint="choose a categorical attribute, or one cut to cells.")
    if any(name in part.codings for part in release.parts):
        message = f"Attribute {name!r} is cut otherwise in one part than in another: "
        raise SchemaError(message + "its cells make no class.")
    if not attribute.is_categorical or attribute.missing == "category":
        labels = [coding.label(code) for code in range(coding.size)]
        attribute = Attribute.categorical(name, labels)
        coding = Coding.categories(name, labels)
    attributes = [attribute if old.name == name else old for old in release.schema]
    schema = type(release.schema)(attributes, target=name, learned=release.schema.learned)
    return replace(release, schema=schema, codings={**release.codings, name: coding})
