"""How many cells a number is cut to, if nobody says."""

import pytest

from privet.disguise.suited import cells_for
from privet.schema import Attribute


@pytest.mark.parametrize(
    ("low", "high", "cells"), [(100, 110, 11), (-5, 5, 11), (100, 123, 24), (100, 124, 10)]
)
def test_few_whole_numbers_have_a_cell_each_wherever_they_lie(
    low: int, high: int, cells: int
) -> None:
    assert cells_for(100, Attribute.numeric("a", low=low, high=high, integer=True)) == cells
    assert cells_for(100, Attribute.numeric("a", low=low, high=high)) == 10
