"""Randomized response: plans, public cuts, claims, and the plain tree where nothing is hidden."""

import math
from typing import Any

import numpy as np
import pytest

from privet.channel import Flip, JointGammaDiagonal
from privet.disguise import (
    Binary,
    Exact,
    FlipGroup,
    JointGroup,
    Plan,
    RandomizedResponse,
    Withheld,
    plan_from_dict,
)
from privet.errors import PlanError, PrivetWarning
from privet.estimators import TreeClassifier
from privet.release import Release
from privet.schema import Attribute, Schema
from tests.disguise.people import SCHEMA, people

NAMES = ["age", "kids", "car", "rent"]
CUTS = {"car": ["vw", "fiat"]}
BITS = [f"b{place}" for place in range(6)]
BINARY = Schema(
    [*(Attribute.categorical(name, [0, 1]) for name in BITS), Attribute.categorical("y", [0, 1])],
    target="y",
)


def bits(rows: int, seed: int) -> dict[str, Any]:
    """Records in which y follows from b0, b1 and b4, with some noise."""
    rng = np.random.default_rng(seed)
    made = {name: rng.integers(0, 2, rows) for name in BITS}
    made["y"] = np.where(rng.random(rows) < 0.9, made["b0"] & (made["b1"] | made["b4"]), 1)
    return made


def test_arguments_are_stored_untouched() -> None:
    wish: Any = RandomizedResponse(groups="all", theta="much")  # type: ignore[arg-type]
    assert (wish.groups, wish.theta, wish.gamma, wish.rest) == ("all", "much", None, None)


def test_every_attribute_is_a_group_of_its_own_unless_told() -> None:
    wish = RandomizedResponse(theta=0.8)
    with pytest.warns(PrivetWarning, match="Nobody chose where to cut car in two"):
        release = wish.disguise(people(50), SCHEMA)
    channels = release.parts[0].channels
    assert all(isinstance(channel, Flip) for channel in channels)
    assert [channel.attributes for channel in channels] == [(name,) for name in NAMES]
    assert math.isfinite(release.claim.disguised_epsilon)
    assert wish.warnings(SCHEMA)
    assert not RandomizedResponse(theta=0.8, cuts={"car": ["vw"]}).warnings(SCHEMA)


def test_a_cut_that_nobody_chose_is_warned_of_in_chosen_groups_too() -> None:
    wish = RandomizedResponse([["age", "car"], ["kids", "rent"]], theta=0.8)
    with pytest.warns(PrivetWarning, match="Nobody chose where to cut car in two") as told:
        wish.disguise(people(50), SCHEMA)
    assert len(told) == 1  # a group without ε was chosen: the claim says what it reveals
    assert told[0].filename == __file__


def test_groups_have_a_theta_each() -> None:
    groups = [["age", "car"], ["kids"]]
    wish = RandomizedResponse(groups, theta=[0.8, 0.9], cuts=CUTS, rest="withheld")
    channels = wish.disguise(people(50), SCHEMA).parts[0].channels
    assert [channel.to_dict()["theta"] for channel in channels] == [0.8, 0.9]


def test_numbers_and_categories_are_cut_in_the_middle() -> None:
    shown = RandomizedResponse(theta=1).cut(people(500), SCHEMA)
    raw = people(500)
    assert np.array_equal(shown["age"].to_numpy() > 50, raw["age"] > 50)
    assert np.array_equal(shown["kids"].to_numpy() > 4.5, raw["kids"] > 4)
    assert set(shown["car"].to_pylist()) == {"vw|fiat", "tesla"}
    with pytest.warns(PrivetWarning, match="Nobody chose"):
        release = RandomizedResponse(theta=1).disguise(raw, SCHEMA, shuffle=False)
    assert release.to_frame().equals(shown)


def test_cuts_can_be_declared() -> None:
    cuts = {"age": 30, "kids": 1, "car": ["vw", "tesla"]}
    shown = RandomizedResponse(theta=1, cuts=cuts).cut(people(500), SCHEMA)
    raw = people(500)
    assert np.array_equal(shown["age"].to_numpy() > 30, raw["age"] > 30)
    assert np.array_equal(shown["kids"].to_numpy() > 1, raw["kids"] > 1)
    assert set(shown["car"].to_pylist()) == {"vw|tesla", "fiat"}


