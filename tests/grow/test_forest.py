"""SysFor: good splits, the trees they start, and their votes."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings

from privet import datasets
from privet.coding import Coding
from privet.disguise import Exact, Plan, RandomSubstitution
from privet.estimate.base import Evidence
from privet.estimate.methods import evidence_of
from privet.estimate.routed import routed
from privet.grow import grow
from privet.grow.draft import Known
from privet.grow.forest import SysFor, _second, good_splits, grow_forest, votes
from privet.grow.grower import Level, grown
from privet.schema import Attribute, Schema
from privet.split import Policy
from privet.split.candidates import every_candidate
from privet.split.tables import Counted
from privet.table import MemoryTable
from privet.tree import Tree
from tests.strategies import Coded, Elsewhere, coded_tables

C45 = Policy.named("c4.5")
UNPRUNED = replace(C45, confidence=None)


WARMTH = "Hot Hot Hot Mild Cool Cool Cool Mild Cool Mild Mild Mild Hot Mild"


def weather() -> Evidence:
    """Quinlan's weather, with the temperature that the thesis leaves out."""
    table, schema = datasets.load("weather"), datasets.schema("weather")
    table = table.append_column("Temperature", [WARMTH.split()])
    wider = Schema(
        [*schema.attributes, Attribute.categorical("Temperature", ["Hot", "Mild", "Cool"])],
        target="Play",
    )
    return evidence_of(Plan({}, default=Exact()).disguise(table, wider)).evidence


def asked_at(tree: Tree) -> dict[str, str]:
    """The attribute tested at each inner node, by the path that leads there."""
    paths = {0: ""}
    for node in range(tree.nodes):
        for kid in tree.children(node):
            coding = tree.codings[tree.attribute[node]]
            name = coding.label(kid - int(tree.child[node]))
            paths[kid] = f"{paths[node]}{coding.name}={name};"
    return {
        paths[node]: tree.codings[tree.attribute[node]].name
        for node in range(tree.nodes)
        if tree.child[node] >= 0
    }


def test_the_weather_forest_worked_by_hand() -> None:
    """Gain ratios at the root: Outlook .156, Humidity .152; the others gain less than average.

    Below Outlook: Sunny has two good splits (Humidity 1, Temperature .375), Overcast is pure, Rain
    has one (Wind 1): ⌊(5·2 + 4·0 + 5·1)/14⌋ = 1 tree, Sunny by Temperature, Rain by its best.
    Below Humidity: High has one (Outlook .449), Normal two (Wind .201, Outlook .127):
    ⌊(7·1 + 7·2)/14⌋ = 1 tree, Normal by Outlook, High by its best.
    """
    evidence = weather()
    trees = grow_forest(evidence, UNPRUNED, "Play", SysFor(4, goodness=0.7))
    found = [asked_at(tree) for tree in trees]
    assert len(found) == 4
    assert found[0] == {"": "Outlook", "Outlook=Sunny;": "Humidity", "Outlook=Rain;": "Wind"}
    assert found[1][""] == "Humidity"
    assert found[1]["Humidity=High;"] == "Outlook"
    assert found[1]["Humidity=Normal;"] == "Wind"
    assert found[2][""] == "Outlook"
    assert found[2]["Outlook=Sunny;"] == "Temperature"
    assert found[2]["Outlook=Rain;"] == "Wind"
    assert found[3][""] == found[1][""]
    assert found[3]["Humidity=High;"] == found[3]["Humidity=Normal;"] == "Outlook"


