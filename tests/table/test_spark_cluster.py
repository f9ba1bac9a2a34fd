"""A standalone master and two workers: one dies with its executor, and nobody can tell."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil  # type: ignore[import-untyped]
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet import datasets
from privet.table.raw import RawTable
from privet.table.source import Source
from tests.table.driver import SCHEMA, work

pytestmark = [pytest.mark.needs("java"), pytest.mark.xdist_group("spark")]

ROWS = 64_000
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Cluster:
    """A master and its workers on loopback, all in one folder."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder = folder
        self.home = Path(pyspark.__file__).parent
        self.url = f"spark://127.0.0.1:{free_port()}"
        (folder / "conf").mkdir()
        (folder / "conf" / "spark-defaults.conf").write_text(
            f"spark.executor.memory 512m\nspark.executor.extraJavaOptions {JAVA}\n"
            f"spark.scheduler.mode FAIR\nspark.local.dir {folder}\nspark.driver.host 127.0.0.1\n"
            # Who asks the dead for their results gives up soon.
            "spark.shuffle.io.maxRetries 1\nspark.shuffle.io.retryWait 200ms\n"
        )
        self.log = (folder / "log").open("wb")
        self.master = self.start("master.Master", "--port", self.url.rpartition(":")[2])
        self.workers = [self.worker(number) for number in range(2)]
        self.drivers: list[subprocess.Popen[str]] = []

    @property
    def env(self) -> dict[str, str]:
        return os.environ | {
            "SPARK_CONF_DIR": str(self.folder / "conf"),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": JAVA,
            "SPARK_LOCAL_DIRS": str(self.folder),
            "PYSPARK_PYTHON": sys.executable,
        }

    def start(self, kind: str, *arguments: str) -> psutil.Popen:
        command = [self.home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}"]
        where = ["--host", "127.0.0.1", "--webui-port", "0"]
        return psutil.Popen(
            [*map(str, command), *where, *arguments], env=self.env, stdout=self.log, stderr=self.log
        )

    def worker(self, number: int) -> psutil.Popen:
        own = str(self.folder / f"worker{number}")
        return self.start(
            "worker.Worker", "--cores", "1", "--memory", "600m", "--work-dir", own, self.url
        )

    def driver(self, folder: Path) -> subprocess.Popen[str]:
        """Start the driver; it ends with the cluster if it did not before."""
        command = [sys.executable, "-m", "tests.table.driver", self.url, str(folder)]
        root = str(Path(__file__).parents[2])
        made = subprocess.Popen(
            command, env=self.env, cwd=root, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        self.drivers.append(made)
        return made

    def kill(self, process: psutil.Popen) -> set[int]:
        """End a worker as a power cut would, and its executor and their Pythons; return who."""
        dead = [process, *process.children(recursive=True)]
        for one in dead:
            try:
                one.kill()
            except psutil.NoSuchProcess:
                continue
        process.wait()
        return {process.pid for process in dead}

    def stop(self) -> None:
        for driver in self.drivers:
            driver.kill()
            driver.communicate()
        for process in [*self.workers, self.master]:
            if process.is_running():
                self.kill(process)
        self.log.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    try:
        yield made
    finally:
        made.stop()


def test_a_worker_dies_in_the_middle(cluster: Cluster, tmp_path: Path) -> None:
    table = datasets.load("as-f2", rows=ROWS, seed=5)
    pq.write_table(table, tmp_path / "raw.parquet", row_group_size=4000)
    marks = tmp_path / "marks"
    marks.mkdir()
    driver = cluster.driver(tmp_path)

    def pids(kind: str) -> set[int]:
        return {int(mark.name.rpartition("-")[2]) for mark in marks.glob(f"{kind}-*")}

    def done(kind: str) -> int:
        return len(list(marks.glob(f"{kind}-*")))

    deadline = time.monotonic() + 120
    doomed = cluster.workers[0]
    while True:  # until both jobs are under way, and the worker that is to die is part of it
        own = {child.pid for child in doomed.children(recursive=True)}
        if own & pids("*") and done("count") > 1 and done("disguise") > 1:
            break
        assert driver.poll() is None, (tmp_path / "log").read_text(errors="replace")[-3000:]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    dead = cluster.kill(doomed)
    at_death = done("*")
    said, _ = driver.communicate(timeout=180)
    assert driver.returncode == 0, (tmp_path / "log").read_text(errors="replace")[-3000:]
    assert at_death < 32  # the jobs were not over: they have 16 batches each
    assert pids("*") - dead  # and somebody else went on

    raw = RawTable(Source(tmp_path / "raw.parquet", SCHEMA.attributes), [])
    for got, expected in zip(json.loads(said.splitlines()[-1]), raw.count(work), strict=True):
        assert np.array_equal(got, expected)
    owner = pv.RandomSubstitution(gamma=8)
    owner.disguise(tmp_path / "raw.parquet", SCHEMA, to=tmp_path / "files.release", seed=1)
    for name in ("card.json", "part-0.parquet"):
        files, spark = (tmp_path / kind / name for kind in ("files.release", "spark.release"))
        assert files.read_bytes() == spark.read_bytes()
    assert not list(tmp_path.glob(".*.part"))
