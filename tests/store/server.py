"""A PostgreSQL server of the tests' own: in a temporary folder, reached by a socket there only."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

USER = "nobody" if os.geteuid() == 0 else None  # the server refuses to run as root


class Server:
    """Starts, dies and starts again; its data stay until ``remove``."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="privet-pg-"))
        if USER is not None:
            shutil.chown(self.folder, USER)
        self.data = self.folder / "data"
        self.process: subprocess.Popen[bytes] | None = None
        self.log = (self.folder / "log").open("wb")
        self._run(
            "initdb", "-D", self.data, "-U", "privet", "-A", "trust", "-E", "UTF8", "--locale=C"
        )

    def _run(self, *command: str | Path) -> None:
        subprocess.run(
            command, check=True, user=USER, cwd=self.folder, stdout=self.log, stderr=self.log
        )

    @property
    def url(self) -> str:
        return f"postgresql://privet@/postgres?host={self.folder}"

    def start(self) -> None:
        """Start, or start again after a crash, and wait until connections are taken."""
        for _ in range(100):
            program = shutil.which("postgres") or "postgres"
            settings = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder}"]
            self.process = subprocess.Popen(
                [program, "-D", self.data, *settings],
                user=USER,
                cwd=self.folder,
                stdout=self.log,
                stderr=self.log,
            )
            while self.process.poll() is None:
                if (
                    subprocess.run(["pg_isready", "-q", "-h", self.folder], check=False).returncode
                    == 0
                ):
                    return
                time.sleep(0.02)
            time.sleep(0.05)  # processes of the dead server may still hold its memory
        message = "PostgreSQL does not start"
        raise RuntimeError(message)

    def create(self, name: str) -> None:
        """Make an empty database."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())

    def kill(self) -> None:
        """End it as a power cut would: no warning, no goodbye."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def remove(self) -> None:
        """Stop for good and leave nothing behind."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(30)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
