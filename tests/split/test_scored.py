"""What every search shares, by hand: ratios, errors, evenness of branches, children's boxes."""

from dataclasses import replace

import numpy as np
import pytest

from privet.coding import Box, Coding
from privet.split.policy import Policy
from privet.split.scored import EPSILON, TIE, Scored, Splits, informations, placed, ratios, roots
from tests.strategies import coding

C45 = Policy.named("c4.5")
NEVER = -np.inf


def test_ratios_by_hand() -> None:
    """Those that gain are .4, .2 and .3: .3 on average; the second is below it."""
    gains, infos = np.array([0.4, 0.2, 0.3, 0.0]), np.array([0.8, 0.1, 1.5, 1.0])
    assert ratios(gains, infos, C45).tolist() == pytest.approx([0.5, NEVER, 0.2, NEVER])
    both = ratios(np.stack([gains, gains[::-1]]), np.stack([infos, infos[::-1]]), C45)
    assert both[1].tolist() == both[0][::-1].tolist() == pytest.approx([NEVER, 0.2, NEVER, 0.5])
    least = ratios(gains, infos, C45, np.array([0.0]))
    assert least.tolist() == pytest.approx([0.5, 2.0, 0.2, NEVER])
    assert ratios(np.array([0.0, TIE, -0.1]), np.ones(3), C45).tolist() == [NEVER] * 3


def test_ratios_on_the_border() -> None:
    """A thousandth of a bit below the average is near enough; branches have to tell more."""
    average = np.array([0.5])
    gains = np.array([0.5 - EPSILON, 0.4989, 0.6, 0.6])
    infos = np.array([1.0, 1.0, EPSILON, 0.0011])
    found = ratios(gains, infos, C45, average)
    assert found.tolist() == pytest.approx([0.499, NEVER, NEVER, 0.6 / 0.0011])
    assert EPSILON == 1e-3
    small = np.array([0.01 - TIE, 0.0099, 0.0101])
    found = ratios(small, np.ones(3), C45, np.array([0.0]))
    assert found.tolist() == pytest.approx([0.01, NEVER, 0.0101])


@pytest.mark.parametrize("rows", [3.0, -3.0])
def test_what_is_left_of_rounding_is_no_error(rows: float) -> None:
    """Of three records and one, variances up to 4e-9 are rounding."""
    variances = np.array([4.0, 4.1e-9, 1e-9 * 4.0, 3.9e-9, 0.0, -1.0])
    assert roots(variances, rows).tolist() == pytest.approx([2.0, 4.1e-9**0.5, 0, 0, 0, 0])


def test_how_even_branches_are() -> None:
    sizes = [[[4.0, 4.0], [8.0, 0.0]], [[1.0, 1.0], [3.0, 3.0]], [[-2.0, 0.0], [1.0, 4.0]]]
    quarter = -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))
    assert informations(np.array(sizes)).tolist() == pytest.approx([1.0, quarter, 0.0])
    assert informations(np.array(sizes[1])) == pytest.approx(quarter)
    assert informations(np.zeros((2, 2))) == 0.0


def test_children_lie_end_to_end() -> None:
    """Nodes with two, no and three branches; the second and the last two children are kept."""
    codings = [Coding.categories("a", ["p", "q"]), Coding.categories("b", ["u", "v", "w"])]
    branch = np.array([[1, 0, 0], [0, 0, 0], [0, 1, 2]], np.int16)
    splits = Splits(np.array([0, -1, 1]), branch, np.array([2, 0, 3]))
    assert splits.first.tolist() == [0, 2, 2]
    above = Box().narrowed("b", np.array([True, True, False]))
    keep = np.array([False, True, False, True, True])
    found = splits.boxes([above, Box(), Box()], codings, keep)
    assert [box.key for box in found] == [
        above.narrowed("a", np.array([True, False])).key,
        Box().narrowed("b", np.array([False, True, False])).key,
        Box().narrowed("b", np.array([False, False, True])).key,
    ]


def test_codes_between_the_sides_go_to_the_nearer() -> None:
    """Cells at 0, 10, … 50: only 10, 20 and 50 occur, and the cut is between 20 and 50."""
    one = coding("a", 6, ordered=True)
    side = np.array([0, 0, 0, 1, 1, 1], np.int16)
    empty = np.array([True, False, False, True, True, False])
    branch, gap = placed(side, empty, np.array([0.0, 2, 3, 0, 0, 4]), one)
    assert gap == (2, 5)
    assert branch.tolist() == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(("rows", "branch"), [([1, 2, 0], 1), ([2, 1, 0], 0), ([2, 2, 0], 0)])
def test_categories_that_do_not_occur_go_to_the_heavier(rows: list[int], branch: int) -> None:
    one = coding("a", 3, ordered=False)
    side, empty = np.array([0, 1, 0], np.int16), np.array([False, False, True])
    found, gap = placed(side, empty, np.array(rows, np.float64), one)
    assert found.tolist() == [0, 1, branch]
    assert gap == (-1, -1)


def test_branches_have_records_or_weights() -> None:
    branch, counts, none = (
        np.array([0, 1], np.int16),
        np.array([[1.5, 2], [3, 4]]),
        np.zeros((2, 2)),
    )
    split = Scored(0, branch, 0.1, np.inf, 0.1, counts, none, none[:, 0], np.zeros(2, np.bool_))
    assert split.rows.tolist() == [3.5, 7.0]
    assert split.gap == (-1, -1)  # no numbers are cut
    weighed = replace(split, records=np.array([2.0, 3.0]))
    assert weighed.rows.tolist() == [2.0, 3.0]
