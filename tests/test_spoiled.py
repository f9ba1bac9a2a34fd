"""What was never written does not pass for a result."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.channel import Band
from privet.estimate.em import Axis


def test_memory_that_privet_asks_for_is_spoiled() -> None:
    if np.empty.__module__ == "numpy":
        pytest.skip("numba was here first")
    code = "numbers, places = np.empty(3), np.empty_like(np.arange(4))"
    found: dict[str, Any] = {"np": np}
    exec(compile(code, Path("src", "privet", "any.py"), "exec"), found)  # noqa: S102 - our own line
    assert np.isnan(found["numbers"]).all()
    assert (found["places"] > 2**60).all()


@pytest.mark.parametrize("inputs", [6, 100])
def test_products_overwrite_all_they_ask_for(inputs: int) -> None:
    axis = Axis.of(Band("age", inputs, 8), inputs)
    table = np.random.default_rng(0).random((inputs, 3))
    assert np.isfinite(axis.ahead(table)).all()
    assert np.isfinite(axis.behind(axis.ahead(table))).all()
