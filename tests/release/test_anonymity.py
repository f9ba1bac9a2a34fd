"""What a card says of k-anonymity is taken only if all of it makes sense."""

from typing import Any

import numpy as np
import pytest

from privet import datasets
from privet.release.anonymity import Anonymity, groups_of

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
