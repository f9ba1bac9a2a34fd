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
    fine = KAnonymity(5, {"age": {"bins": [6, 2, 1]}}, quasi=["age"]).disguise(raw, PEOPLE)
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


def test_numbers_that_may_be_missing_have_steps_too() -> None:
    """The edge behind which they lie is infinite, and not compared."""
    release = KAnonymity(2, {"age": {"bins": [2, 1]}}, suppress=0).disguise(
        GAPS, GAPPED, shuffle=False
    )
    assert release.parts[0].table.collect(6).columns["age"].tolist() == [0, 0, 2, 1, 1, 2]
    with pytest.raises(PlanError, match="step 1 are not made of whole"):
        KAnonymity(2, {"age": {"bins": [3]}}).disguise(GAPS, GAPPED)
