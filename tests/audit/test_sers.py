"""SERS: by hand, beside a plain twin, sampled with an error that is right."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.audit.kernels import BLOCK, similarity_entropies
from privet.audit.sers import sers
from privet.disguise import RandomNoise
from privet.errors import DataError, InputError
from privet.schema import Attribute, Schema
from tests.disguise.noisy_people import SCHEMA, people

Floats = NDArray[np.float64]
SMALL = Schema(
    [Attribute.numeric("x", low=0, high=10), Attribute.categorical("c", ["n", "y"])], target="c"
)


def twin(originals: Floats, released: Floats) -> Floats:
    """Eq. 6-8 row by row, with no thought of speed."""
    found = []
    for record in originals:
        similar = 1 - np.minimum(np.abs(record - released), 1.0).mean(axis=1)
        share = similar[similar > 0] / similar.sum() if similar.sum() > 0 else np.ones(1)
        found.append(-(share * np.log2(share)).sum())
    return np.array(found)


def test_two_records_by_hand() -> None:
    """x = 0, 5 of 0..10 with classes n, y: similarities 1 and ¼, so shares ⅘ and ⅕ both ways."""
    records = {"x": [0.0, 5.0], "c": ["n", "y"]}
    entropy = -(0.8 * math.log2(0.8) + 0.2 * math.log2(0.2))
    found = sers(records, records, SMALL)
    assert found.value == pytest.approx(entropy, abs=1e-12)
    assert (found.error, found.records, found.rows, found.most) == (0.0, 2, 2, 1.0)


def test_numbers_outside_the_range_are_at_most_one_away() -> None:
    """The second row is 4 ranges off and of another class: at distance 1, similarity 0."""
    records = {"x": [0.0, 0.0], "c": ["n", "n"]}
    found = sers(records, {"x": [0.0, 40.0], "c": ["n", "y"]}, SMALL)
    assert found.value == 0.0


def test_all_alike_is_the_most() -> None:
    records = {"x": [3.0] * 8, "c": ["n"] * 8}
    assert sers(records, records, SMALL).value == pytest.approx(3.0, abs=1e-12)


def test_what_is_missing_is_alike_only_to_what_is_missing() -> None:
    schema = Schema(
        [Attribute.numeric("x", low=0, high=1, missing="category"), SMALL["c"]], target="c"
    )
    records = {"x": [np.nan, 0.5], "c": ["n", "n"]}
    shares = np.array([1.0, 0.5]) / 1.5
    entropy = float(-(shares * np.log2(shares)).sum())
    assert sers(records, records, schema).value == pytest.approx(entropy, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 3 * BLOCK), st.integers(1, 9))
def test_the_kernel_is_its_plain_twin(seed: int, rows: int, number: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    originals = rng.uniform(-1, 2, (rows, width)) * rng.choice([0, 1, 5], width)
    released = rng.uniform(-1, 2, (number, width)) * rng.choice([0, 1, 5], width)
    out = np.empty(rows)
    similarity_entropies(originals, np.ascontiguousarray(released.T), out)
    assert np.allclose(out, twin(originals, released), rtol=0, atol=1e-10)


def test_a_sample_lies_within_its_error() -> None:
    records = people(1500)
    shown = RandomNoise(0.3, 0.5).disguise(records, SCHEMA, seed=1)
    exact = sers(records, shown, SCHEMA)
    sampled = sers(records, shown, SCHEMA, pairs=300 * 1500, seed=2)
    assert sampled.records == 300
    assert 0 < sampled.error < 0.01
    assert sampled.value == pytest.approx(exact.value, abs=5 * sampled.error)


def test_the_order_of_rows_does_not_matter() -> None:
    records = people(700)
    release = RandomNoise(0.3, 0.5).disguise(records, SCHEMA, seed=1)
    order = np.random.default_rng(1).permutation(700)
    assert sers(records, release, SCHEMA).value == pytest.approx(
        sers(records, release.to_frame().take(order), SCHEMA).value, abs=1e-12
    )


def test_what_cannot_be_compared() -> None:
    records = {"x": [0.0, 5.0], "c": ["n", "y"]}
    with pytest.raises(InputError, match="pairs must be"):
        sers(records, records, SMALL, pairs=0)
    with pytest.raises(DataError, match="no column 'x'"):
        sers(records, {"c": ["n"]}, SMALL)
    with pytest.raises(DataError, match="'x' does not hold numbers"):
        sers(records, {"x": ["a"], "c": ["n"]}, SMALL)
    with pytest.raises(DataError, match="'x' has a missing value"):
        sers(records, {"x": np.array([np.nan]), "c": ["n"]}, SMALL)
    with pytest.raises(DataError, match="no rows"):
        sers(records, {"x": np.empty(0), "c": np.array([], str)}, SMALL)
