"""A vote as a diagram: every answer ends at just the classes that some value of it elects."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.coding import Coding
from privet.tree import Tree, diagram
from privet.tree.diagram import TooManyCasesError, Voters, _Ends, _union
from tests.strategies import seeds

CODINGS = (
    Coding.cells("x", range(4), range(1, 5), missing=True),
    Coding.cells("z", range(3), range(1, 4)),
    Coding.categories("k", ["a", "b", "c"]),
)
CUTS = (0.5, 1.0, 1.25, 1.75, 2.0, 2.5)


def tree_of(*tests: tuple[int, int, float]) -> Tree:
    """A tree of tests put one by one in the place of leaves: node, attribute, and where it cuts.

    A category alone goes right; so do numbers above a threshold, and missing ones.
    """
    nodes = 2 * len(tests) + 1
    parent, child, attribute = (np.full(nodes, -1) for _ in range(3))
    threshold = np.full(nodes, np.nan)
    routes: list[Any] = [None] * nodes
    for number, (node, place, cut) in enumerate(tests):
        first, coding = 2 * number + 1, CODINGS[place]
        child[node], attribute[node], parent[first : first + 2] = first, place, node
        right = np.arange(coding.size) == cut
        if coding.ordered:
            threshold[node] = cut
            right = ~(coding.decode(np.arange(coding.size)) <= cut)
        routes[node] = right.astype(np.int16)
    zeros, counts = np.zeros(nodes), np.ones((nodes, 3))
    return Tree(
        CODINGS, ("p", "q", "r"), "y", parent, attribute, child, np.where(child >= 0, 2, 0),
        threshold, np.full((nodes, 2), np.nan), tuple(routes), counts, 0 * counts,
        np.zeros(nodes, np.int64), zeros, zeros, zeros,
    )  # fmt: skip


def random_tree(rng: np.random.Generator, size: int) -> Tree:
    """A tree of so many tests, their thresholds at the ends of cells or inside them."""
    leaves, tests = [0], []
    for number in range(size):
        node = leaves.pop(int(rng.integers(len(leaves))))
        leaves += [2 * number + 1, 2 * number + 2]
        place = int(rng.integers(len(CODINGS)))
        cut = rng.choice(CUTS) if CODINGS[place].ordered else rng.integers(3)
        tests.append((node, place, float(cut)))
    return tree_of(*tests)


def values_of(coding: Coding, code: int, *, whole: bool) -> list[Any]:
    """A value of each piece that thresholds may cut out of a code, or the whole code."""
    if whole or not coding.ordered or code >= coding.known:
        return [("code", code)]
    ends = sorted({float(code), *(cut for cut in CUTS if code < cut < code + 1), code + 1.0})
    return [("value", (low + high) / 2) for low, high in pairwise(ends)]


def elected(voters: Voters, values: tuple[Any, ...]) -> int:
    """The class that trees elect of a record, walking each of them from its root."""
    total = np.zeros(3)
    for tree, votes in zip(voters.trees, voters.votes, strict=True):
        node = 0
        while tree.child[node] >= 0:
            kind, value = values[tree.attribute[node]]
            route = tree.routes[node]
            assert route is not None
            right = route[value] if kind == "code" else value > tree.threshold[node]
            node = int(tree.child[node] + int(right))
        total += votes[node]
    return int(np.round(total / max(total.sum(), 1e-300), 12).argmax())


@settings(max_examples=60, deadline=None)
@given(seed=seeds, whole=st.booleans(), grouped=st.booleans())
def test_every_answer_ends_at_the_classes_its_values_elect(
    seed: int, whole: bool, grouped: bool
) -> None:
    """Votes are few whole numbers, so that there are many ties."""
    rng = np.random.default_rng(seed)
    trees = [random_tree(rng, int(rng.integers(0, 5))) for _ in range(int(rng.integers(1, 5)))]
    votes = [rng.integers(0, 3, (tree.nodes, 3)).astype(np.float64) for tree in trees]
    voters = Voters(trees, votes)
    tested = voters.tested
    groups = [list(tested)] if grouped and tested else [[place] for place in tested]
    drawn = voters.follow(np.ones((1, voters.leaves), np.bool_), groups, whole=whole)
    for codes in product(*(range(CODINGS[place].size) for place in tested)):
        at = int(drawn.starts[0])
        asked = dict(zip(tested, codes, strict=True))
        for group, level in zip(groups, drawn.levels, strict=True):
            answer = 0
            for place, lumps in zip(group, level.lumps, strict=True):
                marked = [number for number, lump in enumerate(lumps) if lump.mask[asked[place]]]
                (lump,) = marked  # a code is in one
                answer = answer * len(lumps) + lump
            at = int(level.goes[at, answer]) if at >= 0 else at
        pieces = [
            values_of(coding, asked.get(place, 0), whole=whole)
            for place, coding in enumerate(CODINGS)
        ]
        found = {elected(voters, values) for values in product(*pieces)}
        assert set(np.flatnonzero(drawn.ends[-1 - at]).tolist()) == found


def test_a_set_of_states_goes_wherever_a_member_goes() -> None:
    kids = np.array([[4, -1, 7], [5, -2, 7], [6, -3, 0]])
    assert _union((1,), kids, [0]) == (5,)
    assert _union((0, 2), kids, [0]) == (4, 6)
    assert _union((0, 1), kids, [2]) == (7,)
    assert _union((0,), kids, [0, 1]) == (-1, 4)
    assert _union((-3, 1), kids, [0]) == (-3, 5)  # what has ended stays so
    assert _union((-3, 0, 1), kids, [1]) == (-3, -2, -1)


def test_ends_are_numbered_as_they_are_met() -> None:
    ends = _Ends(3)
    below: dict[tuple[int, ...], int] = {}
    reached = [(0,), (-1,), (-3, -1), (0,), (-2, 4), (-1,)]
    assert ends.numbered(reached, below) == [0, -1, -2, 0, 1, -1]
    assert below == {(0,): 0, (-2, 4): 1}
    assert ends.marks().tolist() == [[True, False, False], [True, False, True]]


def test_codes_that_no_test_tells_apart_are_one_lump() -> None:
    voters = Voters([tree_of((0, 0, 1.25))], [np.eye(3)])
    whole = voters.lumps(0, whole=True)
    assert [(lump.mask.tolist(), lump.routes) for lump in whole] == [
        ([True, False, False, False, False], ((0,),)),
        ([False, True, True, True, True], ((1,),)),
    ]
    cut = voters.lumps(0, whole=False)
    assert [(lump.mask.nonzero()[0].tolist(), lump.routes) for lump in cut] == [
        ([0], ((0,),)),
        ([1], ((0,), (1,))),  # it has a piece on either side
        ([2, 3, 4], ((1,),)),
    ]
    assert voters.tested == (0,)
    assert voters.leaves == 2
    assert voters.taking(0, (0,)).tolist() == [True, False]
    assert voters.taking(0, (1,)).tolist() == [False, True]


@pytest.mark.parametrize(
    ("steps", "answers", "fits"), [(4, 2, True), (3, 2, False), (4, 1, False), (9, 9, True)]
)
def test_too_many_steps_or_answers_are_refused(
    monkeypatch: pytest.MonkeyPatch, steps: int, answers: int, fits: bool
) -> None:
    """One state by two ways, and one set of states by two answers."""
    voters = Voters([tree_of((0, 2, 1))], [np.eye(3)])
    monkeypatch.setattr(diagram, "MOST_STEPS", steps)
    monkeypatch.setattr(diagram, "MOST_ANSWERS", answers)
    begin = np.ones((1, 2), np.bool_)
    if fits:
        drawn = voters.follow(begin, [[2]], whole=True)
        assert drawn.ends.sum() == 2
    else:
        with pytest.raises(TooManyCasesError, match="too many trees"):
            voters.follow(begin, [[2]], whole=True)
