"""k-anonymity: the thesis' table, the choice of steps, and what is refused."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import datasets
from privet.audit import audit
from privet.audit.diversity import diversity, diversity_of
from privet.disguise import KAnonymity
from privet.disguise.hierarchy import ladders
from privet.disguise.kanonymity import PARTITIONS, information
from privet.errors import PlanError, PrivetWarning, ReleaseError
from privet.estimators import TreeClassifier
from privet.release import Release
from privet.release.anonymity import Anonymity, groups_of
from privet.schema import Attribute, Schema
from tests.disguise.people import SCHEMA as PEOPLE
from tests.disguise.people import people

SCHEMA = datasets.schema("weather")
DAYS = datasets.load("weather")
STEPS: dict[str, Any] = {
    "Outlook": {"steps": [{"Sunny": ["Sunny"], "Dark": ["Overcast", "Rain"]}, "all"]}
}
SEQUENCE = ["Outlook", "Humidity", "Wind", "Outlook", "Play"]  # figure 4-1


def test_the_thesis_table_to_the_record() -> None:
    method = KAnonymity(2, STEPS, quasi=SCHEMA.names, order=SEQUENCE)
    frame = method.disguise(DAYS, SCHEMA, shuffle=False).to_frame()
    dark = ["Sunny" if sky == "Sunny" else "Dark" for sky in DAYS["Outlook"].to_pylist()]
    assert frame["Outlook"].to_pylist() == dark
    assert frame["Humidity"].to_pylist() == frame["Wind"].to_pylist() == ["All"] * 14
    assert frame["Play"].to_pylist() == DAYS["Play"].to_pylist()


def test_the_step_that_loses_least_comes_next() -> None:
    release = KAnonymity(2, STEPS).disguise(DAYS, SCHEMA)
    assert [len(attribute.values or ()) for attribute in release.schema] == [
        3,
        2,
        1,
        2,
    ]  # Wind: .048
    measured = diversity(release)
    assert (measured.k, measured.l, measured.groups) == (2, 1, 6)
    assert measured.homogeneous == pytest.approx(9 / 14)
    codes = SCHEMA["Wind"].encode(DAYS["Wind"].combine_chunks())
    assert information(
        codes, SCHEMA["Play"].encode(DAYS["Play"].combine_chunks())
    ) == pytest.approx(0.0481, abs=5e-5)


def test_rest_groups_are_suppressed_up_to_a_share() -> None:
    release = KAnonymity(2, STEPS, suppress=0.75).disguise(DAYS, SCHEMA)
    assert [len(attribute.values or ()) for attribute in release.schema] == [3, 2, 2, 2]
    assert release.rows == 4
    assert release.anonymity == Anonymity(2, ("Outlook", "Humidity", "Wind"))


def test_a_release_comes_back_and_mines_like_any_coarser_table(tmp_path: Path) -> None:
    (tmp_path / "steps.toml").write_text('[age]\nbins = [3, 1]\n[car]\nsteps = ["all"]\n')
    method = KAnonymity(4, str(tmp_path / "steps.toml"), quasi=["age", "car"])
    made = method.disguise(people(400), PEOPLE, to=tmp_path / "r")
    back = Release.read(tmp_path / "r")
    assert back.anonymity == made.anonymity == Anonymity(4, ("age", "car"))
    assert "4-anonymous" in " ".join(back.claim.sentences())
    assert TreeClassifier(max_depth=3).fit(back).method_ == "naive"
    with pytest.raises(ReleaseError, match="not 400-anonymous"):
        Anonymity(400, ("age", "car")).verify(back)


@settings(max_examples=25)
@given(st.integers(2, 12), st.integers(20, 200), st.integers(0, 9), st.sampled_from([0.0, 0.1]))
def test_every_group_is_large_enough(k: int, rows: int, seed: int, suppress: float) -> None:
    bins = {"age": {"bins": [3, 1]}, "kids": {"bins": [5, 1]}, "rent": {"bins": [5, 1]}}
    raw = people(rows, seed)
    release = KAnonymity(k, bins, suppress=suppress).disguise(raw, PEOPLE)
    table = release.parts[0].table.collect(rows)
    inputs = [table.columns[attribute.name] for attribute in release.schema.inputs]
    _, counts = np.unique(np.stack(inputs), axis=1, return_counts=True)
    assert counts.min() >= k
    assert sorted(groups_of(inputs).sizes) == sorted(counts)
    assert release.rows >= (1 - suppress) * rows
    assert diversity(release).k == counts.min()


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (KAnonymity(1), "at least 2"),
        (KAnonymity(2, suppress=1.0), "share"),
        (KAnonymity(2, quasi=["Sky"]), "does not have"),
        (KAnonymity(2, quasi=[]), "must name"),
        (KAnonymity(2, {"Sky": {"steps": ["all"]}}), "does not have"),
        (KAnonymity(2, {"Wind": {"bins": [1]}}), "list of steps"),
        (KAnonymity(2, {"Wind": {"steps": [{"Calm": ["Weak"]}]}}), "just once"),
        (KAnonymity(2, "no-such.toml"), "cannot be read"),
        (KAnonymity(15, STEPS), r"15-anonymity cannot be reached.*14 of 14"),
    ],
)
def test_what_cannot_be_is_refused(method: KAnonymity, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        method.disguise(DAYS, SCHEMA)


def test_bins_must_be_made_of_whole_ones() -> None:
    with pytest.raises(PlanError, match="whole ones"):
        ladders({"age": {"bins": [4]}}, PEOPLE)  # from 6


def test_attacks_on_groups() -> None:
    raw = people(2000)
    raw["risk"] = np.where(np.asarray(raw["age"]) > 50, "high", "low")
    fine = KAnonymity(5, {"age": {"bins": [6, 2, 1]}}, quasi=["age"]).disguise(raw, PEOPLE, seed=1)
    (outcome,) = audit(fine, attacks=["homogeneity"], trees=False, seed=1).attacks
    assert outcome.value == outcome.control == 1.0
    assert outcome.null is not None
    assert outcome.null < 1  # a few groups, each right or wrong as a whole
    assert outcome.blind == pytest.approx(0.5, abs=0.05)
    coarse = KAnonymity(5, {"age": {"bins": [1]}}, quasi=["age"], order=["age"])
    mixed = KAnonymity(2000, {"age": {"bins": [1]}}, quasi=["age"]).disguise(raw, PEOPLE)
    assert coarse.k == 5
    asked = audit(mixed, attacks=["homogeneity", "background"], trees=False, seed=1)
    assert asked.attacks[0].advantage == 0.0  # one group: the commonest class is all there is
    assert "who rules one out, knows the other" in asked.not_run[0].why


@pytest.mark.uci
def test_adult_keeps_something_by_default() -> None:
    table, schema = datasets.load("adult"), datasets.schema("adult")
    with pytest.warns(UserWarning, match="k-anonymity") as told:
        release = KAnonymity(5).disguise(table, schema)
    said = " ".join(str(warning.message) for warning in told)
    assert "10 of 14 attributes" in said
    assert "What is left: education, education_num, marital_status, relationship." in said
    left_out = table.num_rows - release.rows
    assert f"left out {left_out:,} of {table.num_rows:,} records" in said
    assert 0 < left_out <= 0.05 * table.num_rows
    assert len(release.schema["relationship"].values or ()) == 6


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 12), st.integers(40, 300), st.integers(0, 9))
def test_cutting_in_several_dimensions_keeps_groups_of_k(k: int, rows: int, seed: int) -> None:
    raw = people(rows, seed)
    numbers = [attribute.name for attribute in PEOPLE.inputs if not attribute.is_categorical]
    release = KAnonymity(k, partition="mondrian", quasi=numbers, suppress=0).disguise(raw, PEOPLE)
    table = release.parts[0].table.collect(rows)
    groups = groups_of([table.columns[name] for name in numbers])
    assert groups.sizes.min() >= k
    assert release.rows == rows
    # A cut is only left out where a half would be too small, or values are alike.
    assert groups.sizes.max() < 2 * k or len(groups.sizes) > rows // (4 * k)


def test_categories_are_generalised_and_numbers_cut() -> None:
    raw = people(500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivetWarning)  # of categories that became one
        release = KAnonymity(5, partition="mondrian", suppress=0.0).disguise(raw, PEOPLE)
    assert diversity(release).k >= 5
    assert release.treatments["age"] == "value-class"
    release.verify()
    ages = release.to_frame()["age"].to_pylist()
    assert np.corrcoef(sorted(ages), sorted(np.asarray(raw["age"])))[0, 1] > 0.9
    assert TreeClassifier(max_depth=3).fit(release).score(raw) > 0.5
    report = audit(release, raw, attacks=["read", "homogeneity"], seed=1)
    assert {"age", "rent"} <= set(report.facts.skipped)  # no card tells how they were cut
    with pytest.raises(PlanError, match="partition must be one of"):
        KAnonymity(5, partition="best").disguise(raw, PEOPLE)


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(PARTITIONS),
    st.integers(2, 6),
    st.one_of(st.none(), st.just(2)),
    st.one_of(st.none(), st.floats(0.05, 0.5)),
    st.integers(0, 9),
)
def test_groups_are_as_diverse_and_as_close_as_asked(
    partition: str, k: int, least: int | None, away: float | None, seed: int
) -> None:
    raw = people(300, seed)
    steps = {"age": {"bins": [6, 3, 1]}, "rent": {"bins": [1]}}
    method = KAnonymity(k, steps, ["age", "rent"], partition=partition, l=least, t=away)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivetWarning)
        release = method.disguise(raw, PEOPLE)
    measured = diversity(release)
    assert measured.k >= k
    assert measured.l >= (least or 1)
    assert measured.t <= (1 if away is None else away) + 1e-9
    release.verify()


def test_a_group_that_agrees_is_given_away_unless_it_must_be_diverse() -> None:
    raw = people(600)
    raw["risk"] = np.where(np.asarray(raw["age"]) > 50, "high", "low")
    told = {}
    for least in (None, 2):
        method = KAnonymity(5, partition="mondrian", quasi=["age"], l=least)
        (outcome,) = audit(method.disguise(raw, PEOPLE), attacks=["homogeneity"], seed=1).attacks
        told[least] = outcome.value
    assert told[None] is not None
    assert told[None] > 0.95
    assert told[2] is not None
    assert told[2] < 0.7


def test_what_was_promised_of_groups_is_checked_again() -> None:
    method = KAnonymity(2, quasi=["Outlook"], l=2, t=0.4, suppress=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivetWarning)
        release = method.disguise(DAYS, SCHEMA)
    assert release.anonymity is not None
    assert "2-diverse" in " ".join(release.claim.notes)
    for promise in (replace(release.anonymity, l=3), replace(release.anonymity, t=0.0)):
        with pytest.raises(ReleaseError, match="Some group has"):
            promise.verify(release)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"l": 1}, "l must be a whole number from 2 to 2"),
        ({"l": 3}, "l must be a whole number from 2 to 2"),
        ({"l": 2.0}, "l must be a whole number"),
        ({"t": 1.5}, "t must be a number"),
        ({"sensitive": "Play"}, "goes with l or t"),
        ({"l": 2, "sensitive": "Wind"}, "outside the quasi-identifier"),
        ({"l": 2, "sensitive": "Moon"}, "outside the quasi-identifier"),
    ],
)
def test_promises_that_cannot_be_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        KAnonymity(2, **settings).disguise(DAYS, SCHEMA)


def test_diversity_by_hand() -> None:
    """Groups (4, 0) and (1, 3) of two values, 5 and 3 in all."""
    measured = diversity_of(np.array([[4, 0], [1, 3]]))
    assert (measured.k, measured.groups, measured.l, measured.homogeneous) == (4, 2, 1, 0.5)
    assert measured.entropy_l == 1.0
    assert measured.t == pytest.approx(3 / 8)
    even = diversity_of(np.array([[2, 2, 2], [4, 4, 4]]))
    assert even.l == 3
    assert even.t == pytest.approx(0.0)
    assert even.entropy_l == pytest.approx(3)
    # Li and others: salaries 3k … 11k in nine ranks; the group {3k, 4k, 5k} is 0.375 away.
    ranks = np.vstack([[1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1, 1, 1]])
    assert diversity_of(ranks, ordered=True).t == pytest.approx(0.375)
    assert diversity_of(ranks).t == pytest.approx(2 / 3)


def test_a_share_that_is_used_up_to_the_record_is_not_gone_beyond() -> None:
    """One of five records may be left out, and one is: no step is taken instead."""
    days = DAYS.take([0, 0, 2, 2, 4])
    release = KAnonymity(2, STEPS, suppress=0.2).disguise(days, SCHEMA)
    assert release.rows == 4
    assert [len(attribute.values or ()) for attribute in release.schema] == [3, 2, 2, 2]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"k": True}, "k must be a whole number of at least 2"),
        ({"k": 2.5}, "k must be a whole number of at least 2"),
        ({"suppress": True}, "suppress must be a share"),
        ({"suppress": "0.1"}, "suppress must be a share"),
        ({"suppress": -0.1}, "suppress must be a share"),
        ({"t": True}, "t must be a number"),
        ({"t": "0.1"}, "t must be a number"),
        ({"l": True}, "l must be a whole number"),
        ({"quasi": "Wind"}, "quasi must be a list of names"),
        ({"order": "Wind"}, "order must be a list of names"),
        ({"order": ["Sky"]}, "names 'Sky', which the schema does not have"),
        ({"quasi": ["Wind", "Wind"]}, "each once"),
        ({"partition": 5}, "partition must be one of"),
        ({"partition": None}, "partition must be one of"),
        ({"quasi": ["Wind"], "l": 4, "sensitive": "Outlook"}, "from 2 to 3"),
        ({"hierarchies": {"Wind": ["all"]}}, "a hierarchy is a list of steps"),
        ({"hierarchies": {"Wind": {"steps": "all"}}}, "a hierarchy is a list of steps"),
        ({"hierarchies": {"Wind": {"steps": ["all"], "bins": [1]}}}, "a list of steps"),
        ({"hierarchies": {"Wind": {"steps": [3]}}}, "step 1 must be groups"),
        ({"hierarchies": {"Wind": {"steps": ["all", 3]}}}, "step 2 must be groups"),
        ({"hierarchies": {"Wind": {"steps": ["all", {"a": ["b"]}]}}}, "step 2 must group every"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        KAnonymity(**settings).disguise(DAYS, SCHEMA)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"k": 2, "suppress": 0},
        {"suppress": 0.999},
        {"t": 0},
        {"t": 0.5, "sensitive": "Play"},
        {"l": 2, "t": 0.5},
        {"quasi": ["Wind"], "l": 3, "sensitive": "Outlook"},
        {"quasi": ["Wind"], "l": 2, "sensitive": "Outlook"},
        {"quasi": ("Wind", "Play")},
        {"order": ("Wind",)},
        {"partition": "mondrian"},
    ],
)
def test_settings_that_can_be_are_taken(settings: dict[str, Any]) -> None:
    method = KAnonymity(**settings)
    method.check(SCHEMA)
    assert method.k == 2
    claim = method.claim(SCHEMA)
    assert claim.formal
    assert not claim.seeded
    assert method.claim(SCHEMA, seeded=True).seeded


def test_what_is_sensitive_is_a_category() -> None:
    with pytest.raises(PlanError, match="sensitive must name a category"):
        KAnonymity(2, quasi=["age"], t=0.2, sensitive="rent").check(PEOPLE)


def test_information_by_hand() -> None:
    """Classes 2 and 2, values 3 and 1, pairs 2, 1 and 1: 1 + 0.8113 − 1.5 bits."""
    codes, target = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    assert information(codes, target) == pytest.approx(0.3112781)
    assert information(target, target) == pytest.approx(1.0)
    assert information(np.zeros(4, np.int64), target) == pytest.approx(0.0)


def told(method: KAnonymity, rows: Any = DAYS) -> tuple[Release, list[str]]:
    """A release and what its owner is told, all of it at the line that asked for it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = method.disguise(rows, SCHEMA, shuffle=False)
    assert all(warning.filename == __file__ for warning in caught)
    return release, [str(warning.message) for warning in caught]


