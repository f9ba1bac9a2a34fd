"""Shares of right predictions by hand."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from privet.estimate.accuracy import _shared
from privet.estimate.voted import Right


@pytest.mark.parametrize(
    ("told", "rows", "every", "expected"),
    [
        (Right(80.0, 4.0, 70.0, 85.0), 100, 100, (0.8, 0.02, 0.1)),
        (Right(80.0, 4.0, 79.0, 95.0), 100, 100, (0.8, 0.02, 0.15)),
        (Right(80.0, 4.0, 80.0, 80.0), 100, 100, (0.8, 0.02, 0.0)),
        (Right(80.0, -1.0, 90.0, 70.0), 100, 100, (0.8, 0.0, 0.0)),
        (Right(80.0, 4.0, -300.0, 90.0), 100, 100, (0.8, 0.02, 1.0)),  # no more than all of them
        (Right(40.0, 1.0, 40.0, 40.0), 50, 100, (0.8, math.sqrt(1 / 2500 + 0.16 / 100), 0.0)),
        (Right(60.0, 1.0, 60.0, 60.0), 50, 100, (1.2, 0.02, 0.0)),
    ],
)
def test_numbers_become_shares(told: Right, rows: int, every: int, expected: Any) -> None:
    release: Any = SimpleNamespace(rows=every)
    found = _shared(told, rows, release)
    assert (found.value, found.error, found.cut) == pytest.approx(expected)
