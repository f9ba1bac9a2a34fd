"""Thresholds inside cells: found where the class changes there, left alone elsewhere."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.estimate.fitted import FittedEvidence
from privet.estimate.methods import evidence_of
from privet.grow import grow
from privet.split import POLICIES
from privet.tree import Tree

CUTS = {"x": 0.43, "z": 0.27}


def schema(bins: int = 10) -> pv.Schema:
    numbers = [pv.Attribute.numeric(name, low=0, high=1, bins=bins) for name in ("x", "z")]
    return pv.Schema([*numbers, pv.Attribute.categorical("y", ["no", "yes"])], target="y")


def records(kind: str, rows: int = 40_000, seed: int = 5) -> pa.Table:
    rng = np.random.default_rng(seed)
    x, z = rng.random(rows), rng.beta(2, 3, rows)
    low = {"one": x <= CUTS["x"], "both": (x <= CUTS["x"]) ^ (z <= CUTS["z"])}[kind]
    return pa.table({"x": x, "z": z, "y": np.where(low, "no", "yes")})


def grown(table: pa.Table, gamma: float, *, exact: bool = False, bins: int = 10) -> Tree:
    held = schema(bins)
    release = (
        pv.Plan({}, default=pv.ValueClass(bins=bins)).disguise(table, held, seed=3)
        if exact
        else pv.RandomSubstitution(gamma=gamma, kind="band", wave=0).disguise(table, held, seed=3)
    )
    return grow(evidence_of(release, "joint").evidence, POLICIES["cart"].but(max_depth=3))


def moved(tree: Tree) -> dict[str, set[float]]:
    """Thresholds that are on no border of a tenth."""
    found: dict[str, set[float]] = {}
    for node in np.flatnonzero(np.isfinite(tree.threshold)):
        if abs(10 * tree.threshold[node] - round(10 * tree.threshold[node])) > 1e-9:
            name = tree.codings[tree.attribute[node]].name
            found.setdefault(name, set()).add(float(tree.threshold[node]))
    return found


@pytest.mark.parametrize(("gamma", "off"), [(1e6, 0.005), (20, 0.02)])
def test_a_border_inside_a_cell_is_found(gamma: float, off: float) -> None:
    found = moved(grown(records("one"), gamma))
    assert list(found) == ["x"]
    assert all(abs(cut - CUTS["x"]) < off for cut in found["x"])


def test_borders_are_found_where_the_other_side_says_the_opposite() -> None:
    """At the root the classes are almost as frequent on one side as on the other."""
    found = moved(grown(records("both"), 1e6))
    assert set(found) == {"x", "z"}
    for name, cuts in found.items():
        assert all(abs(cut - CUTS[name]) < 0.02 for cut in cuts)


def test_two_borders_near_each_other_are_both_found() -> None:
    """Less than two cells lie between them: no cell is of the class between them alone."""
    rng = np.random.default_rng(9)
    x = rng.random(40_000)
    inside = (x > CUTS["x"]) & (x <= CUTS["x"] + 0.08)
    table = pa.table({"x": x, "z": rng.random(len(x)), "y": np.where(inside, "yes", "no")})
    tree = grown(table, 1e6, bins=20)
    for border in (CUTS["x"], CUTS["x"] + 0.08):
        assert np.nanmin(np.abs(tree.threshold - border)) < 0.004


def test_noise_moves_no_border_far() -> None:
    """Where hardly anything shows, a threshold stays within half a cell of its border."""
    tree = grown(records("both", rows=4_000), 3)
    cuts = tree.threshold[np.isfinite(tree.threshold)]
    assert (np.abs(10 * cuts - np.round(10 * cuts)) <= 0.5).all()  # of any border
    assert all(0 < cut < 1 for cut in cuts)


def test_cells_that_were_released_as_they_are_keep_their_borders() -> None:
    assert moved(grown(records("one"), 8, exact=True)) == {}


def test_the_codes_of_a_moved_threshold_follow_their_centres_and_are_read_back() -> None:
    tree = grown(records("both"), 1e6)
    again = Tree.from_dict(tree.to_dict())
    assert again.same_as(tree)
    for node in np.flatnonzero(np.isfinite(tree.threshold)):
        coding, route = tree.codings[tree.attribute[node]], tree.routes[node]
        assert route is not None
        left = coding.decode(np.arange(coding.size)) <= tree.threshold[node]
        assert np.array_equal(route == 0, left)


def test_a_single_whole_number_is_never_cut() -> None:
    rng = np.random.default_rng(2)
    count = rng.integers(0, 6, 20_000)
    table = pa.table({"n": count, "y": np.where(count <= 2, "no", "yes")})
    held = pv.Schema(
        [
            pv.Attribute.numeric("n", low=0, high=5, integer=True),
            pv.Attribute.categorical("y", ["no", "yes"]),
        ],
        target="y",
    )
    release = pv.RandomSubstitution(gamma=20, kind="band", wave=0).disguise(table, held, seed=1)
    evidence = evidence_of(release, "joint").evidence
    assert isinstance(evidence, FittedEvidence)
    tree = grow(evidence, POLICIES["cart"])
    assert tree.threshold[0] == 2.5


def test_densities_change_at_a_border_where_classes_are_balanced() -> None:
    """Left of the border records are four times as rare as right of it."""
    rng = np.random.default_rng(7)
    x = np.concatenate([rng.uniform(0, CUTS["x"], 4000), rng.uniform(CUTS["x"], 1, 20_000)])
    low = x <= CUTS["x"]
    table = pa.table({"x": x, "z": rng.random(len(x)), "y": np.where(low, "no", "yes")})
    found = moved(grown(table, 1e6, bins=5))
    assert all(abs(cut - CUTS["x"]) < 0.01 for cut in found["x"])


def test_a_disguised_test_takes_cells_whole_and_says_how_many_are_cut() -> None:
    owner, fresh = pv.RandomSubstitution(gamma=50, kind="band", wave=0), records("one", seed=6)
    grown_on = owner.disguise(records("one"), schema(), seed=3)
    test = owner.disguise(fresh, schema(), seed=8)
    model = pv.TreeClassifier(max_depth=1).fit(grown_on)
    found = model.accuracy(test)
    x = fresh["x"].to_numpy()
    (threshold,) = model.tree_.threshold[np.isfinite(model.tree_.threshold)]
    cell = (x > np.floor(10 * threshold) / 10) & (x <= np.ceil(10 * threshold) / 10)
    assert 0.02 < found.cut < cell.mean() + 6 * found.error  # right or wrong for some of the cell
    truth = model.score(fresh)
    assert abs(found.value - truth) < 5 * found.error + found.cut
    assert truth - found.value > 5 * found.error  # whole cells are coarser than the tree
    assert f"{100 * found.cut:.1f} %" in found.doubt()
    at_borders = pv.TreeClassifier(method="direct", max_depth=1).fit(grown_on).accuracy(test)
    assert at_borders.cut == 0.0
    assert not at_borders.doubt()
