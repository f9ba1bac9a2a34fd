"""Branches of parsers that no file can reach: they are left out of the count, not counted as taken.

Each is one way out of one line, which is named by its text. A run says so if it was reached.
"""

import inspect
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privet.files import sealed
from privet.release import folder
from privet.store.store import Store
from privet.table import csv, parquet


@dataclass(frozen=True)
class Unreachable:
    """One way out of a line of a function, for some targets, and why nothing goes there."""

    function: Callable[..., Any]
    line: str
    targets: tuple[str, ...]
    why: str

    @property
    def place(self) -> tuple[str, int]:
        """The file and number of the line."""
        whole = inspect.unwrap(self.function)
        source, first = inspect.getsourcelines(whole)
        (place,) = [first + n for n, text in enumerate(source) if text.strip() == self.line]
        return str(inspect.getsourcefile(whole)), place


_CHANGES = "only a file that changes between two looks goes there: `make race` is for those"
_SPARK = "only with a Spark session, which is the reader's choice: tests/table/test_spark.py"
UNREACHABLE = (
    Unreachable(
        csv.csv_error, "if isinstance(error, OSError) and error.errno:", ("csvs",),
        "the file was opened before, and refused there if it cannot be; " + _CHANGES,
    ),
    Unreachable(
        parquet.open_parquet,
        "if stamp is not None and not stamp.fits(Stamp.of(file.fileno())):",
        ("parquets",), _CHANGES,
    ),
    Unreachable(
        parquet._check_types, "if name not in stored:", ("parts",),
        "whoever reads a release names no columns: all that are stored are asked for",
    ),
    Unreachable(folder._table, "if spark is None:", ("releases",), _SPARK),
    Unreachable(folder._table, "if spark is not None:", ("releases",), _SPARK),
    Unreachable(
        sealed.Kind.opened, "if checksum is None and version <= self.unsealed:",
        ("cards", "releases", "parties", "signatures", "ledgers"),
        "these files have had a checksum since their first version",
    ),
    Unreachable(
        Store.verify, "if meaning(row, self.database.name)[0] != self.schema:", ("stores",),
        "the schema is read once more after opening; only a writer in between changes it",
    ),
)  # fmt: skip


def lines_without(target: str) -> Counter[tuple[str, int]]:
    """How many ways out of each line, by file and number, nothing reaches in a target."""
    return Counter(entry.place for entry in UNREACHABLE if target in entry.targets)
