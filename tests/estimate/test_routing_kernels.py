"""Every compiled kernel of routing against its plain twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.coding import Box, Coding
from privet.estimate.coder import Coder
from privet.estimate.routing_kernels import (
    child_counts,
    child_sizes,
    count_ranges,
    count_routed,
    route,
)
from privet.split.counted import offsets_of
from privet.table import Batch
from tests import twins
from tests.strategies import Coded, coded_tables, coding


def coder_of(table: Coded) -> Coder:
    return Coder(table.codings, "class", len(table.classes))


def records_of(table: Coded) -> NDArray[np.uint64]:
    return coder_of(table)(Batch(0, table.columns))


def unpacked(words: NDArray[np.uint64], fields: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The codes of records, the class last."""
    columns = [words[:, int(word)] >> shift & mask for word, shift, mask in fields]
    return np.stack(columns, axis=1).astype(np.int64)


def ranges_of(table: Coded) -> NDArray[np.int64]:
    """Ranges of rows, some empty, some overlapping, two of them for one slot."""
    rows = len(table.codes)
    cuts = np.sort(table.rng.integers(0, rows + 1, (5, 2)), axis=1)
    pairs = [(0, rows), (rows, rows), *cuts.tolist()]
    return np.array([(min(slot, 5), *pair) for slot, pair in enumerate(pairs)])


def weights_of(table: Coded) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The weights as kernels take them, and as twins do."""
    if table.weight is None:
        return np.empty(0, np.int64), np.ones(len(table.codes), np.int64)
    return table.weight, table.weight


@given(coded_tables())
def test_records_hold_the_codes_and_then_the_class(table: Coded) -> None:
    held = unpacked(records_of(table), coder_of(table).fields)
    np.testing.assert_array_equal(held[:, :-1], table.codes)
    np.testing.assert_array_equal(held[:, -1], table.labels)


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=20), st.integers(1, 300))
def test_fields_do_not_overlap(sizes: list[int], classes: int) -> None:
    """Every field holds its codes, has bits of its own, and lies in one word."""
    codings = tuple(Coding.categories(f"x{i}", range(size)) for i, size in enumerate(sizes))
    fields = Coder(codings, "class", classes).fields
    taken: dict[int, int] = {}
    for (word, shift, mask), size in zip(fields.tolist(), [*sizes, classes], strict=True):
        assert mask >= size - 1
        bits = mask << shift
        assert bits < 1 << 64
        assert not taken.get(word, 0) & bits
        taken[word] = taken.get(word, 0) | bits
    assert sorted(taken) == list(range(len(taken)))


@given(coded_tables())
def test_count_ranges(table: Coded) -> None:
    records, offsets, ranges = records_of(table), offsets_of(table.codings), ranges_of(table)
    weight, whole = weights_of(table)
    shape = (6, len(table.classes), int(offsets[-1]))
    out = np.zeros(shape, np.int64 if len(weight) else np.uint32)
    count_ranges(records, weight, coder_of(table).fields, offsets, ranges, out)
    expected = twins.count_ranges(table.codes, table.labels, whole, offsets, ranges, shape)
    np.testing.assert_array_equal(out, expected)


def test_count_ranges_takes_records_in_blocks() -> None:
    """More records than a block holds are neither lost nor counted twice."""
    rng = np.random.default_rng(0)
    codings = tuple(coding(f"x{i}", 7, ordered=True) for i in range(2))
    codes, labels = rng.integers(0, 7, (70_000, 2)), rng.integers(0, 2, 70_000)
    table = Coded(codings, codes, labels, ("a", "b"), None, rng)
    out = np.zeros((1, 2, 14), np.uint32)
    offsets, ranges = np.array([0, 7, 14]), np.array([[0, 5, 69_997]])
    weight, whole = weights_of(table)
    count_ranges(records_of(table), weight, coder_of(table).fields, offsets, ranges, out)
    expected = twins.count_ranges(codes, labels, whole, offsets, ranges, out.shape)
    np.testing.assert_array_equal(out, expected)


@given(coded_tables(), st.integers(2, 4))
def test_route(table: Coded, branches: int) -> None:
    records, offsets, fields = records_of(table), offsets_of(table.codings), coder_of(table).fields
    rows, rng = len(records), table.rng
    attribute = rng.integers(0, len(table.codings), 3)
    widest = max(coding.size for coding in table.codings)
    branch = rng.integers(0, branches, (3, widest), np.int16)
    # Jobs of one node or another, of one range or more, with rows between that belong to nobody.
    cuts = np.sort(rng.integers(0, rows + 1, 10)).reshape(5, 2)
    ranges = np.array([(node, *cut) for node, cut in zip([0, 0, 1, 2, 2], cuts, strict=True)])
    sizes = ranges[:, 2] - ranges[:, 1]
    firsts = np.array([0, 2, 3, 4])
    begins = np.concatenate([[0], np.cumsum(sizes)])[firsts]
    jobs = np.stack([ranges[firsts, 0], firsts, [2, 3, 4, 5], begins], axis=1)
    slots = rng.permutation(3 * branches).reshape(3, branches) - branches
    weight, whole = weights_of(table)
    total = int(sizes.sum())
    moved = np.zeros((total, records.shape[1]), np.uint64)
    new_weight = np.zeros(total if len(weight) else 0, np.int64)
    taken = np.empty((len(jobs), branches), np.int64)
    shape = (2 * branches, len(table.classes), int(offsets[-1]))
    out = np.zeros(shape, np.int64 if len(weight) else np.uint32)
    route(
        records,
        weight,
        fields,
        offsets,
        attribute,
        branch,
        ranges,
        jobs,
        slots,
        moved,
        new_weight,
        taken,
        out,
    )
    expected = np.zeros(shape, np.int64)
    codes = np.column_stack([table.codes, table.labels, whole])
    held = np.column_stack([unpacked(moved, fields), new_weight if len(weight) else whole[:total]])
    sources = twins.route(table.codes, attribute, branch, ranges, jobs, branches)
    for job, (children, (node, _, _, at)) in enumerate(zip(sources, jobs, strict=True)):
        for side, old in enumerate(children):
            assert taken[job, side] == len(old)
            new = np.arange(at, at + len(old))
            at += len(old)  # noqa: PLW2901 - children lie end to end
            assert sorted(held[new].tolist()) == sorted(codes[old].tolist())
            if slots[node, side] >= 0:
                whole_range = np.array([[slots[node, side], 0, len(old)]])
                parts = table.codes[old], table.labels[old], whole[old]
                expected += twins.count_ranges(*parts, offsets, whole_range, shape)
    np.testing.assert_array_equal(out, expected)


@given(coded_tables())
def test_children_are_counted_or_what_remains(table: Coded) -> None:
    """Sizes from the parent's counts, and counts of a child from those of the others."""
    offsets, splits = offsets_of(table.codings), table.random_splits(1)
    branches = int(splits.branches[0])
    if not branches:
        return
    weight = weights_of(table)[1]
    whole = table.counts(Box())[None]
    tested = table.codes[:, splits.attribute[0]]
    side = splits.branch[0, tested]
    sizes = np.zeros((1, branches), np.int64)
    child_sizes(whole, offsets, splits.attribute, splits.branch, sizes)
    assert sizes[0].tolist() == [weight[side == one].sum() for one in range(branches)]
    shape = (branches, len(table.classes), int(offsets[-1]))
    kids = np.zeros(shape, np.int64)
    for one in range(branches):
        rows = side == one
        ranges = np.array([[one, 0, rows.sum()]])
        parts = table.codes[rows], table.labels[rows], weight[rows]
        kids += twins.count_ranges(*parts, offsets, ranges, shape)
    rest = int(table.rng.integers(0, branches))
    slots = np.arange(branches)[None].copy()
    slots[0, rest] = -1
    counted = kids.copy()
    counted[rest] = 99  # nobody looks there
    out = np.empty((branches, *whole.shape[1:]), np.int64)
    born = table.rng.permutation(branches)[None]
    child_counts(whole, counted, slots, born, out)
    np.testing.assert_array_equal(out[born[0]], kids.transpose(0, 2, 1))


