"""A survey's server in a thread of the test, at a free port, and a plain client for it."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from privet.store.answers import Answers
from privet.survey import Questionnaire
from privet.web.app import survey_app
from privet.web.serve import listening

KEY = "the-key-of-the-researcher"


class Running:
    """A server that runs, may be away for a while, and what it has stored."""

    def __init__(self, questionnaire: Questionnaire, answers: Answers, rate: int) -> None:
        self.questionnaire, self.answers = questionnaire, answers
        self.app = survey_app(questionnaire, answers, KEY, rate=rate)
        self.port = 0  # any that is free, and then the same again
        self.start()

    def start(self) -> None:
        """Listen, and return when requests are answered."""
        self.socket = listening("127.0.0.1", self.port)
        self.port = self.socket.getsockname()[1]
        config = uvicorn.Config(
            self.app,
            access_log=False,
            log_level="error",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True
        )
        self.thread.start()
        end = time.monotonic() + 30
        while not self.server.started:
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.01)

    def stop(self) -> None:
        """Answer nothing more: whoever connects is refused."""
        self.server.should_exit = True
        self.thread.join(30)
        self.socket.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def call(
        self, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        with closing(connection):
            connection.request("GET" if body is None else "POST", path, body, named)
            reply = connection.getresponse()
            heads = {name.lower(): text for name, text in reply.getheaders()}
            return reply.status, heads, reply.read()

    def submission(
        self, token: str, codes: list[int] | None = None, changes: dict[str, Any] | None = None
    ) -> bytes:
        given = codes or [0] * len(self.questionnaire.schema.names)
        form = {"survey": self.questionnaire.digest, "token": token, "codes": given}
        return json.dumps({**form, **(changes or {})}).encode()

    def submit(self, body: bytes) -> tuple[int, Any]:
        status, _, text = self.call("/answers", body, content_type="application/json")
        return status, json.loads(text)


@contextmanager
def served(
    questionnaire: Questionnaire, path: Path, *, invited: bool = False, rate: int = 10_000
) -> Iterator[Running]:
    """Run the survey's server as long as the block does."""
    with Answers.create(path, questionnaire.digest, questionnaire.form, invited=invited) as answers:
        running = Running(questionnaire, answers, rate)
        try:
            yield running
        finally:
            running.stop()
