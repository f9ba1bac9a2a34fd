"""Memory that nobody has written to, full of what no result may come from.

A number read from it is mostly a harmless zero, and another one on the next run. Here it is no
number, or one that is far too large, so that a test which reads it fails every time.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["spoil"]

OWN = str(Path("src") / "privet")


def spoil() -> None:
    """Let numpy fill the arrays that privet asks for without saying what is to be in them.

    numba knows functions as they were when it was imported: after that nothing is spoiled.
    """
    if "numba" in sys.modules:
        return
    for name in ("empty", "empty_like"):
        setattr(np, name, _spoiling(getattr(np, name)))


def _spoiling(make: Callable[..., Any]) -> Callable[..., Any]:
    def made(*arguments: Any, **options: Any) -> Any:
        array = make(*arguments, **options)
        if OWN in sys._getframe(1).f_code.co_filename:
            if array.dtype.kind == "f":
                array.fill(np.nan)
            elif array.dtype.kind in "iu":
                array.fill(np.iinfo(array.dtype).max // 3)
        return array

    return made
