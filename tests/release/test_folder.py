"""Release folders: all or nothing, and nothing altered goes unseen."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from privet.disguise import Complement, Exact, Plan, Substitution
from privet.errors import ReleaseError
from privet.files import writing
from privet.files.reading import Stamp, digest
from privet.files.sealed import seal
from privet.release import Release, folder, opened
from privet.release.card import FileEntry
from privet.release.opened import Opened
from privet.release.universe_words import as_told_before
from privet.schema import Schema
from privet.table import ParquetTable
from privet.table import parquet as parquet_module
from tests.disguise.people import SCHEMA, people

PLAN = Plan({"rent": Exact()}, default=Substitution(8))
ROOT = Path(__file__).resolve().parents[2]


def release(rows: int = 500, seed: int = 1) -> Release:
    return PLAN.disguise(people(rows), SCHEMA, seed=seed)


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    made = release()
    made.write(tmp_path / "very" / "deep" / "r")
    back = Release.read(tmp_path / "very" / "deep" / "r")
    assert back.schema == made.schema
    assert back.claim == made.claim
    assert (back.seeded, back.shuffled, back.rows) == (True, True, 500)
    assert back.parts[0].channels == made.parts[0].channels
    assert isinstance(back.parts[0].table, ParquetTable)
    columns = back.parts[0].table.collect(500).columns
    for name, column in made.parts[0].table.collect(500).columns.items():
        assert columns[name].dtype == column.dtype
        assert np.array_equal(columns[name], column)
    for name, coding in made.codings.items():
        other = back.codings[name]
        assert (coding is None) == (other is None)
        if coding is not None and other is not None:
            assert coding.to_dict() == other.to_dict()


def test_a_release_read_can_be_written_and_split_again(tmp_path: Path) -> None:
    release().write(tmp_path / "r")
    first, _ = Release.read(tmp_path / "r").split(0.2)
    first.write(tmp_path / "first")
    assert Release.read(tmp_path / "first").rows == 100
    Release.read(tmp_path / "r").write(tmp_path / "copy")
    for name in ("card.json", "part-0.parquet"):
        assert (tmp_path / "r" / name).read_bytes() == (tmp_path / "copy" / name).read_bytes()


def test_a_folder_gets_the_usual_rights(tmp_path: Path) -> None:
    release().write(tmp_path / "r")
    (tmp_path / "plain").mkdir()
    assert (tmp_path / "r").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_only_a_release_is_replaced_and_only_if_told(tmp_path: Path) -> None:
    path = tmp_path / "r"
    release().write(path)
    with pytest.raises(ReleaseError, match="holds a release already"):
        release().write(path)
    release(300).write(path, overwrite=True)
    assert Release.read(path).rows == 300
    assert [file.name for file in tmp_path.iterdir()] == ["r"]
    (tmp_path / "empty").mkdir()
    release().write(tmp_path / "empty")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("mine")
    for name in ("file", "docs", "link"):
        with pytest.raises(ReleaseError, match=name):
            release().write(tmp_path / name, overwrite=True)
    assert (tmp_path / "docs" / "a.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["card.json", "part-0.parquet"])
def test_any_flipped_bit_is_noticed_and_the_file_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / "r"
    release().write(path)
    good = (path / name).read_bytes()
    rng = np.random.default_rng(11)
    ends = [0, 1, len(good) - 1]
    for place in [*ends, *rng.integers(0, len(good), 60).tolist()]:
        bad = bytearray(good)
        bad[place] ^= 1 << int(rng.integers(0, 8))
        (path / name).write_bytes(bad)
        with pytest.raises(ReleaseError, match=name.replace(".", r"\.")):
            Release.read(path)
    for text in (good[:-1], good + b"\n", b""):
        (path / name).write_bytes(text)
        with pytest.raises(ReleaseError, match=name.replace(".", r"\.")):
            Release.read(path)
    (path / name).write_bytes(good)
    Release.read(path)


def test_files_too_many_or_too_few(tmp_path: Path) -> None:
    path = tmp_path / "r"
    release().write(path)
    (path / "notes.txt").write_text("hello")
    with pytest.raises(ReleaseError, match=r"does not list: notes\.txt"):
        Release.read(path)
    (path / "notes.txt").unlink()
    (path / "part-0.parquet").rename(tmp_path / "away")
    with pytest.raises(ReleaseError, match=r"lacks its file part-0\.parquet"):
        Release.read(path)
    (path / "card.json").unlink()
    with pytest.raises(ReleaseError, match=r"no card\.json"):
        Release.read(path)
    with pytest.raises(ReleaseError, match="no release folder"):
        Release.read(tmp_path / "nowhere")


def test_an_unwritable_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ReleaseError, match=r"file/r: (Not a directory|File exists)"):
        release().write(tmp_path / "file" / "r")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "x"), ValueError()])
def test_an_interrupted_writer_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    release().write(tmp_path / "old")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(folder, "seal", fail)
    kind = ReleaseError if isinstance(error, OSError) else type(error)
    for name in ("old", "new"):
        with pytest.raises(kind) as caught:
            release(300).write(tmp_path / name, overwrite=True)
        if kind is ReleaseError:
            assert f"{tmp_path / name}: No space left" in str(caught.value)
    assert [file.name for file in tmp_path.iterdir()] == ["old"]
    assert Release.read(tmp_path / "old").rows == 500


def test_the_old_release_comes_back_if_the_new_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_renamed", lambda *_: False)  # as where there is no renameat2
    release().write(tmp_path / "r")
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.name.endswith(".part"):
            raise OSError(errno.EACCES, "x")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(ReleaseError, match="Permission denied"):
        release(300).write(tmp_path / "r", overwrite=True)
    assert [file.name for file in tmp_path.iterdir()] == ["r"]
    assert Release.read(tmp_path / "r").rows == 500


def run(code: str, *arguments: str) -> "subprocess.Popen[str]":
    """Start a writer in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_a_full_disk_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk."""
    writer = run(
        """
        import resource, sys
        from privet.errors import ReleaseError
        from tests.release.test_folder import release
        made = release(100_000)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        try:
            made.write(sys.argv[1])
        except ReleaseError as error:
            print(error)
        """,
        str(tmp_path / "r"),
    )
    said, _ = writer.communicate(timeout=60)
    assert f"cannot be written to {tmp_path / 'r'}: File too large" in said
    assert list(tmp_path.iterdir()) == []


def test_a_writer_killed_half_way_leaves_nothing_that_loads(tmp_path: Path) -> None:
    writer = run(
        """
        import sys, time
        from privet.table import parquet
        from tests.release import test_folder
        parquet.GROUP_ROWS = 1000
        made = test_folder.release(100_000)

        def slowly(table):
            for start in range(0, table.rows, 1000):
                yield from table.slice(start, start + 1000).__class__.batches(
                    table.slice(start, start + 1000)
                )
                if start == 50_000:
                    print("half", flush=True)
                    time.sleep(60)

        table = made.parts[0].table
        table.batches = lambda: slowly(table)
        made.write(sys.argv[1])
        """,
        str(tmp_path / "r"),
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "half\n"
    writer.send_signal(signal.SIGKILL)
    writer.communicate(timeout=60)
    assert not (tmp_path / "r").exists()
    with pytest.raises(ReleaseError):
        Release.read(tmp_path / "r")
    (left,) = tmp_path.iterdir()
    with pytest.raises(ReleaseError, match=r"no card\.json"):
        Release.read(left)
    release().write(tmp_path / "r")
    assert Release.read(tmp_path / "r").rows == 500


def test_columns_that_the_card_does_not_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even with every checksum right, the data must be stored as the card says."""
    write = parquet_module.write_parquet

    def wide(path: Path, batches: object, types: dict[str, np.dtype[np.generic]]) -> int:
        return write(path, batches, {**types, "age": np.dtype(np.uint16)})  # type: ignore[arg-type]

    monkeypatch.setattr(folder, "write_parquet", wide)
    release().write(tmp_path / "r")
    with pytest.raises(ReleaseError, match=r"part-0\.parquet does not hold the columns"):
        Release.read(tmp_path / "r")


