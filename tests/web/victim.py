"""A survey's server in a process that can be killed, and clients that never lose heart."""

import http.client
import json
import threading
import time
from collections import Counter

import numpy as np

from privet.store.answers import Answers
from privet.survey.results import pack
from privet.web.app import survey_app
from privet.web.serve import listening, run
from tests.survey.asked import asked

CLIENTS = 4


def serve(url: str, port: int) -> None:
    """Serve the survey until killed."""
    questionnaire = asked()
    with Answers.open(url, questionnaire.digest) as answers, listening("127.0.0.1", port) as at:
        run(survey_app(questionnaire, answers, "key", rate=10**9), at, lambda: None)


class Clients:
    """People who send, each until it is acknowledged, the same bytes each time."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.questionnaire = asked()
        self.acknowledged: Counter[bytes] = Counter()
        self.retries = 0
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._send, args=(number,), daemon=True)
            for number in range(CLIENTS)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def total(self) -> int:
        with self._lock:
            return sum(self.acknowledged.values())

    def wait(self, more: int, seconds: float = 60) -> None:
        """Wait until some more answers are acknowledged."""
        begin, end = self.total, time.monotonic() + seconds
        while self.total < begin + more:
            assert time.monotonic() < end, "the server does not get on"
            time.sleep(0.005)

    def stop(self) -> None:
        """Let everyone finish what is begun."""
        self.stopping.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()

    def _send(self, client: int) -> None:
        rng = np.random.default_rng([client, 7])
        call = 0
        while not self.stopping.is_set():
            codes = [int(code) for code in rng.integers(0, 2, len(self.questionnaire.schema.names))]
            form = {
                "survey": self.questionnaire.digest,
                "token": f"{client:08}{call:024}",
                "codes": codes,
            }
            self._deliver(json.dumps(form).encode())
            named = dict(zip(self.questionnaire.schema.names, codes, strict=True))
            with self._lock:
                self.acknowledged[pack(named, self.questionnaire)] += 1
            call += 1

    def _deliver(self, body: bytes) -> None:
        """Send until the server says that it has it."""
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.request("POST", "/answers", body, {"content-type": "application/json"})
                reply = connection.getresponse()
                if reply.status == 200 and json.loads(reply.read()) == {"received": True}:
                    return
                assert reply.status == 503, reply.status
            except (OSError, http.client.HTTPException, ValueError):
                pass
            finally:
                connection.close()
            self.retries += 1
            time.sleep(0.01)