def test_an_owner_is_told_what_nobody_chose_to_lose() -> None:
    release, said = told(KAnonymity(3, suppress=0))
    assert [len(attribute.values or ()) for attribute in release.schema] == [3, 1, 1, 2]
    assert len(said) == 1
    assert "one value of 2 of 3 attributes: Humidity, Wind. What is left: Outlook." in said[0]
    assert told(KAnonymity(3, STEPS, suppress=0))[1] == []
    assert "left: nothing" in told(KAnonymity(8, suppress=0))[1][0]
    days = DAYS.take([*[0] * 20, 2])
    release, said = told(KAnonymity(2), days)
    assert release.rows == 20
    assert len(said) == 1
    assert said[0].startswith("k-anonymity left out 1 of 21 records")
    assert told(KAnonymity(2, suppress=0.05), days)[1] == []
    assert told(KAnonymity(2), DAYS.take([0, 0, 2, 2]))[1] == []
    single = Schema([Attribute.categorical("sky", ["blue"]), SCHEMA["Wind"]], target="Wind")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a domain of one value loses nothing
        KAnonymity(2).disguise({"sky": ["blue"] * 2, "Wind": ["Weak"] * 2}, single)


def test_an_order_says_which_steps_there_are() -> None:
    release, _ = told(KAnonymity(3, STEPS, order=["Wind", "Wind", "Humidity"], suppress=0.3))
    assert [len(attribute.values or ()) for attribute in release.schema] == [3, 1, 1, 2]
    with pytest.raises(PlanError, match="no step is left"):
        told(KAnonymity(8, STEPS, order=["Wind", "Humidity"], suppress=0))
    release, _ = told(
        KAnonymity(5, STEPS, order=["Outlook", "Outlook"], quasi=["Outlook"], suppress=0)
    )
    assert release.schema["Outlook"].values == ("Sunny", "Dark")


