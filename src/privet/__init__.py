"""privet: decision trees mined from records that were disguised before anyone else saw them.

An owner disguises a table, ``RandomSubstitution(gamma=8).disguise(frame, schema)``, and publishes
the release; a miner learns a tree from it that is right about the originals,
``TreeClassifier().fit(release)``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# The public names of each module, which is imported when one of them is asked for.
_names = {
    "advise": "Advice",
    "audit": "audit",
    "audit.compare": "compare",
    "audit.similarity": "eduds edusc sers",
    "bayes": "NaiveBayesClassifier",
    "channel": "Noise",
    "datasets": "datasets",
    "disguise": (
        "CGADP EGADP GADP AdditiveNoise Binary Complement Exact FlipGroup ForestFramework "
        "Framework JointGroup KAnonymity Monotone Plan RandomNoise RandomSubsets "
        "RandomSubstitution RandomizedResponse Substitution UnrelatedQuestion ValueClass "
        "Withheld cut_class"
    ),
    "disguise.decode": "decode_tree",
    "disguise.ledger": "Ledger",
    "errors": (
        "DataError InputError LedgerError MethodError PlanError PrivetError PrivetWarning "
        "ReleaseError SchemaError StoreError TreeError"
    ),
    "estimate.crosstab": "crosstab",
    "estimate.distribution": "Distribution",
    "estimate.reconstructed": "reconstruct_table",
    "estimate.reconstruction": "reconstruct",
    "estimate.shares": "shares",
    "estimators": "TreeClassifier",
    "forests": "ForestClassifier",
    "party": "party",
    "release": "Release",
    "schema": "Attribute Files Format Schema",
    "selection": "cross_validate grid_search",
    "signing": "PublicKey SigningKey",
    "split": "Policy",
    "store": "Store",
    "survey": "Questionnaire",
    "table.spark": "SparkFiles SparkTable",
    "tree": "Tree",
}
_homes = {name: f"privet.{home}" for home, names in _names.items() for name in names.split()}

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
