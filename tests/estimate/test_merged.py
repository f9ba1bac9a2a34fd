"""Several parts as one: laws of mixtures and codes by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privet.channel import Channel, GammaDiagonal, JointGammaDiagonal
from privet.coding import Coding
from privet.errors import MethodError
from privet.estimate import merged as module
from privet.estimate.merged import aligned, in_own_cells, law_of, merged, overlap
from privet.release import Part, Release
from privet.schema import Attribute, Schema
from privet.table import MemoryTable

SCHEMA = Schema(
    [
        Attribute.numeric("x", low=0, high=8, bins=4),
        Attribute.categorical("sky", ["sun", "rain", "snow"]),
        Attribute.categorical("class", ["a", "b"]),
    ],
    target="class",
)
LAW = GammaDiagonal("x", 4, 3)
HALVES = Coding.cells("x", [0, 5], [5, 8])
OVERLAP = np.array([[1, 1, 0.5, 0], [0, 0, 0.5, 1]])


def part(
    x: Any, *channels: Channel, codings: dict[str, Coding] | None = None, rows: int = 0
) -> Part:
    """A part with these codes of x, or without any."""
    rows = rows or len(x)
    held: dict[str, Any] = {} if x is None else {"x": np.array(x, np.uint8)}
    held["sky"] = (np.arange(rows) % 3).astype(np.uint8)
    held["class"] = (np.arange(rows) % 2).astype(np.uint8)
    return Part(MemoryTable(held), channels, codings=codings or {})


def release(*parts: Part, drawn: bool = True) -> Release:
    codings: dict[str, Coding | None] = {name: SCHEMA[name].coding() for name in SCHEMA.names}
    treatments = dict.fromkeys(SCHEMA.names, "substitution")
    return Release(SCHEMA, codings, parts, treatments, drawn=drawn)


FIRST = part([0, 3, 1, 2, 3, 0], LAW)
WAVE = part([1, 0], GammaDiagonal("x", 2, 5), codings={"x": HALVES})
BLIND = part(None, rows=2)


def column(of: Release, name: str) -> list[int]:
    (one,) = of.parts
    batches = [batch.columns[name] for batch in one.table.batches()]
    return [int(code) for batch in batches for code in batch]


def test_laws_lead_from_the_releases_cells_to_a_parts_codes() -> None:
    whole = release(FIRST, WAVE, BLIND)
    assert law_of(whole, FIRST, "x") == pytest.approx(LAW.matrix() / LAW.scale)
    assert law_of(whole, FIRST, "sky").tolist() == np.eye(3).tolist()
    five = np.array([[5, 1], [1, 5]]) / 6
    assert law_of(whole, WAVE, "x") == pytest.approx(five @ OVERLAP, abs=1e-6)
    plain = part([0, 1], codings={"x": HALVES})
    assert law_of(release(FIRST, plain), plain, "x") == pytest.approx(OVERLAP)
    assert law_of(whole, BLIND, "x").tolist() == [[1.0] * 4]
    with pytest.raises(MethodError, match="'x' was released as numbers"):
        law_of(replace(whole, codings={**whole.codings, "x": None}, parts=(BLIND,)), BLIND, "x")


def test_codes_of_parts_lie_one_behind_the_other() -> None:
    """Six records in ten by the first law, two by the wave's, two that tell nothing."""
    found = merged(release(FIRST, WAVE, BLIND))
    assert not found.drawn
    channel = found.parts[0].channel("x")
    assert channel is not None
    five = np.array([[5, 1], [1, 5]]) / 6
    expected = [0.6 * LAW.matrix() / LAW.scale, 0.2 * five @ OVERLAP, np.full((1, 4), 0.2)]
    assert channel.matrix() / channel.scale == pytest.approx(np.concatenate(expected), abs=1e-6)
    assert column(found, "x") == [0, 3, 1, 2, 3, 0, 5, 4, 6, 6]
    assert column(found, "sky") == [0, 1, 2, 0, 1, 2, 0, 1, 0, 1]
    assert found.parts[0].channel("sky") is None
    assert found.rows == 10


def test_parts_of_one_kind_share_their_codes() -> None:
    again = part([2, 2], LAW)
    found = merged(release(FIRST, BLIND, again, BLIND))
    channel = found.parts[0].channel("x")
    assert channel is not None
    expected = [2 / 3 * LAW.matrix() / LAW.scale, np.full((1, 4), 1 / 3)]
    assert channel.matrix() / channel.scale == pytest.approx(np.concatenate(expected), abs=1e-6)
    assert column(found, "x") == [0, 3, 1, 2, 3, 0, 4, 4, 2, 2, 4, 4]


