"""CSV files as people have them: what parts columns, the decimal sign and the encoding are sniffed.

The one door to Arrow's reader of CSV.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from collections import Counter
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from privet.errors import DataError
from privet.files.reading import cause, open_regular
from privet.frames import text_as_arrow
from privet.schema import Format
from privet.table.misread import failing_column, unlike
from privet.table.parquet import stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from privet.files.reading import Stamp

__all__ = ["DATES", "MISSING", "csv_batches", "described", "header", "sniffed", "text_of"]

# What stands for a missing value in tables of the UCI archive, of R, pandas, Excel and SQL.
MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
_DELIMITERS = ",;\t|"
_SAMPLE = 1 << 18  # bytes that tell delimiter and decimal sign
_DECODED = 1 << 26  # bytes that are looked at for signs that are not UTF-8
_BLOCK = 1 << 22
# One sign between digits; after thousands separators, which are the other sign, the last one.
_DECIMAL = re.compile(
    r"\s*[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+(?=,)|\d{1,3}(?:,\d{3})+(?=\.))([.,])\d+\s*"
)
_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
# Dates that are read beside ISO's, by how they look: day first, parted by dots. With slashes nobody
# knows which comes first.
DATES = {
    r"^[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}$": "%d.%m.%Y",
    r"^[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4} [0-9]{2}:[0-9]{2}$": "%d.%m.%Y %H:%M",
    r"^[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}$": "%d.%m.%Y %H:%M:%S",
}


def sniffed(path: Path, asked: Format) -> Format:
    """Return how a file is written: as asked, and as it looks where nothing was asked."""
    return asked.over(_looks(path, stamp_of(path), asked))


def described(written: Format) -> str:
    """Say what is unusual about how a file is written; nothing if it is as usual.

    >>> described(Format(";", ",", "cp1252", ("",)))
    'semicolons between columns, decimal commas, encoding cp1252'
    """
    said = []
    if written.delimiter != ",":
        sign = written.delimiter or ","
        said.append(f"{_WORDS.get(sign, repr(sign))} between columns")
    if written.decimal == ",":
        said.append("decimal commas")
    if written.encoding != "utf-8":
        said.append(f"encoding {written.encoding}")
    return ", ".join(said)


@lru_cache(maxsize=64)
def _looks(path: Path, stamp: Stamp, asked: Format) -> Format:
    del stamp
    encoding = asked.encoding or _encoding(path)
    with _opened(path) as file:
        sample = file.read(_SAMPLE)
    whole = len(sample) < _SAMPLE
    try:
        text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(sample)
    except UnicodeError as error:  # UTF-16 that does not begin with its mark
        raise csv_error(path, error) from None
    lines = text.lstrip("\ufeff").splitlines(keepends=True)
    lines = lines if whole or len(lines) < 2 else lines[:-1]
    tabs = path.name.removesuffix(".gz").endswith(".tsv")
    delimiter = asked.delimiter or ("\t" if tabs else _delimiter(lines))
    decimal = asked.decimal or _decimal(lines, delimiter)
    return Format(delimiter, decimal, encoding, MISSING)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with open_regular(path) as file:
            yield gzip.GzipFile(fileobj=file) if path.name.endswith(".gz") else file
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from None


def _encoding(path: Path) -> str:
    """Return UTF-8 if a file is that as far as one looks, UTF-16 by its mark, else Windows'."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _opened(path) as file:
        try:
            first = file.read(1 << 20)
            if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return "utf-16"
            read = len(first)
            while first and read <= _DECODED:
                decoder.decode(first)
                first = file.read(1 << 20)
                read += len(first)
        except UnicodeDecodeError:
            # Latin-1 in all its letters, with the signs that Windows puts where Latin-1 has none.
            return "cp1252" if not re.search(rb"[\x81\x8d\x8f\x90\x9d]", first) else "latin-1"
    return "utf-8"


def _delimiter(lines: Sequence[str]) -> str:
    """Return the sign that gives most lines as many columns as the header."""
    best, score = ",", (0.0, 1)
    for sign in _DELIMITERS:
        widths = [len(row) for row in _rows(lines, sign) if row]
        if widths and widths[0] > 1:
            same = widths.count(widths[0]) / len(widths)
            if (round(same, 1), widths[0]) > score:
                best, score = sign, (round(same, 1), widths[0])
    return best


def _decimal(lines: Sequence[str], delimiter: str) -> str:
    """Return the sign that stands between digits more often, where it parts no columns."""
    seen: Counter[str] = Counter()
    for row in _rows(lines, delimiter):
        for cell in row:
            number = _DECIMAL.fullmatch(cell)
            if number:
                seen[number[1]] += 1
    return "," if delimiter != "," and seen[","] > seen["."] else "."


