"""Scores of splits, as they were when last looked at."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from privet.split.candidates import best_split, every_candidate, ranked_splits
from privet.split.counted import CountTables, best_counted, offsets_of
from privet.split.criterion import criterion, criterion_names
from privet.split.policy import POLICIES, Policy
from privet.split.scored import informations, kind_of, ratios, roots
from privet.split.tables import Counted, Linear
from tests.golden import golden
from tests.strategies import coding

RNG = np.random.default_rng(8)
SIZES = ((6, True), (4, False), (2, True), (3, False), (9, True))
CODINGS = tuple(coding(f"x{n}", size, ordered=o) for n, (size, o) in enumerate(SIZES))
TABLES = {
    classes: [RNG.poisson(9, (size, classes)) * RNG.integers(0, 3, (size, 1)) for size, _ in SIZES]
    for classes in (2, 3)
}


def policies() -> dict[str, Policy]:
    cart, c45 = POLICIES["cart"], POLICIES["c4.5"]
    return {
        **POLICIES,
        "large leaves": cart.but(min_samples_leaf=12),
        "sure": cart.but(min_impurity_decrease=0.01),
        "free cuts": replace(c45, cut_margin=0.0),
        "no ratio": replace(c45, ratio=False),
    }


@pytest.mark.parametrize("name", criterion_names())
def test_criteria_give_the_same_again(name: str) -> None:
    one = criterion(name)
    counts = np.array([[3.0, 0, 0], [5, 5, 5], [1, 2, 3], [0.5, 20, 7], [0, 0, 0], [9, 1, 1]])
    golden("split", name, [one.impurity(counts), one.slope(counts[1:4]), one.slope(counts)])


@dataclass(frozen=True, eq=False)
class Blurred(Linear):
    """A table whose cells have a covariance."""

    mean: Any
    covariance: Any

    def variances(self, coefficients: Any) -> Any:
        flat = coefficients.reshape(len(coefficients), -1)
        return np.einsum("ka,ab,kb->k", flat, self.covariance, flat)


def told(tables: list[Any], policy: Policy) -> Any:
    """All candidates of tables, and the best of them."""
    every = every_candidate(tables, CODINGS, policy)
    one_by_one = [
        [one.branch, one.counts, one.gain, one.z, one.score, one.scored(one.best, policy)]
        for one in every
    ]
    ranked = ranked_splits(every, policy)[:6]
    return [one_by_one, best_split(every, policy), ranked, [one.total() for one in tables]]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", policies())
def test_splits_of_counts_are_the_same_again(name: str, classes: int) -> None:
    policy = policies()[name]
    tables = [Counted(counts.astype(np.float64)) for counts in TABLES[classes]]
    weighted = [
        Counted((1.5 * counts).astype(np.float64), counts.sum(1).astype(np.float64))
        for counts in TABLES[classes]
    ]
    golden("split", f"{name} {classes}", [told(tables, policy), told(weighted, policy)])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", policies())
def test_splits_of_estimates_are_the_same_again(name: str, classes: int) -> None:
    tables = []
    for counts in TABLES[classes]:
        rng = np.random.default_rng(counts.size)
        base = rng.normal(0, 1, (counts.size, counts.size))
        mean = counts + rng.normal(0, 1, counts.shape)
        tables.append(Blurred(mean, base @ base.T / counts.size * 2))
    golden("split", f"{name} {classes} estimated", told(tables, policies()[name]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", policies())
def test_the_search_of_kernels_is_the_same_again(name: str, classes: int, weighted: bool) -> None:
    flat = np.concatenate(TABLES[classes]).astype(np.int64)
    nodes = np.stack([flat, flat[::-1], flat // 3, flat + 2])
    rows = nodes.sum(2) if weighted else None
    tables = CountTables(nodes, offsets_of(CODINGS), 0.5 if weighted else 1.0, rows=rows)
    found = best_counted(tables, CODINGS, policies()[name])
    golden(
        "split", f"{name} {classes} searched {weighted}", [found, tables.of(np.array([1])).counts]
    )


def test_parts_of_scores_are_the_same_again() -> None:
    gains = np.array([[0.0, 0.1, 0.4, 0.02], [0.3, 0.3, 0.0, -0.1]])
    infos = np.array([[1.0, 0.9, 1.5, 0.005], [0.5, 1.0, 0.2, 0.7]])
    found: list[Any] = [ratios(gains, infos, policy) for policy in POLICIES.values()]
    found += [[kind_of(one, policy) for one in CODINGS] for policy in POLICIES.values()]
    found += [informations(TABLES[2][0].astype(float)), roots(np.array([4.0, 0, -1]), 3.0)]
    golden("split", "parts", found)
