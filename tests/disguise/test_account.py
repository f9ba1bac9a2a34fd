"""Entries and accounts: when two cost the same, what is left, and what is no amount."""

import math
from dataclasses import replace
from typing import Any

import pytest

from privet.disguise.account import Account, Entry, amount

ENTRY = Entry("now", "r", {("age",): 1.0, ("sky", "sea"): 2.5}, ("ill",), False, False)


@pytest.mark.parametrize(
    ("change", "rows", "same"),
    [
        ({}, 1, True),
        ({"time": "then", "release": "s", "seeded": True}, 1, True),
        ({"epsilon": {("age",): 1.00009, ("sky", "sea"): 2.5}}, 1, True),
        ({"epsilon": {("age",): 0.99991, ("sky", "sea"): 2.5}}, 1, True),
        ({"epsilon": {("age",): 1.00011, ("sky", "sea"): 2.5}}, 1, False),
        ({"epsilon": {("age",): 1.0, ("sky", "sea"): 2.4}}, 1, False),
        ({"epsilon": {("age",): 1.00025, ("sky", "sea"): 2.5}}, 3, True),  # per person of three
        ({"epsilon": {("age",): 1.00035, ("sky", "sea"): 2.5}}, 3, False),
        ({"epsilon": {("age",): 1.0}}, 1, False),
        ({"epsilon": {("sky", "sea"): 2.5, ("age",): 1.0}}, 1, False),
        ({"plain": ()}, 1, False),
        ({"unbounded": True}, 1, False),
    ],
)
def test_entries_that_cost_the_same(change: dict[str, Any], rows: int, same: bool) -> None:
    other = replace(ENTRY, **change, rows=rows)
    assert ENTRY.covers(other) == same
    assert other.covers(ENTRY) == same


def test_rows_of_a_person_are_not_written_down() -> None:
    assert ENTRY.rows == 1
    assert replace(ENTRY, rows=4) == ENTRY
    assert Entry.from_dict(replace(ENTRY, rows=4).to_dict()).rows == 1
    assert ENTRY.total == 3.5


def test_what_is_left_by_hand() -> None:
    second = replace(ENTRY, epsilon={("age",): 0.5}, plain=("sea", "ill"), unbounded=True)
    spent = Account(5.0, (ENTRY, second))
    assert spent.epsilon == 4.0
    assert spent.left == 1.0
    assert replace(spent, budget=3.0).left == 0.0
    assert replace(spent, budget=4.5).left == 0.5
    assert replace(spent, budget=None).left == math.inf
    assert spent.by_attribute == {("age",): 1.5, ("sky", "sea"): 2.5}
    assert spent.plain == ("ill", "sea")
    assert spent.unbounded == 1
    for account in (spent, Account(), Account(0.0)):
        assert Account.from_dict(account.to_dict()) == account


def test_amounts() -> None:
    assert [amount(value) for value in (0.0, 0.5, 2.0)] == [0.0, 0.5, 2.0]
    for wrong in (-0.1, math.inf, math.nan, -math.inf):
        with pytest.raises(ValueError, match=r"^$"):
            amount(wrong)
    with pytest.raises(ValueError, match=r"^$"):
        Account.from_dict({**Account(1.0).to_dict(), "more": 1})
    with pytest.raises(ValueError, match=r"^$"):
        Entry.from_dict({**ENTRY.to_dict(), "more": 1})
