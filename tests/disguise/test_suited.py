"""How many cells a number is cut to, if nobody says."""

from dataclasses import replace

import pytest

from privet.disguise import Exact, Substitution
from privet.disguise.suited import ENOUGH, cells_for, check_cells, share_for, with_cells
from privet.disguise.treatment import Treatment
from privet.errors import DataError
from privet.schema import Attribute, Schema


@pytest.mark.parametrize(
    ("low", "high", "cells"), [(100, 110, 11), (-5, 5, 11), (100, 123, 24), (100, 124, 10)]
)
def test_few_whole_numbers_have_a_cell_each_wherever_they_lie(
    low: int, high: int, cells: int
) -> None:
    assert cells_for(100, Attribute.numeric("a", low=low, high=high, integer=True)) == cells
    assert cells_for(100, Attribute.numeric("a", low=low, high=high)) == 10


def test_cells_grow_with_the_root_of_the_records() -> None:
    rows = (0, 1_600, 1_763, 1_765, 2_304, 9_215, 9_217, 10**9)
    assert [cells_for(number) for number in rows] == [10, 10, 10, 11, 12, 24, 24, 24]


def test_a_wave_is_a_thousand_records_and_a_quarter_at_most() -> None:
    assert [share_for(rows) for rows in (0, 1, 3_999)] == [None] * 3
    assert [share_for(rows) for rows in (4_000, 8_000, 20_000, 40_000)] == [0.25, 0.125, 0.05, 0.05]
    assert ENOUGH == 20_000


AGE = Attribute.numeric("age", low=0, high=99)
CUT = replace(AGE, bins=7)
EDGED = replace(AGE, edges=(20, 50))
SKY = Attribute.categorical("sky", ["sun", "rain"])
KIDS = Attribute.numeric("kids", low=0, high=4, integer=True)


@pytest.mark.parametrize(
    ("attribute", "treatment", "cells"),
    [
        (AGE, Substitution(), 16),
        (AGE, Substitution(scale="log1p"), 16),
        (AGE, Substitution(kind="band"), 16),
        (AGE, Substitution(kind="gamma-diagonal"), None),
        (AGE, Substitution(bins=5), 5),
        (AGE, Substitution(edges=[4]), None),
        (AGE, Substitution(matrix=[[0.7, 0.3], [0.3, 0.7]]), None),
        (AGE, Exact(), None),
        (CUT, Substitution(), None),
        (EDGED, Substitution(), None),
        (EDGED, Substitution(scale="log1p"), 16),
        (KIDS, Substitution(), 5),
        (SKY, Substitution(), None),
    ],
)
def test_only_cells_that_nobody_numbered_are_numbered(
    attribute: Attribute, treatment: Treatment, cells: int | None
) -> None:
    schema = Schema([attribute])
    made = with_cells({attribute.name: treatment}, schema, 4_000)[attribute.name]
    assert getattr(made, "bins", None) == cells
    if cells is None or getattr(treatment, "bins", None) == cells:
        assert made == treatment


@pytest.mark.parametrize(
    ("cells", "rows", "fits"), [(64, 3, True), (65, 3, False), (100, 100, True), (100, 99, False)]
)
def test_there_are_no_more_cells_than_records(cells: int, rows: int, fits: bool) -> None:
    schema = Schema([AGE, SKY])
    plan = {"age": Substitution(bins=cells), "sky": Substitution()}
    if fits:
        check_cells(plan, schema, rows)
        return
    with pytest.raises(DataError, match=f"{cells} cells, more than the {rows} records"):
        check_cells(plan, schema, rows)
    check_cells({"age": Exact(), "sky": Exact()}, schema, rows)
