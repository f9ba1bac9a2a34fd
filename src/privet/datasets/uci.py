"""Real tables, most of the UCI archive: from a folder of yours, the cache, or the archive itself.

A table is looked for in the folder ``PRIVET_DATA``, then in the user's cache, then downloaded and
kept there. A file must have the documented number of rows and fit the public domains in
``domains``, whole, or it is refused: a damaged file never becomes a table.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import tempfile
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from privet.datasets.domains import SCHEMAS
from privet.errors import DataError, InputError
from privet.frames import columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from privet.schema import Schema

__all__ = ["NAMES", "load", "schema"]

_ARCHIVE = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
_TIMEOUT = 30  # seconds without an answer
_LARGEST = 16 << 20  # bytes; the largest of the tables has four million


@dataclass(frozen=True)
class _Source:
    """One file: its name here and in the archive, its rows, and how the archive writes it.

    ``drop`` is how many columns (ids) stand before the first we keep. ``first`` says that the
    class is the first column there; it is the last here. ``classes`` renames its values. A
    file without a ``remote`` page has to be in the data folder. ``cut`` says that the class is a
    number in the file: at most that much is the first class, more the second.
    """

    file: str
    remote: str
    rows: int
    drop: int = 0
    first: bool = False
    incomplete: bool = False  # whether rows with `?` are kept
    classes: Mapping[str, str] = field(default_factory=dict)
    cut: float | None = None


_INCOME = {"<=50K.": "<=50K", ">50K.": ">50K"}  # the test file ends its classes with a dot
_SOURCES: dict[tuple[str, str], _Source] = {
    ("adult", "train"): _Source("adult_train.csv", "adult/adult.data", 32_561, incomplete=True),
    ("adult", "test"): _Source(
        "adult_test.csv", "adult/adult.test", 16_281, incomplete=True, classes=_INCOME
    ),
    ("wisconsin", "train"): _Source(
        "wisconsin.csv",
        "breast-cancer-wisconsin/breast-cancer-wisconsin.data",
        683,
        drop=1,
        classes={"2": "benign", "4": "malignant"},
    ),
    ("credit", "train"): _Source(
        "credit.csv", "credit-screening/crx.data", 653, classes={"+": "yes", "-": "no"}
    ),
    ("cmc", "train"): _Source(
        "cmc.csv", "cmc/cmc.data", 1_473, classes={"1": "none", "2": "long_term", "3": "short_term"}
    ),
    ("abalone", "train"): _Source("abalone.csv", "abalone/abalone.data", 4_177),
    ("wine", "train"): _Source(
        "wine.csv", "wine/wine.data", 178, first=True, classes={"1": "A", "2": "B", "3": "C"}
    ),
    ("shuttle", "train"): _Source("shuttle.csv", "", 58_000),
    ("cps", "train"): _Source("cps.csv", "", 28_155, cut=522.32),  # the median, in dollars a week
    ("affairs", "train"): _Source("affairs.csv", "", 601, cut=0),
}
NAMES = tuple(SCHEMAS)


def schema(name: str, *, complete: bool = False) -> Schema:
    """Return the public domains of a table.

    Adult's three columns with gaps have a missing value among their categories; ``complete`` is
    for the table without the incomplete rows, and leaves it out.

    >>> schema("wine").target
    'cultivar'
    """
    if name not in SCHEMAS:
        message = f"There is no UCI table {name!r} here; there are {', '.join(NAMES)}."
        raise InputError(message)
    return SCHEMAS[name](complete)


def load(name: str, *, split: str = "train", complete: bool = False) -> pa.Table:
    """Return a table with the names and types of its schema; a gap is null.

    ``split`` is ``"train"`` or, for adult only, ``"test"``. ``complete`` drops rows with a gap:
    adult then has 30,162 and 15,060 rows. The other tables have no gaps.
    """
    declared = schema(name)
    source = _SOURCES.get((name, split))
    if source is None:
        splits = ", ".join(known for table, known in _SOURCES if table == name)
        message = f"Parameter split: the table {name!r} has no part {split!r}; it has {splits}."
        raise InputError(message)
    table = _get(source, declared)
    return table.drop_null() if complete else table


def _get(source: _Source, declared: Schema) -> pa.Table:
    named = os.environ.get("PRIVET_DATA")
    for folder in ([Path(named)] if named else []) + [_cache()]:
        path = folder / source.file
        if path.is_file():
            return _read(path, f"data file {path}", declared, source)
    text = _convert(_download(source), source, declared)
    table = _read(io.BytesIO(text.encode()), f"download of {source.file}", declared, source)
    with contextlib.suppress(OSError):  # without a cache the next call downloads again
        _keep(source, text)
    return table


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "privet" / "data"


def _download(source: _Source) -> str:
    if not source.remote:
        message = f"{source.file} is in no data folder, and no archive has it in this form."
        hint = f"put {source.file} in a folder and name the folder in PRIVET_DATA."
        raise InputError(message, hint=hint)
    try:
        page = _ARCHIVE + source.remote
        with urllib.request.urlopen(page, timeout=_TIMEOUT) as answer:  # noqa: S310 - our own https
            content: bytes = answer.read(_LARGEST + 1)
    except OSError as error:  # no network, no such page, no answer in time
        reason = getattr(error, "reason", None) or error
        message = f"{source.file} is in no data folder and cannot be downloaded: {reason}."
        hint = f"put {source.file} in a folder and name the folder in PRIVET_DATA."
        raise InputError(message, hint=hint) from None
    if len(content) > _LARGEST:
        message = f"The download of {source.file} is far larger than the table can be."
        raise InputError(message, hint=f"put {source.file} in the folder PRIVET_DATA yourself.")
    return content.decode("utf-8", errors="replace")


def _convert(text: str, source: _Source, declared: Schema) -> str:
    """Write the archive's form as ours: a header, class last, `?` for a gap, complete rows."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(declared.names)
    for raw in csv.reader(text.splitlines(), skipinitialspace=True):
        row = [cell.strip() for cell in raw[source.drop :]]
        if len(row) < len(declared.names) or (not source.incomplete and "?" in row):
            continue  # an empty line, the test file's first line, or a row with a gap
        if source.first:
            row = [*row[1:], row[0]]
        writer.writerow([*row[:-1], source.classes.get(row[-1], row[-1])])
    return out.getvalue()


