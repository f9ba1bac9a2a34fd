"""Borrowers: a made-up table that is skewed and correlated where Agrawal's people are neither.

Agrawal's attributes are flat and mostly independent, which is kind to bins of equal width. Here
income is log-normal, wealth goes with income and age, debt with income, one sector and one region
hold most people, and a third default. The class depends on ratios and interactions, with one in
twenty labels turned at random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.datasets.widened import widened
from privet.errors import InputError
from privet.schema import Attribute, Schema

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from privet.coding import Mask

__all__ = ["schema", "table"]

SECTORS = ("trade", "care", "public", "building", "farming", "arts")
REGIONS = ("north", "east", "south", "west")
CLASSES = ("pays", "defaults")
TURNED = 0.05  # of the labels

ATTRIBUTES = (
    Attribute.numeric("age", low=18, high=90, integer=True),
    Attribute.numeric("income", low=0, high=400),
    Attribute.numeric("wealth", low=0, high=2000),
    Attribute.numeric("debt", low=0, high=800),
    Attribute.numeric("years_employed", low=0, high=50),
    Attribute.numeric("late_payments", low=0, high=20, integer=True),
    Attribute.categorical("sector", SECTORS),
    Attribute.categorical("region", REGIONS),
)


def schema(bins: int | None = None, margin: float = 0.0, seed: int | None = None) -> Schema:
    """Return the public domains; ``margin`` widens the real ranges at random, as Agrawal's."""
    attributes = widened(ATTRIBUTES, bins, margin, seed)
    target = Attribute.categorical("outcome", CLASSES)
    return Schema([*attributes, target], target="outcome")


def table(rows: int, seed: int | None = None) -> pa.Table:
    """Return ``rows`` borrowers; a seed gives the same ones every time.

    >>> table(5, seed=1).column_names[-1]
    'outcome'
    """
    import pyarrow as pa

    if isinstance(rows, bool) or rows != int(rows) or rows < 1:
        raise InputError("Parameter rows must be a whole number from 1.")
    if seed is not None and (isinstance(seed, bool) or seed < 0):
        raise InputError("Parameter seed must be None or a whole number from 0.")
    random = np.random.default_rng(seed)
    people = _people(random, rows)
    risky = _risky(people)
    defaults = risky ^ (random.random(rows) < TURNED)
    outcome = np.array(CLASSES)[defaults.astype(np.int64)]
    return pa.table({**people, "outcome": outcome})


def _people(random: np.random.Generator, rows: int) -> dict[str, NDArray[np.generic]]:
    """Draw borrowers whose attributes have something to do with each other."""
    age = np.clip(18 + 72 * random.beta(1.6, 2.6, rows), 18, 90)
    skill = random.normal(size=rows)
    income = np.minimum(np.exp(3.4 + 0.5 * skill + 0.012 * (age - 40)), 400)
    wealth = np.minimum(income * (age / 60) ** 3 * random.gamma(2.0, 1.2, rows), 2000)
    debt = np.minimum(income * random.gamma(1.2, 0.9, rows), 800)
    employed = np.clip((age - 20) * random.beta(2.0, 2.0, rows), 0, 50)
    late = np.minimum(random.poisson(np.minimum(3.0, 0.6 * debt / income)), 20)
    shares = 1.0 / np.arange(1, len(SECTORS) + 1) ** 1.5
    sector = random.choice(len(SECTORS), rows, p=shares / shares.sum())
    region = random.choice(len(REGIONS), rows, p=[0.6, 0.2, 0.15, 0.05])
    return {
        "age": np.floor(age).astype(np.int64),
        "income": income,
        "wealth": wealth,
        "debt": debt,
        "years_employed": employed,
        "late_payments": late.astype(np.int64),
        "sector": np.array(SECTORS)[sector],
        "region": np.array(REGIONS)[region],
    }


def _risky(people: dict[str, NDArray[np.generic]]) -> Mask:
    """Who defaults: debts beyond income without wealth behind them, or youth in arrears."""
    numbers = {name: np.asarray(people[name], np.float64) for name in people if name not in _WORDS}
    burden = numbers["debt"] > 1.1 * numbers["income"]
    poor = numbers["wealth"] < 0.9 * numbers["debt"]
    arrears = (numbers["late_payments"] >= 2) & (numbers["years_employed"] < 8)
    shaky = np.isin(people["sector"], ["building", "arts"]) & (numbers["income"] < 35)
    risky: Mask = (burden & poor) | arrears | shaky
    return risky


_WORDS = frozenset({"sector", "region"})