def test_too_few_records_for_one_group_of_numbers() -> None:
    method = KAnonymity(30, partition="mondrian", quasi=["age"])
    assert method.disguise(people(30), PEOPLE).rows == 30
    with pytest.raises(PlanError, match="30-anonymity cannot be reached with these 29 records"):
        method.disguise(people(29), PEOPLE)


GAPPED = Schema(
    [
        Attribute.numeric("age", low=0, high=100, bins=4, missing="category"),
        Attribute.categorical("ill", ["no", "yes"]),
    ],
    target="ill",
)
GAPS = {
    "age": np.array([10.0, 40, np.nan, 60, 90, np.nan]),
    "ill": np.array(["no", "yes", "no", "yes", "no", "no"]),
}


def test_numbers_that_may_be_missing_are_not_cut() -> None:
    with pytest.raises(PlanError, match="cannot be cut by 'mondrian'"):
        KAnonymity(2, partition="mondrian").disguise(GAPS, GAPPED)


def test_numbers_that_may_be_missing_have_steps_too() -> None:
    """The edge behind which they lie is infinite, and not compared."""
    release = KAnonymity(2, {"age": {"bins": [2, 1]}}, suppress=0).disguise(
        GAPS, GAPPED, shuffle=False
    )
    assert release.parts[0].table.collect(6).columns["age"].tolist() == [0, 0, 2, 1, 1, 2]
    with pytest.raises(PlanError, match="step 1 are not made of whole"):
        KAnonymity(2, {"age": {"bins": [3]}}).disguise(GAPS, GAPPED)


