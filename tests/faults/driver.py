"""Do one thing again and again, each time with another call of the file system failing or dying.

Run with the library of ``faults.c`` loaded before the C library. Prints a line of JSON per trial.
"""

import ctypes
import errno
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privet.errors import PrivetError
from privet.files import writing
from tests.faults.actions import ACTIONS, Action

MODES = {"never": 0, "fail": 1, "die": 2, "tear": 3}
RAW, TOLD, DIED, HUNG = 4, 3, 9, 124
PATIENCE = 60  # seconds


def child(action: Action, folder: Path, mode: str, number: int) -> tuple[int, str]:
    """Do the action in a fork with a fault; return its exit code and what it says."""
    reading, telling = os.pipe()
    process = os.fork()
    if process == 0:
        code, said = 0, ""
        library = ctypes.CDLL(None)
        try:
            why = errno.ENOSPC if number % 2 else errno.EIO
            library.faults_arm(os.fsencode(folder), MODES[mode], number, why)
            action.act(folder)
        except PrivetError as error:
            code, said = TOLD, str(error)
        except BaseException as error:  # noqa: BLE001 - for the test to tell
            code, said = RAW, f"{type(error).__name__}: {error}"
        seen = library.faults_seen()
        os.write(telling, json.dumps([seen, said]).encode())
        os._exit(code)
    os.close(telling)
    end = time.monotonic() + PATIENCE
    while True:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return HUNG, ""
        time.sleep(0.002)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode()
    return os.waitstatus_to_exitcode(status), told


def left_over(folder: Path) -> list[str]:
    """Return what a writer did not finish and did not remove."""
    return [path.name for path in folder.iterdir() if path.suffix in (".part", ".old")]


def trials(name: str, share: tuple[int, int]) -> Iterator[dict[str, Any]]:
    """Yield what became of each trial; of a ``share`` (which, of how many) of the calls."""
    action = ACTIONS[name]
    home = Path.cwd() / name
    old = home / "old"
    old.mkdir(parents=True)
    action.prepare(old)
    assert action.state(old) == "old"
    shutil.copytree(old, home / "warm")
    action.act(home / "warm")  # so that nothing is compiled or imported in a fork
    assert action.state(home / "warm") == "new"
    shutil.copytree(old, home / "clean")
    code, told = child(action, home / "clean", "never", 0)
    calls = json.loads(told)[0]
    assert (code, action.state(home / "clean")) == (0, "new"), told
    yield {"action": name, "calls": calls}
    which, of = share
    for number in range(1 + which, calls + 1, of):
        for mode in ("fail", "die", "tear"):
            folder = home / "trial"
            shutil.copytree(old, folder)
            code, told = child(action, folder, mode, number)
            trial: dict[str, Any] = {"action": name, "number": number, "mode": mode, "code": code}
            trial |= {"told": told, "left": left_over(folder)}
            try:
                trial["state"] = action.state(folder)
                trial["again"], told = child(action, folder, "never", 0)
                trial["at last"] = action.state(folder)
            except BaseException as error:  # noqa: BLE001 - for the test to tell
                trial["broken"] = f"{type(error).__name__}: {error}"
            trial["left at last"] = left_over(folder)
            yield trial
            shutil.rmtree(folder)


def main() -> None:
    """Run the trials of the actions that are named, for all calls or some."""
    way, which, of, *names = sys.argv[1:]
    if way == "two renames":
        writing._renamed = lambda *_: False
    for name in names or ACTIONS:
        for trial in trials(name, (int(which), int(of))):
            sys.stdout.write(json.dumps(trial) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
