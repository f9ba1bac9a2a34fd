"""A rehearsal of a survey: made-up people with a known truth answer it through real HTTP."""

from __future__ import annotations

import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import uvicorn

from privet.errors import BugError, SurveyError
from privet.store.answers import Answers
from privet.survey.results import Results
from privet.survey.simulate import crowd, disguised
from privet.web.app import survey_app
from privet.web.serve import listening, new_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from privet.survey import Questionnaire
    from privet.survey.simulate import Crowd

__all__ = ["Rehearsal", "rehearsal"]

AT_ONCE = 8  # people who send at the same time
BEGIN = 30.0  # seconds for the server to start


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """A survey that runs, what its people truly think, and what their answers tell."""

    link: str
    key: str
    crowd: Crowd
    results: Results

    def lines(self) -> list[str]:
        """Say, question by question, what is estimated beside what is true."""
        asked = self.results.questionnaire
        people, waiting = self.crowd.people, self.crowd.people - self.results.rows
        late = f" (the last {waiting} do not count yet)" if waiting else ""
        said = [f"{people:,} made-up people answered{late}; the truth is known for once:"]
        width = max(map(len, asked.schema.names))
        inside = total = 0
        for name in asked.schema.names:
            told = self.results.told(name)
            truth = self.crowd.shares(name, len(told.half_widths))
            value = int(truth.argmax())
            off = np.abs(told.shares.unbiased - truth) <= told.half_widths
            inside, total = inside + int(off.sum()), total + len(off)
            said.append(
                f"  {name:{width}}  {100 * told.shares.shares[value]:5.1f} % "
                f"± {100 * told.half_widths[value]:.1f}, true {100 * truth[value]:.1f} %"
            )
        said.append(f"{inside} of {total} intervals hold the true share; 95 % should.")
        tree = self.results.tree(self.crowd.leaf)
        root = tree.codings[tree.attribute[0]].name if tree.nodes > 1 else "nothing"
        said.append(f"{self.crowd.leaf} follows {self.crowd.root}; its tree asks first: {root}.")
        return said


@contextmanager
def rehearsal(
    questionnaire: Questionnaire, people: int | Crowd, database: Path, seed: int | None = None
) -> Iterator[Rehearsal]:
    """Serve a survey at a free port, let made-up people answer it, and go on serving its results.

    ``people`` are given, or so many are drawn from the seed; their coins are fresh, as everywhere.
    """
    key = new_tokens(1)[0]
    made = crowd(questionnaire, people, seed) if isinstance(people, int) else people
    with (
        Answers.create(
            database, questionnaire.digest, questionnaire.form, invited=False
        ) as answers,
        listening("127.0.0.1", 0) as at,
    ):
        port = at.getsockname()[1]
        app = survey_app(questionnaire, answers, key, rate=10**9)
        config = uvicorn.Config(app, access_log=False, log_level="error", server_header=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [at]}, daemon=True)
        thread.start()
        try:
            _wait(server)
            _answer(questionnaire, made, port)
            results = Results(questionnaire, answers.tally().counts)
            yield Rehearsal(f"http://127.0.0.1:{port}/", key, made, results)
        finally:
            server.should_exit = True
            thread.join(BEGIN)


def _wait(server: uvicorn.Server) -> None:
    end = time.monotonic() + BEGIN
    while not server.started:
        if time.monotonic() > end:
            raise BugError("the survey's server does not start")
        time.sleep(0.01)


def _answer(questionnaire: Questionnaire, people: Crowd, port: int) -> None:
    """Send everyone's disguised answers, some people at a time."""
    sent = disguised(questionnaire, people.codes)
    rows = np.stack([sent[name] for name in questionnaire.schema.names], axis=1).tolist()
    tokens = new_tokens(len(rows))
    bodies = [
        json.dumps({"survey": questionnaire.digest, "token": token, "codes": codes}).encode()
        for token, codes in zip(tokens, rows, strict=True)
    ]

    def send(part: list[bytes]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            for body in part:
                connection.request("POST", "/answers", body, {"content-type": "application/json"})
                reply = connection.getresponse()
                reply.read()
                if reply.status != 200:
                    raise SurveyError(f"An answer was refused with {reply.status}.")
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(send, [bodies[place::AT_ONCE] for place in range(AT_ONCE)]))
