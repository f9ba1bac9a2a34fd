"""Writers and servers killed at any moment: nothing acknowledged is lost, nothing counts twice."""

import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.disguise import Complement
from privet.store import Store
from tests.forked import processes
from tests.store.server import Server
from tests.store.writer import SCHEMA, acknowledged, samples, write

KILLS = int(os.environ.get("PRIVET_KILLS", "5"))  # of writers of a database; 1,000 in `make crash`
SERVERS = int(os.environ.get("PRIVET_SERVER_KILLS", "3"))  # of PostgreSQL's server; 100 there
WRITERS = 3
PICKS = ["first", "random", "dummy", "most-frequent"]


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    try:
        made.start()
        yield made
    finally:
        made.remove()


def collected(store: Store) -> np.ndarray:
    """The samples that a store holds, by cell."""
    _, moved, taken = store._tables()
    return taken - moved


class Crowd:
    """Some writers at one store, each of which may die."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.counted = [np.zeros((1, 0), np.int64)] * WRITERS
        self.writers: list[Any] = [self.started(writer) for writer in range(WRITERS)]

    def started(self, writer: int) -> Any:
        process = processes.Process(target=write, args=(self.url, self.folder, writer), daemon=True)
        process.start()
        return process

    def kill(self, writer: int) -> None:
        self.writers[writer].kill()
        self.writers[writer].join()
        self.writers[writer] = self.started(writer)

    def wanted(self, store: Store, writer: int, calls: int) -> np.ndarray:
        """The samples of a writer's first calls, by cell."""
        counted = self.counted[writer]
        if not counted.size:
            counted = np.zeros((1, store.universe.size), np.int64)
        for call in range(len(counted) - 1, calls):
            (cells,) = store.method.cells(samples(writer, call), store.schema)
            more = counted[-1] + np.bincount(cells, minlength=store.universe.size)
            counted = np.concatenate([counted, more[None]])
        self.counted[writer] = counted
        total: np.ndarray = counted[calls]
        return total

    def check(self, store: Store) -> None:
        """What was acknowledged before the look is there, and every cell adds up."""
        calls = [acknowledged(self.folder, writer) for writer in range(WRITERS)]
        store.verify()
        least = sum(self.wanted(store, writer, number) for writer, number in enumerate(calls))
        assert (collected(store) >= least).all()

    def stop(self, store: Store) -> int:
        """Let everyone end; the store then holds each acknowledged call once, and nothing else."""
        (self.folder / "stop").touch()
        for process in self.writers:
            process.join(60)
            assert process.exitcode == 0
        calls = [acknowledged(self.folder, writer) for writer in range(WRITERS)]
        wanted = sum(self.wanted(store, writer, number) for writer, number in enumerate(calls))
        assert np.array_equal(collected(store), wanted)
        assert store.verify() == int(np.sum(wanted))
        return sum(calls)


def waited(crowd: Crowd, more: int, seconds: float = 120) -> None:
    """Wait until there are some more acknowledged calls: the crowd is at work."""
    begin = sum(acknowledged(crowd.folder, writer) for writer in range(WRITERS))
    end = time.monotonic() + seconds
    while sum(acknowledged(crowd.folder, w) for w in range(WRITERS)) < begin + more:
        assert time.monotonic() < end, "the writers do not get on"
        time.sleep(0.01)


@pytest.mark.parametrize("pick", PICKS[: 1 + (KILLS > 5)])
def test_killed_writers_of_sqlite(tmp_path: Path, pick: Any) -> None:
    path = tmp_path / "samples.db"
    with Store.create(path, SCHEMA, Complement(pick)) as store:
        crowd = Crowd(str(path), tmp_path)
        rng = np.random.default_rng()
        for number in range(KILLS):
            waited(crowd, 2)
            time.sleep(rng.uniform(0, 0.05))
            crowd.kill(number % WRITERS)
            crowd.check(store)
        _told("writers of SQLite", KILLS, crowd.stop(store))


@pytest.mark.needs("initdb", "postgres", "pg_isready")
def test_killed_writers_and_servers_of_postgresql(tmp_path: Path, server: Server) -> None:
    with Store.create(server.url, SCHEMA, Complement("random")) as store:
        crowd = Crowd(server.url, tmp_path)
        rng = np.random.default_rng()
        victims = rng.permutation([True] * SERVERS + [False] * KILLS)
        for number, kills_server in enumerate(victims):
            waited(crowd, 2)
            time.sleep(rng.uniform(0, 0.05))
            if kills_server:
                server.kill()
                store.close()
                server.start()
            else:
                crowd.kill(number % WRITERS)
            crowd.check(store)
        calls = crowd.stop(store)
        _told(f"writers of PostgreSQL and {SERVERS} of its server", KILLS, calls)


def _told(what: str, kills: int, calls: int) -> None:
    """Say how many calls were acknowledged; none was lost or counted twice, or we are not here."""
    assert calls > kills
    logging.getLogger(__name__).info("%d kills of %s, %d calls acknowledged", kills, what, calls)
