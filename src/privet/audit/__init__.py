"""The audit: what a release discloses, and what it is still good for.

``privet.audit(release, original=frame)`` returns an ``Audit``: measures, checks, attacks, utility
and a verdict, as JSON, text or HTML. The room itself can be called, so that the function has its
name whether or not the room was imported before.

>>> import privet as pv
>>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
>>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
>>> pv.audit(release, trees=False).facts.rows
14
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from privet.audit.attacks import ATTACKS, Attack, Outcome, Trial, attack
from privet.audit.attacks.groups import guess_group
from privet.audit.compare import Comparison, compare
from privet.audit.notions import register_notions
from privet.audit.run import audit
from privet.audit.statistics import binomial_interval, epsilon_bound
from privet.audit.summary import Audit

__all__ = [
    "ATTACKS",
    "Attack",
    "Audit",
    "Comparison",
    "Outcome",
    "Trial",
    "attack",
    "audit",
    "binomial_interval",
    "compare",
    "epsilon_bound",
    "guess_group",
    "register_notions",
]


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **settings: Any) -> Audit:
        return audit(*arguments, **settings)


sys.modules[__name__].__class__ = _Callable