def _keep(source: _Source, text: str) -> None:
    """Write the table to the cache in one step, so that never half of it is there."""
    folder = _cache()
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
    part = Path(name)
    try:
        os.close(handle)
        part.write_text(text, encoding="utf-8")
        part.replace(folder / source.file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _read(file: Path | io.BytesIO, what: str, declared: Schema, source: _Source) -> pa.Table:
    """Read our form and check it: columns, number of rows, and every value against its domain."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    def kind(name: str) -> pa.DataType:
        attribute = declared[name]
        if name == declared.target and source.cut is not None:
            return pa.float64()
        if attribute.values is not None:
            return pa.string() if isinstance(attribute.values[0], str) else pa.int64()
        return pa.int64() if attribute.integer else pa.float64()

    options = arrow_csv.ConvertOptions(
        column_types={name: kind(name) for name in declared.names},
        null_values=["?", ""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
    )
    hint = f"put a whole copy of {source.file} in the folder PRIVET_DATA."
    try:
        table = arrow_csv.read_csv(file, convert_options=options)
    except (OSError, pa.ArrowInvalid):
        message = f"The {what} cannot be read as this table."
        raise DataError(message, hint=hint) from None
    if table.column_names != declared.names or table.num_rows != source.rows:
        message = f"The {what} has {table.num_rows} rows of {table.num_columns} columns; "
        message += f"expected are {source.rows} rows of {', '.join(declared.names)}."
        raise DataError(message, hint=hint)
    if source.cut is not None:
        table = _with_classes(table, declared, source.cut)
    for name, column in columns(table).items():
        try:
            declared[name].encode(column)
        except DataError as error:
            message = f"The {what} is damaged: {error.message}"
            raise error.retold(message, hint=hint) from None
    return table


def _with_classes(table: pa.Table, declared: Schema, cut: float) -> pa.Table:
    """Return the table with its class, a number so far, cut in two; a gap stays a gap."""
    import pyarrow.compute as pc

    place = declared.names.index(declared.target)
    at_most, more = declared.classes
    classes = pc.if_else(pc.less_equal(table[place], cut), at_most, more)
    return table.set_column(place, declared.target, classes)
