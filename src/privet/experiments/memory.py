"""What trials gave, remembered in a file: a run that was stopped goes on where it was."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any

__all__ = ["Memory", "cache_folder"]


class Memory:
    """Results as JSON lines in a file, the first of which says what they belong to."""

    def __init__(
        self,
        folder: str | Path | None,
        name: str,
        *,
        quick: bool,
        seed: int | None,
        fresh: bool,
        version: int,
    ) -> None:
        self.results: dict[str, dict[str, Any]] = {}
        self.path = None if folder is None else Path(folder) / _file(name, seed, quick=quick)
        head = {"experiment": name, "version": version}
        stored = [] if self.path is None or fresh else _lines(self.path)
        first = stored[0] if stored else {}
        same = {word: first.get(word) for word in head} == head
        if same and isinstance(first.get("seed"), int):
            self.seed = int(first["seed"])
            self.results = {line["key"]: line["result"] for line in stored[1:] if "result" in line}
        else:
            self.seed = secrets.randbits(32) if seed is None else seed
        if self.path is not None:  # whole lines only: a killed run may have left half a line
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lines = [head | {"seed": self.seed}]
            lines += [{"key": key, "result": result} for key, result in self.results.items()]
            made = self.path.with_suffix(".part")
            made.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            made.replace(self.path)

    def keep(self, key: str, result: dict[str, Any]) -> None:
        """Remember a result, on disk before anything else happens."""
        line = json.dumps({"key": key, "result": result}, allow_nan=False)
        self.results[key] = json.loads(line)["result"]
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")


def _file(name: str, seed: int | None, *, quick: bool) -> str:
    words = [name, *(["quick"] if quick else []), *([] if seed is None else [str(seed)])]
    return "-".join(words) + ".jsonl"


def _lines(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file that are whole."""
    if not path.is_file():
        return []
    lines = []
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict):
            lines.append(line)
    return lines


def cache_folder() -> Path:
    """Return where results are remembered if nobody says otherwise."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "privet" / "experiments"
