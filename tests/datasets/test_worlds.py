import numpy as np
import pytest

from privet import datasets
from privet.datasets.worlds import World
from privet.errors import InputError

SEEDS = range(40)


def test_a_seed_names_a_world_and_its_records() -> None:
    first, again, other = (datasets.load("world", rows=200, seed=seed) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)
    with pytest.raises(InputError, match="seed"):
        datasets.load("world", rows=10, seed=-1)
    with pytest.raises(InputError, match="rows"):
        World.drawn(1).table(0)


@pytest.mark.parametrize("seed", SEEDS)
def test_records_fit_the_declared_domains(seed: int) -> None:
    table = datasets.load("world", rows=2_000, seed=seed)
    schema = datasets.schema("world", seed=seed, bins=9)
    assert table.column_names == schema.names
    for attribute in schema:
        assert len(attribute.encode(table[attribute.name].combine_chunks())) == 2_000


def test_worlds_are_as_various_as_they_claim() -> None:
    worlds = [World.drawn(seed) for seed in range(300)]
    sizes = {len(world.attributes) for world in worlds}
    assert sizes == set(range(6, 13))
    assert all(3 * len(world.relevant) <= 2 * len(world.attributes) for world in worlds)
    dependent = np.mean([bool(world.loadings.any()) for world in worlds])
    assert 0.52 < dependent < 0.80  # two thirds, five standard errors either side
    assert {len(world.shares) for world in worlds} == {2, 3, 4, 5}
    assert all(0 <= world.noise < 0.2 for world in worlds)
    assert {type(world.truth).__name__ for world in worlds} == {"_Tree", "_Slant"}


def test_the_class_follows_the_relevant_attributes_alone() -> None:
    world = World.drawn(5)
    random = np.random.default_rng(0)
    ranks = random.random((len(world.attributes), 3_000))
    values = [one.values(column) for one, column in zip(world.attributes, ranks, strict=True)]
    labels = world.truth.labels(values)
    assert len(np.unique(labels)) > 1
    for place, one in enumerate(world.attributes):
        if place not in world.relevant:
            values[place] = one.values(random.permutation(ranks[place]))
    assert np.array_equal(world.truth.labels(values), labels)
