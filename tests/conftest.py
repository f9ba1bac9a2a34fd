"""Settings every test shares: caches, threads, Hypothesis, and what a test may need."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# numba, OpenMP and the BLAS libraries read these when they are first imported, so they come first.
# Threads of OpenMP and BLAS spin while they wait, and take the cores that the other tests run on.
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba"))
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("PRIVET_THREADS", "2")

# Debian keeps PostgreSQL's programs off the path.
SERVERS = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", ""), *SERVERS])

SHARED_DATA = ROOT.parent / "shared" / "data"
if "PRIVET_DATA" not in os.environ and SHARED_DATA.is_dir():
    os.environ["PRIVET_DATA"] = str(SHARED_DATA)

import pytest  # noqa: E402 - after the environment
from hypothesis import settings  # noqa: E402 - after the environment

from tests.spoiled import spoil  # noqa: E402 - after the environment

spoil()

# No deadline: a compiled kernel's first call is slow. "steady" tries the same examples each time.
settings.register_profile("default", deadline=None, print_blob=True)
settings.register_profile("steady", deadline=None, print_blob=True, derandomize=True, database=None)
settings.load_profile(os.environ.get("PRIVET_HYPOTHESIS", "default"))

MISSING = "MISSING:"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Where examples are the same each time, what is drawn at random in this process is, too."""
    if os.environ.get("PRIVET_HYPOTHESIS") != "steady":
        return (yield)
    drawn = Random(item.nodeid)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privet.randomness.secrets", SimpleNamespace(token_bytes=drawn.randbytes))
        return (yield)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose needs are not met; fail it instead where nothing may be skipped."""
    commands = [name for mark in item.iter_markers("needs") for name in mark.args]
    absent = [name for name in commands if shutil.which(name) is None]
    if absent:
        reason = f"{MISSING} system command {', '.join(absent)}"
        if os.environ.get("PRIVET_NO_SKIPS") == "1":
            pytest.fail(f"{reason} (PRIVET_NO_SKIPS=1 forbids the skip)", pytrace=False)
        pytest.skip(reason)
    if item.get_closest_marker("uci") is not None:
        folder = os.environ.get("PRIVET_DATA")
        if not folder or not Path(folder).is_dir():
            pytest.skip(f"{MISSING} the UCI tables; set PRIVET_DATA to their folder")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly which tests did not run, and for want of what."""
    counts: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", []):
        _, _, reason = report.longrepr
        if MISSING in reason:
            want = reason.split(MISSING, 1)[1].strip()
            counts[want] = counts.get(want, 0) + 1
    if counts:
        terminalreporter.section("NOT TESTED HERE", sep="!", red=True, bold=True)
        for want, number in sorted(counts.items()):
            terminalreporter.write_line(f"{number} test(s) skipped, missing: {want}", red=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium, started once for all tests that look at pages."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        made = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield made
        made.close()
