"""Pytest in a child of a process that has the large libraries already: seconds less a run."""

import contextlib
import importlib
import os
import signal
import sys
import time
from pathlib import Path

import pytest

HEAVY = ("numpy", "numba", "pandas", "pyarrow.parquet", "scipy.stats", "sklearn.base", "sqlalchemy")


def load() -> None:
    """Import what nearly every test needs; nothing of privet, which is about to change."""
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def run(
    arguments: list[str], root: Path, environment: dict[str, str], timeout: float
) -> int | None:
    """Return pytest's exit code, or None if it was killed for taking too long."""
    child = os.fork()
    if child == 0:
        code = 3  # pytest's for an error of its own
        try:
            os.setsid()
            code = _here(arguments, root, environment)
        finally:
            os._exit(code)
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _here(arguments: list[str], root: Path, environment: dict[str, str]) -> int:
    silent = os.open(root.parent / "said.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(root)
    checkout = Path(__file__).resolve().parents[2]
    others = [one for one in sys.path if one and not Path(one).is_relative_to(checkout)]
    venv = [one for one in sys.path if Path(one).name == "site-packages" and one not in others]
    sys.path[:] = [*environment["PYTHONPATH"].split(os.pathsep), str(root), *others, *venv]
    for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "privet")]:
        del sys.modules[name]
    from numba.core import config

    config.reload_config()  # type: ignore[no-untyped-call]  # the cache's folder
    return int(pytest.main(arguments))
