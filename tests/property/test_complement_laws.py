"""Laws of complementation, for any schema and records: same tree, same records, bounded loss."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.disguise import Complement, Exact, Plan, ValueClass
from privet.disguise.complement import originals
from privet.disguise.loss import dummy_bound, fewest_copies, loss_of
from privet.disguise.unrealize import PICKS, Unrealizer
from privet.estimators import TreeClassifier
from privet.randomness import Randomness
from privet.release.universe import Dummy, Universe
from privet.schema import Attribute, Schema
from privet.split.policy import POLICIES
from tests.disguise.thesis import unrealize
from tests.property.strategies import attributes, records

picks = st.sampled_from(PICKS)


@st.composite
def small_schemas(draw: st.DrawFn) -> Schema:
    """Schemas whose universe stays in the thousands."""
    inputs = [draw(attributes(f"x{i}")) for i in range(draw(st.integers(1, 3)))]
    return Schema([*inputs, Attribute.categorical("y", ["no", "yes", "so"])], target="y")


@st.composite
def sample_cells(draw: st.DrawFn) -> tuple[Universe, np.ndarray]:
    """A small universe and samples, some of them frequent."""
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    if np.prod(sizes) < 2:
        sizes = (*sizes, 2)
    universe = Universe(tuple(f"x{i}" for i in range(len(sizes))), sizes)
    common = draw(st.lists(st.integers(0, universe.size - 1), min_size=1, max_size=3))
    cell = st.one_of(st.integers(0, universe.size - 1), st.sampled_from(common))
    return universe, np.array(draw(st.lists(cell, min_size=1, max_size=60)), np.int64)


@settings(max_examples=40)
@given(st.data(), st.integers(1, 80), picks, st.sampled_from(sorted(POLICIES)))
def test_the_complemented_tree_is_the_plain_tree(
    data: st.DataObject, count: int, pick: str, policy: str
) -> None:
    schema = data.draw(small_schemas())
    frame = records(schema, count, count)
    dummy = data.draw(st.sampled_from([None, "x0", "more"])) if pick == "dummy" else None
    release = Complement(pick, dummy).disguise(frame, schema)  # type: ignore[arg-type]
    release.verify()
    coded = {a.name: Exact() if a.is_categorical else ValueClass() for a in schema}
    plain_release = Plan(coded).disguise(frame, schema)
    classes = set(frame["y"])
    back = originals(release)
    assert Counter(back["y"].to_pylist()) == Counter(frame["y"])
    released, wanted = (
        Counter(tuple(row.values()) for row in table.to_pylist())
        for table in (back, plain_release.to_frame())
    )
    assert released == wanted
    if len(classes) < 2:
        return
    model = TreeClassifier(policy=policy).fit(release)
    plain = TreeClassifier(policy=policy).fit(plain_release)
    assert model.tree_.same_as(plain.tree_)
    assert np.array_equal(model.tree_.counts, plain.tree_.counts)
    assert np.array_equal(model.tree_.gain, plain.tree_.gain)
    assert model.accuracy(release) == plain.accuracy(plain_release)


@given(sample_cells())
def test_the_first_record_moves_as_in_the_thesis(made: tuple[Universe, np.ndarray]) -> None:
    universe, samples = made
    unreal, perturbing, copies = unrealize(samples.tolist(), list(range(universe.size)))
    with Randomness.seeded(1) as source:
        fast = Unrealizer(universe, "first", source)
        fast.add(samples)
    assert np.array_equal(fast.unreal, np.bincount(unreal, minlength=universe.size))
    assert np.array_equal(fast.perturbing, np.bincount(perturbing, minlength=universe.size))
    assert fast.copies == copies


@given(sample_cells())
def test_the_first_record_is_always_a_most_frequent_one(made: tuple[Universe, np.ndarray]) -> None:
    universe, samples = made

    def choose(perturbing: list[int]) -> int:
        counts = Counter(perturbing)
        assert counts[perturbing[0]] == max(counts.values())
        return perturbing[0]

    unrealize(samples.tolist(), list(range(universe.size)), choose)


def at_random(samples: list[int], words: list[int], size: int) -> tuple[list[int], list[int], int]:
    """The plain twin of the compiled draw: T′, T^P and the copies."""
    taken, unreal, copies, order = [0] * size, [0] * size, 0, list(range(size))
    alive = 0

    def drop(cell: int) -> int:
        at = order.index(cell)
        order[at], order[alive - 1] = order[alive - 1], order[at]
        return alive - 1

    for number, cell in enumerate(samples):
        if not (taken[cell] < copies and copies * size - sum(taken) > 1):
            copies, alive = copies + 1, size
        taken[cell] += 1
        if taken[cell] == copies:
            alive = drop(cell)
        low, high = words[2 * number : 2 * number + 2]
        moved = order[((high << 32 | low) * alive) >> 64]
        unreal[moved] += 1
        taken[moved] += 1
        if taken[moved] == copies:
            alive = drop(moved)
    return unreal, [copies - count for count in taken], copies


@given(sample_cells(), st.integers(0, 1000))
def test_the_compiled_draw_is_its_plain_twin(made: tuple[Universe, np.ndarray], seed: int) -> None:
    universe, samples = made
    with Randomness.seeded(seed) as source:
        fast = Unrealizer(universe, "random", source)
        fast.add(samples)
        words = source.words(0, 0, 2 * len(samples)).tolist()
    unreal, perturbing, copies = at_random(samples.tolist(), words, universe.size)
    assert (fast.unreal.tolist(), fast.perturbing.tolist()) == (unreal, perturbing)
    assert fast.copies == copies


@given(sample_cells(), picks, st.lists(st.integers(1, 20), max_size=5))
def test_any_pick_completes_the_samples_to_the_universe(
    made: tuple[Universe, np.ndarray], pick: str, cuts: list[int]
) -> None:
    universe, samples = made
    if pick == "dummy":
        universe = Universe(universe.names, universe.sizes, Dummy("d", ("yes",)))
        samples = samples * 2
    collected = np.bincount(samples, minlength=universe.size)
    with Randomness.seeded(1) as source:
        unrealizer = Unrealizer(universe, pick, source)  # type: ignore[arg-type]
        for part in np.split(samples, np.cumsum(cuts)):
            unrealizer.add(part)
    assert np.array_equal(
        unrealizer.unreal + unrealizer.perturbing + collected,
        np.full(universe.size, unrealizer.copies),
    )
    assert unrealizer.unreal.sum() == len(samples)
    assert min(unrealizer.unreal.min(), unrealizer.perturbing.min()) >= 0
    fewest = fewest_copies(universe, collected)
    assert unrealizer.copies >= fewest
    if pick == "dummy":
        assert unrealizer.copies == collected.max() == fewest  # 2s ≤ 2·real·c = n·c
        assert not unrealizer.unreal[::2].any()


@given(sample_cells(), st.integers(0, 4), st.integers(1, 9))
def test_the_loss_lies_within_its_bounds(
    made: tuple[Universe, np.ndarray], more: int, leaked: int
) -> None:
    universe, samples = made
    collected = np.bincount(samples, minlength=universe.size)
    copies = fewest_copies(universe, collected) + more
    loss = loss_of(universe, collected, copies, leaked)
    assert loss.low - 1e-9 <= loss.value <= loss.high + 1e-9
    # By its definition: every pair of a stored and a collected record that are equal, over the
    # stored.
    stored = np.repeat(np.arange(universe.size), copies - collected)
    pairs = (stored[:, None] == samples[None, :]).sum()
    assert np.isclose(loss.value, leaked * pairs / len(stored) if len(stored) else 0.0)
    dummied = Universe(universe.names, universe.sizes, Dummy("d", ("yes",)))
    spread = np.zeros(dummied.size, np.int64)
    spread[::2] = collected
    bounded = loss_of(dummied, spread, int(collected.max()), leaked)
    assert bounded.value <= dummy_bound(len(samples), universe.size, 2, leaked) + 1e-9
