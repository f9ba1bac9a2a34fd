"""How tests run commands: in this process where they can, in one of their own where they must."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from privet.cli import cli

SRC = Path(__file__).resolve().parents[2] / "src"
# A shell that starts tests in the background has children ignore Ctrl-C; ours must not.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
MAIN = START + "from privet.cli import main; main()"


def run(*arguments: object, code: int = 0, env: dict[str, str] | None = None) -> Result:
    """Run a command here and check its exit code."""
    result = CliRunner().invoke(cli, [str(one) for one in arguments], prog_name="privet", env=env)
    assert result.exit_code == code, (result.stdout, result.stderr, result.exc_info)
    assert "Traceback" not in result.stderr
    return result


def run_json(*arguments: object) -> Any:
    """Run a command with --json; its stdout must be JSON and nothing else."""
    return json.loads(run(*arguments, "--json").stdout)


def start(*arguments: object, script: str = MAIN, **settings: Any) -> subprocess.Popen[str]:
    """Start a command in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(SRC)} | settings.pop("env", {})
    command = [sys.executable, "-c", script, *(str(one) for one in arguments)]
    return subprocess.Popen(command, text=True, env=environment, **settings)


def left_over(folder: Path) -> list[str]:
    """Return the names of half-written files in a folder."""
    return [file.name for file in folder.iterdir() if file.name.endswith((".part", ".old"))]