@pytest.mark.parametrize(
    ("values", "sides"),
    [(4, [0, 0, 1, 1]), (5, [0, 0, 0, 1, 1]), (3, [0, 0, 1])],
)
def test_categories_are_halved_in_code_order(values: int, sides: list[int]) -> None:
    attribute = Attribute.categorical("x", list(range(values)))
    codes = Binary().encode(attribute, Binary().coding(attribute), np.arange(values))
    assert codes.tolist() == sides


@pytest.mark.parametrize("cut", [[["vw"]], [{}, "vw"], [None], ["vw", "fiat", "tesla"], [], ["x"]])
def test_a_cut_lists_values_of_the_domain(cut: Any) -> None:
    with pytest.raises(PlanError, match="'car': a cut lists some values of the domain"):
        Binary(cut).coding(SCHEMA["car"])


def test_a_missing_category_is_the_last_one() -> None:
    attribute = Attribute.categorical("x", ["a", "b", "c"], missing="category")
    column: Any = __import__("pyarrow").array(["a", "b", "c", None])
    coding = Binary().coding(attribute)
    assert Binary().encode(attribute, coding, column).tolist() == [0, 0, 1, 1]
    numbers = Attribute.numeric("x", low=0, high=1, missing="category")
    with pytest.raises(PlanError, match="third value"):
        Binary().coding(numbers)


@pytest.mark.parametrize("theta", [0, 1])
@pytest.mark.parametrize("groups", [[BITS[:2], BITS[2:5], BITS[5:]], [BITS], [[b] for b in BITS]])
@pytest.mark.parametrize("policy", ["id3", "cart"])
def test_truth_and_full_opposite_give_the_plain_tree(
    theta: int, groups: list[list[str]], policy: str
) -> None:
    frame = bits(3000, 1)
    plain = TreeClassifier(policy=policy).fit(Plan({}, Exact()).disguise(frame, BINARY))
    release = RandomizedResponse(groups, theta=theta).disguise(frame, BINARY)
    model = TreeClassifier(policy=policy, method="direct").fit(release)
    assert str(model.tree_) == str(plain.tree_)
    assert model.tree_.counts.tolist() == plain.tree_.counts.tolist()
    assert not model.tree_.errors.any()
    assert model.accuracy(release).value == plain.score(frame)


def test_a_mixture_of_parties_learns_the_rule() -> None:
    frame, test = bits(40_000, 2), bits(5000, 3)
    groups = [["b0", "b2"], ["b1", "b3"], ["b4", "b5"]]
    wish = RandomizedResponse(groups, theta=[0.85, 0.2, 1])
    model = TreeClassifier(policy="id3").fit(wish.disguise(frame, BINARY, seed=5))
    plain = TreeClassifier(policy="id3").fit(Plan({}, Exact()).disguise(frame, BINARY))
    assert model.score(test) == pytest.approx(plain.score(test), abs=0.01)
    scored = model.accuracy(wish.disguise(test, BINARY, seed=6))
    assert abs(scored.value - model.score(test)) < 5 * scored.error


def test_a_joint_channel_keeps_categories() -> None:
    wish = RandomizedResponse([["car", "kids"]], gamma=9, bins=4, rest="exact")
    release = wish.disguise(people(200), SCHEMA)
    (channel,) = release.parts[0].channels
    assert isinstance(channel, JointGammaDiagonal)
    assert channel.sizes == (3, 4)
    promise = release.claim["car"]
    assert promise.attributes == ("car", "kids")
    assert promise.epsilon == pytest.approx(math.log(9), abs=1e-6)


def test_a_group_survives_its_card(tmp_path: Any) -> None:
    for wish in (
        RandomizedResponse([NAMES], theta=0.8, cuts=CUTS),
        RandomizedResponse([NAMES], gamma=5, bins=3),
    ):
        made = wish.disguise(people(300), SCHEMA, to=tmp_path / str(wish.gamma))
        back = Release.read(tmp_path / str(wish.gamma))
        assert back.claim == made.claim
        assert back.parts[0].channels == made.parts[0].channels


def test_files_are_disguised_as_frames_are(tmp_path: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(people(500)), tmp_path / "people.parquet")
    wish = RandomizedResponse([["age", "car"], ["kids", "rent"]], theta=0.8, cuts=CUTS)
    told: dict[str, Any] = {"seed": 3, "shuffle": False}
    frame = wish.disguise(people(500), SCHEMA, **told)
    file = wish.disguise(tmp_path / "people.parquet", SCHEMA, to=tmp_path / "r", **told)
    for name, column in frame.parts[0].table.collect(500).columns.items():
        assert np.array_equal(column, file.parts[0].table.collect(500).columns[name])


