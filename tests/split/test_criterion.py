"""Criteria: worked examples, laws of every registered kind, and one added by a single file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import datasets
from privet.disguise import Exact, Plan
from privet.errors import MethodError
from privet.estimate.methods import evidence_of
from privet.estimators import TreeClassifier
from privet.grow import grow
from privet.split import Policy, criteria
from privet.split.counted import CountTables, best_counted
from privet.split.criteria import entropy, gini
from privet.split.criterion import criterion, criterion_names
from tests import twins
from tests.strategies import coding, ranked, seeds

counts_of_classes = st.lists(st.integers(0, 1000), min_size=1, max_size=6)
every = pytest.mark.parametrize("name", criterion_names())
# Of a credal set even pure counts are unsure, and few records are less sure than many.
precise = pytest.mark.parametrize("name", [n for n in criterion_names() if n != "credal"])


def index(sides: list[list[int]], name: str) -> float:
    """The weighted impurity per record of the sides of a split."""
    counts = [np.array(side, np.float64) for side in sides]
    total = sum(float(side.sum()) for side in counts)
    return sum(float(criterion(name).impurity(side)) for side in counts) / total


def test_gini_of_the_slides_of_agrawal_and_srikant() -> None:
    assert index([[8, 11], [11, 10]], "gini") == pytest.approx(0.4935, abs=5e-5)
    assert index([[18, 5], [1, 16]], "gini") == pytest.approx(0.2427, abs=5e-5)


def test_entropy_of_the_weather() -> None:
    assert index([[9, 5]], "entropy") == pytest.approx(0.9403, abs=5e-5)


@given(counts_of_classes)
def test_totals_over_records(counts: list[int]) -> None:
    cells = np.array(counts, np.float64)
    gini, entropy = criterion("gini").impurity, criterion("entropy").impurity
    assert float(gini(cells)) == pytest.approx(float(twins.gini(counts)), abs=1e-9)
    assert float(entropy(cells)) == pytest.approx(twins.entropy(cells), abs=1e-8)


@precise
@given(counts=counts_of_classes)
def test_pure_counts_are_pure_and_no_others(name: str, counts: list[int]) -> None:
    value = float(criterion(name).impurity(np.array(counts, np.float64)))
    assert (value > 1e-6) == (sum(count > 0 for count in counts) > 1)
    assert value >= -1e-9


@every
def test_negative_counts_are_none(name: str) -> None:
    impurity = criterion(name).impurity
    assert impurity(np.array([-3.0, 5.0, 5.0])) == impurity(np.array([0.0, 5.0, 5.0]))


@precise
@given(seed=seeds)
def test_a_division_never_makes_classes_less_pure(name: str, seed: int) -> None:
    left, right = np.random.default_rng(seed).integers(0, 50, (2, 3)).astype(np.float64)
    impurity = criterion(name).impurity
    assert impurity(left) + impurity(right) <= impurity(left + right) + 1e-8


@every
@given(counts=st.lists(st.integers(1, 1000), min_size=2, max_size=5))
def test_the_slope_is_the_derivative(name: str, counts: list[int]) -> None:
    cells = np.array(counts, np.float64)
    kind = criterion(name)
    step = 1e-4
    for place in range(len(cells)):
        more, less = cells.copy(), cells.copy()
        more[place] += step
        less[place] -= step
        numeric = float(kind.impurity(more) - kind.impurity(less)) / (2 * step)
        assert kind.slope(cells)[place] == pytest.approx(numeric, abs=1e-4)


@every
@given(seed=seeds, ordered=st.booleans())
def test_the_compiled_twin_chooses_the_same(name: str, seed: int, ordered: bool) -> None:
    cells = np.random.default_rng(seed).integers(0, 9, (5, 3))
    codings, policy = [coding("a", 5, ordered=ordered)], Policy(criterion=name)
    tables = CountTables(cells[None], np.array([0, 5]))
    (compiled,) = best_counted(tables, codings, policy)
    plain = ranked(tables.at(0), codings, policy)
    assert (compiled is None) == (not plain)
    if compiled is not None:
        assert compiled.gain == pytest.approx(plain[0].gain, abs=1e-9)


@pytest.mark.parametrize("module", [gini, entropy])
@given(counts=counts_of_classes)
def test_terms_of_classes_add_up_to_the_impurity(module: Any, counts: list[int]) -> None:
    rows = float(sum(counts))
    if rows > 0:
        summed = sum(module.term(float(count)) for count in counts)
        expected = float(module.impurity(np.array(counts, np.float64)))
        assert module.total(summed, rows) == pytest.approx(expected, abs=1e-7)
    assert module.term(0.0) == 0.0


def test_an_unknown_criterion_is_named_with_those_there_are() -> None:
    with pytest.raises(MethodError, match=r"no criterion 'ginni'; there are .*'gini'"):
        criterion("ginni")


ADDED = '''"""n less the norm of the counts, a total over n records."""

import numpy as np

from privet.compiled import kernel
from privet.split.criterion import Criterion
from privet.split.kernels import search_by


def impurity(counts):
    cells = np.maximum(counts, 0.0)
    return cells.sum(-1) - np.sqrt((cells * cells).sum(-1))


def slope(counts):
    cells = np.maximum(counts, 0.5)
    return 1.0 - cells / np.sqrt((cells * cells).sum(-1, keepdims=True))


@kernel
def term(count):
    return count * count


@kernel
def total(summed, rows):
    return rows - np.sqrt(summed)


CRITERION = Criterion(impurity, slope, search_by(term, total))
'''


def test_a_criterion_is_added_by_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "root.py").write_text(ADDED)
    monkeypatch.setattr(criteria, "__path__", [*criteria.__path__, str(tmp_path)])
    criterion_names.cache_clear()
    try:
        assert "root" in criterion_names()
        test_the_slope_is_the_derivative.hypothesis.inner_test("root", [3, 40, 5])
        test_the_compiled_twin_chooses_the_same.hypothesis.inner_test("root", 5, True)
        table, schema = datasets.load("weather"), datasets.schema("weather")
        release = Plan({}, default=Exact()).disguise(table, schema)
        tree = grow(evidence_of(release).evidence, Policy(criterion="root"), "Play")
        assert TreeClassifier.from_tree(tree).score(table) == 1.0
    finally:
        criterion_names.cache_clear()