def test_splits_of_less_than_average_gain_follow() -> None:
    """Wind .049 and Temperature .019 start trees after the four above.

    Below Outlook nothing new is within .7 of the best. Below Humidity all three are good in both
    children: two new trees (High by Wind and Temperature, Normal by Outlook and Temperature), and a
    third that is the old one. Below Wind: Weak by Outlook .299 and Temperature .078, Strong by
    Temperature .142 and Humidity .082. Below Temperature: Hot has one, Mild two, Cool one good
    split: ⌊(4·1 + 6·2 + 4·1)/14⌋ = 1 tree, Mild by Outlook .086. That is all: eleven trees.
    """
    trees = grow_forest(weather(), UNPRUNED, "Play", SysFor(60, goodness=0.7))
    found = [asked_at(tree) for tree in trees]
    roots = "Outlook Humidity Outlook Humidity Wind Temperature"
    assert [one[""] for one in found[:6]] == roots.split()
    below = [(one[""], {k: v for k, v in one.items() if k.count(";") == 1}) for one in found[6:]]
    assert below == [
        ("Humidity", {"Humidity=High;": "Wind", "Humidity=Normal;": "Outlook"}),
        ("Humidity", {"Humidity=High;": "Temperature", "Humidity=Normal;": "Temperature"}),
        ("Wind", {"Wind=Weak;": "Outlook", "Wind=Strong;": "Temperature"}),
        ("Wind", {"Wind=Weak;": "Temperature", "Wind=Strong;": "Humidity"}),
        (
            "Temperature",
            {
                "Temperature=Hot;": "Outlook",
                "Temperature=Mild;": "Outlook",
                "Temperature=Cool;": "Wind",
            },
        ),
    ]


@pytest.mark.parametrize(("goodness", "trees"), [(0.0, 1), (0.004, 1), (0.005, 2)])
def test_goodness_is_the_distance_from_the_best_ratio(goodness: float, trees: int) -> None:
    evidence = weather()
    every = evidence.root().candidates(0, C45)
    assert len(good_splits(every, C45, SysFor(9, goodness))) == trees


def test_as_many_trees_as_are_wanted() -> None:
    evidence = weather()
    for wanted in (1, 2, 3):
        found = grow_forest(evidence, UNPRUNED, "Play", SysFor(wanted, goodness=0.7))
        assert len(found) == wanted


def test_cuts_of_one_attribute_are_apart() -> None:
    coding = [Coding.cells("a", np.arange(10.0), np.arange(10.0))]
    held = np.array(
        [[9, 0], [9, 1], [8, 2], [2, 8], [1, 9], [8, 2], [9, 1], [2, 8], [1, 9], [0, 9]]
    )
    table = [Counted(held.astype(np.float64))]
    policy = C45.but(min_gain_ratio=0.0)
    every = every_candidate(table, coding, policy)
    for separation in (0.0, 0.1, 2 / 9, 0.3, 0.9):  # two ninths of the range are just two cells
        wanted = SysFor(99, goodness=1.0, separation=separation)
        cuts = [coding[0].cut(*one.gap)[1] for one in good_splits(every, policy, wanted)]
        gaps = [abs(one - two) for k, one in enumerate(cuts) for two in cuts[:k]]
        assert all(gap > separation * 9 for gap in gaps)
        assert (len(cuts) > 1) == (separation < 0.9)
        assert len(set(cuts)) == len(cuts)


def test_only_the_first_level_asks_for_the_root() -> None:
    """However many trees there are, the root is counted once."""

    class Watched(Evidence):
        def __init__(self, evidence: Any) -> None:
            self._evidence = evidence
            self.codings, self.classes = evidence.codings, evidence.classes
            self.roots = 0

        def root(self) -> Any:
            self.roots += 1
            return self._evidence.root()

        def split(self, *arguments: Any) -> Any:
            return self._evidence.split(*arguments)

    watched = Watched(weather())
    assert len(grow_forest(watched, UNPRUNED, "Play", SysFor(4, goodness=0.7))) == 4
    assert watched.roots == 1


@settings(max_examples=20)
@given(coded_tables(max_rows=150, max_size=6, weighted=False))
def test_the_first_tree_is_the_growers_and_all_differ(held: Coded) -> None:
    assume(len(held.classes) < 9)
    table = MemoryTable(held.columns)
    evidence = routed(table, held.codings, "class", held.classes)
    for policy in (C45, UNPRUNED, Policy.named("cart")):
        trees = grow_forest(evidence, policy, "class", SysFor(5, goodness=0.5))
        assert trees[0].same_as(grow(evidence, policy))
        for place, tree in enumerate(trees):
            assert not any(tree.same_as(other) for other in trees[:place])
            assert tree.counts[0].sum() == pytest.approx(len(held.labels))