def test_a_kill_between_two_renames_is_mended_by_the_next_reader(tmp_path: Path) -> None:
    path = tmp_path / "r"
    release().write(path)
    writer = run(
        """
        import os, sys
        from pathlib import Path
        from privet.files import writing
        from tests.release.test_folder import release
        writing._renamed = lambda *_: False
        rename = Path.rename

        def dies(self, target):
            if self.name.endswith(".part"):
                os._exit(9)
            return rename(self, target)

        Path.rename = dies
        release(300).write(sys.argv[1], overwrite=True)
        """,
        str(path),
    )
    writer.communicate(timeout=60)
    assert writer.returncode == 9
    assert not path.exists()
    assert Release.read(path).rows == 500
    release(200).write(path, overwrite=True)
    assert Release.read(path).rows == 200
    assert [file.name for file in tmp_path.iterdir()] == ["r"]


def test_a_folder_that_goes_between_two_looks_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there, and away just as the reader looks at it: a writer is between its renames."""
    path = tmp_path / "r"
    release().write(path)
    looks = opened._looks

    def away(folder: Path) -> object:
        if (path / "card.json").exists():
            monkeypatch.setattr(opened, "_looks", looks)
            path.rename(tmp_path / ".r.0123456789abcdef.old")
        return looks(folder)

    monkeypatch.setattr(opened, "_looks", away)
    assert Release.read(path).rows == 500


def test_a_file_swapped_after_its_checksum_was_taken_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hashed by one name, opened by it again: in between stands another release's file."""
    release(500, 1).write(tmp_path / "r")
    release(500, 2).write(tmp_path / "other")
    check = Opened.check

    def swap(self: Opened, name: str, checksum: str) -> Stamp:
        stamp = check(self, name, checksum)
        (tmp_path / "other" / name).replace(tmp_path / "r" / name)
        return stamp

    monkeypatch.setattr(Opened, "check", swap)
    with pytest.raises(ReleaseError, match=r"part-0\.parquet (has changed|is cut short)"):
        Release.read(tmp_path / "r")


