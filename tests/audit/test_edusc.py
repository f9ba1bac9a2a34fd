"""EDUSC: eq. 4-5 by hand, both forms, every criterion, and a cut search beside its twin."""

import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.audit.edusc import edusc, split_similarity
from privet.audit.kernels import best_cut
from privet.disguise import ForestFramework, RandomNoise
from privet.disguise.noised import coded
from privet.disguise.rules import Rules
from privet.errors import InputError
from privet.frames import columns
from privet.schema import Attribute, Schema
from privet.split.criterion import criterion
from tests.disguise.noisy_people import SCHEMA, people

HAND = Schema(
    [Attribute.categorical("a", ["0", "1"]), Attribute.categorical("c", ["n", "y"])], target="c"
)
TRUE = {"a": list("00001111"), "c": list("nnnnyyyy")}
SHOWN = {"a": list("00001111"), "c": list("nnnynyyy")}


def entropy(share: float) -> float:
    return -share * math.log2(share) - (1 - share) * math.log2(1 - share)


@pytest.mark.parametrize(
    ("criterion", "gain"),
    [("gain-ratio", 1 - entropy(0.25)), ("gain", 1 - entropy(0.25)), ("gini", 2 * 0.125)],
)
def test_one_split_by_hand(criterion: str, gain: float) -> None:
    """At the root a gains all there is, then less; in the two leaves there is nothing to gain.

    As printed the difference counts with 8 of 8 records at one of three nodes; by records with 8
    of the 16 that the nodes hold together.
    """
    true, shown = (coded(columns(one, HAND.names), HAND) for one in (TRUE, SHOWN))
    (tree,) = Rules(1, 2).grown(true, HAND)
    assert tree.nodes == 3
    found = split_similarity((tree,), true, shown, HAND, criterion)  # type: ignore[arg-type]
    assert found["printed"] == pytest.approx(1 - (1 - gain) / 3)
    assert found["by-records"] == pytest.approx(1 - (1 - gain) / 2)


def test_nodes_weigh_as_many_originals_as_they_hold() -> None:
    """Of a = 1 there are 4 originals of 10, all y, and 8 released ones, whose class is b's.

    There b gains nothing of the originals and all of the release. At the root the originals' class
    is a's, so that a gains all and b nothing.
    """
    schema = Schema([HAND["a"], Attribute.categorical("b", ["0", "1"]), HAND["c"]], target="c")
    original = {"a": list("0000001111"), "b": list("0101010011"), "c": list("nnnnnnyyyy")}
    release = {"a": list("0011111111"), "b": list("0100001111"), "c": list("nnnnnnyyyy")}
    true, shown = (coded(columns(one, schema.names), schema) for one in (original, release))
    (tree,) = Rules(1, 2).grown(true, schema)
    assert tree.attribute.tolist() == [0, -1, -1]
    of_a = (entropy(0.4) - 0.8 * entropy(0.5)) / entropy(0.2)
    of_b = entropy(0.4) - 0.5 * entropy(0.2)
    away = 10 * ((1 - of_a) + of_b) / 2 + 4 * 1
    found = split_similarity((tree,), true, shown, schema)
    assert found["printed"] == pytest.approx(1 - away / (10 * 3))
    assert found["by-records"] == pytest.approx(1 - away / 20)


def test_gains_below_the_least_do_not_count() -> None:
    """Both tables gain nothing from a: nothing is counted, nothing differs."""
    mixed = {"a": list("00001111"), "c": list("nnyynnyy")}
    true, shown = (coded(columns(one, HAND.names), HAND) for one in (TRUE, mixed))
    (tree,) = Rules(1, 2).grown(true, HAND)
    assert split_similarity((tree,), shown, shown, HAND)["by-records"] == 1.0


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 4), st.booleans())
def test_the_cut_search_is_its_plain_twin(seed: int, rows: int, classes: int, gini: bool) -> None:
    rng = np.random.default_rng(seed)
    values = np.sort(rng.integers(0, rng.integers(1, 20), rows)).astype(float)
    labels = rng.integers(0, classes, rows)
    one_hot = np.eye(classes)[labels]
    whole = one_hot.sum(axis=0)
    kind: Literal["gini", "entropy"] = "gini" if gini else "entropy"
    best, part = 0.0, 0.0
    for cut in range(1, rows):
        if values[cut - 1] != values[cut]:
            left = one_hot[:cut].sum(axis=0)
            sides = criterion(kind).impurity(left) + criterion(kind).impurity(whole - left)
            gain = float(criterion(kind).impurity(whole) - sides) / rows
            if gain > best + 1e-12:
                best, part = gain, cut / rows
    found = best_cut(values, labels, classes, gini)
    assert found[0] == pytest.approx(best, abs=1e-9)
    if best > 1e-9:
        assert found[1] == pytest.approx(entropy(part), abs=1e-9)


def test_keeping_rules_scores_better_than_not() -> None:
    records = people(1500)
    kept = ForestFramework(min_leaf=50).disguise(records, SCHEMA, seed=1)
    lost = RandomNoise(0.5, 0.5).disguise(records, SCHEMA, seed=1)
    for form in ("printed", "by-records"):
        settings = {"min_leaf": 50, "form": form}
        assert edusc(records, records, SCHEMA, **settings) == 1.0  # type: ignore[arg-type]
        assert edusc(records, kept, SCHEMA, **settings) > edusc(  # type: ignore[arg-type]
            records,
            lost,
            SCHEMA,
            **settings,  # type: ignore[arg-type]
        )


def test_words_it_does_not_know() -> None:
    with pytest.raises(InputError, match="no criterion 'χ²'; there are gain-ratio"):
        edusc(people(), people(), SCHEMA, criterion="χ²")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no form 'none'; there are printed"):
        edusc(people(), people(), SCHEMA, form="none")  # type: ignore[arg-type]