@settings(max_examples=20)
@given(coded_tables(max_rows=150, max_size=5, weighted=False))
def test_trees_are_what_they_would_be_alone(held: Coded) -> None:
    """Nodes are shared between trees, and nothing tells; a depth limit is kept in each."""
    assume(len(held.classes) < 9)
    tables = MemoryTable(held.columns), Elsewhere(MemoryTable(held.columns), 64)
    policies = [C45, UNPRUNED, *(UNPRUNED.but(max_depth=depth) for depth in (2, 3))]
    for policy in [*policies, Policy.named("cart").but(max_depth=4)]:
        for table in tables:
            evidence = routed(table, held.codings, "class", held.classes)
            wanted = SysFor(8, goodness=0.8, separation=0.1)
            shared = grow_forest(evidence, policy, "class", wanted)
            with patch("privet.grow.forest.Known", lambda **_: Known()):
                alone = grow_forest(evidence, policy, "class", wanted)
            assert len(shared) == len(alone)
            for one, two in zip(shared, alone, strict=True):
                assert one.same_as(two)
                np.testing.assert_array_equal(one.counts, two.counts)
                assert policy.max_depth is None or one.depth <= policy.max_depth


def test_trees_of_estimates_are_what_they_would_be_alone() -> None:
    table, schema = datasets.load("as-f3", rows=8_000, seed=1), datasets.schema("as-f3", bins=6)
    release = RandomSubstitution(gamma=40).disguise(table, schema, seed=2)
    policy = Policy.named("cart").but(max_depth=4)
    wanted = SysFor(4, goodness=0.5, separation=0.1)
    forests = []
    for known in (Known, lambda **_: Known()):
        with patch("privet.grow.forest.Known", known):
            evidence = evidence_of(release, "joint").evidence
            forests.append(grow_forest(evidence, policy, schema.target, wanted))
    assert len(forests[0]) == len(forests[1]) == 4
    for one, two in zip(*forests, strict=True):
        assert one.same_as(two)
        np.testing.assert_array_equal(one.counts, two.counts)
    closer = evidence.narrowed(lambda of: grown(of, policy, schema.target))
    alone = closer.settled(grown(closer, policy, schema.target), inside=False)
    np.testing.assert_array_equal(forests[0][0].attribute, alone.attribute)
    np.testing.assert_array_equal(forests[0][0].label, alone.label)
    assert (forests[0][0].z[forests[0][0].child >= 0] > 0).all()


def test_what_is_known_is_not_grown_again() -> None:
    evidence = weather()
    root = Level(evidence.root())
    splits = good_splits(root.frontier.candidates(0, UNPRUNED), UNPRUNED, SysFor(9, 0.7))
    known = Known(shared=True)
    sizes = []
    for split in [*splits, *splits]:
        grow(evidence, UNPRUNED, "Play", [root._replace(chosen=[split])], known)
        sizes.append(len(known.splits))
    again = sizes[len(splits) :]
    assert np.diff([sizes[len(splits) - 1], *again]).tolist() == [1] * len(splits)  # the root


def test_votes() -> None:
    evidence = weather()
    tree = grow(evidence, UNPRUNED, "Play")
    credal, majority = votes(tree, "credal"), votes(tree, "majority")
    np.testing.assert_allclose(credal[0], [9 / 15, 5 / 15])
    np.testing.assert_array_equal(majority[0], [1, 0])
    leaf = tree.leaves[0]
    assert credal[leaf].sum() == pytest.approx(
        tree.counts[leaf].sum() / (tree.counts[leaf].sum() + 1)
    )


def test_forests_are_those_of_the_paper_unless_asked_otherwise() -> None:
    assert SysFor() == SysFor(trees=60, goodness=0.3, separation=0.3)
    evidence = weather()
    every = evidence.root().candidates(0, C45)
    named = good_splits(every, C45, SysFor(9, 0.7), below=False)
    asked = good_splits(every, C45, SysFor(9, 0.7))
    assert [one.attribute for one in asked] == [one.attribute for one in named]
    assert len(good_splits(every, C45, SysFor(9, 0.7), below=True)) > len(named)


def test_splits_as_good_as_the_best_are_good_without_any_slack() -> None:
    held = [Counted(np.array([[5.0, 1.0], [1.0, 5.0]])) for _ in range(3)]
    codings = [Coding.categories(name, ["p", "q"]) for name in "abc"]
    every = every_candidate(held, codings, UNPRUNED)
    good = good_splits(every, UNPRUNED, SysFor(9, goodness=0.0))
    assert [one.attribute for one in good] == [0, 1, 2]
    for most in (1, 2, 3):
        assert len(good_splits(every, UNPRUNED, SysFor(most, goodness=0.0))) == most


