"""What a split of a fitted table has to bring, by hand."""

import math

import numpy as np
import pytest

import privet as pv
from privet.estimate.fitted_table import Fitted

LETTERS = "abcde"
LETTER = pv.Attribute.categorical("letter", list(LETTERS)).coding()
NUMBER = pv.Attribute.numeric("number", low=0, high=5, bins=5).coding()


def z_of(found: float, *, present: int = 5, branches: int = 2, ordered: bool = False) -> float:
    """The z of a split that makes what was observed likelier by ``found``; nan if it is refused."""

    class Known(Fitted):
        def likelihood_z(self, branch: object) -> float:  # noqa: ARG002 - known without it
            return found

    mean = np.zeros((len(LETTERS), 2))
    mean[:present] = 10
    side = np.minimum(np.arange(len(LETTERS)), branches - 1).astype(np.int16)
    counts = np.ones((branches, 2))
    coding = NUMBER if ordered else LETTER
    written = Known(mean, split_z=2.0, least_z=0.5).written(side, counts, coding, math.inf)
    return math.nan if written is None else written.z


def test_every_category_beyond_two_is_one_choice_more() -> None:
    assert z_of(5) == pytest.approx(math.sqrt(25 - 3 * 2))
    assert z_of(5, present=3) == pytest.approx(math.sqrt(25 - 1 * 2))
    assert z_of(5, present=2) == pytest.approx(5)
    assert z_of(5, present=3, branches=5) == pytest.approx(math.sqrt(25 - 3 * 2))
    assert z_of(5, ordered=True) == pytest.approx(5)


def test_a_split_that_brings_less_than_half_is_refused() -> None:
    assert z_of(math.sqrt(7.01)) == pytest.approx(math.sqrt(1.01))
    assert math.isnan(z_of(math.sqrt(6.99)))
    assert math.isnan(z_of(1))
    assert z_of(1, ordered=True) == 1
