"""What leaked records disclose: small universes counted by hand, and when a warning is due."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privet.disguise.loss import (
    Loss,
    dummy_bound,
    dummy_ratio,
    fewest_copies,
    loss_of,
    storage_bound,
)
from privet.errors import InputError
from privet.release.universe import Dummy, Universe

FOUR = Universe(("a", "b"), (2, 2))


def test_a_store_of_four_kinds_by_hand() -> None:
    """Three and one of two kinds, three copies: 8 are stored, none of the first kind."""
    loss = loss_of(FOUR, np.array([3, 1, 0, 0]), 3, leaked=2)
    assert (loss.leaked, loss.samples, loss.copies, loss.universe, loss.stored) == (2, 4, 3, 4, 8)
    assert loss.value == loss.lost == loss.among_real == 2 * 2 / 8
    assert loss.high == 2
    assert loss.low == 0  # 1 − 16·3/(4·8) is below it
    assert loss.without == 2 * 10 / 4
    assert (loss.kinds, loss.exposed) == (2, 0)  # a quarter of either table is the second kind
    more = loss_of(FOUR, np.array([3, 1, 0, 0]), 5, leaked=1)
    assert more.low == pytest.approx(1 - 16 * 3 / (4 * 16))
    assert more.value == (3 * 2 + 1 * 4) / 16
    assert more.exposed == 0
    rare = loss_of(FOUR, np.array([5, 1, 0, 0]), 5)
    assert (rare.exposed, rare.kinds, rare.leaked) == (1, 2, 1)
    assert rare.value == 4 / 14


def test_nothing_collected_and_nothing_left() -> None:
    none = loss_of(FOUR, np.zeros(4, np.int64), 1)
    assert (none.value, none.low, none.high, none.without, none.lost) == (0, 0, 0, 0, 0)
    assert (none.kinds, none.exposed, none.stored) == (0, 0, 4)
    full = loss_of(FOUR, np.ones(4, np.int64), 1, leaked=3)
    assert (full.value, full.among_real, full.lost, full.stored, full.exposed) == (0, 0, 0, 0, 0)
    assert (full.low, full.high, full.without) == (3, 3, 3)
    assert fewest_copies(FOUR, np.zeros(4, np.int64)) == 0
    assert fewest_copies(FOUR, np.array([1, 0, 0, 0])) == 1
    assert fewest_copies(FOUR, np.array([1, 1, 1, 0])) == 2
    assert fewest_copies(FOUR, np.array([2, 2, 2, 3])) == 5
    assert storage_bound(FOUR, 7) == 21


def test_dummies_are_no_real_ones() -> None:
    """Two real kinds, as many dummies: of two copies 1 of 5 that are stored is real."""
    universe = Universe(("a",), (2,), Dummy("dummy", ("yes",)))
    collected = np.zeros(4, np.int64)
    collected[np.flatnonzero(universe.is_real(np.arange(4)))] = [2, 1]
    loss = loss_of(universe, collected, 2, leaked=5)
    assert loss.stored == 5
    assert loss.value == 5 * 1 / 5
    assert loss.among_real == 5 * 1 / (2 * 2 - 3)


def test_rebuilding_by_hand() -> None:
    collected = np.array([3, 1, 0, 0])  # 2 matches, 8 stored, 4 samples
    full = loss_of(FOUR, collected, 3, 4, alpha=0.25, p_d=0.5, p_r=0.125)
    assert full.lost == 4 * (0.75 * 0.5 * 2 + 0.25 * 0.125 * 8 * 4) / 8
    assert loss_of(FOUR, collected, 3, 4, alpha=0.5).lost == 4 * (0.5 * 2 + 0.5 * 4) / 8
    for free in ({"alpha": 0.0}, {"p_d": 0.0}, {"p_r": 0.0}, {"alpha": 1.0}, {"p_r": 0.5}):
        assert loss_of(FOUR, collected, 3, **free).stored == 8  # type: ignore[arg-type]
    for wrong in ({"alpha": -0.1}, {"alpha": 1.5}, {"p_d": -0.1}, {"p_r": -0.1}):
        with pytest.raises(InputError, match="alpha must be from 0 to 1"):
            loss_of(FOUR, collected, 3, **wrong)  # type: ignore[arg-type]


PLAIN = Loss(1, 9, 3, 20, 5.0, 1.0, 10.0, 8.0, 5.0, 0, 4, 51, 5.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, []),
        ({"lost": 5.1}, ["rebuilding"]),
        ({"value": 9.0, "lost": 9.0, "among_real": 9.0}, []),  # nine tenths are not above them
        ({"value": 9.1, "lost": 9.1, "among_real": 9.1}, ["spread evenly"]),
        ({"value": 0.46, "lost": 0.46, "high": 0.5, "among_real": 0.4}, ["spread evenly"]),
        ({"exposed": 1}, ["1 of 4 kinds"]),
        ({"among_real": 5.5}, ["recognisable"]),
    ],
)
def test_each_warning_has_its_cause(change: dict[str, float], words: list[str]) -> None:
    first, *more = replace(PLAIN, **change).sentences()  # type: ignore[arg-type]
    assert first.startswith("1 leaked record(s) match")
    assert len(more) == len(words)
    assert all(word in said for word, said in zip(words, more, strict=True))


def test_bounds_with_dummies_by_hand() -> None:
    """n = 5 real kinds: 2n − 1 = 9, whose root is 3."""
    assert dummy_ratio(5) == (5 - 3) / (2 * 4)
    assert dummy_bound(100, 5) == pytest.approx(dummy_ratio(5) * 100 / 5)
    # A universe three times 11: (33 − 1)·2 = 64, whose root is 8.
    assert dummy_bound(9, 11, 3) == pytest.approx(9 * (33 - 16 + 1) / (11 * 9 * 10))
    assert dummy_bound(9, 11, 3, 4) == pytest.approx(4 * dummy_bound(9, 11, 3))


def test_losses_are_drawn_up_to_all_that_is_stored() -> None:
    pytest.importorskip("matplotlib")
    from privet.disguise.loss_drawing import draw_losses

    first = replace(PLAIN, leaked=3, stored=51)
    second = replace(PLAIN, leaked=2, stored=40, value=4.0, low=0.5, high=6.0, without=1.0)
    axes: Any = draw_losses({"one": first, "two": second}).axes[0]
    assert [list(line.get_xdata()) for line in axes.lines] == [[0, 51]] * 3
    most = [list(line.get_ydata()) for line in axes.lines]
    for line, value in zip(most, (5 * 51 / 3, 4 * 51 / 2, 8 * 51 / 3), strict=True):
        assert line == pytest.approx([0, value])
    for shade, loss in zip(axes.collections, (first, second), strict=True):
        (path,) = shade.get_paths()
        corners = {(float(x), round(float(y), 6)) for x, y in path.vertices}
        part = 51 / loss.leaked
        assert {(0.0, 0.0), (51.0, loss.low * part), (51.0, loss.high * part)} <= corners
        assert shade.get_alpha() == 0.1
