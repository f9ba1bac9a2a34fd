"""``privet --master``: the same releases, trees and predictions, made at workers."""

import json
import os
import resource
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

import privet as pv
from privet import datasets
from privet.errors import ReleaseError
from privet.table.spark import SparkFiles
from tests.cli.running import run, run_json, start

pytestmark = [pytest.mark.needs("java"), pytest.mark.xdist_group("spark")]

MASTER = ("--master", "local[2]")
SCHEMA = datasets.schema("as-f2", bins=8)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = ("generate", "as-f2", "--rows", 6000, "--seed", 1)
    run(*made, "-o", "f2.csv", "--schema", "f2.toml", "--bins", 8)
    return tmp_path


def test_disguise_mine_and_predict_on_a_master(spark: Any, folder: Path) -> None:
    common = ("disguise", "*.csv", "--schema", "f2.toml", "--gamma", 8, "--seed", 4)
    told = run_json(*MASTER, *common, "-o", "s.release")
    assert told["rows"] == 6000
    run(*common, "-o", "f.release")
    for name in ("card.json", "part-0.parquet"):
        assert (folder / "s.release" / name).read_bytes() == (
            folder / "f.release" / name
        ).read_bytes()
    mining = ("--method", "direct", "--max-depth", 2)
    mined = run_json(*MASTER, "mine", "s.release", *mining, "-o", "s.json")
    assert mined["passes"] == 8  # two levels that can be split; six to measure the tree
    assert run_json("mine", "f.release", *mining, "-o", "f.json")["passes"] == 8
    plain = ("mine", "f2.csv", "--schema", "f2.toml", "--max-depth", 1)
    run(*MASTER, *plain, "-o", "sp.json")
    run(*plain, "-o", "fp.json")
    run(*MASTER, "predict", "s.json", "f2.csv", "--proba", "-o", "s.out.csv")
    run("predict", "f.json", "f2.csv", "--proba", "-o", "f.out.csv")
    here, there = (pv.Tree.read(folder / name) for name in ("f.json", "s.json"))
    assert replace(there, source=here.source).to_json() == here.to_json()
    for mine, other in [("sp.json", "fp.json"), ("s.out.csv", "f.out.csv")]:
        assert (folder / mine).read_text() == (folder / other).read_text()


def test_what_master_does_not_go_with(folder: Path) -> None:
    said = run(*MASTER, "show", "tree.json", code=2).stderr
    assert "--master goes with disguise, mine, predict" in said
    common = ("disguise", "f2.csv", "--schema", "f2.toml", "-o", "r")
    said = run(*MASTER, *common, "--method", "random-noise", code=2).stderr
    assert "works in memory, not on a cluster" in said


def test_ctrl_c_ends_the_job_and_leaves_nothing(spark: Any, folder: Path) -> None:
    def slow(batch: Any) -> Any:
        time.sleep(30 if len(batch) > 1 else 0)  # the driver tries it on one row
        return batch

    slowly = SparkFiles(spark, folder / "f2.csv").table(SCHEMA.attributes).map(slow)

    def press() -> None:
        deadline = time.monotonic() + 60
        while not list(folder.glob(".r.*.part")) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGINT)

    pressing = threading.Thread(target=press)
    pressing.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        pv.RandomSubstitution(gamma=8).disguise(slowly, SCHEMA, to="r")
    pressing.join()
    assert time.monotonic() - begin < 29
    assert sorted(path.name for path in folder.iterdir()) == ["f2.csv", "f2.toml"]


def test_no_disk_left_at_a_worker(spark: Any, folder: Path) -> None:
    def full(batch: Any) -> Any:
        if batch.start == 0 and len(batch) > 1:
            most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, most))
        return batch

    table = SparkFiles(spark, folder / "f2.csv").table(SCHEMA.attributes).map(full)
    with pytest.raises(ReleaseError, match=r"cannot be written to r: File too large"):
        pv.RandomSubstitution(gamma=8).disguise(table, SCHEMA, to="r", shuffle=False)
    assert sorted(path.name for path in folder.iterdir()) == ["f2.csv", "f2.toml"]


def test_a_driver_is_killed_in_the_middle(folder: Path) -> None:
    """As a power cut would: nothing that loads is left, nobody works on, a new run goes through."""
    run("generate", "as-f2", "--rows", 400_000, "--seed", 2, "-o", "many.parquet")
    common = ("disguise", "many.parquet", "--schema", "f2.toml", "--gamma", 8, "-o", "r")
    driver = start(*MASTER, *common, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not list(folder.glob(".r.*.part")):
        assert driver.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    others = psutil.Process(driver.pid).children(recursive=True)
    driver.kill()
    driver.wait()
    _, alive = psutil.wait_procs(others, timeout=60)
    assert not alive
    assert not (folder / "r").exists()
    (left,) = folder.glob(".r.*.part")
    with pytest.raises(ReleaseError, match=r"has no card\.json: it is no release"):
        pv.Release.read(left)
    again = run("disguise", "f2.csv", "--schema", "f2.toml", "--gamma", 8, "-o", "r", "--json")
    assert json.loads(again.stdout)["rows"] == 6000
