"""What a workbench remembers while it runs: one owner's way, releases, trees and audits.

All of it is in memory and in one private folder, which is removed in the end; only what someone
asked for is written beside their data. So stepping back loses nothing that was entered.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.audit.compare import Comparison, Point
from privet.errors import InputError
from privet.files.writing import new_file
from privet.web.bench.columns import Column, comments_of, read_columns, schema_of
from privet.web.bench.jobs import Job, Jobs
from privet.web.bench.plans import Preview, Wish, preview_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from privet.schema import Schema

__all__ = ["TABLES", "Bench", "Opened", "Owner", "is_release", "is_table", "stem_of"]

TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq")
_MOST = 200  # files of a folder that are listed


def is_release(path: Path) -> bool:
    """Whether a folder is a release."""
    return (path / "card.json").is_file()


def is_table(path: Path) -> bool:
    """Whether a file is a table by its name."""
    return path.is_file() and path.name.endswith(TABLES)


def stem_of(name: str) -> str:
    """Return a table's or release's name without its ending, fit for names of further files.

    >>> stem_of("people 2024.csv.gz")
    'people-2024'
    """
    for ending in (*TABLES, ".release"):
        name = name.removesuffix(ending)
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "table"


@dataclass
class Owner:
    """An owner's way from a table to a release."""

    path: Path | None = None
    shown: str = ""  # the table as a command names it
    look: dict[str, Any] = field(default_factory=dict)
    columns: list[Column] = field(default_factory=list)
    wish: Wish = field(default_factory=Wish)
    kept: list[dict[str, Any]] = field(default_factory=list)
    own: Comparison | None = None  # plans tried on her records
    tried_own: bool = False
    release: Path | None = None
    made: dict[str, Any] | None = None
    seed: int | None = None
    jobs: dict[str, Job] = field(default_factory=dict)
    tried: str = ""  # the schema that trees were simulated for
    curve: dict[str, Any] = field(default_factory=dict)  # of simulations that gave way to others

    @property
    def stem(self) -> str:
        """What files made on the way are called."""
        return stem_of(Path(self.shown).name)

    @property
    def rows(self) -> int:
        """How many records the table has."""
        return int(self.look.get("rows", 0))

    def seen(self, look: dict[str, Any]) -> None:
        """Take what a look at the table showed."""
        self.look = look
        self.columns = read_columns(look["columns"])

    def column(self, name: str) -> Column:
        """Return a column."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError("The table has no such column.")

    def change_column(self, name: str, form: dict[str, Any]) -> None:
        """Take what was entered of a column; there is one class at most."""
        column = self.column(name)
        before = column.role
        column.change(form)
        if column.role == "class" and before != "class":
            for other in self.columns:
                if other is not column and other.role == "class":
                    other.role = "disguise"

    @property
    def schema(self) -> Schema:
        """The schema as it stands."""
        return schema_of(self.columns)

    @property
    def schema_text(self) -> str:
        """The schema as a file, with what was read off the data."""
        return self.schema.to_toml(comments_of(self.columns))

    @property
    def simulated(self) -> dict[str, Any]:
        """What trees on made-up tables were right about so far, by γ, and from originals."""
        job = self.jobs.get("simulate")
        news = {} if job is None or job.result is None else job.result
        points = {**self.curve.get("points", {}), **news.get("points", {})}
        return {"points": points, "plain": news.get("plain", self.curve.get("plain", 1.0))}

    @property
    def points(self) -> dict[float, float]:
        """Accuracies simulated so far, by γ."""
        return {float(name): mean for name, (mean, _) in self.simulated["points"].items()}

    @property
    def plain_accuracy(self) -> float:
        """What a tree from made-up originals is right about."""
        return float(self.simulated["plain"])

    def preview(self) -> Preview:
        """Return the plan as it stands, and what to expect of it.

        Once plans were tried on her records, each that follows is chosen by what she saw.
        """
        preview = preview_of(self.columns, self.schema, self.rows, self.wish, self.points)
        return replace(preview, plan=replace(preview.plan, tuned=self.tried_own))

    def compared(self, form: dict[str, Any]) -> None:
        """Take what trying plans on her records showed."""
        self.tried_own = True
        points = tuple(
            Point(**{**point, "plain": tuple(point["plain"])}) for point in form["points"]
        )
        self.own = Comparison(points, form["plain_accuracy"], form["blind_accuracy"], form["rows"])


@dataclass
class Opened:
    """A release that was opened, what was seen in it, and what was made from it."""

    path: Path
    shown: str
    job: Job
    original: str | None = None
    original_path: Path | None = None
    pairs: Job | None = None
    audit: Job | None = None
    trees: list[Job] = field(default_factory=list)
    asked: dict[str, Any] = field(default_factory=dict)

    @property
    def facts(self) -> dict[str, Any] | None:
        """What is known of it so far."""
        return self.job.result


class Bench:
    """A workbench: ``folder`` is where results go, ``private`` what nobody else may see."""

    def __init__(self, folder: Path, private: Path) -> None:
        self.folder = folder
        self.private = private
        self.token = secrets.token_urlsafe(24)  # of the pages: see door.py
        self.jobs = Jobs()
        self.owner = Owner()
        self.releases: dict[int, Opened] = {}
        self.chosen: dict[str, int] = {}  # the release that each role has open
        self._written: set[Path] = set()

    # Files

    def listed(self) -> tuple[list[Path], list[Path]]:
        """Return the tables and the releases of the folder, in order of their names."""
        try:
            inside = sorted(self.folder.iterdir())[: 10 * _MOST]
        except OSError:
            return [], []
        shown = [path for path in inside if path.name[0] != "."]
        tables = [path for path in shown if is_table(path)]
        return tables[:_MOST], [path for path in shown if path.is_dir() and is_release(path)][
            :_MOST
        ]

    def named(self, text: str) -> Path:
        """Return the path that someone typed, from the folder on."""
        if not text.strip():
            raise InputError("A path is needed.")
        try:
            path = (self.folder / Path(text.strip()).expanduser()).resolve()
            path.lstat()
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return path
        except (OSError, ValueError, RuntimeError):  # too long, not a name, nobody's home
            message = "No file can have that name."
            raise InputError(message, hint="shorten it, or choose another.") from None
        return path

    def shown(self, path: Path) -> str:
        """Return a path as commands that are run in the folder name it."""
        near = path.is_relative_to(self.folder)
        return str(path.relative_to(self.folder)) if near else str(path)

    def fresh(self, stem: str, ending: str) -> Path:
        """Return a name in the folder that is free."""
        place = self.folder / f"{stem}{ending}"
        number = 2
        while os.path.lexists(place) and place not in self._written:
            place = self.folder / f"{stem}-{number}{ending}"
            number += 1
        return place

    def write(self, texts: Mapping[Path, str]) -> Callable[[], None]:
        """Write text files, over nothing but what the workbench wrote; return how to undo it.

        Undone, what was there before is there again.
        """
        before: dict[Path, bytes | None] = {}

        def undo() -> None:
            for path, earlier in before.items():
                with contextlib.suppress(OSError):
                    if earlier is None:
                        path.unlink()
                        self._written.discard(path)
                    else:
                        path.write_bytes(earlier)

        for path in texts:
            if os.path.lexists(path) and path not in self._written:
                raise InputError(f"{path} exists already.", hint="choose another name.")
        for path, text in texts.items():
            try:
                earlier = path.read_bytes() if path.exists() else None
                with new_file(path) as made:
                    made.write_text(text, encoding="utf-8")
            except OSError as error:
                undo()
                message = f"{path} cannot be written: {os.strerror(error.errno or 5)}."
                raise InputError(message, hint="choose a folder you may write to.") from None
            before[path] = earlier
            self._written.add(path)
        return undo

    # Releases

    def open_release(self, path: Path) -> int:
        """Begin to open a release; the number it is known by."""
        if not is_release(path):
            message = f"{path} is no release."
            raise InputError(message, hint="choose the folder that holds the file card.json.")
        for number, opened in self.releases.items():
            if opened.path == path and opened.job.state in ("waiting", "running", "done"):
                return number
        number = len(self.releases) + 1
        title = f"Opening {path.name}"
        job = self.jobs.begin("open", title, {"path": str(path)})
        self.releases[number] = Opened(path, self.shown(path), job)
        return number
