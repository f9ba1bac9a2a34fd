"""How a CSV file is written: what may be said of it."""

import encodings
import pkgutil
from pathlib import Path

import pytest

from privet.errors import DataError, InputError, PrivetError
from privet.files.format import Files, Format
from privet.schema import Attribute
from privet.table.source import Source

ENCODINGS = sorted({module.name for module in pkgutil.iter_modules(encodings.__path__)})
NO_TEXT = ["hex", "rot13", "base64", "zlib", "idna", "punycode", "undefined", "a\x00", "\ud800"]


@pytest.mark.parametrize("name", NO_TEXT)
def test_what_makes_no_text_of_a_file_is_no_encoding(name: str) -> None:
    with pytest.raises(InputError, match="encoding"):
        Format(encoding=name)


def test_every_encoding_that_python_has_is_refused_or_reads(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    attributes = [Attribute.numeric("age", low=0, high=100)]
    read = 0
    for name in ENCODINGS:
        try:
            format = Format(encoding=name)  # noqa: A001 - what it is
            path.write_text("age\n23\n", name, newline="")
            (batch,) = Source(Files(path, format), attributes).batches()
        except PrivetError:
            continue
        assert batch.columns["age"].tolist() == [23.0]
        read += 1
    assert read > 90


@pytest.mark.parametrize("name", ["utf-16", "utf-32"])
def test_a_file_without_the_mark_of_its_encoding(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"age\n23\n")
    attributes = [Attribute.numeric("age", low=0, high=100)]
    with pytest.raises(DataError, match=r"t\.csv is not in the encoding"):
        list(Source(Files(path, Format(encoding=name)), attributes).batches())
