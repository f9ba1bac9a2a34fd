"""C4.5: gain ratios, the average gain, the price of a cut, on counted and on estimated tables."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import datasets
from privet.coding import Coding
from privet.disguise import Exact, Plan, Substitution
from privet.estimators import TreeClassifier
from privet.split.criterion import criterion
from privet.split.policy import Policy
from privet.split.tables import Counted
from tests import twins
from tests.strategies import coding, ranked, seeds

C45 = Policy.named("c4.5")
FREE = C45.but(min_samples_leaf=1, cut_margin=0.0)
WEATHER = ["Outlook", "Temperature", "Humidity", "Wind"]


def weather() -> tuple[list[Coding], list[Counted]]:
    """The tables of Quinlan's weather, play and not, one branch a value."""
    codings = [
        Coding.categories("Outlook", ["Sunny", "Overcast", "Rain"]),
        Coding.categories("Temperature", ["Hot", "Mild", "Cool"]),
        Coding.categories("Humidity", ["High", "Normal"]),
        Coding.categories("Wind", ["Strong", "Weak"]),
    ]
    cells = [
        [[2, 3], [4, 0], [3, 2]],
        [[2, 2], [4, 2], [3, 1]],
        [[3, 4], [6, 1]],
        [[3, 3], [6, 2]],
    ]
    return codings, [Counted(np.array(one, np.float64)) for one in cells]


def test_gain_ratios_of_the_weather() -> None:
    """Outlook .247/1.577, Humidity .152/1; Temperature and Wind gain less than the average .118."""
    codings, tables = weather()
    found = ranked(tables, codings, C45)
    assert [codings[one.attribute].name for one in found] == ["Outlook", "Humidity"]
    assert [one.score for one in found] == pytest.approx([0.1564, 0.1518], abs=5e-5)
    assert [one.gain for one in found] == pytest.approx([0.2467, 0.1518], abs=5e-5)


def test_a_ratio_below_the_least_is_no_split() -> None:
    codings, tables = weather()
    assert len(ranked(tables, codings, C45.but(min_gain_ratio=0.152))) == 1
    assert not ranked(tables, codings, C45.but(min_gain_ratio=0.157))


def test_a_cut_pays_for_the_choice_of_cuts() -> None:
    """Release 8: the gain of the best of k cuts is less log2(k) / n."""
    held = np.array([[4.0, 0.0], [3.0, 1.0], [1.0, 3.0], [0.0, 4.0]])
    (found,) = ranked([Counted(held)], [coding("a", 4, ordered=True)], FREE)
    assert found.branch.tolist() == [0, 0, 1, 1]
    assert found.score == pytest.approx(found.gain - math.log2(3) / 16)
    weak = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
    assert not ranked([Counted(weak)], [coding("a", 4, ordered=True)], FREE)


def test_either_side_of_a_cut_holds_a_tenth_of_an_average_class() -> None:
    held = np.array([[9.0, 0.0], [100.0, 100.0], [0.0, 9.0]])
    number = [coding("a", 3, ordered=True)]
    assert not ranked([Counted(held)], number, C45)  # 10.9 on either side
    assert ranked([Counted(held)], number, C45.but(cut_margin=0.05))


@settings(max_examples=60)
@given(seeds, st.integers(1, 8), st.integers(1, 4), st.integers(0, 3), st.sampled_from([0.0, 0.3]))
def test_the_compiled_search_says_how_many_cuts_and_how_even(
    seed: int, size: int, classes: int, least: int, margin: float
) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (3, size, classes)) * (rng.random((3, size, 1)) < 0.7)
    gains, infos = np.empty((3, 1)), np.zeros((3, 1))
    places, nexts, cuts = (np.zeros((3, 1), np.int64) for _ in range(3))
    arrays = (gains, places, nexts, margin, infos, cuts)
    search = criterion("entropy").search
    assert search is not None
    for kind in (0, 1, 2):
        kinds = np.array([kind])
        none = np.empty((0, 0), np.int64)
        search(counts, 1.0, none, np.array([0, size]), kinds, float(least), 0.0, *arrays)
        for node, cells in enumerate(counts):
            allowed = twins.allowed_cuts(cells, max(least, 1), margin)
            place = int(places[node, 0])
            assert cuts[node, 0] == (len(allowed) if kind == 0 else 0)
            if kind == 0:
                assert (place >= 0) == bool(allowed)
            if place >= 0 and kind == 0:
                assert infos[node, 0] == pytest.approx(allowed[place])
            elif place >= 0 and kind == 2:
                rows = cells.sum(1).astype(np.float64)
                assert infos[node, 0] == pytest.approx(twins.entropy(rows) / rows.sum())


def test_the_weather_tree() -> None:
    table = datasets.load("weather")
    plain = Plan({}, default=Exact()).disguise(table, datasets.schema("weather"))
    tree = TreeClassifier(policy="c4.5").fit(plain).tree_
    assert tree.codings[tree.attribute[0]].name == "Outlook"
    assert len(tree.leaves) == 5
    assert TreeClassifier.from_tree(tree).score(table) == 1.0


def test_c45_of_a_release_finds_the_originals_tests() -> None:
    table, schema = datasets.load("as-f2", rows=30_000, seed=5), datasets.schema("as-f2")
    held = Plan({}, default=Substitution(gamma=40)).disguise(table, schema, seed=6)
    model = TreeClassifier(policy="c4.5", max_depth=3).fit(held)
    assert model.tree_.errors.any()
    tested = {model.tree_.codings[a].name for a in model.tree_.attribute if a >= 0}
    assert {"age", "salary"} <= tested <= {"age", "salary", "commission"}  # nothing above 75,000
    plain = Plan({}, default=Exact()).disguise(table, schema)
    exact = TreeClassifier(policy="c4.5", max_depth=3).fit(plain)
    assert model.score(table) > exact.score(table) - 0.05
