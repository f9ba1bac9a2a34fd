"""privet: decision trees mined from records that were disguised before anyone else saw them.

An owner disguises a table, ``RandomSubstitution(gamma=8).disguise(frame, schema)``, and gives away
the release; a miner learns a tree from it that is right about the originals,
``TreeClassifier().fit(release)``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives. Nothing is imported before it is asked for.
_homes = {
    "Advice": "privet.advise",
    "Attribute": "privet.schema",
    "Coding": "privet.coding",
    "Complement": "privet.disguise",
    "Distribution": "privet.estimate.distribution",
    "Exact": "privet.disguise",
    "ForestClassifier": "privet.forests",
    "KAnonymity": "privet.disguise",
    "Monotone": "privet.disguise",
    "Plan": "privet.disguise",
    "Policy": "privet.tree",
    "PrivetError": "privet.errors",
    "RandomSubstitution": "privet.disguise",
    "RandomizedResponse": "privet.disguise",
    "Release": "privet.release",
    "Schema": "privet.schema",
    "Store": "privet.store",
    "Substitution": "privet.disguise",
    "Tree": "privet.tree",
    "TreeClassifier": "privet.estimators",
    "ValueClass": "privet.disguise",
    "Withheld": "privet.disguise",
    "audit": "privet.audit",
    "datasets": "privet.datasets",
}

__all__ = [
    "Advice",
    "Attribute",
    "Coding",
    "Complement",
    "Distribution",
    "Exact",
    "ForestClassifier",
    "KAnonymity",
    "Monotone",
    "Plan",
    "Policy",
    "PrivetError",
    "RandomSubstitution",
    "RandomizedResponse",
    "Release",
    "Schema",
    "Store",
    "Substitution",
    "Tree",
    "TreeClassifier",
    "ValueClass",
    "Withheld",
    "__version__",
    "audit",
    "datasets",
]

if TYPE_CHECKING:
    from privet import datasets
    from privet.advise import Advice
    from privet.audit import audit
    from privet.coding import Coding
    from privet.disguise import (
        Complement,
        Exact,
        KAnonymity,
        Monotone,
        Plan,
        RandomizedResponse,
        RandomSubstitution,
        Substitution,
        ValueClass,
        Withheld,
    )
    from privet.errors import PrivetError
    from privet.estimate.distribution import Distribution
    from privet.estimators import TreeClassifier
    from privet.forests import ForestClassifier
    from privet.release import Release
    from privet.schema import Attribute, Schema
    from privet.store import Store
    from privet.tree import Policy, Tree


def __getattr__(name: str) -> Any:
    if name not in _homes:
        message = f"module 'privet' has no attribute {name!r}"
        raise AttributeError(message)
    module = importlib.import_module(_homes[name])
    return module if name == "datasets" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
