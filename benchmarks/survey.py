"""A survey's server under load: durable answers per second, beside the same server without storage.

The load generator keeps some connections busy, as many phones at once would, and notes how long
every answer took until it was acknowledged.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import socket
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import THREADS
from benchmarks.harness import Goal, Report, race
from privet.store.answers import Answers, Verdict
from privet.survey import Questionnaire
from privet.survey.simulate import crowd, disguised
from privet.web.app import survey_app
from privet.web.serve import listening
from privet.web.serve import run as serve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privet.store.answers import Said

ANSWERS, CONNECTIONS, REPEATS = 3_000, 64, 5
RATIO_GOAL = 0.25
SURVEY = Path(__file__).parents[1] / "docs" / "survey.toml"


class Unstored:
    """Takes every answer and keeps none: what the web alone costs."""

    invited = False

    def add(self, said: Sequence[Said]) -> list[Verdict]:
        """Say that answers are stored."""
        return [Verdict.STORED] * len(said)


def _serve(path: str, port: int) -> None:
    asked = Questionnaire.read(SURVEY)
    with listening("127.0.0.1", port) as at:
        if not path:
            unstored: Any = Unstored()
            serve(survey_app(asked, unstored, "key", rate=10**9), at, lambda: None)
            return
        with Answers.create(path, asked.digest, asked.form, invited=False) as answers:
            serve(survey_app(asked, answers, "key", rate=10**9), at, lambda: None)


class Target:
    """A server in a process of its own; ``path`` is where it stores, nothing if it does not."""

    def __init__(self, path: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as made:
            self.port: int = made.getsockname()[1]
        context = multiprocessing.get_context("spawn")
        self.process = context.Process(target=_serve, args=(path, self.port), daemon=True)
        self.process.start()
        end = time.monotonic() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def stop(self) -> None:
        """End the server."""
        self.process.terminate()
        self.process.join()


def bodies(asked: Questionnaire) -> Iterator[bytes]:
    """Give submissions of made-up people without end, each with a token of its own."""
    people = crowd(asked, ANSWERS, seed=time.time_ns() % 2**32)
    sent = disguised(asked, people.codes)
    rows = np.stack([sent[name] for name in asked.schema.names], axis=1).tolist()
    mark = os.urandom(8).hex()
    for number in count():
        form = {
            "survey": asked.digest,
            "token": f"{mark}{number:016x}",
            "codes": rows[number % ANSWERS],
        }
        yield json.dumps(form, separators=(",", ":")).encode()


async def load(port: int, waiting: Iterator[bytes], number: int) -> list[float]:
    """Send so many submissions over some connections; return the seconds each one took."""
    left = iter(range(number))
    seconds: list[float] = []

    async def connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in left:
            body = next(waiting)
            head = (
                "POST /answers HTTP/1.1\r\nhost: survey\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\n\r\n"
            )
            begin = time.perf_counter()
            writer.write(head.encode() + body)
            reply = await reader.readuntil(b"\r\n\r\n")
            length = int(reply.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            text = await reader.readexactly(length)
            if not reply.startswith(b"HTTP/1.1 200") or b"received" not in text:
                raise RuntimeError(reply.split(b"\r\n")[0].decode())
            seconds.append(time.perf_counter() - begin)
        writer.close()

    await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))
    return seconds


def run(*, peers_only: bool = False) -> Report:
    """Load both servers in turn."""
    asked = Questionnaire.read(SURVEY)
    waiting = bodies(asked)
    about = f"{ANSWERS:,} submissions over {CONNECTIONS} connections; {THREADS} threads"
    report = Report("survey", about)
    taken: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        paths = {"without storage": ""}
        if not peers_only:
            paths["durable, SQLite"] = str(Path(folder) / "a.db")
        targets = {name: Target(path) for name, path in paths.items()}
        try:

            def sent(name: str) -> None:
                taken.setdefault(name, []).extend(
                    asyncio.run(load(targets[name].port, waiting, ANSWERS))
                )

            report.times = race(
                {name: lambda name=name: sent(name) for name in targets},  # type: ignore[misc]
                repeats=REPEATS,
            )
        finally:
            for target in targets.values():
                target.stop()
        if not peers_only:
            with Answers.open(paths["durable, SQLite"], asked.digest) as answers:
                report.facts["stored"] = f"{answers.verify():,} answers, all tables agree"
    rates = {name: ANSWERS / times.median for name, times in report.times.items()}
    for name, rate in rates.items():
        late = [1000 * float(np.quantile(taken[name], share)) for share in (0.5, 0.99)]
        told = f"{rate:,.0f} a second; p50 {late[0]:.0f} ms, p99 {late[1]:.0f} ms"
        report.facts[f"{name}, {CONNECTIONS} at once"] = told
    if not peers_only:
        ratio = rates["durable, SQLite"] / rates["without storage"]
        report.goals = [Goal("durable over without storage", ratio, RATIO_GOAL, unit=" ×")]
    return report
