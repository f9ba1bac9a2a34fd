"""Splits: the compiled search and the one for estimates choose alike; significance; ties."""

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.coding import Coding
from privet.estimate.base import Frontier
from privet.estimate.fitted_table import Fitted
from privet.split.candidates import candidates_of
from privet.split.counted import CountTables, best_counted, offsets_of
from privet.split.policy import Policy
from privet.split.tables import Counted, Linear, sureness
from tests.strategies import coding, ranked, seeds

policies = st.builds(
    Policy,
    criterion=st.sampled_from(["gini", "entropy"]),
    multiway=st.booleans(),
    min_samples_leaf=st.sampled_from([0, 1, 2, 5]),
    min_weight_leaf=st.sampled_from([0.0, 3.0]),
    ratio=st.booleans(),
    min_gain_ratio=st.sampled_from([0.0, 0.01]),
    cut_margin=st.sampled_from([0.0, 0.1, 0.5]),
)


class Noisy(Linear):
    """A table whose cells are uncertain, each by itself."""

    mean: NDArray[np.float64]

    def __init__(self, mean: NDArray[np.float64], variance: float, gain_z: float = 2.0) -> None:
        self.mean = mean
        self._variance = variance
        self.gain_z = gain_z

    def variances(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        held: NDArray[np.float64] = (coefficients**2).sum((1, 2)) * self._variance
        return held


@given(
    seeds,
    st.lists(st.integers(1, 7), min_size=1, max_size=4),
    st.sampled_from([2, 2, 3, 5]),
    policies,
    st.sampled_from([1.0, 0.25, 2.0**-10]),
)
def test_both_searches_choose_the_same_split(
    seed: int, sizes: list[int], classes: int, policy: Policy, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    codings = [
        coding(f"x{place}", size, ordered=bool(rng.integers(2))) for place, size in enumerate(sizes)
    ]
    # Tables of the same records: each attribute's cells have the same class totals.
    nodes, rows = 3, int(rng.integers(1, 30))
    counts = np.zeros((nodes, sum(sizes), classes), np.int64)
    offsets = offsets_of(codings)
    sizes_of, weighted = np.zeros(counts.shape[:2], np.int64), bool(rng.integers(2))
    for node in range(nodes):
        labels = rng.integers(0, classes, rows)
        weight = rng.integers(1, 6, rows) if weighted else 1
        for place, size in enumerate(sizes):
            used = rng.permutation(size)[: rng.integers(1, size + 1)]
            cells = offsets[place] + rng.choice(used, rows)
            np.add.at(counts[node], (cells, labels), weight)
            np.add.at(sizes_of[node], cells, 1)
    tables = CountTables(counts, offsets, scale, rows=sizes_of if weighted else None)
    for node, found in enumerate(best_counted(tables, codings, policy)):
        others = ranked(tables.at(node), codings, policy)
        assert (found is None) == (not others)
        if found is None:
            continue
        other = others[0]
        assert found.attribute == other.attribute
        np.testing.assert_array_equal(found.branch, other.branch)
        np.testing.assert_allclose(found.counts, other.counts, atol=1e-9)
        np.testing.assert_array_equal(found.errors, other.errors)
        np.testing.assert_array_equal(found.rows, other.rows)
        assert not weighted or found.rows.sum() == rows
        assert found.gain == pytest.approx(other.gain, abs=1e-9)
        assert found.score == pytest.approx(other.score, abs=1e-9)
        assert found.gap == other.gap
        assert found.z == other.z == np.inf
        scores = [one.score for one in others]
        assert scores == sorted(scores, reverse=True) or np.ptp(scores) < 1e-9


def table(*cells: list[float]) -> NDArray[np.float64]:
    return np.array(cells, np.float64)


def test_ties_go_to_the_first_attribute_and_the_lowest_cut() -> None:
    codings = [coding(name, 3, ordered=True) for name in ("a", "b")]
    same = table([2, 0], [1, 1], [0, 2])
    found = ranked([Counted(same), Counted(same)], codings, Policy())
    assert [one.attribute for one in found] == [0, 1]
    assert found[0].branch.tolist() == [0, 1, 1]
    counts = np.concatenate([same, same])[None].astype(np.int64)
    (best,) = best_counted(CountTables(counts, offsets_of(codings)), codings, Policy())
    assert best is not None
    assert best.attribute == 0
    assert best.branch.tolist() == [0, 1, 1]


def test_gains_of_the_weather() -> None:
    """Fong's thesis: Outlook .2467, Humidity .1518, Wind .0481."""
    codings = [
        Coding.categories("Outlook", ["Sunny", "Overcast", "Rain"]),
        Coding.categories("Humidity", ["High", "Normal"]),
        Coding.categories("Wind", ["Strong", "Weak"]),
    ]
    tables = [
        Counted(table([2, 3], [4, 0], [3, 2])),
        Counted(table([3, 4], [6, 1])),
        Counted(table([3, 3], [6, 2])),
    ]
    found = ranked(tables, codings, Policy.named("id3"))
    assert [codings[one.attribute].name for one in found] == ["Outlook", "Humidity", "Wind"]
    assert [one.gain for one in found] == pytest.approx([0.2467, 0.1518, 0.0481], abs=5e-5)


def test_a_gain_within_its_own_error_is_no_split() -> None:
    codings = [coding("a", 2, ordered=True)]
    mean = table([60, 40], [40, 60])
    assert ranked([Noisy(mean, 1.0)], codings, Policy())
    assert not ranked([Noisy(mean, 400.0)], codings, Policy())
    # Stricter or laxer by the table's own measure.
    z = ranked([Noisy(mean, 1.0)], codings, Policy())[0].z
    assert ranked([Noisy(mean, 1.0, z * 0.99)], codings, Policy())
    assert ranked([Noisy(mean, 1.0, z)], codings, Policy())  # just as sure as asked
    assert not ranked([Noisy(mean, 1.0, z * 1.01)], codings, Policy())


def test_a_negative_variance_is_not_certainty() -> None:
    codings = [coding("a", 2, ordered=True)]
    assert not ranked([Noisy(table([60, 40], [40, 60]), -1.0)], codings, Policy())


def test_a_surer_split_goes_before_a_larger_one() -> None:
    codings = [coding(name, 2, ordered=True) for name in ("a", "b")]
    large, sure = table([70, 30], [30, 70]), table([65, 35], [35, 65])
    by_gain = ranked([Counted(sure), Counted(large)], codings, Policy())
    assert [one.attribute for one in by_gain] == [1, 0]
    by_error = ranked([Counted(sure), Noisy(large, 50.0)], codings, Policy())
    assert [one.attribute for one in by_error] == [0, 1]


def test_a_child_must_be_larger_than_its_error() -> None:
    codings = [coding("a", 2, ordered=True)]
    mean = table([6, 0], [0, 1000])
    assert ranked([Noisy(mean, 1.0)], codings, Policy())
    assert not ranked([Noisy(mean, 8.0, 0.0)], codings, Policy())


def test_a_child_of_few_records_may_be_surer_than_a_record() -> None:
    """A record is five errors of 0.2; two errors are enough, and less than two are not."""
    codings = [coding("a", 2, ordered=True)]
    assert ranked([Noisy(table([1, 0], [0, 1000]), 0.02, 0.0)], codings, Policy())
    branch, counts = np.array([[0, 1]], np.int16), table([0, 1], [1000, 0])[None]
    for variance, large in ((0.12, True), (0.125, True), (0.13, False)):  # of each of two cells
        seen = Noisy(counts[0], variance).screened(branch, counts, np.ones(1), Policy())
        assert seen.large.tolist() == [[large, True]]


def test_how_sure_gains_are_and_what_they_score() -> None:
    """z errors above zero, a gain counts for 1 − (2 / z)² of itself; without error for all."""
    gain = np.array([0.4, 0.4, 0.4, 0.0, -0.4, 0.4, 0.4, 0.0, -0.4])
    variance = np.array([0.01, 0.04, 0.16, 0.01, 0.01, -0.01, 0.0, 0.0, 0.0])
    z, score = sureness(gain, variance, 2.0)
    assert z.tolist() == pytest.approx([4, 2, 1, 0, -4, 0, *[np.inf] * 3])
    assert score.tolist() == pytest.approx([0.3, 0.0, -1.2, -1, -1, -1, 0.4, 0, -0.4])


def test_gains_are_a_records_and_classes_below_zero_have_none() -> None:
    """An error of 2 in 200 records is one of 0.01 a record, whatever a third class is short of."""

    class Even(Noisy):
        def variances(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.full(len(coefficients), 4.0)

    counts = table([60, 40, -1], [40, 60, -2])[None]
    branch, gain = np.array([[0, 1]], np.int16), np.array([0.1])
    z, score, large = Even(counts[0], 4.0).screened(branch, counts, gain, Policy())
    assert z.tolist() == pytest.approx([10.0])
    assert score.tolist() == pytest.approx([0.096])
    assert large.all()


def test_errors_and_leads_of_children() -> None:
    codings = [coding("a", 3, ordered=True)]
    mean = table([90, 10], [80, 20], [10, 90])
    (found,) = ranked([Noisy(mean, 4.0)], codings, Policy())
    assert found.branch.tolist() == [0, 0, 1]
    np.testing.assert_allclose(found.counts, [[170, 30], [10, 90]])
    np.testing.assert_allclose(found.errors, [[8**0.5] * 2, [2.0] * 2])
    errors, _, leads = Noisy(mean, 4.0).leads(found.branch, found.counts)
    np.testing.assert_array_equal(errors, found.errors)
    np.testing.assert_allclose(leads, [140 / 4, 80 / 8**0.5])
    assert not found.unsure.any()


@pytest.mark.parametrize(("variance", "unsure"), [(7.9, False), (8.0, False), (8.1, True)])
def test_a_lead_of_one_standard_error_is_enough(variance: float, unsure: bool) -> None:
    """A lead of 4 records between two cells of variance 8 is one of its errors, √16."""
    one, branch, counts = (
        coding("a", 2, ordered=True),
        np.array([0, 1], np.int16),
        table([7, 3], [0, 90]),
    )
    held = Noisy(counts, variance)
    written = held.written(branch, counts, one, 3.0)
    assert written is not None
    assert written.unsure.tolist() == [unsure, False]
    assert written.z == 3.0
    _, _, leads = Noisy(counts / 16, variance / 256).leads(branch, counts / 16)
    assert leads.tolist() == pytest.approx([4 / (2 * variance) ** 0.5, 90 / (2 * variance) ** 0.5])


@pytest.mark.parametrize("name", ["cart", "id3", "c4.5"])
@pytest.mark.parametrize("ordered", [True, False])
def test_parts_of_records_are_divided_as_records_are(name: str, ordered: bool) -> None:
    """A gain is one per record: a thousandth of everything gains the same, if no limit is met."""
    policy = replace(Policy.named(name), min_samples_leaf=0, cut_margin=0.0, ratio=False)
    one = coding("a", 5, ordered=ordered)
    held_by = {2: 3, 3: 9}  # divisions of four categories that occur: by one class, or by each
    for classes, divisions in held_by.items():
        cells = table([5, 1, 2], [1, 4, 0], [2, 2, 7], [0, 0, 0], [1, 0, 0])[:, :classes]
        held, small = (candidates_of(0, Counted(c), one, policy) for c in (cells, cells / 1024))
        assert held is not None
        assert small is not None
        np.testing.assert_array_equal(held.branch, small.branch)
        np.testing.assert_allclose(held.gain, small.gain, rtol=1e-12)
        np.testing.assert_allclose(held.score, small.score, rtol=1e-12)
        assert held.best == small.best
        assert len(held.branch) == (3 if ordered else 1 if policy.multiway else divisions)


@pytest.mark.parametrize("scale", [1.0, 0.125])
def test_a_category_of_one_record_goes_with_its_class(scale: float) -> None:
    one = [coding("a", 3, ordered=False)]
    cells = table([0, 1], [5, 0], [1, 4])
    counts = CountTables(cells[None].astype(np.int64), offsets_of(one), scale)
    policy = Policy(min_samples_leaf=0)
    (found,) = best_counted(counts, one, policy)
    (other,) = ranked([Counted(cells * scale)], one, policy)
    assert found is not None
    assert found.branch.tolist() == other.branch.tolist() == [0, 1, 0]
    np.testing.assert_array_equal(found.counts, table([1, 5], [5, 0]) * scale)


def test_a_split_that_gains_nothing_may_be_made() -> None:
    """What comes below it may gain all; one that loses is none."""
    one = coding("a", 2, ordered=True)
    even = candidates_of(0, Counted(table([2, 2], [2, 2])), one, Policy())
    assert even is not None
    assert even.score.tolist() == [0.0]
    few = table([2, 1], [2, 1])
    assert candidates_of(0, Counted(few), one, Policy(criterion="credal")) is None


def test_categories_of_one_record_a_class_are_not_empty_ones() -> None:
    """A category that does not occur goes to the heavier branch; of equal ones to the first."""
    one = [coding("a", 4, ordered=False)]
    mean = table([1, 1], [9, 1], [0, 0], [1, 9])
    (found,) = ranked([Counted(mean)], one, Policy())
    assert found.branch.tolist() == [1, 1, 1, 0]
    even = table([9, 1], [0, 0], [1, 9], [0, 0])
    (found,) = ranked([Counted(even)], one, Policy())
    assert found.branch.tolist() == [1, 0, 0, 0]
    counts = np.stack([mean, even]).astype(np.int64)
    first, second = best_counted(CountTables(counts, offsets_of(one)), one, Policy())
    assert first is not None
    assert second is not None
    assert first.branch.tolist() == [1, 1, 1, 0]
    assert second.branch.tolist() == [1, 0, 0, 0]
    assert first.gap == second.gap == (-1, -1)
    np.testing.assert_array_equal(first.counts, [[1, 9], [10, 2]])


def test_codes_that_do_not_occur_take_the_nearer_or_the_heavier_branch() -> None:
    ordered = [Coding.cells("a", [0, 10, 20, 30, 100], [0, 10, 20, 30, 100])]
    mean = table([5, 0], [0, 0], [0, 0], [0, 0], [0, 5])
    (found,) = ranked([Counted(mean)], ordered, Policy())
    assert found.gap == (0, 4)
    assert found.branch.tolist() == [0, 0, 0, 0, 1]  # 30 lies below the middle of 0 and 100
    named = [Coding.categories("a", ["x", "y", "z"])]
    mean = table([5, 0], [0, 0], [0, 9])
    (found,) = ranked([Counted(mean)], named, Policy())
    assert found.branch[1] == found.branch[2]


def test_nothing_to_split() -> None:
    codings = [coding("a", 1, ordered=True), coding("b", 3, ordered=False)]
    mean = table([3, 4])
    empty = table([0, 0], [3, 4], [0, 0])
    loose = Policy(min_samples_leaf=0)  # a branch without records is none, whatever its limit
    for policy in (Policy(), Policy(multiway=True), loose, loose.but(multiway=True)):
        assert ranked([Counted(mean), Counted(empty)], codings, policy) == []
        counts = np.concatenate([mean, empty])[None].astype(np.int64)
        assert best_counted(CountTables(counts, offsets_of(codings)), codings, policy) == [None]


def test_categories_are_sorted_by_every_class() -> None:
    """The first class says nothing here; the second one parts the middle category from the rest."""
    codings = [coding("a", 3, ordered=False)]
    mean = table([2, 2, 0], [2, 0, 2], [2, 2, 0])
    (other,) = ranked([Counted(mean)], codings, Policy())
    (found,) = best_counted(
        CountTables(mean[None].astype(np.int64), offsets_of(codings)), codings, Policy()
    )
    assert found is not None
    assert found.branch.tolist() == other.branch.tolist() == [1, 0, 1]


@pytest.mark.parametrize("failing", [(), (0,), (0, 1), (0, 1, 2)])
def test_the_best_split_that_stands_the_test_is_taken(failing: tuple[int, ...]) -> None:
    """Of fitted tables the likelihood decides: what gains most may fail, then the next is asked."""
    tables = [
        np.array([[90.0, 10.0], [10.0, 90.0]]),
        np.array([[80.0, 20.0], [20.0, 80.0]]),
        np.array([[70.0, 30.0], [30.0, 70.0]]),
    ]
    codings = [coding(f"x{place}", 2, ordered=True) for place in range(3)]

    class Open(Frontier):
        nodes = 1

        def at(self, node: int) -> list[Fitted]:
            assert node == 0
            return [Fitted(cells) for cells in tables]

    def likelihood(held: Fitted, branch: Any) -> float:
        assert branch.tolist() == [0, 1]
        place = next(place for place, one in enumerate(tables) if one is held.mean)
        return 0.0 if place in failing else 5.0

    with patch.object(Fitted, "likelihood_z", likelihood):
        for policy in (Policy(), Policy.named("c4.5")):
            nodes = Open()
            nodes.codings = tuple(codings)
            (best,) = nodes.best(policy)
            others = ranked(nodes.at(0), codings, policy)
            assert (best is None) == (not others) == (len(failing) == 3)
            if best is not None:
                assert best.attribute == others[0].attribute == len(failing)
                assert best.score == others[0].score


def test_a_class_alone_leads_however_uncertain_its_count_is() -> None:
    _, sizes, leads = Noisy(table([3], [4]), 100.0).leads(
        np.array([0, 1], np.int16), table([3], [4])
    )
    assert sizes.tolist() == [10.0, 10.0]
    assert (leads == np.inf).all()


@pytest.mark.parametrize("rows", [24, 25, 26])
def test_no_side_of_a_cut_needs_more_than_25_records(rows: int) -> None:
    """A tenth of a class's average records would be 50 here; Quinlan (1996) stops at 25."""
    one = coding("x", 2, ordered=True)
    table = Counted(np.array([[float(rows), 0.0], [500.0 - rows, 500.0]]))
    for name in ("c4.5", "id3"):
        policy = Policy.named(name).but(criterion="entropy")
        every = candidates_of(0, table, one, policy)
        allowed = every is not None and bool(np.isfinite(every.score).any())
        assert allowed == (rows >= 25 or name == "id3")
        counts = table.mean[None].astype(np.int64)
        (best,) = best_counted(CountTables(counts, offsets_of([one])), [one], policy)
        assert (best is not None) == allowed


@pytest.mark.parametrize(
    ("z", "values", "branches", "passes"),
    [
        (1.01, 2, 2, True),  # half of the two errors that a split has to bring is enough to go on
        (0.99, 2, 2, False),
        (1.75, 3, 2, True),  # a third category costs 2 of z²: √3 is left for what has to be 1
        (1.72, 3, 2, False),
        (2.24, 4, 2, True),
        (2.23, 4, 2, False),
        (1.75, 9, 3, True),  # of a branch each, branches are counted
        (1.72, 9, 3, False),
    ],
)
def test_a_split_of_categories_pays_for_its_choices(
    z: float, values: int, branches: int, passes: bool
) -> None:
    one = coding("a", values, ordered=False)
    held = Fitted(np.ones((values, 2)))
    branch = (np.arange(values) % branches).astype(np.int16)
    with patch.object(Fitted, "likelihood_z", lambda *_: z):
        written = held.written(branch, np.ones((branches, 2)), one, np.inf)
    assert (written is not None) == passes
    if written is not None:
        free = z**2 - (min(values, branches if branches > 2 else values) - 2) * 2.0
        assert written.z == pytest.approx(free**0.5)


def test_a_split_has_to_be_as_sure_as_asked_by_itself() -> None:
    one, branch = coding("a", 2, ordered=True), np.array([0, 1], np.int16)
    three = Fitted(np.ones((3, 2)), split_z=3.0)
    with patch.object(Fitted, "likelihood_z", lambda *_: 3.0):  # less 9 / 2 for a third category
        found = three.written(
            np.array([0, 1, 1], np.int16), np.ones((2, 2)), coding("a", 3, ordered=False), 9.0
        )
    assert found is not None
    assert found.z == pytest.approx(4.5**0.5)
    for least, z, passes in ((1.5, 1.5, True), (1.5, 1.4, False), (0.5, 1.0, True)):
        held = Fitted(np.ones((2, 2)), least_z=least)
        with patch.object(Fitted, "likelihood_z", lambda *_, z=z: z):
            assert (held.written(branch, np.ones((2, 2)), one, 9.0) is not None) == passes
            free = Fitted(np.ones((2, 2)), split_z=0.0, least_z=least)
            written = free.written(branch, np.ones((2, 2)), one, 9.0)
        assert written is not None
        assert written.z == 9.0  # none has to be sure


def test_tables_of_nodes_by_hand() -> None:
    """Two attributes of two and three codes, two nodes: counts as they are, in order."""
    codings = [coding("a", 2, ordered=True), coding("b", 3, ordered=False)]
    assert offsets_of(codings).tolist() == [0, 2, 5]
    counts = np.arange(20).reshape(2, 5, 2)
    rows = np.arange(10).reshape(2, 5)
    plain = CountTables(counts, offsets_of(codings))
    weighted = CountTables(counts, offsets_of(codings), 0.5, rows=rows)
    assert plain.nodes == 2
    for tables, scale in ((plain, 1.0), (weighted, 0.5)):
        first, second = tables.at(1)
        np.testing.assert_array_equal(first.mean, counts[1, :2] * scale)
        np.testing.assert_array_equal(second.mean, counts[1, 2:] * scale)
        assert tables.of(np.array([0, 1])) is tables
        np.testing.assert_array_equal(tables.of(np.array([1])).counts, counts[1:])
    assert [one.rows for one in plain.at(0)] == [None, None]
    assert [one.rows.tolist() for one in weighted.at(1) if one.rows is not None] == [
        [5, 6],
        [7, 8, 9],
    ]
    taken = weighted.of(np.array([1])).rows
    assert taken is not None
    assert taken.tolist() == [[5, 6, 7, 8, 9]]
    assert plain.of(np.array([0])).rows is None
    assert weighted.at(1)[1].total().rows == 24
    assert plain.at(1)[1].total().rows == counts[1, 2:].sum()


def test_nodes_of_the_same_cells_have_one_name() -> None:
    """What counts is which cells occur, not how often: a record is as good as nine."""
    cells = np.array([[1, 0, 9], [2, 0, 1], [1, 1, 9], [0, 0, 9]])[:, :, None]
    names = CountTables(cells, np.array([0, 3]), whole=True).names()
    assert names[0] == names[1]
    assert len(set(names)) == 3