def test_the_claim_says_what_a_group_reveals() -> None:
    claim = RandomizedResponse([["age"], ["kids", "car", "rent"]], theta=0.75).claim(SCHEMA)
    assert claim["age"].gamma == 3
    assert claim["car"].gamma is None
    assert claim.turned == ("kids", "car", "rent")
    assert claim.disclosed == ("risk",)
    assert claim.epsilon == math.inf
    text = " ".join(claim.sentences())
    assert "no finite ε" in text
    assert "one known value discloses the others" in text
    assert "Left out of these bounds: 'kids', 'car', 'rent'" in text
    plain = RandomizedResponse([NAMES], theta=1).claim(SCHEMA)
    assert set(plain.disclosed) == {*NAMES, "risk"}
    assert plain.turned == ()


def test_the_plan_proposes_the_joint_channel() -> None:
    _, said = RandomizedResponse([["age"], ["kids", "car", "rent"]], theta=0.75).warnings(SCHEMA)
    assert "no finite ε" in said
    assert "gamma = 3 " in said
    assert RandomizedResponse([["age", "kids"]], gamma=3, rest="exact").warnings(SCHEMA) == []


@pytest.mark.parametrize("theta", [1e-320, 1e-20, 1 - 2**-53])
def test_a_theta_beyond_all_words_is_told_of_as_it_is_drawn(theta: float) -> None:
    (said,) = RandomizedResponse([["age", "kids"]], theta=theta, rest="exact").warnings(SCHEMA)
    assert f"gamma = {2**32 - 1:.4g}" in said


def test_plan_files_name_groups() -> None:
    form: dict[str, Any] = {
        "default": "exact",
        "groups": [
            {"method": "flip", "attributes": ["age", "car"], "theta": 0.8, "cuts": {"age": 40}},
            {"method": "joint-substitution", "attributes": ["kids", "rent"], "gamma": 5},
        ],
    }
    plan = plan_from_dict(form)
    assert plan == Plan(
        {},
        Exact(),
        (FlipGroup(["age", "car"], 0.8, {"age": 40}), JointGroup(["kids", "rent"], 5)),
    )
    assert plan.claim(SCHEMA).turned == ("age", "car")
    whole = plan_from_dict({"method": "randomized-response", "groups": [NAMES], "theta": 0.8})
    assert whole == RandomizedResponse([NAMES], theta=0.8)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"theta": 0.5}, "nothing about the originals can be learned"),
        ({"theta": 1.5}, "theta must be a number from 0 to 1"),
        ({}, "either theta or gamma"),
        ({"theta": 0.8, "gamma": 3}, "either theta or gamma"),
        ({"gamma": 1}, "gamma must be"),
        ({"groups": "age", "theta": 0.8}, "list of lists"),
        ({"groups": [["age"]], "theta": 0.8}, "'kids' is in no group"),
        ({"groups": [["age"]], "theta": 0.8, "rest": "plain"}, "rest must be"),
        ({"groups": [["age"]], "theta": [0.8, 0.9], "rest": "exact"}, "2 numbers for 1 groups"),
        ({"groups": [["age", "age"]], "theta": 0.8}, "once"),
        ({"groups": [["age"], ["age"]], "theta": 0.8, "rest": "exact"}, "twice what happens"),
        ({"groups": [["height"]], "theta": 0.8, "rest": "exact"}, "'height', which the schema"),
        ({"groups": [["risk"]], "theta": 0.8, "rest": "exact"}, "the class 'risk'"),
        ({"theta": 0.8, "cuts": {"age": 99}}, "at least 20 and below 80"),
        ({"theta": 0.8, "cuts": {"car": "vw"}}, "list of values"),
        ({"theta": 0.8, "cuts": {"car": ["vw", "bus"]}}, "some values of the domain"),
        ({"theta": 0.8, "cuts": {"car": ["vw", "fiat", "tesla"]}}, "not all of them"),
        ({"gamma": 5, "cuts": {"age": 40}}, "cuts are for groups"),
    ],
)
def test_bad_wishes(wish: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        RandomizedResponse(**wish).disguise(people(10), SCHEMA)


@pytest.mark.parametrize(
    "groups", [[{"method": "flip"}], [3], {"a": 1}, [{"method": "x", "attributes": ["age"]}]]
)
def test_bad_groups_in_plan_files(groups: Any) -> None:
    with pytest.raises(PlanError):
        plan_from_dict({"default": "exact", "groups": groups})


def test_a_missing_number_is_cut_to_a_missing_value() -> None:
    schema = Schema(
        [
            Attribute.numeric("age", low=0, high=100, missing="category"),
            Attribute.categorical("town", ["no", "yes"]),
            Attribute.categorical("ill", ["no", "yes"]),
        ],
        target="ill",
    )
    yes = np.array(["no", "yes"])
    frame = {"age": np.array([20.0, np.nan]), "town": yes, "ill": yes}
    shown = RandomizedResponse([["town"]], theta=0.8, rest="exact").cut(frame, schema)
    assert shown["age"].to_pylist() == [20.0, None]


MIXED = Schema(
    [
        *(Attribute.categorical(name, [0, 1]) for name in "ab"),
        Attribute.categorical("three", [0, 1, 2]),
        Attribute.numeric("x", low=0, high=9),
        Attribute.categorical("ill", ["no", "yes"]),
    ],
    target="ill",
)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"groups": [["a"], ["b"], ["x"]], "rest": "exact"}, []),
        ({"groups": [["three"]], "rest": "exact"}, ["cut three in two"]),
        ({"groups": [["three"]], "rest": "exact", "cuts": {"three": [0]}}, []),
        ({"groups": [["a", "b"]], "rest": "exact"}, ["gamma = 4 "]),
        (
            {"groups": [["a", "b"], ["x", "three"]], "rest": "exact"},
            ["cut three in", "= 4 ", "= 4 "],
        ),
        ({"groups": [["a", "b"]], "rest": "exact", "theta": 0.2}, ["gamma = 4 "]),
        ({"groups": [["a", "b"]], "rest": "exact", "theta": 1}, ["is released as it is"]),
        ({"groups": [["a"]], "rest": "exact", "theta": 1}, []),
        ({"groups": [["a", "three"]], "rest": "exact", "theta": None, "gamma": 3}, []),
    ],
)
def test_each_warning_has_its_cause(wish: dict[str, Any], words: list[str]) -> None:
    said = RandomizedResponse(**{"theta": 0.8, **wish}).warnings(MIXED)
    assert len(said) == len(words)
    assert all(word in one for word, one in zip(words, said, strict=True))


