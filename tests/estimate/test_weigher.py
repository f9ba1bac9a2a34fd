"""Weighing a part's records in boxes: the product over groups, by linear algebra alone."""

from typing import Any

import numpy as np
import pytest

from privet.channel import Channel, Flip, GammaDiagonal, JointGammaDiagonal, Noise
from privet.channel.kernel import Kernel
from privet.coding import Box
from privet.errors import MethodError
from privet.estimate import weigher as module
from privet.estimate.weigher import Weigher
from privet.release import Part
from privet.table import Batch, MemoryTable
from tests.estimate.worlds import CLASSES, World, joint, random_boxes
from tests.strategies import Elsewhere, coding

SIZES = {"x0": 3, "x1": 2, "x2": 4, "x3": 2, "x4": 3, "x5": 2}
CODINGS = tuple(coding(name, size, ordered=name in ("x3", "x4")) for name, size in SIZES.items())
LAWS: dict[str, tuple[Channel, ...]] = {
    "plain": (),
    "states": (
        JointGammaDiagonal(("x0", "x2"), (3, 4), 15),
        Flip(("x1", "x5"), 0.8),
        GammaDiagonal("x4", 3, 5),
    ),
    "a joint matrix": (joint(np.random.default_rng(0), ("x0", "x1"), (3, 2)), Flip(("x5",), 0.7)),
    "weak": (Flip(("x1", "x5"), 0.501), GammaDiagonal("x2", 4, 1.02)),
}


def world(law: str, label: float | None, rows: int = 60) -> World:
    rng = np.random.default_rng(3)
    sizes = SIZES | {"class": 3}
    held = {name: rng.integers(0, size, rows).astype(np.uint8) for name, size in sizes.items()}
    more = () if label is None else (GammaDiagonal("class", 3, label),)
    return World(CODINGS, (*LAWS[law], *more), held)


def weigher_of(held: World, *, elsewhere: bool = False) -> Weigher:
    """The weigher of a part; elsewhere, with numbers still to be coded, in batches of seven."""
    columns: dict[str, Any] = dict(held.columns)
    if elsewhere and held.part.channel("x3") is None:
        columns["x3"] = held.coding("x3").decode(columns["x3"])
    table = MemoryTable(columns)
    part = Part(Elsewhere(table, 7) if elsewhere else table, held.channels)
    return Weigher(part, CODINGS, "class", 3)


@pytest.mark.parametrize("label", [None, 6.0], ids=["plain class", "disguised class"])
@pytest.mark.parametrize("law", LAWS)
def test_sums_are_those_of_products(
    law: str, label: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = world(law, label)
    boxes = [Box(), *random_boxes(held, np.random.default_rng(4), 4)]
    weigher = weigher_of(held)
    first, second = weigher.sums(boxes)
    codes = held.columns["class"]
    weights = []
    for box in boxes:
        whole = held.weights(box, "x3").sum(1)  # records × classes, by the inverse of the class
        inverse, _ = held.inverse(("class",))
        place = np.abs(inverse[:, codes]).argmax(0)
        weights.append(whole[np.arange(60), place] / inverse[place, codes])
    for node, weight in enumerate(weights):
        size = np.abs(weight).sum() + 1
        for code in range(3):
            mine = weight[codes == code]
            assert first[node, code] == pytest.approx(mine.sum(), abs=1e-8 * size)
            assert second[node, code] == pytest.approx((mine**2).sum(), rel=1e-8, abs=1e-6)
    rng = np.random.default_rng(5)
    coefficients = rng.normal(size=(3, len(boxes), 3))
    coefficients[1, 2:] = 0.0
    labels = weigher.labels[:, codes]  # classes × records
    said = np.einsum("kbc,cr,br->kr", coefficients, labels, np.array(weights))
    found = weigher.squares(boxes, coefficients)
    assert found == pytest.approx((said**2).sum(1), rel=1e-8)
    monkeypatch.setattr(module, "BLOCK", 5)
    again = weigher_of(held, elsewhere=True)
    for one, other in zip(again.sums(boxes), (first, second), strict=True):
        np.testing.assert_array_equal(one, other)
    assert again.squares(boxes, coefficients) == pytest.approx(found, rel=1e-12)
    batch = Batch(0, held.columns)
    columns = weigher.columns(batch, slice(2, 9))
    np.testing.assert_allclose(
        weigher.weights(boxes, columns, 7), np.array(weights)[:, 2:9], atol=1e-7 * size
    )
    assert weigher.target(batch, slice(2, 9)).tolist() == codes[2:9].tolist()
    assert (weigher.rows, weigher.sign) == (60, 1)


def test_attributes_whose_channels_can_be_inverted_are_readable() -> None:
    columns = {name: np.zeros(4, np.uint8) for name in (*SIZES, "class") if name != "x5"}
    channels = (
        Noise.uniform("x0", low=0, high=9, alpha=2),
        JointGammaDiagonal(("x1", "other"), (2, 2), 5),
        Kernel("x2", np.full((4, 4), 0.25)),
        Flip(("x3",), 0.9),
    )
    weigher = Weigher(Part(MemoryTable(columns), channels, -1), CODINGS, "class", 3)
    assert weigher.readable == {"x3", "x4"}
    assert weigher.group("x1") == ("x1", "other")
    assert weigher.group("x4") == ("x4",)
    assert weigher.is_plain("x4")
    assert not weigher.is_plain("x3")
    assert weigher.sign == -1
    assert weigher.labels.tolist() == np.eye(3).tolist()
    held = {name: np.zeros(4, np.uint8) for name in SIZES} | {"class": np.zeros(4, np.uint8)}
    assert set(weigher.columns(Batch(0, held), slice(0, 2))) == {"x3", "x4"}


def test_a_class_in_a_group_cannot_be_weighed() -> None:
    held = world("plain", None)
    together = joint(np.random.default_rng(1), ("x0", "class"), (3, 3))
    with pytest.raises(MethodError, match="together with an attribute"):
        Weigher(Part(MemoryTable(held.columns), (together,)), CODINGS, "class", 3)
    assert len(CLASSES) == 3