@given(coded_tables(weighted=False))
def test_count_routed(table: Coded) -> None:
    records, offsets = records_of(table), offsets_of(table.codings)
    # A root, its children and theirs.
    widest = max(coding.size for coding in table.codings)
    splits = table.random_splits(1 + 4)
    first = splits.first
    children = int(splits.branches[0])
    total = 1 + children + int(splits.branches[1 : 1 + children].sum())
    attribute = np.full(total, -1)
    branch = np.zeros((total, widest), np.int16)
    child = np.zeros(total, np.int64)
    inner = 1 + children
    attribute[:inner], branch[:inner] = splits.attribute[:inner], splits.branch[:inner]
    child[:inner] = 1 + first[:inner]
    slots = table.rng.integers(-1, 3, total)
    out = np.zeros((3, offsets[-1], len(table.classes)), np.int64)
    fields = coder_of(table).fields
    count_routed(records, fields, attribute, branch, child, slots, offsets, out)
    reached = slots[twins.walk(table.codes, attribute, branch, child)]
    for slot in range(3):
        rows = np.flatnonzero(reached == slot)
        parts = table.codes[rows], table.labels[rows], np.ones(len(rows), np.int64)
        whole_range, shape = np.array([[0, 0, len(rows)]]), (1, *out.shape[:0:-1])
        held = twins.count_ranges(*parts, offsets, whole_range, shape)
        np.testing.assert_array_equal(out[slot], held[0].T)
