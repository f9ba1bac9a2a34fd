import io
import json
import os
import pty
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from privet.cli import bar
from privet.progress import listening, track
from tests.cli.running import start


def test_a_bar_draws_nested_work_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80)
    monkeypatch.setattr(bar, "_drawing", lambda: Progress(console=console, transient=True))
    drawn = bar.Bar()
    with listening(drawn):
        for _ in track(range(2), "outer", 2):
            assert list(track(range(3), "inner")) == [0, 1, 2]
            assert len(drawn.tasks) == 1
    assert drawn.drawing is None
    assert drawn.tasks == []
    assert "outer" in file.getvalue()


def test_a_bar_on_a_terminal_and_json_beside_it(folder: Path) -> None:
    terminal, inside = pty.openpty()
    arguments = ["generate", "as-f2", "--rows", "600000", "-o", "f2.parquet", "--json"]
    process = start(*arguments, stdout=-1, stderr=inside, env={"TERM": "xterm"})
    os.close(inside)
    said, _ = process.communicate(timeout=60)
    drawn = os.read(terminal, 1 << 20).decode()
    os.close(terminal)
    assert process.returncode == 0
    assert json.loads(said)["rows"] == 600_000
    assert "generating" in drawn


def test_a_log_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    told = bar.Lines(pause=0.0)
    with listening(told):
        for _ in track(range(2), "outer", 2):
            assert list(track(range(3), "inner", 3)) == [0, 1, 2]
        assert list(track(range(2), "without a total")) == [0, 1]
    said = capsys.readouterr().err.splitlines()
    assert [line.split(", about")[0] for line in said] == ["outer: 1 of 2", "outer: 2 of 2"]
    with listening(bar.Lines()):  # nothing within the first minute
        assert list(track(range(3), "work", 3)) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_no_bar_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with bar.shown():
        assert list(track(range(3), "work")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