def test_trees_of_a_forest_share_what_is_known() -> None:
    made: list[Known] = []

    def kept(**asked: bool) -> Known:
        made.append(Known(**asked))
        return made[-1]

    for known in (kept, lambda **_: kept()):
        with patch("privet.grow.forest.Known", known):
            grow_forest(weather(), UNPRUNED, "Play", SysFor(60, goodness=0.7))
    together, apart = (len(known.splits) for known in made)
    assert together < apart


def test_votes_of_estimates() -> None:
    """What is below zero is no record: of 4 and -1 there are four, and 4 / 5 for the first."""
    tree = grow(weather(), UNPRUNED.but(max_depth=1), "Play").take([0])
    for counts, label, lower in (
        ([4.0, -1.0], 0, [0.8, 0.0]),
        ([0.25, 0.25], 0, [1 / 6, 1 / 6]),
        ([0.0, 0.0], 1, [0.0, 0.0]),
    ):
        held = replace(tree, counts=np.array([counts]), label=np.array([label]))
        np.testing.assert_allclose(votes(held, "credal"), [lower])
        np.testing.assert_array_equal(votes(held, "majority"), np.eye(2)[[label]])


@pytest.mark.parametrize(("depth", "trees"), [(0, 1), (1, 2), (2, 4)])
def test_forests_keep_their_depth(depth: int, trees: int) -> None:
    """Without a test there is one tree; with one, a tree a root; with two, those of the levels."""
    policy = replace(UNPRUNED, max_depth=depth)
    found = grow_forest(weather(), policy, "Play", SysFor(4, goodness=0.7))
    assert [tree.depth for tree in found] == [depth] * len(found)
    assert len(found) == (4 if depth == 1 else trees)


@pytest.mark.parametrize(
    ("rows", "good", "chosen"),
    [
        ([5.0, 5.0], [1, 3], [[0, 1], [0, 2]]),  # just two
        ([5.0, 5.0], [1, 4], [[0, 1], [0, 2]]),  # two and a half
        ([5.0, 5.0], [0, 3], [[None, 1]]),
        ([5.0, 5.0], [2, 2], [[1, 1], [0, 0]]),
        ([9.0, 1.0], [1, 9], [[0, 1]]),
        ([1.0, 9.0], [1, 3], [[0, 1], [0, 2]]),
        ([5.0, 5.0], [0, 1], []),
        ([0.5, 0.25], [0, 3], [[None, 1]]),  # of estimates less than a record may be left
        ([4.0, -1.0], [2, 9], [[1, 1], [0, 2]]),
    ],
)
def test_trees_below_a_root_by_the_papers_formula(
    rows: list[float], good: list[int], chosen: list[list[int | None]]
) -> None:
    """⌊Σ n g / Σ n⌋ of them; tree x takes good split x + 1 of each child, or its best."""
    table, codings = (
        [Counted(np.array([[5.0, 1.0], [1.0, 5.0]]))],
        [Coding.categories("a", ["p", "q"])],
    )
    (split,) = good_splits(every_candidate(table, codings, UNPRUNED), UNPRUNED, SysFor(9))
    split = replace(split, counts=np.array(rows)[:, None] * [0.5, 0.5])
    named = [[f"{node} {place}" for place in range(number)] for node, number in enumerate(good)]
    frontier: Any = SimpleNamespace(nodes=2, candidates=lambda node, _: node)
    below, root = Level(frontier), Level(frontier, [split])

    def offered(node: int, *_: Any, **__: Any) -> list[str]:
        return named[node]

    with (
        patch("privet.grow.forest.next_level", lambda *_: (below, np.array([True, True]))),
        patch("privet.grow.forest.good_splits", offered),
    ):
        found = list(_second(weather(), UNPRUNED, SysFor(9), root, below=False))
    assert [levels[0] for levels in found] == [root] * len(chosen)
    expected = [
        [None if place is None else f"{node} {place}" for node, place in enumerate(one)]
        for one in chosen
    ]
    assert [levels[1].chosen for levels in found] == expected
