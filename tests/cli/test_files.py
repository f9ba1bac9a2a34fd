from pathlib import Path

import pytest

from privet.cli.files import check_free, new_file, write_text
from privet.errors import InputError
from tests.cli.running import left_over


def test_a_file_appears_whole(folder: Path) -> None:
    path = folder / "a.txt"
    with new_file(path, overwrite=False) as made:
        made.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"
    assert left_over(folder) == []


def fail_half_way(path: Path, error: type[BaseException]) -> None:
    with new_file(path, overwrite=True) as made:
        made.write_text("half")
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_nothing_stays_of_a_file_that_fails(folder: Path, error: type[BaseException]) -> None:
    with pytest.raises(error):
        fail_half_way(folder / "a.txt", error)
    assert list(folder.iterdir()) == []


def test_a_failure_keeps_the_old_file(folder: Path) -> None:
    path = folder / "a.txt"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        fail_half_way(path, KeyboardInterrupt)
    assert path.read_text() == "old"


def test_a_file_is_replaced_only_if_told(folder: Path) -> None:
    path = folder / "a.txt"
    write_text(path, "old", overwrite=False)
    with pytest.raises(InputError, match=r"exists already.*--overwrite"):
        write_text(path, "new", overwrite=False)
    write_text(path, "new", overwrite=True)
    assert path.read_text() == "new"


def test_places_that_cannot_be_written(folder: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        check_free(folder, overwrite=True)
    with pytest.raises(InputError, match="there is no folder"):
        check_free(folder / "none" / "a.txt", overwrite=False)


def test_a_full_disk_is_said(folder: Path) -> None:
    with (
        pytest.raises(InputError, match="No space left on device"),
        new_file(folder / "a.txt", overwrite=False),
    ):
        raise OSError(28, "whatever")
    assert list(folder.iterdir()) == []


def test_rights_are_the_ordinary_ones(folder: Path) -> None:
    (folder / "other").write_text("")
    write_text(folder / "a.txt", "", overwrite=False)
    assert (folder / "a.txt").stat().st_mode == (folder / "other").stat().st_mode
