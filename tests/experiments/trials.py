"""Trials that other processes can run."""

from collections.abc import Mapping
from typing import Any

from privet.compiled import threads
from privet.experiments import Seeds


def noted(setting: Mapping[str, Any], seeds: Seeds) -> dict[str, Any]:
    return {"seed": seeds("data"), "double": 2 * setting["x"], "threads": threads()}


def failing(setting: Mapping[str, Any], seeds: Seeds) -> dict[str, Any]:
    if setting["x"] == 2:
        raise KeyboardInterrupt
    return noted(setting, seeds)