def test_cuts_nobody_chose_are_told_at_the_line_that_disguises() -> None:
    raw = {"a": [0, 1] * 9, "b": [1, 0] * 9, "three": [0, 1, 2] * 6, "x": [3.0] * 18}
    raw |= {"ill": ["no", "yes"] * 9}
    with pytest.warns(PrivetWarning, match="cut three in two") as caught:
        RandomizedResponse(theta=0.8).disguise(raw, MIXED)
    assert [warning.filename for warning in caught] == [__file__]
    chosen = RandomizedResponse(theta=0.8, cuts={"three": [1], "x": 2}).plan(MIXED)
    cuts = [dict(group.cuts) for group in chosen.groups if isinstance(group, FlipGroup)]
    assert cuts == [{}, {}, {"three": [1]}, {"x": 2}]


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"cuts": [1]}, "cuts is a table"),
        ({"groups": {"a": 1}}, "list of lists"),
        ({"groups": 3}, "list of lists"),
        ({"rest": "secret"}, "rest must be"),
        ({"theta": (0.8, 0.9)}, "2 numbers for 4 groups"),
    ],
)
def test_other_wishes_that_cannot_be(wish: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        RandomizedResponse(**{"theta": 0.8, **wish}).plan(MIXED)


def test_wishes_for_each_group_and_for_none() -> None:
    each = RandomizedResponse((("a",), ("b", "x")), theta=(0.7, 0.9), rest="withheld").plan(MIXED)
    assert [(group.attributes, group.theta) for group in each.groups] == [  # type: ignore[attr-defined]
        (("a",), 0.7),
        (("b", "x"), 0.9),
    ]
    assert each.default == Withheld()
    assert RandomizedResponse([["a"]], theta=0.7, rest="exact").plan(MIXED).default == Exact()
    bare = Schema(list(MIXED.inputs))
    assert RandomizedResponse(theta=0.7).plan(bare).treatments == {}
    assert RandomizedResponse(theta=0.7).plan(MIXED).treatments == {"ill": Exact()}
    gammas = RandomizedResponse([["a"], ["b"]], gamma=[3, 4], rest="exact", bins=2).plan(MIXED)
    assert [(group.gamma, group.bins) for group in gammas.groups] == [(3, 2), (4, 2)]  # type: ignore[attr-defined]
