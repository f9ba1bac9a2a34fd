"""Who is of class A: AS's five functions and the ten older Agrawal functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from privet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from privet.coding import Floats, Mask

    Columns: TypeAlias = dict[str, NDArray[Any]]
    People: TypeAlias = Mapping[str, NDArray[Any]]


__all__ = ["FAMILIES", "function_of", "is_a"]


def _by_age(people: People, young: Mask, middle: Mask, old: Mask) -> Mask:
    """Pick one of three conditions by age: below 40, from 40 to below 60, from 60."""
    age = people["age"]
    picked: Mask = np.where(age < 40, young, np.where(age < 60, middle, old))
    return picked


def _within(values: NDArray[Any], low: float, high: float) -> Mask:
    inside: Mask = (low <= values) & (values <= high)
    return inside


def _paid(people: People, low: float) -> Mask:
    """Whether salary is in the band of 50,000 that begins at ``low``."""
    return _within(people["salary"], low, low + 50_000)


def _lent(people: People, low: float) -> Mask:
    """Whether the loan is in the band of 200,000 that begins at ``low``."""
    return _within(people["loan"], low, low + 200_000)


def _income(people: People) -> Floats:
    total: Floats = people["salary"] + people["commission"]
    return total


def _equity(people: People) -> Floats:
    equity: Floats = 0.1 * people["hvalue"] * np.maximum(people["hyears"] - 20, 0)
    return equity


def _age_only(people: People) -> Mask:
    middle = np.zeros(len(people["age"]), np.bool_)
    return _by_age(people, ~middle, middle, ~middle)


def _salary_by_age(people: People) -> Mask:
    return _by_age(people, _paid(people, 50e3), _paid(people, 75e3), _paid(people, 25e3))


def _as_3(people: People) -> Mask:
    """AS's F3. Unlike the older function 4, some levels of education at some ages are never A."""
    level = people["elevel"]
    low, mid, high = (_paid(people, start) for start in (25e3, 50e3, 75e3))
    return _by_age(
        people,
        (_within(level, 0, 1) & low) | (_within(level, 2, 3) & mid),
        (_within(level, 1, 3) & mid) | ((level == 4) & high),
        (_within(level, 2, 4) & mid) | ((level == 1) & low),
    )


def _as_4(people: People) -> Mask:
    positive: Mask = 0.67 * _income(people) - 0.2 * people["loan"] - 10e3 > 0
    return positive


def _as_5(people: People) -> Mask:
    money = 0.67 * _income(people) - 0.2 * people["loan"] + 0.2 * _equity(people)
    positive: Mask = money - 10e3 > 0
    return positive


def _older_3(people: People) -> Mask:
    level = people["elevel"]
    return _by_age(people, _within(level, 0, 1), _within(level, 1, 3), _within(level, 2, 4))


def _older_4(people: People) -> Mask:
    level = people["elevel"]
    low, mid, high = (_paid(people, start) for start in (25e3, 50e3, 75e3))
    return _by_age(
        people,
        np.where(_within(level, 0, 1), low, mid),
        np.where(_within(level, 1, 3), mid, high),
        np.where(_within(level, 2, 4), mid, low),
    )


def _older_5(people: People) -> Mask:
    low, mid, high = (_lent(people, start) for start in (100e3, 200e3, 300e3))
    return _by_age(
        people,
        np.where(_paid(people, 50e3), low, mid),
        np.where(_paid(people, 75e3), mid, high),
        np.where(_paid(people, 25e3), high, low),
    )


def _older_6(people: People) -> Mask:
    income = _income(people)
    young, middle, old = (_within(income, low, low + 50e3) for low in (50e3, 75e3, 25e3))
    return _by_age(people, young, middle, old)


def _older_7(people: People) -> Mask:
    positive: Mask = 0.67 * _income(people) - 0.2 * people["loan"] - 20e3 > 0
    return positive


def _older_8(people: People) -> Mask:
    positive: Mask = 0.67 * _income(people) - 5e3 * people["elevel"] - 20e3 > 0
    return positive


def _older_9(people: People) -> Mask:
    money = 0.67 * _income(people) - 5e3 * people["elevel"] - 0.2 * people["loan"]
    positive: Mask = money - 10e3 > 0
    return positive


def _older_10(people: People) -> Mask:
    money = 0.67 * _income(people) - 5e3 * people["elevel"] + 0.2 * _equity(people)
    positive: Mask = money - 10e3 > 0
    return positive


FAMILIES: dict[str, tuple[Callable[[People], Mask], ...]] = {
    "as": (_age_only, _salary_by_age, _as_3, _as_4, _as_5),
    "agrawal": (
        _age_only,
        _salary_by_age,
        _older_3,
        _older_4,
        _older_5,
        _older_6,
        _older_7,
        _older_8,
        _older_9,
        _older_10,
    ),
}


def is_a(family: str, function: int, people: People) -> Mask:
    """Say of each person, given by columns of numbers, whether the function puts them in class A.

    >>> is_a("as", 1, {"age": np.array([39.9, 40.0, 60.0])})
    array([ True, False,  True])
    """
    return function_of(family, function)(people)


def function_of(family: str, function: int) -> Callable[[People], Mask]:
    """Return a function by its family and number."""
    if family not in FAMILIES:
        message = f"There is no family {family!r} of functions; there are {', '.join(FAMILIES)}."
        raise InputError(message)
    last = len(FAMILIES[family])
    if isinstance(function, bool) or function not in range(1, last + 1):
        message = f"Parameter function: the family {family!r} has functions 1 to {last}."
        raise InputError(message)
    return FAMILIES[family][function - 1]
