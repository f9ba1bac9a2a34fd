"""The laws of the miner's side (design.md), for any schema, table and policy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.coding import Box
from privet.disguise import Exact, Plan, Substitution
from privet.estimate.base import Evidence
from privet.estimate.methods import evidence_of
from privet.estimate.routed import routed
from privet.estimate.weighted import WeightedEvidence, WeightedFrontier
from privet.grow import grow
from privet.release import Part, Release
from privet.schema import Attribute, Missing, Schema
from privet.split import Policy
from privet.table import MemoryTable
from privet.tree import Tree
from tests.strategies import Coded, Elsewhere, coded_tables, seeds

policies = st.sampled_from(["cart", "id3"])


@st.composite
def tables(draw: st.DrawFn) -> tuple[Schema, dict[str, Any]]:
    """A schema of the usual kinds and records that have something to say about the class."""
    rng = np.random.default_rng(draw(seeds))
    rows = draw(st.integers(4, 60))
    classes = [f"c{label}" for label in range(draw(st.integers(2, 4)))]
    attributes: list[Attribute] = []
    columns: dict[str, Any] = {}
    for place in range(draw(st.integers(1, 4))):
        name = f"x{place}"
        kind = draw(st.sampled_from(["categories", "real", "integer", "missing"]))
        missing = rng.random(rows) < (0.2 if kind == "missing" else 0.0)
        if kind == "categories":
            values = [f"v{value}" for value in range(draw(st.integers(1, 6)))]
            attributes.append(Attribute.categorical(name, values))
            columns[name] = rng.choice(values, rows)
        elif kind == "integer":
            attributes.append(Attribute.numeric(name, low=-5, high=20, bins=8, integer=True))
            columns[name] = rng.integers(-5, 21, rows)
        else:
            sort: Missing = "category" if kind == "missing" else "error"
            attributes.append(Attribute.numeric(name, low=0, high=1, bins=5, missing=sort))
            columns[name] = np.where(missing, np.nan, rng.random(rows).round(2))
    attributes.append(Attribute.categorical("class", classes))
    columns["class"] = rng.choice(classes, rows)
    columns["class"][: len(classes)] = classes
    return Schema(attributes, target="class"), columns


def tree_of(release: Release, method: str, policy: str) -> Tree:
    chosen = evidence_of(release, method)
    return grow(chosen.evidence, Policy.named(policy), release.schema.target)


@settings(max_examples=50)
@given(tables(), policies)
def test_the_identity_plan_gives_the_plain_tree(
    made: tuple[Schema, dict[str, Any]], policy: str
) -> None:
    """Node for node, counts and all, by every method: the same coded table, no disguise."""
    schema, columns = made
    release = Plan({}, default=Exact()).disguise(columns, schema)
    codings = evidence_of(release).evidence.codings
    coded = {coding.name: coding.encode(_column(columns[coding.name])) for coding in codings}
    coded["class"] = schema["class"].encode(_column(columns["class"]))
    plain = grow(
        routed(MemoryTable(coded), codings, "class", schema.classes), Policy.named(policy), "class"
    )
    for method in ("naive", "direct", "auto"):
        tree = tree_of(release, method, policy)
        assert tree.same_as(plain)
        np.testing.assert_array_equal(tree.counts, plain.counts)
        assert not tree.errors.any()
        np.testing.assert_allclose(tree.gain, plain.gain, atol=1e-12)


def _column(values: Any) -> Any:
    return (
        np.asarray(values, np.float64)
        if np.asarray(values).dtype.kind in "if"
        else np.asarray(values)
    )


@settings(max_examples=30)
@given(tables(), st.sampled_from([1e6, 1e9]))
def test_without_noise_every_table_is_counted(
    made: tuple[Schema, dict[str, Any]], gamma: float
) -> None:
    """As γ grows without end, weighed tables become the counts of what was released."""
    schema, columns = made
    treatments = {
        attribute.name: Substitution(gamma) if attribute.coding().size > 1 else Exact()
        for attribute in schema
    }
    release = Plan(treatments).disguise(columns, schema)
    noisy: Evidence = evidence_of(release, "direct").evidence
    plain: Evidence = evidence_of(release, "naive").evidence
    rows = len(columns["class"])
    for one, two in zip(noisy.root().at(0), plain.root().at(0), strict=True):
        np.testing.assert_allclose(one.mean, two.mean, atol=rows * 400 / gamma)


@settings(max_examples=40)
@given(tables(), policies, st.integers(1, 30))
def test_the_kind_of_table_does_not_matter(
    made: tuple[Schema, dict[str, Any]], policy: str, size: int
) -> None:
    """In memory or elsewhere, in any batches: the same tree to the last bit, by both methods."""
    schema, columns = made
    treatments = {
        attribute.name: Substitution(6, kind="gamma-diagonal")
        if attribute.coding().size > 1 and attribute.name != "class"
        else Exact()
        for attribute in schema
    }
    release = Plan(treatments).disguise(columns, schema)
    (part,) = release.parts
    assert isinstance(part.table, MemoryTable)
    elsewhere = Part(Elsewhere(part.table, size), part.channels)
    other = Release(release.schema, release.codings, (elsewhere,))
    for method in ("naive", "direct"):
        one, two = tree_of(release, method, policy), tree_of(other, method, policy)
        assert one.to_json() == two.to_json()


@settings(max_examples=40)
@given(coded_tables(max_rows=60, max_size=5, weighted=False), seeds)
def test_a_table_without_channels_is_weighed_as_it_is_counted(table: Coded, seed: int) -> None:
    """For any box, in any attribute; nothing about it is uncertain."""
    assume(len(table.classes) < 10)
    part = Part(MemoryTable(table.columns), ())
    evidence = WeightedEvidence([part], table.codings, "class", table.classes)
    rng = np.random.default_rng(seed)
    boxes = [Box()]
    for _ in range(3):
        coding = table.codings[rng.integers(len(table.codings))]
        mask: NDArray[np.bool_] = rng.random(coding.size) < 0.5
        boxes.append(boxes[-1].narrowed(coding.name, mask))
    frontier = WeightedFrontier(evidence, boxes)
    for node, box in enumerate(boxes):
        estimates = frontier.at(node)
        means = np.concatenate([estimate.mean for estimate in estimates])
        np.testing.assert_array_equal(means, table.counts(box))
        for estimate in estimates:
            assert not estimate.variances(rng.normal(size=(3, *estimate.mean.shape))).any()


@pytest.mark.parametrize("policy", ["cart", "id3"])
def test_noise_alone_grows_no_tree(policy: str) -> None:
    """Two standard errors of a gain are about four of the difference it is made of."""
    rng = np.random.default_rng(1)
    schema = Schema(
        [
            *(Attribute.categorical(f"x{i}", ["a", "b"]) for i in range(3)),
            Attribute.categorical("class", ["no", "yes"]),
        ],
        target="class",
    )
    grown = 0
    for seed in range(30):
        columns = {f"x{i}": rng.choice(["a", "b"], 2000) for i in range(3)}
        columns["class"] = rng.choice(["no", "yes"], 2000)
        plan = Plan({f"x{i}": Substitution(3) for i in range(3)}, default=Exact())
        release = plan.disguise(columns, schema, seed=seed)
        grown += tree_of(release, "direct", policy).nodes > 1
    assert grown <= 1
