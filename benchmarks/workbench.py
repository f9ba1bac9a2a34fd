"""A million records from drop to release in the workbench, and the memory it takes.

``python -m benchmarks workbench`` starts ``privet open``, sends it a Parquet table as a page does,
and looks at the resident memory of the server and its worker ten times per second.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

LIMIT = 1 << 30  # bytes


def main(words: list[str]) -> int:
    """Run, and print; 1 if the memory exceeds a gibibyte."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks workbench", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    asked = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="privet-bench-") as name:
        table = _table(Path(name), asked.rows)
        size = table.stat().st_size / 1e6
        print(f"{asked.rows:,} records, 15 columns, {size:.0f} MB of Parquet")
        peak = _through(table, Path(name))
    print(f"resident memory of server and worker together: {peak / 2**20:.0f} MiB at most")
    return int(peak > LIMIT)


def _table(folder: Path, rows: int) -> Path:
    """Write a table like Adult: six numbers, eight columns of text and a class."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    numbers = {f"number {place}": rng.integers(0, 10 ** (place + 1), rows) for place in range(6)}
    texts = {
        f"text {place}": pa.array([f"value {code} of many" for code in range(3 * place + 2)]).take(
            pa.array(rng.integers(0, 3 * place + 2, rows))
        )
        for place in range(8)
    }
    kind = pa.array(["no", "yes"]).take(pa.array((numbers["number 1"] > 50).astype(np.int64)))
    path = folder / "million.parquet"
    pq.write_table(pa.table({**numbers, **texts, "class": kind}), path)
    return path


class Client:
    """What a page does, without one."""

    def __init__(self, link: str) -> None:
        found = re.search(r"http://([\d.]+):(\d+)/\?key=(\S+)", link)
        if found is None:
            raise ValueError(link)
        self.host, self.port = found[1], int(found[2])
        head = self.call("GET", f"/?key={found[3]}")[1]
        self.cookie = head["set-cookie"].split(";")[0]
        page = self.call("GET", "/")[2].decode()
        self.token = page.partition('name="privet" content="')[2].partition('"')[0]

    def call(self, method: str, path: str, body: Any = None, **more: str) -> Any:
        """Return status, heads and body."""
        heads = {"cookie": getattr(self, "cookie", ""), "x-privet": getattr(self, "token", "")}
        with closing(http.client.HTTPConnection(self.host, self.port, timeout=600)) as held:
            held.request(method, path, body, heads | more)
            reply = held.getresponse()
            return reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read()

    def work(self, path: str, body: Any, **more: str) -> None:
        """Begin a job, and wait for its end."""
        status, _, text = self.call("POST", path, body, **more)
        if status != 200:
            raise RuntimeError(text.decode())
        number = json.loads(text)["job"]
        events = self.call("GET", f"/jobs/{number}/events")[2].decode().strip().split("\n\n")
        last = json.loads(events[-1].removeprefix("data: "))
        if last["state"] != "done":
            raise RuntimeError(last["error"])


def _through(table: Path, folder: Path) -> int:
    command = [sys.executable, "-m", "privet.cli", "open", "--no-browser", "--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        stop = threading.Event()
        peaks: list[int] = []
        watcher = threading.Thread(target=_watched, args=(server.pid, stop, peaks))
        try:
            client = Client(server.stdout.readline() if server.stdout is not None else "")
            watcher.start()
            began = time.perf_counter()
            with table.open("rb") as file:
                size = str(table.stat().st_size)
                client.work("/owner/upload", file, **{"x-name": table.name, "content-length": size})
            looked = time.perf_counter()
            print(f"dropped and looked at: {looked - began:.1f} s")
            client.call("GET", "/owner/plan")
            form = json.dumps({"to": "million.release"})
            client.work("/owner/disguise", form)
            print(f"planned and disguised: {time.perf_counter() - looked:.1f} s")
        finally:
            stop.set()
            watcher.join()
            server.terminate()
            server.wait()
    return max(peaks)


def _watched(server: int, stop: threading.Event, peaks: list[int]) -> None:
    while not stop.wait(0.1):
        peaks.append(sum(map(_resident, [server, *_children(server)])))


def _children(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(word) for word in text.split()]


def _resident(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:  # it has just ended
        return 0
    found = re.search(r"VmRSS:\s+(\d+) kB", text)
    return 0 if found is None else 1024 * int(found[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