def test_ladders_by_hand(tmp_path: Path) -> None:
    plain = ladders({}, PEOPLE)
    assert [len(steps) for steps in plain.values()] == [2] * len(PEOPLE.names)
    sizes = [step.coding(PEOPLE["age"]).known for step in plain["age"]]  # type: ignore[union-attr]
    assert sizes[-1] == 1
    path = tmp_path / "steps.toml"
    path.write_text("[age]\nbins = [6, 3, 1]\n")
    for given_ in (path, str(path), {"age": {"bins": [6, 3, 1]}}):
        steps = ladders(given_, PEOPLE)["age"]
        assert [step.coding(PEOPLE["age"]).known for step in steps] == [6, 6, 3, 1]  # type: ignore[union-attr]
    for bins, number in (([3, 2], 2), ([12], 1), ([4], 1)):
        with pytest.raises(PlanError, match=f"step {number} are not made of whole"):
            ladders({"age": {"bins": bins}}, PEOPLE)
    for high in (1e-6, 1e6):  # whatever the unit
        size = Attribute.numeric("size", low=0, high=high, bins=6)
        schema = Schema([size, PEOPLE["risk"]], target="risk")
        assert len(ladders({"size": {"bins": [3, 1]}}, schema)["size"]) == 3
        with pytest.raises(PlanError, match="step 1 are not made of whole"):
            ladders({"size": {"bins": [4]}}, schema)
