"""Hostile files: whatever stands under a name, an error comes at once and within bounds."""

import os
import tracemalloc
from pathlib import Path

import pytest

from privet.errors import InputError, SchemaError
from privet.files.reading import (
    OddFileError,
    Stamp,
    digest,
    open_regular,
    parse_json,
    parse_toml,
    read_bytes,
    read_private,
    read_text,
)


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OddFileError, match="no regular file"):
            open_regular(path)
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)
    with open_regular(tmp_path / "link") as file:
        assert file.read() == b"x"
    with pytest.raises(OddFileError, match="a link"):
        open_regular(tmp_path / "link", follow=False)


def test_a_file_is_read_up_to_a_limit(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1234")
    assert read_bytes(tmp_path / "file", most=4) == b"1234"
    with pytest.raises(OddFileError, match="more than 3 bytes"):
        read_bytes(tmp_path / "file", most=3)


def test_no_room_is_made_before_a_file_is_read(tmp_path: Path) -> None:
    """A limit is no size: a small file of a large limit takes little memory."""
    (tmp_path / "file").write_bytes(b"1234")
    tracemalloc.start()
    try:
        assert read_bytes(tmp_path / "file", most=1 << 28) == b"1234"
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()
    (tmp_path / "large").write_bytes(b"x" * (3 << 20))
    assert len(read_bytes(tmp_path / "large", most=3 << 20)) == 3 << 20
    with pytest.raises(OddFileError, match="more than"):
        read_bytes(tmp_path / "large", most=(3 << 20) - 1)


def test_text_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "schema").write_bytes(b"caf\xe9")
    with pytest.raises(SchemaError, match=r"The schema .* is not text in UTF-8"):
        read_text(tmp_path / "schema", "schema", SchemaError)
    with pytest.raises(SchemaError, match=r"The schema .*absent cannot be read: No such file"):
        read_text(tmp_path / "absent", "schema", SchemaError)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "1e999", "NaN", "[Infinity]", '"\\ud800"', '{"\\uDFFF": 1}', "", "'"]
)
def test_json_that_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"deeply|finite|surrogates|Expecting"):
        parse_json(text)


def test_json_that_is_taken() -> None:
    assert parse_json('["\\ud83d\\ude00", 1e308]') == ["😀", 1e308]


def test_toml_that_is_refused() -> None:
    with pytest.raises(ValueError, match="too deeply"):
        parse_toml("x = " + "[" * 100_000)


@pytest.mark.parametrize("part", ["a", '"a"', "'a'", "a \t", "1-b"])
@pytest.mark.parametrize("line", ["{} = 1\n", "[{}]\n", "[[{}]]\n", "b = {{ {} = 1 }}\n"])
def test_a_key_of_many_parts_is_refused_at_once(part: str, line: str) -> None:
    """The parser needs minutes for what fits into 200 kB."""
    with pytest.raises(ValueError, match="too deeply"):
        parse_toml(line.format(".".join([part] * 100_000)))
    assert parse_toml(line.format(".".join([part] * 50)))


def test_long_words_of_toml_take_no_longer() -> None:
    words = ["a" * 300_000, '"' + "b." * 10 + '"', "c" * 99 + "." + "d" * 99]
    assert parse_toml("".join(f"{word} = '{words[0]} x.y.z'\n" for word in words))


def test_a_private_file_is_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"x")
    path.chmod(0o640)
    with pytest.raises(InputError, match="can be read by others"):
        read_private(path, "secret")
    path.chmod(0o600)
    assert read_private(path, "secret") == b"x"


def test_a_stamp_knows_its_file(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"a")
    other.write_bytes(b"b")
    os.utime(other, ns=(one.stat().st_atime_ns, one.stat().st_mtime_ns))
    (_, first), (_, second) = digest(one), digest(other)
    assert first.fits(first)
    assert not first.fits(second)
    elsewhere = Stamp(second.size, second.time, second.number, "another machine")
    assert first.fits(elsewhere)  # numbers of files mean nothing there
    assert not first.fits(Stamp(second.size + 1, second.time, second.number, "another machine"))
