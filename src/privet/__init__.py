"""privet: decision trees mined from records that were disguised before anyone else saw them.

An owner disguises a table, ``RandomSubstitution(gamma=8).disguise(frame, schema)``, and publishes
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
    "Binary": "privet.disguise",
    "Complement": "privet.disguise",
    "DataError": "privet.errors",
    "Distribution": "privet.estimate.distribution",
    "Exact": "privet.disguise",
    "Files": "privet.schema",
    "FlipGroup": "privet.disguise",
    "ForestClassifier": "privet.forests",
    "ForestFramework": "privet.disguise",
    "Format": "privet.schema",
    "Framework": "privet.disguise",
    "InputError": "privet.errors",
    "JointGroup": "privet.disguise",
    "KAnonymity": "privet.disguise",
    "Ledger": "privet.disguise.ledger",
    "LedgerError": "privet.errors",
    "MethodError": "privet.errors",
    "Monotone": "privet.disguise",
    "NaiveBayesClassifier": "privet.bayes",
    "Noise": "privet.channel",
    "Plan": "privet.disguise",
    "PlanError": "privet.errors",
    "Policy": "privet.split",
    "PrivetError": "privet.errors",
    "PrivetWarning": "privet.errors",
    "PublicKey": "privet.signing",
    "Questionnaire": "privet.survey",
    "RandomNoise": "privet.disguise",
    "RandomSubsets": "privet.disguise",
    "RandomSubstitution": "privet.disguise",
    "RandomizedResponse": "privet.disguise",
    "Release": "privet.release",
    "ReleaseError": "privet.errors",
    "Schema": "privet.schema",
    "SchemaError": "privet.errors",
    "SigningKey": "privet.signing",
    "SparkFiles": "privet.table.spark",
    "SparkTable": "privet.table.spark",
    "Store": "privet.store",
    "StoreError": "privet.errors",
    "Substitution": "privet.disguise",
    "Tree": "privet.tree",
    "TreeClassifier": "privet.estimators",
    "TreeError": "privet.errors",
    "UnrelatedQuestion": "privet.disguise",
    "ValueClass": "privet.disguise",
    "Withheld": "privet.disguise",
    "audit": "privet.audit",
    "compare": "privet.audit.compare",
    "cross_validate": "privet.selection",
    "crosstab": "privet.estimate.crosstab",
    "cut_class": "privet.disguise",
    "datasets": "privet.datasets",
    "decode_tree": "privet.disguise.decode",
    "eduds": "privet.audit.similarity",
    "edusc": "privet.audit.similarity",
    "grid_search": "privet.selection",
    "party": "privet.party",
    "reconstruct": "privet.estimate.reconstruction",
    "reconstruct_table": "privet.estimate.reconstructed",
    "sers": "privet.audit.similarity",
    "shares": "privet.estimate.shares",
}

__all__ = [
    "CGADP",
    "EGADP",
    "GADP",
    "AdditiveNoise",
    "Advice",
    "Attribute",
    "Binary",
    "Complement",
    "DataError",
    "Distribution",
    "Exact",
    "Files",
    "FlipGroup",
    "ForestClassifier",
    "ForestFramework",
    "Format",
    "Framework",
    "InputError",
    "JointGroup",
    "KAnonymity",
    "Ledger",
    "LedgerError",
    "MethodError",
    "Monotone",
    "NaiveBayesClassifier",
    "Noise",
    "Plan",
    "PlanError",
    "Policy",
    "PrivetError",
    "PrivetWarning",
    "PublicKey",
    "Questionnaire",
    "RandomNoise",
    "RandomSubsets",
    "RandomSubstitution",
    "RandomizedResponse",
    "Release",
    "ReleaseError",
    "Schema",
    "SchemaError",
    "SigningKey",
    "SparkFiles",
    "SparkTable",
    "Store",
    "StoreError",
    "Substitution",
    "Tree",
    "TreeClassifier",
    "TreeError",
    "UnrelatedQuestion",
    "ValueClass",
    "Withheld",
    "__version__",
    "audit",
    "compare",
    "cross_validate",
    "crosstab",
    "cut_class",
    "datasets",
    "decode_tree",
    "eduds",
    "edusc",
    "grid_search",
    "party",
    "reconstruct",
    "reconstruct_table",
    "sers",
    "shares",
]

if TYPE_CHECKING:
    from privet import datasets, party
    from privet.advise import Advice
    from privet.audit import audit
    from privet.audit.compare import compare
    from privet.audit.similarity import eduds, edusc, sers
    from privet.bayes import NaiveBayesClassifier
    from privet.channel import Noise
    from privet.disguise import (
        CGADP,
        EGADP,
        GADP,
        AdditiveNoise,
        Binary,
        Complement,
        Exact,
        FlipGroup,
        ForestFramework,
        Framework,
        JointGroup,
        KAnonymity,
        Monotone,
        Plan,
        RandomizedResponse,
        RandomNoise,
        RandomSubsets,
        RandomSubstitution,
        Substitution,
        UnrelatedQuestion,
        ValueClass,
        Withheld,
        cut_class,
    )
    from privet.disguise.decode import decode_tree
    from privet.disguise.ledger import Ledger
    from privet.errors import (
        DataError,
        InputError,
        LedgerError,
        MethodError,
        PlanError,
        PrivetError,
        PrivetWarning,
        ReleaseError,
        SchemaError,
        StoreError,
        TreeError,
    )
    from privet.estimate.crosstab import crosstab
    from privet.estimate.distribution import Distribution
    from privet.estimate.reconstructed import reconstruct_table
    from privet.estimate.reconstruction import reconstruct
    from privet.estimate.shares import shares
    from privet.estimators import TreeClassifier
    from privet.forests import ForestClassifier
    from privet.release import Release
    from privet.schema import Attribute, Files, Format, Schema
    from privet.selection import cross_validate, grid_search
    from privet.signing import PublicKey, SigningKey
    from privet.split import Policy
    from privet.store import Store
    from privet.survey import Questionnaire
    from privet.table.spark import SparkFiles, SparkTable
    from privet.tree import Tree


def __getattr__(name: str) -> Any:
    if name not in _homes:
        message = f"module 'privet' has no attribute {name!r}"
        raise AttributeError(message)
    module = importlib.import_module(_homes[name])
    return module if name in ("datasets", "party") else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
