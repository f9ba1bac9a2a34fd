"""Laws of noise that keeps rules: leaves, counts, moments, and measures of an unchanged table."""

import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from privet.audit.eduds import domain_similarity
from privet.audit.edusc import CRITERIA, split_similarity
from privet.audit.sers import sers
from privet.disguise import EGADP, ForestFramework, Framework, RandomNoise
from privet.disguise.forest_framework import keep_rules
from privet.disguise.noised import Noised
from privet.disguise.regression import SingularWarning, side_columns
from privet.disguise.rules import Rules, matrix
from privet.errors import DataError
from privet.randomness import Randomness
from privet.schema import Schema
from privet.table import MemoryTable
from privet.tree.domains import intersect
from tests.disguise.noisy_people import mixed

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=60)
@given(mixed(), seeds, st.sampled_from([0.001, 0.1, 3.0]), st.integers(2, 10))
def test_every_record_stays_in_its_leaf_of_every_tree(
    world: tuple[Schema, MemoryTable], seed: int, noise: float, leaf: int
) -> None:
    schema, table = world
    trees = Rules(3, min(leaf, table.rows)).grown(table, schema)
    with Randomness.seeded(seed) as source:
        made = keep_rules(trees, table, schema, source, noise)
    for tree in trees:
        before, after = (tree.apply(matrix(records, schema)) for records in (table, made))
        assert np.array_equal(before, after)


@settings(max_examples=60)
@given(mixed(), seeds, st.integers(2, 10))
def test_counts_of_every_intersection_stay(
    world: tuple[Schema, MemoryTable], seed: int, leaf: int
) -> None:
    schema, table = world
    trees = Rules(3, min(leaf, table.rows)).grown(table, schema)
    member = intersect(trees, matrix(table, schema)).member
    with Randomness.seeded(seed) as source:
        made = keep_rules(trees, table, schema, source, 0.2)
    for attribute in schema:
        if attribute.is_categorical:
            before, after = (records.columns[attribute.name] for records in (table, made))
            assert Counter(zip(member.tolist(), before.tolist(), strict=True)) == Counter(
                zip(member.tolist(), after.tolist(), strict=True)
            )


@settings(max_examples=40)
@given(mixed(), seeds, st.sampled_from([0.01, 0.3, 5.0]))
def test_what_is_released_lies_in_its_domain(
    world: tuple[Schema, MemoryTable], seed: int, noise: float
) -> None:
    schema, table = world
    methods: list[Noised] = [
        ForestFramework(noise=noise, min_leaf=3),
        Framework(noise=noise, change=0.5, min_leaf=3),
        RandomNoise(noise=noise, change=0.5),
    ]
    for method in methods:
        with Randomness.seeded(seed) as source:
            made = method.perturb(table, schema, source)
        assert made.names == schema.names
        for attribute in schema:
            column = made.columns[attribute.name]
            if attribute.is_categorical:
                assert int(column.max()) < attribute.coding().size
                assert column.dtype == table.columns[attribute.name].dtype
            else:
                attribute.numbers(column)  # inside, whole if it has to be, missing only if allowed
                before = np.isnan(table.columns[attribute.name])
                assert np.array_equal(np.isnan(column), before)


@settings(max_examples=60)
@given(mixed(), seeds, st.floats(0, 0.99))
def test_egadp_keeps_means_and_covariances_exactly(
    world: tuple[Schema, MemoryTable], seed: int, proximity: float
) -> None:
    schema, table = world
    numeric = [
        attribute
        for attribute in schema.inputs
        if not attribute.is_categorical and attribute.missing == "error"
    ]
    # A column of numbers near 1e9 cannot hold more than seven digits after the point.
    names = [attribute.name for attribute in numeric if attribute.range[1] < 1e8]
    assume(names)
    method = EGADP(confidential=names, proximity=proximity)
    with Randomness.seeded(seed) as source, warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularWarning)
        try:
            made = method.perturb(table, schema, source)
        except DataError:  # constant, or too few records for so many columns
            assume(condition=False)
    sides = side_columns(table, schema, names)
    for name in names:
        low, high = schema[name].range
        before, after = table.columns[name], made.columns[name]
        unit = high - low
        assert after.mean() == pytest.approx(before.mean(), abs=1e-9 * unit)
        others = [(table.columns[other], made.columns[other]) for other in names]
        others += [(column, column) for column in sides.T]
        for expected, kept in others:
            scale = unit * max(np.abs(expected - expected.mean()).max(), 1e-300)
            apart = np.cov(before, expected)[0, 1] - np.cov(after, kept)[0, 1]
            assert abs(apart) <= 1e-9 * scale


@settings(max_examples=30)
@given(mixed(), st.integers(2, 10))
def test_an_unchanged_table_scores_one(world: tuple[Schema, MemoryTable], leaf: int) -> None:
    schema, table = world
    trees = Rules(3, min(leaf, table.rows)).grown(table, schema)
    assert domain_similarity(trees, trees, matrix(table, schema), schema) == 1.0
    for criterion in CRITERIA:
        similarity = split_similarity(trees, table, table, schema, criterion)  # type: ignore[arg-type]
        assert similarity == {"printed": 1.0, "by-records": 1.0}


@settings(max_examples=30)
@given(mixed(), seeds)
def test_measures_lie_in_their_bounds(world: tuple[Schema, MemoryTable], seed: int) -> None:
    schema, table = world
    with Randomness.seeded(seed) as source:
        made = RandomNoise(noise=0.4, change=0.5).perturb(table, schema, source)
    measured = sers(table, made, schema)
    assert 0.0 <= measured.value <= np.log2(table.rows) + 1e-12
    assert measured.error == 0.0
    rules = Rules(2, 3)
    trees = rules.grown(table, schema)
    others = rules.grow(made, schema)
    assert 0.0 <= domain_similarity(trees, others, matrix(table, schema), schema) <= 1.0
    for criterion in CRITERIA:
        by_form = split_similarity(trees, table, made, schema, criterion)  # type: ignore[arg-type]
        assert 0.0 <= by_form["by-records"] <= by_form["printed"] <= 1.0
