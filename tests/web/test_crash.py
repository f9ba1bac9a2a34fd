"""Survey servers killed under load: no acknowledged answer is lost, none counts twice."""

import logging
import os
import socket
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from privet.store.answer_tables import answers
from privet.store.answers import Answers
from tests.forked import processes
from tests.store.server import Server
from tests.survey.asked import asked
from tests.web.victim import Clients, serve

KILLS = int(os.environ.get("PRIVET_SURVEY_KILLS", "3"))  # a database; 200 in `make crash`


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    try:
        made.start()
        yield made
    finally:
        made.remove()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as made:
        port: int = made.getsockname()[1]
        return port


def stored(held: Answers) -> Counter[bytes]:
    """All answers of a database, those that wait for their batch included."""
    asked_for = select(answers.c.answer, answers.c.counted + answers.c.fresh)
    with held.database.reading() as connection:
        rows = connection.execute(asked_for).all()
    return Counter({bytes(answer): int(number) for answer, number in rows})


class Killed:
    """A server at one port, killed and started again while clients send."""

    def __init__(self, url: str) -> None:
        self.url, self.port = url, free_port()
        self.process = self.started()
        self.clients = Clients(self.port)

    def started(self) -> Any:
        process = processes.Process(target=serve, args=(self.url, self.port), daemon=True)
        process.start()
        return process

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.process = self.started()

    def finish(self) -> None:
        self.clients.stop()
        self.process.kill()
        self.process.join()


def check(held: Answers, killed: Killed) -> None:
    """At the end each acknowledged answer is there once, and nothing else."""
    killed.finish()
    assert stored(held) == killed.clients.acknowledged
    assert held.verify() == killed.clients.total
    assert killed.clients.retries >= KILLS
    tally = held.tally()
    assert tally.counted + tally.waiting == killed.clients.total
    found = (KILLS, killed.clients.total, killed.clients.retries)
    logging.getLogger(__name__).info("%d kills, %d answers, %d retries", *found)


def run_under_load(killed: Killed, held: Answers, other: Server | None) -> None:
    rng = np.random.default_rng()
    for number in range(KILLS):
        killed.clients.wait(8)
        time.sleep(rng.uniform(0, 0.05))
        if other is not None and number % 4 == 3:  # the database's own server dies as well
            other.kill()
            held.database.close()
            other.start()
        else:
            killed.kill()
        assert held.verify() >= 0


def test_killed_servers_of_sqlite(tmp_path: Path) -> None:
    path, made = tmp_path / "a.db", asked()
    with Answers.create(path, made.digest, made.form, invited=False) as held:
        killed = Killed(str(path))
        run_under_load(killed, held, None)
        check(held, killed)


@pytest.mark.needs("initdb", "postgres", "pg_isready")
def test_killed_servers_of_postgresql(server: Server) -> None:
    made = asked()
    with Answers.create(server.url, made.digest, made.form, invited=False) as held:
        killed = Killed(server.url)
        run_under_load(killed, held, server)
        check(held, killed)
