"""The reconstructed data set: a table for any miner, made from a release (DXZ, Algorithm 2).

Every disguised column is reconstructed by itself, over all records or class by class, so that it
agrees with the counts that the originals are estimated to have. What two columns have to do with
each other survives only as far as the released values still show it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import MethodError
from privet.estimate.byclass import assigned, plain_class
from privet.estimate.merged import merged
from privet.release.shown import check_representative, shown_values

if TYPE_CHECKING:
    from privet.release import Release

__all__ = ["METHODS", "STAMP", "reconstruct_table", "stamp_of"]

METHODS = ("global", "by-class")
STAMP = b"privet.reconstructed"  # the key of the stamp in an Arrow table's or Parquet file's schema
_WHAT = (
    "A reconstructed table: the columns named here were disguised and hold values that agree with "
    "the estimated counts of the originals. No row is a record of a person; the table was made "
    "from the release alone and discloses no more than it does. Columns go together less than "
    "the originals did."
)


def reconstruct_table(
    release: Release,
    *,
    method: str = "global",
    representative: str = "centre",
    seed: int | None = None,
) -> Any:
    """Return a plain table, as the originals may have been, that any learner can take.

    Parameters
    ----------
    release
        A release of one part, of substituted or noisy values; or of parts drawn at random.
    method
        ``"global"`` reconstructs each column over all records (Dowd, Xu & Zhang, Algorithm 2),
        ``"by-class"`` within each class (Agrawal & Srikant's ByClass), which must be plain.
    representative
        What shows a cell of numbers: its ``"centre"``, its upper ``"endpoint"``, or a ``"random"``
        point of it, drawn for every record.
    seed
        Draws the same random points again.

    Returns
    -------
    pyarrow.Table
        In memory. Metadata of its schema, which Parquet keeps, say what it is; ``stamp_of`` reads
        them.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
    >>> made = pv.reconstruct_table(release)
    >>> made.column_names, made.num_rows
    (['Outlook', 'Humidity', 'Wind', 'Play'], 14)
    """
    import pyarrow as pa

    if method not in METHODS:
        message = f"There is no method {method!r} that makes a table."
        raise MethodError(message, hint=f"it is one of {', '.join(map(repr, METHODS))}.")
    check_representative(representative)
    if release.universe is not None:
        message = "A complemented release holds no disguised values to reconstruct."
        raise MethodError(message, hint="mine it as it is; its counts are exact.")
    if release.drawn:
        release = merged(release)
    if method == "by-class":
        plain_class(release, method)
    elif len(release.parts) != 1 or release.parts[0].sign < 0:
        raise MethodError("A table is reconstructed from a release of one part.")
    made = assigned(release, by_class=method == "by-class")
    rng = np.random.default_rng(seed)
    columns = {}
    for name in release.schema.names:
        coding, values = made.codings[name], made.table.columns[name]
        if coding is not None:
            whole = release.schema[name].integer
            values = shown_values(coding, values, representative, rng, whole=whole)
        columns[name] = pa.array(values, from_pandas=True)
    disguised = [name for channel in release.parts[0].channels for name in channel.attributes]
    stamp = {
        "what": _WHAT,
        "columns": disguised,
        "method": method,
        "representative": representative,
    }
    if release.seeded:
        stamp["note"] = "NOT PRIVATE: the release was drawn from a seed."
    return pa.table(columns).replace_schema_metadata({STAMP: json.dumps(stamp)})


def stamp_of(table: Any) -> dict[str, Any] | None:
    """Return what the stamp of an Arrow table, or of its schema, says; None if there is none."""
    schema = getattr(table, "schema", table)
    stamp = (schema.metadata or {}).get(STAMP)
    return None if stamp is None else dict(json.loads(stamp))
