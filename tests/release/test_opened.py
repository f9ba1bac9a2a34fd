"""Folders that are read while others write: looked at again, and mended, but not for ever."""

import hashlib
from pathlib import Path

import pytest

from privet.errors import ReleaseError
from privet.release import opened
from privet.release.opened import Opened, check_digest, look_steadily, read_steadily


@pytest.fixture
def mended(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that were mended; mending makes them."""
    seen: list[Path] = []

    def recover(folder: Path) -> None:
        seen.append(folder)
        folder.mkdir()

    monkeypatch.setattr(opened, "recover", recover)
    return seen


def test_only_a_reader_mends_and_only_what_is_not_there(tmp_path: Path, mended: list[Path]) -> None:
    folder = tmp_path / "r"
    assert look_steadily(folder, Path.exists) is False
    assert mended == []
    assert read_steadily(folder, Path.exists) is True
    assert mended == [folder]
    assert read_steadily(folder, Path.exists) is True
    assert look_steadily(folder, Path.exists) is True
    assert mended == [folder]


def test_a_folder_that_is_replaced_each_time_is_read_ten_times(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    read: list[Path] = []

    def fail(path: Path) -> None:
        read.append(path)
        path.rename(tmp_path / f"old-{len(read)}")
        path.mkdir()
        raise ReleaseError("bad")

    with pytest.raises(ReleaseError, match="was replaced 10 times while it was read"):
        read_steadily(folder, fail)
    assert read == [folder] * 10


def test_an_error_about_the_same_folder_is_told_at_once(tmp_path: Path) -> None:
    read: list[Path] = []

    def fail(path: Path) -> None:
        read.append(path)
        raise ReleaseError("bad")

    with pytest.raises(ReleaseError, match="bad"):
        read_steadily(tmp_path, fail)
    assert len(read) == 1


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("{}")
    with (
        pytest.raises(ReleaseError, match="There is no release folder"),
        Opened.at(tmp_path / "r", "release folder"),
    ):
        pass


def test_a_checksum_is_that_of_the_file_wherever_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "part"
    path.write_bytes(b"records")
    good = hashlib.sha256(b"records").hexdigest()
    with Opened.at(tmp_path, "folder") as folder:
        assert folder.names == {"part"}
        assert folder.check("part", good) == check_digest(path, good)
        with pytest.raises(ReleaseError, match=r"part is cut short.*checksum is not the card's"):
            folder.check("part", good[::-1])
    with pytest.raises(ReleaseError, match="part is cut short"):
        check_digest(path, good[::-1])


def test_files_must_be_just_those_that_are_listed(tmp_path: Path) -> None:
    for name in ("a", "b", "signature.json"):
        (tmp_path / name).write_text("")
    with Opened.at(tmp_path, "folder") as folder:
        with pytest.raises(ReleaseError, match="lacks its file c"):
            folder.check_names({"a", "b", "c"})
        with pytest.raises(ReleaseError, match="does not list: b"):
            folder.check_names({"a"})
        folder.check_names({"a", "b"})
