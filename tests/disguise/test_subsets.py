"""Random subsets: a whole record costs one ε, and of a few attributes much is told."""

import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.disguise import RandomSubsets, plan_from_dict
from privet.disguise.subsets import MOST_PARTS, _sets
from privet.errors import MethodError, PlanError
from privet.estimate.merged import merged
from privet.release import Release
from privet.schema import Attribute, Schema
from tests.golden import golden

SCHEMA = Schema(
    [
        Attribute.numeric("age", low=0, high=100, bins=8),
        Attribute.categorical("sky", ["sun", "rain", "snow"]),
        Attribute.numeric("rent", low=0, high=10, bins=6),
        Attribute.categorical("car", ["yes", "no"]),
        Attribute.categorical("ill", ["no", "yes"]),
    ],
    target="ill",
)


def people(rows: int, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    age = rng.uniform(0, 100, rows)
    return {
        "age": age,
        "sky": np.array(["sun", "rain", "snow"])[rng.integers(0, 3, rows)],
        "rent": rng.uniform(0, 10, rows),
        "car": np.array(["yes", "no"])[rng.integers(0, 2, rows)],
        "ill": np.where(age > 50, "yes", "no"),
    }


@given(
    st.floats(0.5, 10),
    st.integers(1, 4),
    st.floats(0.05, 0.9),
    st.dictionaries(st.sampled_from(["age", "sky", "rent", "car"]), st.floats(0.1, 10)),
)
@settings(max_examples=40, deadline=None)
def test_no_record_costs_more_than_epsilon(
    epsilon: float, attributes: int, target: float, weights: dict[str, float]
) -> None:
    owner = RandomSubsets(epsilon, attributes, target, weights)
    claim = owner.claim(SCHEMA)
    assert claim.epsilon <= epsilon
    assert claim.epsilon > 0.98 * epsilon  # words of 32 bits lose a little, at small ε
    release = owner.disguise(people(400), SCHEMA)
    assert release.claim.epsilon <= epsilon
    for part in release.parts:
        assert sum(channel.epsilon() for channel in part.channels) <= epsilon + 1e-9
        assert len(part.channels) == attributes + 1  # and the class
        assert set(part.table.names) == {n for channel in part.channels for n in channel.attributes}


def test_every_record_is_in_one_part_drawn_at_random() -> None:
    release = RandomSubsets(4, 2).disguise(people(6_000), SCHEMA)
    assert len(release.parts) == 6
    assert release.rows == 6_000
    for part in release.parts:  # binomial, five deviations
        assert abs(part.table.rows - 1_000) < 5 * np.sqrt(6_000 * (1 / 6) * (5 / 6))


def test_more_goes_to_what_weighs_more() -> None:
    release = RandomSubsets(4, 2, weights={"age": 3}).disguise(people(2_000), SCHEMA)
    part = next(part for part in release.parts if {"age", "sky"} <= set(part.table.names))
    shares = {channel.attributes[0]: channel.epsilon() for channel in part.channels}
    assert shares["age"] / shares["sky"] == pytest.approx(3, rel=1e-3)


def test_folders_files_and_frames(tmp_path: Path) -> None:
    owner = RandomSubsets(4, 2)
    made = owner.disguise(people(3_000), SCHEMA, seed=3, to=tmp_path / "r")
    assert Release.read(tmp_path / "r").claim == made.claim
    pq.write_table(pa.table(people(3_000)), tmp_path / "p.parquet")
    files = owner.disguise(tmp_path / "p.parquet", SCHEMA, seed=3, to=tmp_path / "f")
    assert [part.table.rows for part in files.parts] == [part.table.rows for part in made.parts]
    frame = made.to_frame()
    assert frame.num_rows == 3_000
    assert 0 < frame["age"].null_count < 3_000
    assert frame["ill"].null_count == 0
    first, second = made.split(0.5)
    assert first.rows + second.rows == 3_000


def test_a_card_may_not_hide_what_a_part_has(tmp_path: Path) -> None:
    import json

    from privet.errors import ReleaseError
    from privet.files.sealed import seal

    RandomSubsets(4, 2).disguise(people(600), SCHEMA, to=tmp_path / "r")
    path = tmp_path / "r" / "card.json"
    card = json.loads(path.read_bytes())
    del card["checksum"]
    card["parts"][0]["lacks"].append("age" if "age" not in card["parts"][0]["lacks"] else "sky")
    path.write_bytes(seal(card, 1))
    with pytest.raises(ReleaseError):
        Release.read(tmp_path / "r")


def test_trees_shares_and_tables_are_learned_from_them() -> None:
    release = RandomSubsets(4, 2).disguise(people(30_000), SCHEMA, seed=1)
    model = pv.TreeClassifier().fit(release)
    assert model.score(people(5_000, 2)) > 0.9
    shared = pv.RandomSubstitution(epsilon=4 / 5, target="substitution", wave=0)
    all_told = pv.TreeClassifier().fit(shared.disguise(people(30_000), SCHEMA, seed=1))
    assert all_told.score(people(5_000, 2)) <= model.score(people(5_000, 2)) + 0.02
    estimated = pv.shares(release, "age")
    assert estimated.rows == sum(p.table.rows for p in release.parts if "age" in p.table.names)
    table = pv.crosstab(release, "age", "ill")
    assert table.independence is not None
    assert table.independence.p_value < 1e-6
    whole = merged(release)
    assert not whole.drawn
    assert len(whole.parts) == 1
    assert whole.rows == release.rows
    absent = whole.parts[0].channel("age")
    assert absent is not None
    assert absent.outputs[0] == release.parts[0].channel("age").outputs[0] + 1  # type: ignore[union-attr]
    with pytest.raises(MethodError, match="lack"):
        pv.TreeClassifier(method="direct").fit(release)


def test_what_cannot_be() -> None:
    for bad, match in (
        ({"epsilon": 0}, "epsilon must be"),
        ({"attributes": 0}, "whole number from 1 to 4"),
        ({"attributes": 5}, "whole number from 1 to 4"),
        ({"target": 0}, "above 0 and below 1"),
        ({"weights": {"agee": 1}}, "weight of 'agee'"),
        ({"weights": {"age": 0}}, "above 0"),
        ({"weights": 3}, "weights is a table"),
    ):
        with pytest.raises(PlanError, match=match):
            RandomSubsets(**bad).claim(SCHEMA)
    assert plan_from_dict({"method": "subsets", "epsilon": 2}) == RandomSubsets(2)


@pytest.mark.parametrize(("names", "size"), [(10, 5), (11, 3), (16, 2), (9, 4)])
def test_of_many_sets_some_are_drawn_evenly(names: int, size: int) -> None:
    every = [f"x{place:02d}" for place in range(names)]
    sets = _sets(every, size)
    assert len(sets) == len(set(sets)) == min(math.comb(names, size), MOST_PARTS) == MOST_PARTS
    assert all(len(one) == size and list(one) == sorted(set(one)) for one in sets)
    often = [sum(name in one for one in sets) for name in every]
    assert sum(often) == size * MOST_PARTS
    assert max(often) - min(often) <= 2 + 0.2 * MOST_PARTS * size / names
    assert _sets(every, size) == sets


def named(number: int) -> Schema:
    inputs = [Attribute.categorical(f"x{place}", [0, 1]) for place in range(number)]
    return Schema([*inputs, Attribute.categorical("ill", ["no", "yes"])], target="ill")


def test_all_sets_if_there_are_120_of_them() -> None:
    names = [attribute.name for attribute in named(16).inputs]
    assert RandomSubsets().plan(named(16)).sets == tuple(combinations(names, 2))
    assert RandomSubsets(attributes=1).plan(named(16)).sets == tuple((name,) for name in names)


@pytest.mark.parametrize(("number", "size"), [(17, 2), (17, 4), (11, 5), (30, 3)])
def test_of_more_sets_120_are_drawn_evenly(number: int, size: int) -> None:
    sets = RandomSubsets(attributes=size).plan(named(number)).sets
    assert len(sets) == len(set(sets)) == 120
    order = {f"x{place}": place for place in range(number)}
    assert all(len(one) == size and sorted(one, key=order.__getitem__) == list(one) for one in sets)
    times = Counter(name for one in sets for name in one)
    assert len(times) == number
    assert max(times.values()) - min(times.values()) <= 0.45 * 120 * size / number
    golden("settings", f"{size} of {number}", [list(one) for one in sets])


def test_how_epsilon_is_shared_by_hand() -> None:
    """A quarter to the class; three quarters of 4 to two attributes, one of which counts double."""
    plan = RandomSubsets(4, 2, 0.25, {"x1": 2.0}).plan(named(3))
    assert plan.sets == (("x0", "x1"), ("x0", "x2"), ("x1", "x2"))
    assert [dict(one) for one in plan.epsilons] == [
        {"ill": 1.0, "x0": 1.0, "x1": 2.0},
        {"ill": 1.0, "x0": 1.5, "x2": 1.5},
        {"ill": 1.0, "x1": 2.0, "x2": 1.0},
    ]
    recipes = plan.recipes(named(3))
    assert [recipe.lot.share for recipe in recipes] == pytest.approx([1 / 3] * 3)
    assert [sorted(recipe.types) for recipe in recipes] == [
        ["ill", "x0", "x1"],
        ["ill", "x0", "x2"],
        ["ill", "x1", "x2"],
    ]
    default = RandomSubsets().plan(named(3)).epsilons[0]
    assert list(default.values()) == pytest.approx([4 / 3] * 3)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"attributes": True}, "a whole number from 1 to 3"),
        ({"attributes": 0}, "a whole number from 1 to 3"),
        ({"attributes": 4}, "a whole number from 1 to 3"),
        ({"attributes": 2.0}, "a whole number from 1 to 3"),
        ({"target": 0}, "above 0 and below 1"),
        ({"target": 1}, "above 0 and below 1"),
        ({"target": 1.5}, "above 0 and below 1"),
        ({"target": "0.5"}, "above 0 and below 1"),
        ({"weights": [1]}, "weights is a table"),
        ({"weights": {"x0": 0}}, "weight of 'x0' must be a number above 0"),
        ({"weights": {"x0": True}}, "weight of 'x0' must be a number above 0"),
        ({"weights": {"x0": "1"}}, "weight of 'x0' must be a number above 0"),
        ({"weights": {"x0": math.inf}}, "weight of 'x0' must be a number above 0"),
        ({"weights": {"ill": 1}}, "weight of 'ill' must be a number above 0"),
        ({"weights": {"x0": 1, "y": 1}}, "weight of 'y' must be a number above 0"),
    ],
)
def test_subsets_that_cannot_be(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        RandomSubsets(**settings).plan(named(3))


def test_borders_of_subsets() -> None:
    for asked in ({"attributes": 1}, {"attributes": 3}, {"weights": {"x0": 0.5, "x1": 3}}):
        claim = RandomSubsets(**asked).claim(named(3))
        assert not claim.seeded
        assert claim.people is None
    assert RandomSubsets().plan(named(3)).claim(named(3), seeded=True).seeded
    assert not RandomSubsets().plan(named(3)).claim(named(3)).seeded
    few = Schema(list(named(3)), target="ill", unit="who", rows_per_unit=2)
    people = RandomSubsets().plan(few).claim(few).people
    assert people is not None
    assert people.rows == 2