def _rows(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(lines, delimiter=delimiter)
    except csv.Error:  # a cell of more than 128 KiB, say: what came before must do
        return


def _options(written: Format, text: Mapping[str, Any], names: Sequence[str] | None) -> Any:
    """Return Arrow's options; ``text`` has the types of columns."""
    import pyarrow.csv as pc

    marks = [*(written.missing or ()), ""]
    return {
        "read_options": pc.ReadOptions(block_size=_BLOCK, encoding=written.encoding),
        "parse_options": pc.ParseOptions(delimiter=written.delimiter, newlines_in_values=True),
        "convert_options": pc.ConvertOptions(
            column_types=text,
            include_columns=list(names) if names is not None else None,
            decimal_point=written.decimal,
            null_values=marks,
            timestamp_parsers=[pc.ISO8601, *DATES.values()],
        ),
    }


def header(path: Path, written: Format) -> Any:
    """Return the names of a file's columns and the types they look like, as Arrow's schema."""
    import pyarrow as pa
    import pyarrow.csv as pc

    try:
        with pc.open_csv(path, **_options(written, {}, None)) as reader:
            schema = reader.schema
            _ = schema.names  # a name that is no text shows only now
            return schema
    except (OSError, pa.ArrowException, UnicodeError) as error:
        raise csv_error(path, error) from None


def csv_batches(
    path: Path, written: Format, types: Mapping[str, Any], names: Sequence[str]
) -> Iterator[Any]:
    """Yield some columns of a file as Arrow batches of given types."""
    import pyarrow as pa
    import pyarrow.csv as pc

    try:
        with pc.open_csv(path, **_options(written, types, names)) as reader:
            yield from reader
    except (OSError, pa.ArrowException, UnicodeError) as error:
        again = partial(_misread, path, written, types)
        raise csv_error(path, error, again) from None


def _misread(path: Path, written: Format, types: Mapping[str, Any], text: str) -> DataError:
    """Say how many values of a column are not of its type, where Arrow's message names it."""
    place, present = failing_column(text), header(path, written).names
    name = present[place] if place is not None and place < len(present) else None
    if name is None or name not in types:
        return unlike(path, text, name)
    decimal = written.decimal or "."
    return unlike(path, text, name, _text_pieces(path, written, name), types[name], decimal)


def _text_pieces(path: Path, written: Format, name: str) -> Iterator[Any]:
    """Yield a column as it is written, missing values as null, as far as the file can be read."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow.csv import open_csv

    marks = text_as_arrow([*(written.missing or ()), ""])
    with (
        suppress(OSError, pa.ArrowException, UnicodeError),
        open_csv(path, **_options(written, {name: pa.string()}, [name])) as reader,
    ):
        for batch in reader:
            column = batch.column(0)
            yield pc.if_else(pc.is_in(column, marks), pa.nulls(len(column), pa.string()), column)


def text_of(path: Path, written: Format) -> Any:
    """Return a whole file as an Arrow table of text, every cell as it is written."""
    import pyarrow as pa
    import pyarrow.csv as pc

    names = header(path, written).names
    settings = _options(written, dict.fromkeys(names, pa.string()), None)
    try:
        return pc.read_csv(path, **settings)
    except (OSError, pa.ArrowException, UnicodeError) as error:
        raise csv_error(path, error) from None


def csv_error(
    path: Path, error: Exception, read: Callable[[str], DataError] | None = None
) -> DataError:
    """Say where a CSV file is wrong, without the value that Arrow's own message quotes.

    ``read`` looks at a column again that Arrow's message says is not of its type.
    """
    if isinstance(error, OSError) and error.errno:
        return _unreadable(path, error)
    text = str(error)
    place = re.search(r"[Rr]ow #(\d+)", text)
    where = f" (row {place.group(1)})" if place else ""
    if isinstance(error, UnicodeError) or "UTF8" in text:
        message = f"The file {path} is not in the encoding it was read in{where}."
        return DataError(message, hint="use encoding='latin-1', or the one it was written in.")
    if "conversion error" in text:
        return unlike(path, text) if read is None else read(text)
    if "Empty CSV" in text:
        return DataError(f"The file {path} is empty.")
    message = f"The file {path} is not well-formed CSV{where}: lines differ in their columns."
    return DataError(message, hint="check what parts columns, and use delimiter=';' for example.")


def _unreadable(path: Path, error: Exception) -> DataError:
    why = "it is cut short or altered"
    if isinstance(error, OSError) and error.errno:
        why = cause(error)
    return DataError(f"The file {path} cannot be read: {why}.")
