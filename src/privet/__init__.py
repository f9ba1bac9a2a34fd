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
    "CGADP": "privet.disguise",
    "EGADP": "privet.disguise",
    "GADP": "privet.disguise",
    "AdditiveNoise": "privet.disguise",
    "Advice": "privet.advise",
    "Attribute": "privet.schema",
    "Coding": "privet.coding",
    "Complement": "privet.disguise",
    "Distribution": "privet.estimate.distribution",
    "Exact": "privet.disguise",
    "ForestClassifier": "privet.forests",
    "ForestFramework": "privet.disguise",
    "Framework": "privet.disguise",
    "KAnonymity": "privet.disguise",
    "Monotone": "privet.disguise",
    "Noise": "privet.channel",
    "Plan": "privet.disguise",
    "Policy": "privet.tree",
    "PrivetError": "privet.errors",
    "RandomNoise": "privet.disguise",
    "RandomSubstitution": "privet.disguise",
    "RandomizedResponse": "privet.disguise",
    "Release": "privet.release",
    "Schema": "privet.schema",
    "SparkFiles": "privet.table.spark",
    "SparkTable": "privet.table.spark",
    "Store": "privet.store",
    "Substitution": "privet.disguise",
    "Tree": "privet.tree",
    "TreeClassifier": "privet.estimators",
    "ValueClass": "privet.disguise",
    "Withheld": "privet.disguise",
    "audit": "privet.audit",
    "datasets": "privet.datasets",
    "reconstruct": "privet.estimate.reconstruction",
    "eduds": "privet.audit.similarity",
    "edusc": "privet.audit.similarity",
    "sers": "privet.audit.similarity",
}

__all__ = [
    "CGADP",
    "EGADP",
    "GADP",
    "AdditiveNoise",
    "Advice",
    "Attribute",
    "Coding",
    "Complement",
    "Distribution",
    "Exact",
    "ForestClassifier",
    "ForestFramework",
    "Framework",
    "KAnonymity",
    "Monotone",
    "Noise",
    "Plan",
    "Policy",
    "PrivetError",
    "RandomNoise",
    "RandomSubstitution",
    "RandomizedResponse",
    "Release",
    "Schema",
    "SparkFiles",
    "SparkTable",
    "Store",
    "Substitution",
    "Tree",
    "TreeClassifier",
    "ValueClass",
    "Withheld",
    "__version__",
    "audit",
    "datasets",
    "eduds",
    "edusc",
    "reconstruct",
    "sers",
]

if TYPE_CHECKING:
    from privet import datasets
    from privet.advise import Advice
    from privet.audit import audit
    from privet.audit.similarity import eduds, edusc, sers
    from privet.channel import Noise
    from privet.coding import Coding
    from privet.disguise import (
        CGADP,
        EGADP,
        GADP,
        AdditiveNoise,
        Complement,
        Exact,
        ForestFramework,
        Framework,
        KAnonymity,
        Monotone,
        Plan,
        RandomizedResponse,
        RandomNoise,
        RandomSubstitution,
        Substitution,
        ValueClass,
        Withheld,
    )
    from privet.errors import PrivetError
    from privet.estimate.distribution import Distribution
    from privet.estimate.reconstruction import reconstruct
    from privet.estimators import TreeClassifier
    from privet.forests import ForestClassifier
    from privet.release import Release
    from privet.schema import Attribute, Schema
    from privet.store import Store
    from privet.table.spark import SparkFiles, SparkTable
    from privet.tree import Policy, Tree


def __getattr__(name: str) -> Any:
    if name not in _homes:
        message = f"module 'privet' has no attribute {name!r}"
        raise AttributeError(message)
    module = importlib.import_module(_homes[name])
    return module if name == "datasets" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
