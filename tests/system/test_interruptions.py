"""Ctrl-C, a full disk and a closed pipe, met by commands in processes of their own."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import START, left_over, run, start


def interrupted(
    begun: Callable[[], bool], *arguments: object, by: signal.Signals = signal.SIGINT
) -> str:
    """Start a command, press Ctrl-C when it has begun to write, return what it says."""
    process = start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not begun():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(by)
    said, complaints = process.communicate(timeout=60)
    assert process.returncode == (130 if by == signal.SIGINT else 143), complaints
    assert said == ""
    assert "Traceback" not in complaints
    return complaints


def test_ctrl_c_while_generating(folder: Path) -> None:
    arguments = ("generate", "as-f2", "--rows", 50_000_000, "-o", "f2.parquet")
    said = interrupted(lambda: bool(left_over(folder)), *arguments)
    assert said == "Error: Interrupted; nothing half-written is left.\n"
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Tables that take a while to disguise, made once; tests get links."""
    made: Path = tmp_path_factory.mktemp("large")

    def link(table: str) -> Path:
        kept = made / table.rpartition(".")[2]
        if not kept.exists():
            kept.mkdir()
            rows = 2_000_000 if table.endswith("parquet") else 700_000
            schema = ("--schema", kept / "f2.toml")
            run("generate", "as-f2", "--rows", rows, "-o", kept / table, *schema)
        for file in kept.iterdir():
            Path(file.name).hardlink_to(file)
        return Path(table)

    return link


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_stopped_while_disguising(
    folder: Path, large: Callable[[str], Path], kind: str, by: signal.Signals
) -> None:
    table = large(f"f2.{kind}").name
    common = ("--schema", "f2.toml", "--gamma", 8, "--output", "f2.release")
    said = interrupted(lambda: bool(left_over(folder)), "disguise", table, *common, by=by)
    assert "nothing half-written is left" in said
    assert sorted(path.name for path in folder.iterdir()) == sorted([table, "f2.toml"])


# A small run first, so that no cache is written when files may not grow any more.
LIMITED = (
    START + "import resource, sys\nfrom privet.cli import cli, main\n"
    "cli(sys.argv[1].split(), standalone_mode=False)\n"
    "del sys.argv[1]\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))\n"
    "main()\n"
)


@pytest.mark.parametrize(
    "arguments",
    [
        "generate as-f2 --rows {rows} --output {name}.parquet",
        "generate as-f2 --rows {rows} --output {name}.csv",
        "disguise f2.parquet --schema f2.toml --gamma 8 --output {name}.release",
        "disguise f2.parquet --schema f2.toml --gamma 8 --in-order --output {name}.release",
        "predict tree.json f2.parquet --proba --output {name}.csv",
    ],
)
def test_a_full_disk(folder: Path, arguments: str) -> None:
    run("generate", "as-f2", "--rows", 100_000, "-o", "f2.parquet", "--schema", "f2.toml")
    run("mine", "f2.parquet", "--schema", "f2.toml", "--max-depth", 2, "-o", "tree.json")
    before = sorted(path.name for path in folder.iterdir())
    small = arguments.replace("f2.parquet", "small.parquet").format(rows=50, name="warm")
    run("generate", "as-f2", "--rows", 50, "-o", "small.parquet")
    process = start(
        small,
        *arguments.format(rows=100_000, name="full").split(),
        script=LIMITED,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    _, complaints = process.communicate(timeout=60)
    assert process.returncode == 2, complaints
    assert "Traceback" not in complaints
    assert "full." in complaints
    assert "cannot be written" in complaints
    assert "File too large" in complaints
    held = {path.name for path in folder.iterdir()} - {"small.parquet"}
    assert sorted(name for name in held if not name.startswith("warm.")) == before


def test_a_closed_pipe_is_silent(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = start("generate", "--list", stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    _, complaints = process.communicate(timeout=60)
    assert complaints == ""
    assert process.returncode in (0, 1)


def test_a_full_stdout_is_an_error(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        process = start("generate", "--list", stdout=full, stderr=subprocess.PIPE)
        _, complaints = process.communicate(timeout=60)
    assert process.returncode == 2
    assert complaints.startswith("Error: ")
    assert "No space left on device" in complaints
    assert "Traceback" not in complaints


def test_a_terminal_that_cannot_show_greek(folder: Path) -> None:
    run("generate", "as-f2", "--rows", 100, "-o", "f2.parquet", "--schema", "f2.toml")
    arguments = ("f2.parquet", "--schema", "f2.toml", "--gamma", 8, "-o", "f2.release")
    old = {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    process = start("disguise", *arguments, stdout=-1, stderr=-1, env=old)
    said, complaints = process.communicate(timeout=60)
    assert process.returncode == 0, complaints
    assert "\\u03b5 = 2.08" in said


def test_a_kill_leaves_no_rows_in_order_and_the_next_run_sweeps(
    folder: Path, large: Callable[[str], Path]
) -> None:
    large("f2.parquet")
    common = ("f2.parquet", "--schema", "f2.toml", "--gamma", 8, "--output", "f2.release")
    process = start("disguise", *common, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not left_over(folder):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    time.sleep(0.3)
    process.kill()
    process.communicate()
    (left,) = folder.glob(".f2.release.*.part")
    assert [file.name for file in left.iterdir()] in ([], ["part-0.parquet"], ["part-1.parquet"])
    run("disguise", *common)
    assert not left_over(folder)
