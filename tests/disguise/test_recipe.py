"""Recipes: lots of records, streams of words, single records, and work in pieces."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.disguise import recipe as recipes
from privet.disguise.recipe import Lot, stream_of
from privet.disguise.units import Kept
from privet.errors import DataError
from privet.randomness import Randomness
from privet.release.people import People

WORDS = 2**32


def test_lots_by_hand() -> None:
    lots = Lot.shares([1, 1, 2])
    assert [(lot.begin, lot.end) for lot in lots] == [
        (0, WORDS // 4),
        (WORDS // 4, WORDS // 2),
        (WORDS // 2, WORDS),
    ]
    assert [lot.share for lot in lots] == [0.25, 0.25, 0.5]
    assert Lot.shares([0.3]) == [Lot()]
    assert Lot().share == 1
    assert Lot.shares([0.2, 0.8])[0].end == round(0.2 * WORDS)


class Words:
    """A source whose words are known."""

    def __init__(self, *words: int) -> None:
        self.held = np.array(words, np.uint32)

    def shuffle_words(self, _stream: int, start: int, count: int) -> Any:
        return self.held[start : start + count]


def test_a_lot_holds_the_words_from_its_begin_up_to_its_end() -> None:
    source: Any = Words(0, 9, 10, 11, 19, 20, WORDS - 1)

    def chosen(begin: int, end: int) -> list[bool]:
        mask = Lot(begin, end).chosen(source, 0, 7)
        assert mask is not None
        return mask.tolist()  # type: ignore[no-any-return]

    assert chosen(10, 20) == [False, False, True, True, True, False, False]
    assert chosen(0, 10) == [True, True, False, False, False, False, False]
    assert chosen(20, WORDS) == [False] * 5 + [True, True]
    assert Lot().chosen(source, 0, 7) is None
    assert Lot(10, 20).chosen(source, 4, 2).tolist() == [True, False]  # type: ignore[union-attr]


def test_streams_of_parts_never_meet() -> None:
    streams = [stream_of(part, stream) for part in range(3) for stream in range(2 + 256)]
    assert len(set(streams)) == len(streams)
    assert min(streams) == 0
    assert stream_of(0, 5) == 5
    assert stream_of(2, 5) == 2 * 1024 + 5


GAPS = pv.Schema(
    [
        pv.Attribute.numeric("age", low=0, high=60, bins=3, missing="category"),
        pv.Attribute.categorical("sky", ["sun", "rain"], missing="category"),
        pv.Attribute.categorical("ill", ["no", "yes"]),
    ],
    target="ill",
)


def test_a_single_record_is_coded_as_a_table_is() -> None:
    plan = pv.Plan({"age": pv.ValueClass(bins=3)}, default=pv.Exact())
    recipe = plan.recipe(GAPS)
    assert recipe.record({"age": 25, "sky": "rain", "ill": "yes"}) == {"age": 1, "sky": 1, "ill": 1}
    assert recipe.record({"age": None, "sky": None, "ill": "no"}) == {"age": 3, "sky": 2, "ill": 0}
    assert recipe.record({"age": 60.0, "sky": "sun", "ill": "no"}) == {"age": 2, "sky": 0, "ill": 0}
    with pytest.raises(DataError, match="has no 'sky'"):
        recipe.record({"age": 3, "ill": "no"})
    for treatment in (pv.Exact(), pv.AdditiveNoise(alpha=3)):
        schema = pv.Schema([pv.Attribute.numeric("age", low=0, high=60), GAPS["ill"]], target="ill")
        numbers = pv.Plan({"age": treatment}, default=pv.Exact()).recipe(schema)
        with pytest.raises(DataError, match="released as a number"):
            numbers.record({"age": 3, "ill": "no"})


def test_a_single_record_goes_through_all_its_channels() -> None:
    turned = pv.Substitution(matrix=[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    flipped = pv.Substitution(matrix=[[0.0, 1.0], [1.0, 0.0]])
    plan = pv.Plan({"age": pv.ValueClass(bins=3), "sky": turned, "ill": flipped})
    recipe = plan.recipe(GAPS)
    assert len(recipe.channels) == 2
    assert recipe.record({"age": 5, "sky": "sun", "ill": "no"}) == {"age": 0, "sky": 2, "ill": 1}
    assert recipe.record({"age": 5, "sky": None, "ill": "yes"}) == {"age": 0, "sky": 1, "ill": 0}


def people(rows: int) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    return {
        "age": np.where(rng.random(rows) < 0.2, np.nan, rng.uniform(0, 60, rows)),
        "sky": np.array(["sun", "rain", None], object)[rng.integers(0, 3, rows)],
        "ill": np.array(["no", "yes"])[rng.integers(0, 2, rows)],
    }


@pytest.mark.parametrize("kind", ["whole", "lot", "kept", "both", "all kept"])
def test_pieces_make_what_a_whole_table_makes(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = pv.Plan(
        {"age": pv.Substitution(6), "sky": pv.Substitution(5), "ill": pv.Substitution(4)}
    )
    recipe = plan.recipe(GAPS)
    rows = 50
    mask = np.random.default_rng(5).random(rows) < 0.6
    if kind in ("lot", "both"):
        recipe = replace(recipe, lot=Lot.shares([0.5, 0.5])[1])
    if kind in ("kept", "both", "all kept"):
        kept = Kept(People(2), None if kind == "all kept" else mask)
        recipe = replace(recipe, kept=kept)
    raw = dict(pv.frames.columns(people(rows), GAPS.names))
    with Randomness.seeded(3) as source:
        whole = recipe.apply(raw, rows, source)
        lot = Lot.shares([0.5, 0.5])[1].chosen(source, 0, rows)
        assert lot is not None
        expected = {
            "whole": rows,
            "all kept": rows,
            "lot": lot.sum(),
            "kept": mask.sum(),
            "both": (lot & mask).sum(),
        }
        assert whole.rows == expected[kind]
        plain = replace(recipe, lot=Lot(), kept=None).apply(raw, rows, source)
        keep = np.ones(rows, bool)
        keep &= lot if kind in ("lot", "both") else True
        keep &= mask if kind in ("kept", "both") else True
        monkeypatch.setattr(recipes, "ROWS", 7)
        pieces = recipe.apply(raw, rows, source)
    for name, column in whole.columns.items():
        assert np.array_equal(column, pieces.columns[name])
        assert np.array_equal(column, plain.columns[name][keep])
    assert [recipe.types[name] for name in whole.columns] == [
        c.dtype for c in whole.columns.values()
    ]


def test_a_group_draws_from_the_stream_of_its_first_attribute() -> None:
    bits = [pv.Attribute.categorical(name, [0, 1]) for name in "abcd"]
    schema = pv.Schema([*bits, GAPS["ill"]], target="ill")
    group = pv.JointGroup(["c", "a"], 3)
    recipe = pv.Plan({}, default=pv.Exact(), groups=[group]).recipe(schema)
    raw = {name: np.arange(40) % 2 for name in "abcd"} | {"ill": np.array(["no", "yes"] * 20)}
    columns = dict(pv.frames.columns(raw, schema.names))
    with Randomness.seeded(9) as source:
        made = recipe.work(columns, source, 0, 0)
        (channel,) = recipe.channels
        codes = {name: np.arange(40).astype(np.uint8) % 2 for name in "ca"}
        drawn = channel.part(channel.disguise(channel.join(codes), source, 2, 0))
    assert all(np.array_equal(made[name], drawn[name]) for name in "ca")
    assert np.array_equal(made["b"], np.arange(40) % 2)


def test_a_release_says_of_whom_and_how_it_was_made() -> None:
    recipe = pv.Plan({"age": pv.ValueClass(bins=3)}, default=pv.Exact()).recipe(GAPS)
    raw = dict(pv.frames.columns(people(20), GAPS.names))
    with Randomness.seeded(3) as source:
        part = recipe.part(recipe.apply(raw, 20, source))
    plain = recipe.release([part], seeded=False, shuffled=True)
    assert (plain.drawn, plain.people, plain.seeded, plain.shuffled) == (False, None, False, True)
    kept = replace(recipe, kept=Kept(People(4)))
    assert kept.release([part], seeded=False, shuffled=True, drawn=True).people == People(4)


def test_cells_of_its_own_stand_in_a_part() -> None:
    fine, coarse = (
        pv.Plan({"age": pv.ValueClass(bins=bins)}, default=pv.Exact()).recipe(GAPS)
        for bins in (6, 3)
    )
    raw = dict(pv.frames.columns(people(20), GAPS.names))
    with Randomness.seeded(3) as source:
        table = fine.apply(raw, 20, source)
    assert dict(fine.part(table).codings) == {}
    assert dict(fine.part(table, beside=fine).codings) == {}
    assert {name: coding.known for name, coding in fine.part(table, coarse).codings.items()} == {
        "age": 6
    }
