"""Points of ranges, drawn at random."""

import numpy as np

from privet.coding import Coding
from privet.release.ranges import _random_points


def test_every_whole_number_of_a_range_is_drawn_and_no_other() -> None:
    coding = Coding.cells("kids", [0, 3, 6], [2, 5, 9])
    first, last = np.zeros(3000, np.int64), np.ones(3000, np.int64)
    points = _random_points(coding, first, last, np.random.default_rng(1), whole=True)
    seen, often = np.unique(points, return_counts=True)
    assert seen.tolist() == [0, 1, 2, 3, 4, 5]
    assert often.min() > 350  # 500 each, give or take 20
