"""A party's own work: disguise its records by the agreement, and key them for the join."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, PlanError
from privet.frames import columns
from privet.party.folder import IN_MEMORY, PartyRelease
from privet.party.secret import fingerprint, keys_of
from privet.randomness import Randomness
from privet.schema import Attribute, Files

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Ints, Mask
    from privet.disguise.recipe import Recipe
    from privet.frames import Column
    from privet.party.agreement import Agreement
    from privet.table import MemoryTable

__all__ = ["disguise_party"]


def disguise_party(
    records: Any,
    agreement: Agreement,
    party: str,
    *,
    id: str | None = None,  # noqa: A002 - the field's word
    secret: bytes | None = None,
    drop_duplicates: bool = False,
    seed: int | str | bytes | None = None,
) -> PartyRelease:
    """Disguise a party's records and key them by a keyed hash of their id.

    Parameters
    ----------
    records
        A frame, or the path of a Parquet or CSV file or a folder of them. It works in memory.
    agreement, party
        What was agreed, and who in it this is.
    id, secret
        The column of ids, and the secret that all parties share. Where parties hold different
        records they may be left out; an id that two of them hold is then not found.
    drop_duplicates
        Whether to leave out all records whose id occurs more than once, instead of refusing them.
    seed
        For tests and experiments only: the records are then stamped as not private.
    """
    recipe = agreement.recipe(party)
    if (id is None) != (secret is None):
        raise PlanError("An id needs a secret, and a secret an id.")
    if id is None and agreement.split == "columns":
        message = "Records of parties that hold different columns are joined by their ids."
        raise PlanError(message, hint="name the column of ids, and the parties' secret.")
    if id is not None and id in agreement.schema:
        message = f"The id {id!r} is an attribute of the schema: it would be released."
        raise PlanError(message, hint="an id is a column that the schema does not name.")
    try:
        raw, rows = _raw(records, recipe, id)
    except DataError as error:
        if not _may_leave_class(agreement, party, error):
            raise
        hint = (
            f"if another party sends the class, write class = false for {party!r} in the agreement."
        )
        raise error.retold(error.message, hint=hint) from None
    if not rows:
        raise DataError(f"Party {party!r} has no records.", hint="check the table it gave.")
    keys = None
    order: Ints = np.arange(rows)
    if id is not None and secret is not None:
        keys = keys_of(raw.pop(id), secret, id)
        order = np.lexsort((keys[:, 1], keys[:, 0]))
        order = _without_duplicates(keys, order, id, drop=drop_duplicates)
        keys = np.ascontiguousarray(keys[order])
    with Randomness.of(seed) as source:
        table: MemoryTable = recipe.apply(raw, rows, source)
        if keys is None:
            order = source.permutation(0, rows).astype(np.int64)
    mark = None if secret is None else fingerprint(secret)
    return PartyRelease(party, agreement, table.take(order), keys, mark, seed is not None)


def _may_leave_class(agreement: Agreement, party: str, error: DataError) -> bool:
    """Whether a party lacks just the class, and another is to send it."""
    others = (member for name, member in agreement.members.items() if name != party)
    return (
        error.where.column == agreement.schema.goal
        and error.where.row is None
        and agreement.split == "columns"
        and any(member.sends_class for member in others)
    )


def _raw(records: Any, recipe: Recipe, id: str | None) -> tuple[dict[str, Column], int]:  # noqa: A002
    names = [step.name for step in recipe.steps] + ([] if id is None else [id])
    if not isinstance(records, str | Path | Files):
        raw = columns(records, names)
        return raw, len(next(iter(raw.values())))
    import pyarrow as pa

    from privet.table.source import Source

    asked = [step.attribute for step in recipe.steps]
    asked += [] if id is None else [Attribute.categorical(id, ["text"])]
    pieces = []
    rows = 0
    for batch in Source(records, asked).batches():
        rows += batch.rows
        if rows > IN_MEMORY:
            message = f"A party's records are worked on in memory, at most {IN_MEMORY:,} of them."
            raise DataError(message, hint="split the table, and the agreement, into several.")
        pieces.append(pa.table(dict(batch.columns)))
    if not pieces:
        return {name: np.empty(0) for name in names}, 0
    return columns(pa.concat_tables(pieces), names), rows


def _without_duplicates(
    keys: NDArray[np.uint64],
    order: Ints,
    id: str,  # noqa: A002
    *,
    drop: bool,
) -> Ints:
    twice = repeated(keys[order])
    if not twice.any():
        return order
    if not drop:
        row = int(order[twice].min())
        shared = f"{int(twice.sum()):,} records share theirs with another"
        hint = "keep one record per id, or use drop_duplicates=True to leave all of those out."
        raise DataError(f"The id {id!r} is not unique: {shared}.", hint=hint, column=id, row=row)
    kept = order[~twice]
    if not len(kept):
        raise DataError(f"Every id in {id!r} occurs more than once: no record is left.")
    return kept


def repeated(keys: NDArray[np.uint64]) -> Mask:
    """Say which of sorted keys equal a neighbour."""
    same = (keys[1:] == keys[:-1]).all(1)
    twice = np.zeros(len(keys), np.bool_)
    twice[1:] |= same
    twice[:-1] |= same
    return twice
