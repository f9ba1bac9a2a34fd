"""A workbench in a thread of the test, a table for it, and what measures its pages."""

import csv
import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn

from privet.web.bench.app import bench_app
from privet.web.bench.state import Bench
from privet.web.serve import listening

NAME = "Zyxwvut-4711"  # a value of one record that must turn up nowhere but in its own page


def people(path: Path, rows: int = 1200, seed: int = 3) -> Path:
    """Write a small table like Adult: an identifier, numbers, categories, and a class."""
    rng = np.random.default_rng(seed)
    age = rng.integers(17, 91, rows)
    school = rng.choice(["none", "some", "college", "master"], rows, p=[0.2, 0.4, 0.3, 0.1])
    hours = rng.integers(1, 99, rows)
    sex = rng.choice(["Female", "Male"], rows)
    rich = (age > 38) & np.isin(school, ["college", "master"]) | (rng.random(rows) < 0.06)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "age", "school", "hours_per_week", "sex", "income"])
        for place in range(rows):
            name = NAME if place == 7 else f"person {place}"
            row = [name, age[place], school[place], hours[place], sex[place]]
            writer.writerow([*row, ">50K" if rich[place] else "<=50K"])
    return path


class Running:
    """A workbench that runs."""

    def __init__(self, bench: Bench, port: int, key: str) -> None:
        self.bench, self.port, self.key = bench, port, key
        self.cookie = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def link(self) -> str:
        return f"{self.url}?key={self.key}"

    def call(
        self, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        if self.cookie:
            named.setdefault("cookie", self.cookie)
        with closing(connection):
            connection.request("GET" if body is None else "POST", path, body, named)
            reply = connection.getresponse()
            heads = {name.lower(): text for name, text in reply.getheaders()}
            return reply.status, heads, reply.read()

    def enter(self) -> None:
        """Change the key for the cookie."""
        status, heads, _ = self.call(f"/?key={self.key}")
        assert status == 303
        self.cookie = heads["set-cookie"].split(";")[0]

    def post(self, path: str, form: dict[str, Any]) -> tuple[int, Any]:
        status, heads, text = self.call(path, json.dumps(form).encode(), x_privet=self.bench.token)
        is_json = heads.get("content-type", "").startswith("application/json")
        return status, json.loads(text) if is_json else text.decode()

    def wait(self, number: int, seconds: float = 120) -> Any:
        """Wait for a job, by its events."""
        end = time.monotonic() + seconds
        while not self.bench.jobs[number].over:
            assert time.monotonic() < end, self.bench.jobs[number]
            time.sleep(0.05)
        return self.bench.jobs[number]


@contextmanager
def benched(folder: Path, private: Path) -> Iterator[Running]:
    """Run a workbench as long as the block does."""
    private.mkdir(mode=0o700, exist_ok=True)
    with listening("127.0.0.1", 0) as at:
        port = at.getsockname()[1]
        bench = Bench(folder, private)
        app, key = bench_app(bench, hosts={f"127.0.0.1:{port}"}, name=f"privet-{port}")
        config = uvicorn.Config(
            app, access_log=False, log_level="error", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [at]}, daemon=True)
        thread.start()
        end = time.monotonic() + 30
        while not server.started:
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.01)
        try:
            yield Running(bench, port, key)
        finally:
            server.should_exit = True
            thread.join(30)
