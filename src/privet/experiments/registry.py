"""Which papers can be reproduced, and where each lives."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from privet.errors import BugError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from privet.experiments.lab import Lab
    from privet.experiments.page import Findings

__all__ = ["HOMES", "Experiment", "experiment", "find"]

# A module is imported only when its paper is asked for.
HOMES = {
    "as": "privet.experiments.agrawal_srikant",
    "dxz": "privet.experiments.dxz",
    "fi": "privet.experiments.fi",
    "fong": "privet.experiments.fong",
    "zcm": "privet.experiments.zcm",
}

Work: TypeAlias = "Callable[[Lab], Findings]"


@dataclass(frozen=True)
class Experiment:
    """One paper's experiments. A new ``version`` makes older results in the cache worthless."""

    name: str
    title: str
    work: Work
    version: int = 1


_known: dict[str, Experiment] = {}


def experiment(name: str, *, title: str, version: int = 1) -> Callable[[Work], Work]:
    """Make a function known as the experiments of a paper."""

    def keep(work: Work) -> Work:
        _known[name] = Experiment(name, title, work, version)
        return work

    return keep


def find(name: str) -> Experiment:
    """Return the experiments of a paper by its short name."""
    if name not in HOMES:
        message = f"There is no paper {name!r} to reproduce."
        raise InputError(message, hint=f"there are {', '.join(HOMES)}, and all.")
    importlib.import_module(HOMES[name])
    if name not in _known:
        raise BugError(f"{HOMES[name]} registers no experiment {name!r}")
    return _known[name]
