"""Trees and forests by many policies, as they were when last looked at."""

from typing import Any

import pytest

from privet.estimate.methods import evidence_of
from privet.grow import grow
from privet.grow.forest import SysFor, good_splits, grow_forest, votes
from privet.split import Policy
from privet.split.policy import POLICIES
from privet.tree import Tree
from tests.golden import golden
from tests.releases import release

pytestmark = pytest.mark.filterwarnings("ignore::privet.PrivetWarning")
CHANGES: dict[str, dict[str, Any]] = {
    "depth": {"max_depth": 2},
    "none": {"max_depth": 0},
    "split": {"min_samples_split": 120},
    "leaf": {"min_samples_leaf": 40},
    "decrease": {"min_impurity_decrease": 0.01},
    "leaves": {"max_leaf_nodes": 5},
    "purity": {"max_purity": 0.8, "max_depth": 4},
    "confidence": {"confidence": 0.05},
}
METHODS = {"exact": "naive", "k-anonymity": "naive", "gaps": "direct", "plan": "joint"}


def told(tree: Tree) -> dict[str, Any]:
    names = ("attribute", "child", "threshold", "around", "counts", "errors", "label", "gain", "z")
    return {name: getattr(tree, name) for name in names}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", METHODS)
def test_policies_grow_the_same_trees_again(kind: str, change: str) -> None:
    chosen = evidence_of(release(kind, 700), METHODS[kind])
    found = {
        name: told(grow(chosen.evidence, policy.but(**CHANGES[change]), "grade"))
        for name, policy in POLICIES.items()
    }
    golden("grow", f"{kind} {change}", found)


@pytest.mark.parametrize("name", ["c4.5", "cart"])
@pytest.mark.parametrize("kind", METHODS)
def test_forests_are_the_same_again(kind: str, name: str) -> None:
    chosen = evidence_of(release(kind, 700), METHODS[kind])
    policy = Policy.named(name).but(max_depth=3, min_samples_leaf=10)
    found: dict[str, Any] = {}
    wishes = (SysFor(7), SysFor(4, 0.05, 0.1), SysFor(30, 0.6, 0.02), SysFor(2, 0.3, 1.0))
    for wanted in wishes:
        trees = grow_forest(chosen.evidence, policy, "grade", wanted)
        found[str(wanted)] = [len(trees), [told(tree) for tree in trees[:6]]]
        given = [[votes(tree, how) for how in ("credal", "majority")] for tree in trees[:2]]
        found[f"{wanted} votes"] = given
    every = chosen.evidence.root().candidates(0, policy)
    for below in (False, True):
        good = good_splits(every, policy, wishes[2], below=below)
        found[f"good {below}"] = [(one.attribute, one.score, one.branch) for one in good]
    golden("grow", f"{kind} {name} forest", found)
