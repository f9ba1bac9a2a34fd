"""A plan applied to records: in memory, out of core, or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disguise.base import told
from privet.disguise.recipe import Recipe, stream_of
from privet.disguise.units import kept_rows
from privet.errors import DataError, PlanError
from privet.frames import check_names, columns
from privet.release import Release

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privet.disguise.base import Delivery
    from privet.disguise.plan import Plan
    from privet.frames import Column
    from privet.randomness import Randomness
    from privet.schema import Attribute, Files, Schema
    from privet.table import MemoryTable, Table

__all__ = ["from_files", "from_memory", "in_memory", "on_cluster"]


def _attributes(plan: Plan, schema: Schema) -> list[Attribute]:
    return [step.attribute for step in plan.recipe(schema).steps]


def from_memory(plan: Plan, records: Any, schema: Schema, delivery: Delivery) -> Release:
    """Disguise a frame."""
    source, shuffle = delivery.source, delivery.shuffle
    raw, rows = _raw(records, [attribute.name for attribute in _attributes(plan, schema)])

    def make(recipe: Recipe, number: int) -> MemoryTable:
        return _applied(raw, rows, recipe, source, number, shuffle=shuffle)

    people = kept_rows(records, schema, source)
    suited = plan.suited(schema, people.of(rows))
    release = suited.made(schema, make, people, seeded=source.is_seeded, shuffled=shuffle)
    return delivery.kept(release)


def from_files(plan: Plan, records: Files, schema: Schema, delivery: Delivery) -> Release:
    """Disguise files piece by piece, into the folder of the release."""
    to = delivery.folder("Records in a file are disguised out of core.")
    from privet.disguise.stream import FileParts
    from privet.disguise.suited import ENOUGH
    from privet.release.folder import new_folder, seal

    source, shuffle = delivery.source, delivery.shuffle
    with new_folder(to, overwrite=delivery.overwrite) as folder:
        files = FileParts(records, _attributes(plan, schema), source, folder)

        def make(recipe: Recipe, number: int) -> Table:
            return files.part(recipe, number, shuffle=shuffle)

        people = kept_rows(records, schema, source)
        suited = plan.suited(schema, people.of(files.raw.rows_up_to(ENOUGH)))
        release = suited.made(schema, make, people, seeded=source.is_seeded, shuffled=shuffle)
        seal(release, folder, delivery.key)
    return told(Release.read(to), people.people)


def on_cluster(plan: Plan, records: Any, schema: Schema, delivery: Delivery) -> Release:
    """Disguise records where they are, at Spark's workers."""
    to = delivery.folder("Records on a cluster are disguised there.")
    from privet.disguise.cluster import Workers
    from privet.release.folder import new_folder, seal
    from privet.table.spark import SparkFiles, SparkTable

    source, shuffle = delivery.source, delivery.shuffle
    attributes = _attributes(plan, schema)
    names = [attribute.name for attribute in attributes]
    if isinstance(records, SparkFiles):
        records = records.table(attributes)
    elif not isinstance(records, SparkTable):
        records = SparkTable.of(records, names)
    check_names(records.names, names, "The table")
    with new_folder(to, overwrite=delivery.overwrite) as folder:
        workers = Workers(records, source, folder)

        def make(recipe: Recipe, number: int) -> Table:
            return workers.part(recipe, number, shuffle=shuffle)

        if schema.unit is not None:
            message = "Records on a cluster are not counted by person."
            hint = "keep to a number there yourself, and declare it as rows_per_unit alone."
            raise PlanError(message, hint=hint)
        people = kept_rows(None, schema, source)
        suited = plan.suited(schema, records.rows)
        release = suited.made(schema, make, people, seeded=source.is_seeded, shuffled=shuffle)
        written = [workers.files[number] for number in sorted(workers.files)]
        seal(release, folder, delivery.key, written)
    return Release.read(to, spark=records.session)


def in_memory(records: Any, recipe: Recipe, source: Randomness, *, shuffle: bool) -> Release:
    """Disguise records in memory by the steps of a recipe."""
    raw, rows = _raw(records, [step.name for step in recipe.steps])
    table = _applied(raw, rows, recipe, source, 0, shuffle=shuffle)
    return recipe.release([recipe.part(table)], seeded=source.is_seeded, shuffled=shuffle)


def _raw(records: Any, names: list[str]) -> tuple[dict[str, Column], int]:
    """Return the columns of a frame, and how many rows it has."""
    raw = columns(records, names)
    rows = len(next(iter(raw.values())))
    if rows == 0:
        raise DataError("The table has no rows.")
    return raw, rows


def _applied(
    raw: Mapping[str, Column],
    rows: int,
    recipe: Recipe,
    source: Randomness,
    number: int,
    *,
    shuffle: bool,
) -> MemoryTable:
    """Return the released records of a recipe's lot, in memory and in random order."""
    table = recipe.apply(raw, rows, source)
    if shuffle:
        order = source.permutation(stream_of(number, 0), table.rows)
        table = table.take(order.astype(np.int64))
    return table