def test_one_part_and_parts_that_are_alike_stay_as_they_are() -> None:
    alone = release(FIRST)
    assert merged(alone) is alone
    both = merged(release(FIRST, part([1], LAW)))
    assert both.parts[0].channel("x") == LAW
    assert column(both, "x") == [0, 3, 1, 2, 3, 0, 1]
    other = merged(release(FIRST, part([1], GammaDiagonal("x", 4, 4))))
    channel = other.parts[0].channel("x")
    assert channel is not None
    assert channel.outputs == (8,)
    assert column(other, "x") == [0, 3, 1, 2, 3, 0, 5]


def test_different_groups_cannot_be_one() -> None:
    group = JointGammaDiagonal(("x", "sky"), (4, 3), 5)
    for parts in ((part([0], group), FIRST), (part([0], group), part([0], LAW))):
        with pytest.raises(MethodError, match="together with different attributes"):
            merged(release(*parts))
    same = merged(release(part([0], group), part([1], group)))
    assert same.parts[0].channels == (group,)


@pytest.mark.parametrize(("cells", "kept"), [(31, 31), (32, 32), (33, 32), (64, 32)])
def test_of_fine_cells_no_more_than_thirty_two_are_told_apart(cells: int, kept: int) -> None:
    ends = np.linspace(0, 8, cells + 1)
    fine = Coding.cells("x", ends[:-1], ends[1:])
    wave = part([0, cells - 1], codings={"x": fine})
    found = merged(release(FIRST, wave))
    channel = found.parts[0].channel("x")
    assert channel is not None
    assert channel.outputs == (4 + kept,)
    assert column(found, "x")[-2:] == [4, 4 + kept - 1]
    law = channel.matrix()[4:] / channel.scale
    assert law.sum(0) == pytest.approx(np.full(4, 0.25))
    codes = np.arange(cells) * kept // cells
    inside = (np.arange(kept)[:, None] == codes) @ overlap(fine, SCHEMA["x"].coding())
    assert law == pytest.approx(0.25 * inside, abs=1e-6)


def test_a_wave_is_left_out_of_errors_that_cover() -> None:
    whole = release(FIRST, WAVE, BLIND)
    assert in_own_cells(whole) == ((FIRST, BLIND), 10 / 8)
    assert in_own_cells(release(FIRST, BLIND)) == ((FIRST, BLIND), 1.0)
    assert in_own_cells(replace(release(FIRST, WAVE), drawn=False)) == ((FIRST, WAVE), 1.0)


def test_parts_that_tell_cells_apart_are_expressed_by_them() -> None:
    plain = release(FIRST, BLIND)
    assert aligned(plain) is plain
    finer = Coding.cells("x", [0, 1, 2, 4, 6], [1, 2, 4, 6, 8])
    wave = part([4, 0], GammaDiagonal("x", 5, 40), codings={"x": finer})
    found = aligned(release(FIRST, wave, BLIND))
    assert len(found.parts) == 3
    assert not found.parts[1].codings
    (channel,) = found.parts[1].channels
    law = law_of(release(FIRST, wave), wave, "x")
    assert channel.matrix() / channel.scale == pytest.approx(law, abs=1e-6)
    coarse = aligned(release(FIRST, WAVE, BLIND))  # two halves do not tell four cells apart
    assert [one.table.rows for one in coarse.parts] == [6, 2]


@pytest.mark.parametrize("plain", [False, True])
def test_a_part_may_blur_twice_as_much_as_the_first(plain: bool) -> None:
    """γ-diagonal laws over n cells have the condition (γ + n − 1) / (γ − 1)."""
    cells = SCHEMA["x"].coding()
    first = part([0], *([] if plain else [GammaDiagonal("x", 4, 9)]))  # 1, or 12 / 8
    for gamma, told in ((5.1, True), (4.9, False)) if plain else ((3.01, True), (2.99, False)):
        wave = part([0], GammaDiagonal("x", 4, gamma), codings={"x": cells})
        assert len(aligned(release(first, wave)).parts) == (2 if told else 1)
    assert module._BLUR == 2.0
