"""k-anonymity: the thesis' table, the choice of steps, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import datasets
from privet.disguise import KAnonymity
from privet.disguise.baseline_attacks import background, homogeneity
from privet.disguise.hierarchy import ladders
from privet.disguise.kanonymity import diversity, information
from privet.errors import PlanError, ReleaseError
from privet.estimators import TreeClassifier
from privet.release import Release
from privet.release.anonymity import Anonymity, groups_of
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
    found = method.disguise(DAYS, SCHEMA, shuffle=False).to_frame()
    dark = ["Sunny" if sky == "Sunny" else "Dark" for sky in DAYS["Outlook"].to_pylist()]
    assert found["Outlook"].to_pylist() == dark
    assert found["Humidity"].to_pylist() == found["Wind"].to_pylist() == ["All"] * 14
    assert found["Play"].to_pylist() == DAYS["Play"].to_pylist()


def test_the_step_that_loses_least_comes_next() -> None:
    release = KAnonymity(2, STEPS).disguise(DAYS, SCHEMA)
    assert [len(attribute.values or ()) for attribute in release.schema] == [
        3,
        2,
        1,
        2,
    ]  # Wind: .048
    found = diversity(release)
    assert (found.k, found.l, found.groups) == (2, 1, 6)
    assert found.homogeneous == pytest.approx(9 / 14)
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
    found = homogeneity(fine)
    assert found.value == found.control == 1.0
    assert found.null < 0.2
    assert found.blind == pytest.approx(0.5, abs=0.05)
    coarse = KAnonymity(5, {"age": {"bins": [1]}}, quasi=["age"], order=["age"])
    mixed = KAnonymity(2000, {"age": {"bins": [1]}}, quasi=["age"]).disguise(raw, PEOPLE)
    assert coarse.k == 5
    assert homogeneity(mixed).value == 0.0
    assert background(mixed).value == 1.0  # of two classes one is ruled out: the other is left
