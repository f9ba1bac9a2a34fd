"""Writing: the old or the new, never a part, whoever else writes and whatever dies."""

import errno
import os
import threading
from pathlib import Path

import pytest

from privet.files import writing
from privet.files.writing import new_file, new_folder, new_private_file, recover, sweep


@pytest.fixture(params=["renameat2", "two renames"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to take a name; the second as on a system without renameat2."""
    if request.param == "two renames":
        monkeypatch.setattr(writing, "_renamed", lambda *_: False)
    return str(request.param)


def put(path: Path, text: str, *, overwrite: bool = True) -> None:
    with new_folder(path, overwrite=overwrite) as made:
        (made / "file").write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_folder_takes_the_place_of_another(tmp_path: Path, way: str) -> None:
    put(tmp_path / "r", "one", overwrite=False)
    put(tmp_path / "r", "two")
    assert (tmp_path / "r" / "file").read_text() == "two"
    with pytest.raises(FileExistsError):
        put(tmp_path / "r", "three", overwrite=False)
    (tmp_path / "empty").mkdir()
    put(tmp_path / "empty", "four", overwrite=False)
    assert (tmp_path / "r" / "file").read_text() == "two"
    assert (tmp_path / "empty" / "file").read_text() == "four"
    assert names(tmp_path) == ["empty", "r"]


def test_a_file_takes_the_place_of_another(tmp_path: Path, way: str) -> None:
    for text in ("one", "two"):
        with new_file(tmp_path / "f") as made:
            made.write_text(text)
    with pytest.raises(FileExistsError), new_file(tmp_path / "f", overwrite=False) as made:
        made.write_text("three")
    assert (tmp_path / "f").read_text() == "two"
    with pytest.raises(FileExistsError):
        new_private_file(tmp_path / "f", "four")
    new_private_file(tmp_path / "key", "five")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) == ["f", "key"]


def test_rights_are_the_usual_ones_and_the_umask_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_: int) -> int:
        pytest.fail("the umask was changed, for all threads")

    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", never)
        put(tmp_path / "r", "x")
        with new_file(tmp_path / "f") as made:
            made.write_text("x")
    finally:
        monkeypatch.undo()
        os.umask(before)
    assert (tmp_path / "r").stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640


def test_what_dead_writers_left_is_swept_and_living_ones_are_left_alone(tmp_path: Path) -> None:
    dead = tmp_path / ".r.0123456789abcdef.part"
    dead.mkdir()
    (dead / "bucket-0").write_text("rows in order")
    (tmp_path / ".r.0123456789abcdee.part").write_text("")
    (tmp_path / ".rest.0123456789abcdef.part").mkdir()
    with new_folder(tmp_path / "r", overwrite=False) as living:
        (living / "file").write_text("mine")
        put(tmp_path / "r", "theirs")
        sweep(tmp_path / "r")
        assert names(tmp_path) == sorted([living.name, ".rest.0123456789abcdef.part", "r"])
        (tmp_path / "r" / "file").unlink()
    assert (tmp_path / "r" / "file").read_text() == "mine"


def test_a_replacement_cut_off_between_its_renames_is_undone(tmp_path: Path) -> None:
    put(tmp_path / "r", "old")
    (tmp_path / "r").rename(tmp_path / ".r.0123456789abcdef.old")
    recover(tmp_path / "r")
    assert (tmp_path / "r" / "file").read_text() == "old"
    (tmp_path / "r").rename(tmp_path / ".r.k2_x8ab1.old")  # as earlier versions called it
    put(tmp_path / "r", "new", overwrite=True)
    assert (tmp_path / "r" / "file").read_text() == "new"
    (tmp_path / ".r.0123456789abcdef.old").mkdir()  # its writer died before removing it
    recover(tmp_path / "r")
    assert names(tmp_path) == ["r"]
    assert (tmp_path / "r" / "file").read_text() == "new"


def test_many_writers_leave_one_whole_folder(tmp_path: Path, way: str) -> None:
    failures: list[BaseException] = []

    def write(writer: int) -> None:
        try:
            for turn in range(30):
                put(tmp_path / "r", f"{writer} {turn}")
        except BaseException as error:  # noqa: BLE001 - for the test to tell
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    began = False
    while any(thread.is_alive() for thread in threads):
        there = (tmp_path / "r").is_dir()
        assert there or not began or way == "two renames"  # it is never away once it is there
        began = began or there
    assert failures == []
    assert names(tmp_path) == ["r"]
    assert names(tmp_path / "r") == ["file"]


def test_a_lost_disk_is_an_error_and_leaves_the_old(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "r", "old")

    def fails(_: int) -> None:
        raise OSError(errno.EIO, "gone")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="gone"):
        put(tmp_path / "r", "new")
    assert (tmp_path / "r" / "file").read_text() == "old"
    assert names(tmp_path) == ["r"]


def test_a_probe_of_rights_that_stays_is_swept_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "gone")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "unlink", fails)
        with pytest.raises(OSError, match="gone"), new_file(tmp_path / "f") as made:
            made.write_text("one")
    assert len(names(tmp_path)) == 2
    with new_file(tmp_path / "f") as made:
        made.write_text("two")
    assert names(tmp_path) == ["f"]