@pytest.mark.parametrize("name", ["card.json", "part-0.parquet"])
@pytest.mark.parametrize("kind", ["pipe", "zeros", "link", "folder"])
def test_what_is_no_file_of_the_folder_is_refused_at_once(
    tmp_path: Path, name: str, kind: str
) -> None:
    path = tmp_path / "r"
    release().write(path)
    (path / name).rename(tmp_path / "away")
    if kind == "pipe":
        os.mkfifo(path / name)
    elif kind == "folder":
        (path / name).mkdir()
    else:
        (path / name).symlink_to(tmp_path / "away" if kind == "link" else "/dev/zero")
    begin = time.monotonic()
    with pytest.raises(ReleaseError, match=re.escape(f"{path / name} cannot be read")):
        Release.read(path)
    assert time.monotonic() - begin < 5


def test_a_folder_that_others_replace_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r"
    path.mkdir()
    looked, plain = [], Path.is_dir

    def is_dir(self: Path) -> bool:
        looked.append(self)
        if len(looked) == 1:  # another writer is between its two renames
            self.rmdir()
            return False
        return plain(self)

    monkeypatch.setattr(Path, "is_dir", is_dir)
    assert folder.check_free(path, overwrite=True) == path
    monkeypatch.undo()
    path.write_text("in the way")
    with pytest.raises(ReleaseError, match="is no folder"):
        folder.check_free(path, overwrite=True)


@pytest.mark.parametrize("named", [True, False])
def test_what_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    """The file where the system says which it is, else the folder."""
    path = tmp_path / "r"
    release().write(path)
    place = path / "part-0.parquet" if named else path
    error = OSError(errno.EIO, "it broke", *([str(place)] if named else []))

    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(folder, "ParquetTable", broken)
    with pytest.raises(ReleaseError, match=rf"^{re.escape(str(place))} cannot be read: "):
        Release.read(path)


def test_several_files_of_a_part_are_read_end_to_end(tmp_path: Path) -> None:
    """As a cluster writes them: each with its rows and its checksum on the card."""
    made = release(50)
    pieces = [made.parts[0].table.slice(0, 20), made.parts[0].table.slice(20, 50)]
    types = {name: made.column_type(name, made.parts[0]) for name in made.column_names}

    def write(where: Path, *rows: int) -> None:
        with folder.new_folder(where, overwrite=True) as new:
            files = []
            for number, (piece, count) in enumerate(zip(pieces, rows, strict=True)):
                name = folder.part_name(0, number)
                batches = [piece.collect(50).columns]
                parquet_module.write_parquet(new / name, batches, types)
                files.append(FileEntry(name, count, digest(new / name)[0]))
            folder.seal(made, new, files=[files])

    write(tmp_path / "r", 20, 30)
    assert (tmp_path / "r" / "part-0-1.parquet").exists()
    back = Release.read(tmp_path / "r")
    columns = back.parts[0].table.collect(50).columns
    for name, column in made.parts[0].table.collect(50).columns.items():
        assert np.array_equal(columns[name], column)
    write(tmp_path / "r", 30, 20)
    with pytest.raises(ReleaseError, match=r"part-0-0\.parquet does not hold the number of rows"):
        Release.read(tmp_path / "r")


def test_files_are_named_as_their_folder_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release(20).write(tmp_path / "r")
    card = json.loads((tmp_path / "r" / "card.json").read_bytes())
    card["parts"][0]["rows"] = 19
    del card["checksum"]
    (tmp_path / "r" / "card.json").write_bytes(seal(card, 1))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReleaseError, match=r"^r/part-0\.parquet does not hold the number of rows"):
        Release.read("r")


def test_a_complement_in_the_words_of_earlier_versions_still_loads(tmp_path: Path) -> None:
    table = {name: column[:40] for name, column in people(40).items() if name in ("car", "risk")}
    schema = Schema([SCHEMA["car"], SCHEMA["risk"]], target="risk")
    made = Complement().disguise(table, schema)
    made.write(tmp_path / "r")
    assert made.universe is not None
    before = as_told_before(made.universe, made.claim.notes)
    assert before != made.claim.notes
    for notes, loads in ((before, True), (before[1:], False)):
        card = json.loads((tmp_path / "r" / "card.json").read_bytes())
        card["claim"]["notes"] = list(notes)
        card.pop("checksum")
        (tmp_path / "r" / "card.json").write_bytes(seal(card, 1))
        if loads:
            assert Release.read(tmp_path / "r").claim.notes == made.claim.notes
        else:
            with pytest.raises(ReleaseError, match="claims something else than its channels keep"):
                Release.read(tmp_path / "r")


def test_a_claim_that_is_not_kept_is_called_so(tmp_path: Path) -> None:
    release(20).write(tmp_path / "r")
    card = json.loads((tmp_path / "r" / "card.json").read_bytes())
    card["claim"]["epsilon_of_disguised"] = 0.5
    del card["checksum"]
    (tmp_path / "r" / "card.json").write_bytes(seal(card, 1))
    with pytest.raises(ReleaseError, match="claims something else than its channels keep"):
        Release.read(tmp_path / "r")
