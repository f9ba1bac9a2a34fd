"""What every method makes of releases of every kind, as it was when last looked at."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.errors import PrivetError
from privet.estimate.accuracy import accuracy, vote_accuracy
from privet.estimate.bayes import terms_of
from privet.estimate.distribution import Distribution
from privet.estimate.measured import measured
from privet.estimate.methods import METHODS, evidence_of
from privet.grow.forest import VOTES, votes
from privet.mining import mine
from privet.split import Policy
from privet.tree import Tree
from tests.golden import golden
from tests.releases import (
    COMPLEMENTED,
    MAKERS,
    NUMERIC,
    SCHEMA,
    UNBOUNDED,
    people,
    release,
    schema_of,
)

pytestmark = pytest.mark.filterwarnings("ignore::privet.PrivetWarning")
ROWS, FEW = 3_000, 700
PLAIN = (*UNBOUNDED, "exact", "open gaps", "k-anonymity")
BOUNDED = [kind for kind in MAKERS if kind not in UNBOUNDED and kind != "k-anonymity"]


def told(tree: Tree) -> dict[str, Any]:
    """All numbers of a tree."""
    names = ("attribute", "child", "threshold", "around", "counts", "errors", "label", "gain", "z")
    more = ("size_errors", "chances", "share_errors", "needed", "weight")
    return {name: getattr(tree, name) for name in (*names, *more)}


def tried(work: Any) -> Any:
    """What comes of it, or why nothing does."""
    try:
        return work()
    except PrivetError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("policy", ["c4.5", "cart"])
@pytest.mark.parametrize("kind", MAKERS)
def test_methods_mine_the_same_trees_again(kind: str, policy: str) -> None:
    made = release(kind, FEW if kind in PLAIN else ROWS)
    found = {}
    shallow = Policy.named(policy).but(max_depth=6)
    for method in METHODS if policy == "c4.5" else ("auto", "direct", "local"):
        mined = tried(lambda method=method: mine(made, shallow, method))
        found[method] = mined
        if not isinstance(mined, str):
            found[method] = [told(mined.tree), mined.method, mined.reason]
            if method in ("auto", "direct"):
                found[method].append(tried(lambda tree=mined.tree: accuracy(tree, made)._asdict()))
    golden("estimate", f"{kind}: {policy}", found)


@pytest.mark.parametrize("kind", [*BOUNDED, "k-anonymity"])
def test_shares_and_means_are_the_same_again(kind: str) -> None:
    made = release(kind, ROWS)
    found: dict[str, Any] = {}
    for name in schema_of(kind).names:
        for population in (False, True):
            one = tried(lambda name=name, all_=population: pv.shares(made, name, population=all_))
            if not isinstance(one, str):
                one = [one.to_dict(), one.unbiased, one.covariance, one.mean]
            found[f"{name} {population}"] = one
    edges = {"age": [30, 50]}
    found["edges"] = tried(lambda: pv.shares(made, "age", edges=edges["age"]).to_dict())
    golden("shares", kind, found)


@pytest.mark.parametrize("kind", [*BOUNDED, "k-anonymity"])
def test_crosstabs_are_the_same_again(kind: str) -> None:
    made = release(kind, ROWS)
    found: dict[str, Any] = {}
    for pair in (("age", "grade"), ("pay", "age"), ("job", "flag")):
        if set(pair) <= set(schema_of(kind).names):
            table = tried(lambda pair=pair: pv.crosstab(made, *pair))
            if not isinstance(table, str):
                table = [table.to_dict(), table.row_errors, table.covariance]
            found[" ".join(pair)] = table
    golden("crosstabs", kind, found)


@pytest.mark.parametrize("kind", BOUNDED)
def test_naive_bayes_is_the_same_again(kind: str) -> None:
    made = release(kind, ROWS)
    terms = tried(lambda: terms_of(made))
    golden("bayes", kind, terms if isinstance(terms, str) else json.loads(terms.to_json()))


@pytest.mark.parametrize("kind", [k for k in BOUNDED if k not in COMPLEMENTED])
def test_distributions_are_the_same_again(kind: str) -> None:
    made = release(kind, ROWS)
    found: dict[str, Any] = {}
    for name in schema_of(kind).names:
        one = tried(lambda name=name: Distribution.of(made, name))
        if not isinstance(one, str):
            kinds = ("em", "none", "paper", "rescale", "simplex")
            counts = {how: tried(lambda how=how, one=one: one.counts(how)) for how in kinds}
            numbers = ("covariance", "errors", "norm", "detected", "condition")
            rest = {what: tried(lambda w=what, one=one: getattr(one, w)) for what in numbers}
            one = [counts, rest]
        found[name] = one
    golden("distributions", kind, found)


@pytest.mark.parametrize("stop", ["converged", "paper", "held-out"])
@pytest.mark.parametrize("kind", ["noise", "gaussian"])
def test_reconstructions_are_the_same_again(kind: str, stop: str) -> None:
    made = release(kind, ROWS)
    found: dict[str, Any] = {}
    for how in ("exact", "paper"):
        for smooth in (False, True):
            one = pv.reconstruct(made, "age", how=how, stop=stop, smooth=smooth, intervals=12)
            found[f"{how} {smooth}"] = [one.shares, one.errors, one.edges]
    both = pv.reconstruct(made, ["age", "pay"], stop=stop, intervals=6)
    found["both"] = [both.shares, tried(lambda: both.errors)]
    golden("reconstructions", f"{kind} {stop}", found)


@pytest.mark.parametrize("method", ["global", "by-class"])
@pytest.mark.parametrize("kind", [k for k in BOUNDED if k not in COMPLEMENTED])
def test_reconstructed_tables_are_the_same_again(kind: str, method: str) -> None:
    made = release(kind, ROWS)
    table = tried(lambda: pv.reconstruct_table(made, method=method))
    if not isinstance(table, str):
        columns = {name: table[name].to_pylist() for name in table.column_names}
        words = {
            name for name, values in columns.items() if any(isinstance(v, str) for v in values)
        }
        table = {
            name: np.array(values, object if name in words else np.float64)
            for name, values in columns.items()
        }
    golden("reconstructed", f"{kind} {method}", table)


def test_a_release_of_two_parts_is_the_same_again() -> None:
    first, second = release("substitution", ROWS), release("substitution", 700, 12)
    made = pv.Release.concat([first, replace(second)])
    mined = tried(lambda: mine(made, Policy.named("c4.5"), "direct"))
    golden("estimate", "two", mined if isinstance(mined, str) else told(mined.tree))


def wave() -> pv.Release:
    """A release whose cells were drawn from a first wave."""
    plan = pv.RandomSubstitution(gamma=9, wave=0.2)
    held = {name: people(3_000)[name] for name in SCHEMA.names}
    return plan.disguise(held, SCHEMA, seed=5)


@pytest.mark.parametrize("kind", [*MAKERS, "wave"])
def test_methods_are_chosen_as_before(kind: str) -> None:
    """What is taken, why, how large leaves must be, and what is known of counts."""
    made = wave() if kind == "wave" else release(kind, FEW)
    found = {}
    for method in METHODS:
        chosen = tried(lambda method=method: evidence_of(made, method))
        found[method] = chosen
        if not isinstance(chosen, str):
            codings = [coding.size for coding in chosen.evidence.codings]
            found[method] = [type(chosen.evidence).__name__, *chosen[1:], codings]
    golden("methods", kind, found)


@pytest.mark.parametrize(
    "kind", [k for k in BOUNDED if k not in (*COMPLEMENTED, *PLAIN, "subsets")] + ["wave"]
)
def test_nodes_are_measured_as_before(kind: str) -> None:
    """Trees of another method: thresholds inside cells, too many records or too few."""
    made = wave() if kind == "wave" else release(kind, FEW)
    grown = mine(made, Policy.named("cart").but(max_depth=4, min_samples_leaf=10), "naive").tree
    inside = 1.02 * grown.threshold
    found: dict[str, Any] = {}
    for name, tree, criterion, here in (
        ("again", grown, "entropy", False),
        ("cut", replace(grown, threshold=inside), "gini", True),
        ("many", replace(grown, counts=6 * np.abs(grown.counts)), "gini", False),
        ("few", replace(grown, counts=0.2 * grown.counts), "entropy", True),
    ):
        found[name] = told(measured(tree, made, criterion, grown_here=here))
    if kind in ("substitution", "gaps"):  # importances, where every node is known
        large = release(kind, ROWS)
        shallow = Policy.named("cart").but(max_depth=2, min_samples_leaf=300)
        grown = mine(large, shallow, "naive").tree
        moved = replace(grown, threshold=1.01 * grown.threshold)
        for name, tree in (("whole", grown), ("inside", moved)):
            known = measured(tree, large, grown_here=False)
            assert known.weight is not None
            assert np.isfinite(known.weight).all()
            found[name] = told(known)
    golden("measured", kind, found)


@pytest.mark.parametrize(
    "kind", [k for k in BOUNDED if k not in (*COMPLEMENTED, *NUMERIC, "subsets")] + ["band", "wave"]
)
def test_accuracies_are_told_as_before(kind: str) -> None:
    """Of trees whose thresholds lie inside cells, and of what two of them elect."""
    made = wave() if kind == "wave" else release(kind, FEW)
    trees = []
    for policy, depth, by in (("cart", 3, 1.02), ("c4.5", 2, 1.05)):
        shallow = Policy.named(policy).but(max_depth=depth, min_samples_leaf=10)
        grown = mine(made, shallow, "naive").tree
        trees.append(replace(grown, threshold=by * grown.threshold))
    found: dict[str, Any] = {f"tree {n}": accuracy(tree, made) for n, tree in enumerate(trees)}
    for voting in VOTES:
        said = [votes(tree, voting) for tree in trees]
        found[voting] = vote_accuracy(trees, said, made)
    golden("accuracies", kind, {name: one._asdict() for name, one in found.items()})
