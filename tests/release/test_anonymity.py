"""What a card says of k-anonymity is taken only if all of it makes sense."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privet import datasets
from privet.errors import ReleaseError
from privet.release.anonymity import Anonymity, counted, groups_of
from privet.table import MemoryTable

SCHEMA = datasets.schema("weather")
GOOD: dict[str, Any] = {"k": 2, "quasi_identifier": ["Outlook", "Wind"]}


def test_a_good_form_comes_back() -> None:
    made = Anonymity.from_dict(GOOD, SCHEMA)
    assert made == Anonymity(2, ("Outlook", "Wind"))
    assert made.to_dict() == GOOD
    assert Anonymity.from_dict({**GOOD, "k": 1}, SCHEMA).k == 1


def test_a_form_with_a_sensitive_attribute_comes_back() -> None:
    form = {**GOOD, "sensitive": "Play", "l": 2, "t": 0.25}
    made = Anonymity.from_dict(form, SCHEMA)
    assert made == Anonymity(2, ("Outlook", "Wind"), "Play", 2, 0.25)
    assert made.to_dict() == form
    notes = " ".join(made.notes())
    assert "2-diverse" in notes
    assert "0.25-close" in notes
    assert Anonymity.from_dict({**GOOD, "sensitive": "Play", "t": 0.25}, SCHEMA).l is None


@pytest.mark.parametrize(
    "form",
    [
        {**GOOD, "l": 2},  # of what?
        {**GOOD, "sensitive": "Play"},
        {**GOOD, "sensitive": "Moon", "l": 2},
        {**GOOD, "sensitive": "Wind", "l": 2},
        {**GOOD, "sensitive": ["Play"], "l": 2},
        {**GOOD, "sensitive": "Play", "l": 1},
        {**GOOD, "sensitive": "Play", "l": 2.0},
        {**GOOD, "sensitive": "Play", "t": 1},
        {**GOOD, "sensitive": "Play", "t": -0.1},
        {**GOOD, "sensitive": "Play", "t": True},
        {**GOOD, "sensitive": "Play", "t": "0.5"},
        {**GOOD, "sensitive": "Play", "l": True},
        {**GOOD, "sensitive": "Play", "l": 2, "t": 1.0},
        {**GOOD, "k": 0},
        {**GOOD, "k": -2},
        {**GOOD, "k": 2.0},
        {**GOOD, "k": "2"},
        {**GOOD, "more": 1},
        {"quasi_identifier": ["Outlook"], "k": 2},
        {**GOOD, "quasi_identifier": []},
        {**GOOD, "quasi_identifier": ["Outlook", "Moon"]},
    ],
    ids=str,
)
def test_each_fault_alone_is_refused(form: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        Anonymity.from_dict(form, SCHEMA)


def test_records_are_grouped_by_all_columns() -> None:
    groups = groups_of([np.array([0, 0, 1, 1, 0]), np.array([0, 1, 0, 1, 1])])
    assert groups.sizes.tolist() == [1, 2, 1, 1]
    assert groups.member.tolist() == [0, 1, 2, 3, 1]


def test_what_a_group_may_still_give_away_is_told() -> None:
    """Without a sensitive attribute any value may be given away, with it those of the others."""
    assert "of other attributes" not in " ".join(Anonymity(2, ("Outlook",)).notes())
    assert "of other attributes" in " ".join(Anonymity(2, ("Outlook",), "Play", 2).notes())


def test_a_distance_of_just_t_is_close() -> None:
    """Shares of a half and a half, where all records have a quarter and three quarters."""
    counts, whole = np.array([[2, 2], [0, 4]]), np.array([2, 6])
    assert Anonymity(4, ("a",), "b", t=0.25).good(counts, whole).tolist() == [True, True]
    assert Anonymity(4, ("a",), "b", t=0.2499).good(counts, whole).tolist() == [False, False]
    assert Anonymity(5, ("a",), "b", t=0.25).good(counts, whole).tolist() == [False, False]
    assert Anonymity(4, ("a",), "b", l=2).good(counts, whole).tolist() == [True, False]


def test_a_group_of_one_is_as_close_as_any_other() -> None:
    one = Anonymity(1, ("a",), "b", t=0.1)
    assert one.good(np.array([[1, 0]]), np.array([1, 0])).tolist() == [True]
    assert one.good(np.array([[1, 0], [0, 0]]), np.array([1, 0])).tolist() == [True, False]


def released(*parts: dict[str, list[int]]) -> Any:
    """A release of coded parts, as far as groups are counted in it."""
    made = [
        SimpleNamespace(table=MemoryTable({name: np.array(c) for name, c in part.items()}))
        for part in parts
    ]
    return SimpleNamespace(parts=made, codings={"b": SimpleNamespace(size=2), "x": None})


THREE = {"a": [0, 0, 1, 1, 2, 2], "b": [0, 1, 0, 1, 1, 1], "x": [1, 2, 3, 4, 5, 6]}


def test_the_groups_of_every_part_are_counted_again() -> None:
    """Of three groups two have both values in halves, one has the second alone; all have 2 : 4."""
    release = released({"a": [], "b": [], "x": []}, THREE)
    for fine in (Anonymity(2, ("a",)), Anonymity(2, ("a",), "b", t=0.34)):
        fine.verify(release)
    Anonymity(6, ("b",)).verify(released({**THREE, "b": [0] * 6}))
    with pytest.raises(ReleaseError, match="not 3-anonymous"):
        Anonymity(3, ("a",)).verify(release)
    with pytest.raises(ReleaseError, match="other shares of them"):
        Anonymity(2, ("a",), "b", t=0.33).verify(release)
    with pytest.raises(ReleaseError, match="too few values of 'b'"):
        Anonymity(2, ("a",), "b", l=2).verify(release)
    with pytest.raises(ReleaseError, match="'x' has exact numbers"):
        Anonymity(2, ("a",), "x", l=2).verify(release)


def test_codes_are_counted_in_every_group_also_those_nobody_has() -> None:
    groups = groups_of([np.array([3, 3, 1])])
    assert counted(groups, np.array([0, 2, 1]), 4).tolist() == [[0, 1, 0, 0], [1, 0, 1, 0]]
    assert groups_of([np.array([], np.int64)]).sizes.tolist() == []


def test_all_that_is_promised_is_named() -> None:
    assert Anonymity(5, ("age",)).words == "5-anonymity"
    assert Anonymity(5, ("age",), "ill", t=0.25).words == "5-anonymity and 0.25-closeness"
    assert "with at least 4 others" in Anonymity(5, ("age",)).notes()[0]
    assert len(Anonymity(5, ("age",)).notes()) == 2
