"""Trials that other processes can run."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privet.compiled import threads
from privet.experiments import Seeds


def noted(setting: Mapping[str, Any], seeds: Seeds) -> dict[str, Any]:
    return {"seed": seeds("data"), "double": 2 * setting["x"], "threads": threads()}


def failing(setting: Mapping[str, Any], seeds: Seeds) -> dict[str, Any]:
    if setting["x"] == 2:
        raise KeyboardInterrupt
    return noted(setting, seeds)


def sleeping(setting: Mapping[str, Any], seeds: Seeds) -> dict[str, Any]:
    (Path(setting["folder"]) / str(os.getpid())).touch()
    time.sleep(120)
    return {}
