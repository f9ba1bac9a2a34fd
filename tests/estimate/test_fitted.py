"""Fitted evidence: plain counts without noise, one fit a set, tests by likelihood."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chi2, norm

import privet as pv
from privet import datasets
from privet.coding import Box
from privet.errors import MethodError
from privet.estimate.fitted import FittedEvidence
from privet.estimate.methods import evidence_of
from privet.grow import grow
from privet.grow.grower import grown
from privet.release import Release
from privet.split import POLICIES

SCHEMA = datasets.schema("as-f2", bins=8)


def released(gamma: float, kind: str = "band", rows: int = 4000, seed: int = 1) -> Release:
    table = datasets.load("as-f2", rows=rows, seed=seed)
    return pv.RandomSubstitution(gamma=gamma, kind=kind, wave=0).disguise(table, SCHEMA, seed=seed)


def fitted(release: Release) -> FittedEvidence:
    evidence = evidence_of(release, "joint").evidence
    assert isinstance(evidence, FittedEvidence)
    return evidence


@pytest.mark.parametrize("kind", ["band", "gamma-diagonal"])
def test_tables_go_to_plain_counts_as_noise_goes_to_nothing(kind: str) -> None:
    plain = pv.Plan({}, default=pv.ValueClass(bins=8)).disguise(
        datasets.load("as-f2", rows=4000, seed=1), SCHEMA, seed=1
    )
    exact, noisy = fitted(plain), fitted(released(1e9, kind))
    for one, other in zip(exact.root().at(0), noisy.root().at(0), strict=True):
        if one.mean.shape == other.mean.shape:
            np.testing.assert_allclose(one.mean, other.mean, atol=1.0)


def test_the_plain_tree_from_exact_values() -> None:
    plain = pv.Plan({}, default=pv.ValueClass(bins=8)).disguise(
        datasets.load("as-f2", rows=4000, seed=1), SCHEMA, seed=1
    )
    policy = POLICIES["cart"].but(max_depth=3)
    trees = [grow(evidence_of(plain, method).evidence, policy) for method in ("naive", "joint")]
    assert trees[0].same_as(trees[1])


def test_each_set_is_fitted_once_and_sets_are_few() -> None:
    evidence = fitted(released(8))
    grow(evidence, POLICIES["cart"].but(max_depth=4, min_samples_leaf=40))
    first = dict(evidence._joints)
    grow(evidence, POLICIES["cart"].but(max_depth=4, min_samples_leaf=40))
    assert all(evidence._joints[held] is joint for held, joint in first.items())
    assert len(first) == len(evidence._joints) < 60


def test_a_true_split_is_likely_and_a_false_one_is_not() -> None:
    """Salary decides in F2, car does not."""
    evidence = fitted(released(8, rows=20_000))
    estimates = dict(zip((c.name for c in evidence.codings), evidence.root().at(0), strict=True))
    at = np.arange(8) >= 4
    assert estimates["salary"].likelihood_z(at.astype(np.int16)) > 10
    cars = np.arange(len(estimates["car"].mean)) >= 4
    assert estimates["car"].likelihood_z(cars.astype(np.int16)) < 5


def test_counts_of_the_root_are_the_class_counts() -> None:
    evidence = fitted(released(3))
    for estimate in evidence.root().at(0):
        np.testing.assert_allclose(estimate.mean.sum(0), [2000, 2000], rtol=1e-9)
        assert (estimate.mean >= 0).all()


def test_attributes_disguised_together_are_refused() -> None:
    response = pv.RandomizedResponse(groups=[["elevel", "zipcode"]], theta=0.9)
    schema = SCHEMA.with_attributes(a for a in SCHEMA if a.name in ("elevel", "zipcode", "group"))
    release = response.disguise(datasets.load("as-f2", rows=500, seed=1), schema, seed=1)
    codings = [release.codings[name] for name in ("elevel", "zipcode")]
    with pytest.raises(MethodError, match="together"):
        FittedEvidence(release.parts[0], codings, "group", schema.classes)  # type: ignore[arg-type]


def test_a_set_seen_as_finely_as_before_is_not_fitted_again() -> None:
    table = datasets.load("as-f2", rows=4000, seed=1)
    disguise = pv.RandomSubstitution(gamma=8, kind="band", bins=24, wave=0)
    evidence = fitted(disguise.disguise(table, datasets.schema("as-f2"), seed=1))
    places, most = (0, 1), evidence._most_cells
    evidence._most_cells = 300
    coarse = evidence.joints([places])[places]
    evidence._most_cells, evidence._joints = most, evidence._alone()
    fine = evidence.joints([places])[places]
    assert fine.table.size > coarse.table.size
    assert evidence.limited(places).joints([places])[places] is fine


def test_chosen_attributes_only_are_offered_and_in_larger_tables() -> None:
    """F2 is decided by age and salary: a tree of chosen attributes tests no other."""
    evidence = fitted(released(30, rows=20_000))
    places = [evidence.codings.index(one) for one in evidence.codings if one.name == "salary"]
    limited = evidence.limited(places)
    tree = grow(limited, POLICIES["cart"].but(max_depth=2))
    assert set(tree.attribute[tree.child >= 0]) == set(places)
    root = limited.root().at(0)
    assert all(one.mean.sum() == pytest.approx(20_000) for one in root)


def test_a_large_table_is_seen_coarsely(monkeypatch: pytest.MonkeyPatch) -> None:
    table = datasets.load("as-f2", rows=4000, seed=1)
    disguise = pv.RandomSubstitution(gamma=8, kind="band", bins=24, wave=0)
    release = disguise.disguise(table, datasets.schema("as-f2"), seed=1)
    evidence = fitted(release)
    age = [coding.name for coding in evidence.codings].index("age")
    box = Box().narrowed("salary", np.arange(24) < 12)
    fine = evidence.at([box]).at(0)[age]
    monkeypatch.setattr("privet.estimate.joints.MOST_CELLS", 300)
    coarse = fitted(release).at([box]).at(0)[age]
    assert fine.joint is not None
    assert coarse.joint is not None
    assert coarse.joint.observed.size <= 300 * 2 < fine.joint.observed.size
    assert {view.step for view in fine.joint.views} == {1}
    np.testing.assert_allclose(coarse.mean.sum(0), fine.mean.sum(0), rtol=0.1)
    assert coarse.mean.shape == (24, 2)


def test_outputs_of_a_large_table_are_seen_in_pairs() -> None:
    """Codes are not; halves of the records, which only price splits, have pairs of both."""
    table = datasets.load("as-f2", rows=4000, seed=1)
    disguise = pv.RandomSubstitution(gamma=8, kind="band", bins=36, wave=0)
    release = disguise.disguise(table, datasets.schema("as-f2"), seed=1)
    every = fitted(release)
    places = tuple(range(3))
    whole = every.limited(places)._in_one_table(places)
    assert whole is not None
    joint = whole.joints([places])[places]
    assert {view.step for view in joint.views} == {2}
    assert joint.table.shape == (36, 36, 36, 2)
    assert joint.observed.shape == (22, 22, 22, 2)
    assert joint.observed.sum() == pytest.approx(joint.table.sum()) == 4000
    halves = [half.joints([places])[places] for half in whole.halves()]
    assert [half.table.shape for half in halves] == [(18, 18, 18, 2)] * 2
    np.testing.assert_array_equal(halves[0].observed + halves[1].observed, joint.observed)
    pair = every.joints([(0, 1)])[0, 1]
    assert {view.step for view in pair.views} == {1}


def test_a_first_tree_does_not_divide_nodes_that_err_for_few_records() -> None:
    evidence = fitted(released(8, rows=500))
    counts = np.array([[90.0, 2.4], [90.0, 2.6]])
    assert evidence.can_pay(counts).tolist() == [False, True]
    assert evidence.limited((0, 1)).can_pay(counts).tolist() == [True, True]


def noisy(level: float, kind: str = "gaussian", name: str = "as-f4", rows: int = 30_000) -> Release:
    table = datasets.load(name, rows=rows, seed=4)
    return pv.AdditiveNoise(kind, level=level).disguise(table, datasets.schema(name), seed=5)


def test_outputs_of_noise_are_never_seen_in_pairs() -> None:
    """Its ends tell of borders, and pairs would hide them."""
    evidence = fitted(noisy(1, "uniform", rows=500))
    places = (0, 2, 6, 8)
    evidence.joints([(place,) for place in places])
    views = evidence._views(places, 1)
    assert np.prod([view.axis.outputs for view in views]) > 1 << 15
    assert {view.step for view in views} == {1}


def test_what_is_blurred_by_much_noise_alone() -> None:
    assert all(fitted(noisy(1, kind, rows=500)).is_blurred for kind in ("uniform", "gaussian"))
    assert not fitted(noisy(0.25, rows=500)).is_blurred
    assert not fitted(released(3, rows=500)).is_blurred  # as slow, but chance shows at every code
    level, plan = pv.AdditiveNoise("gaussian", level=1), pv.Substitution(gamma=3)
    both = pv.Plan({"salary": level}, default=plan)
    table = datasets.load("as-f2", rows=500, seed=1)
    assert not fitted(both.disguise(table, SCHEMA, seed=1)).is_blurred


def test_blurred_attributes_are_looked_at_in_one_table() -> None:
    """F4 is decided by a slanting border in salary, commission and loan."""
    evidence = fitted(noisy(1))
    chosen = [evidence._places[name] for name in ("salary", "commission", "loan")]
    limited = evidence.limited(chosen)
    assert limited.whole == tuple(sorted(chosen))
    box = Box().narrowed("loan", np.arange(24) < 12)
    for held in (Box(), box, box.narrowed("salary", np.arange(24) > 12)):
        tables = limited.at([held]).at(0)
        joints = [tables[place].joint for place in chosen]
        assert joints[0] is not None
        assert all(one is joints[0] for one in joints)
        assert joints[0].table.ndim == 4
        rows = {round(tables[place].mean.sum(), 6) for place in chosen}
        assert len(rows) == 1  # one table: the same records, whichever attribute is asked for
    assert not evidence.limited(range(len(evidence.codings))).whole  # too large for one


def test_a_tree_of_blurred_attributes_has_no_needless_split() -> None:
    model = pv.TreeClassifier(method="joint").fit(noisy(1))
    tree = model.tree_
    tests = np.flatnonzero(tree.child >= 0)
    assert len(tests) > 10  # none but a few of them is sure by itself
    for node in tests.tolist():
        kids = tree.children(node)
        assert any(tree.child[kid] >= 0 for kid in kids) or len(set(tree.label[kids])) > 1
    fresh = datasets.load("as-f4", rows=4000, seed=6)
    assert model.score(fresh) > 0.92


def test_fast_cells_of_numbers_are_dear_and_categories_are_not() -> None:
    """What a channel keeps of numbers sets the price of splits, whatever it keeps of categories."""
    numbers = pv.Attribute.numeric("x", low=0, high=1, bins=20)
    pairs = [pv.Attribute.categorical(name, ["a", "b"]) for name in ("c", "d", "e", "y")]
    text = ["a", "b"] * 500
    columns = {"x": np.linspace(0, 1, 1000)} | dict.fromkeys(("c", "d", "e", "y"), text)

    def pace(gamma: float, attributes: list[pv.Attribute]) -> float:
        schema = pv.Schema(attributes, target="y")
        owner = pv.RandomSubstitution(gamma=gamma, kind="band", wave=0)
        return fitted(owner.disguise(columns, schema, seed=1)).pace

    assert pace(3, [numbers, *pairs]) == pace(20, pairs) == 1.0
    assert 1.5 < pace(20, [numbers, *pairs]) < 3.0


def test_chance_among_three_classes_is_seldom_taken_for_a_split() -> None:
    """A split that means nothing brings χ² of two degrees of freedom, not of one."""
    names = ["a", "b", "c"]
    pairs = [pv.Attribute.categorical(name, ["0", "1"]) for name in names]
    schema = pv.Schema([*pairs, pv.Attribute.categorical("y", ["p", "q", "r"])], target="y")
    owner, split = pv.RandomSubstitution(gamma=5), 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        columns = {name: rng.choice(["0", "1"], 400) for name in names}
        columns["y"] = rng.choice(["p", "q", "r"], 400)
        model = pv.TreeClassifier(method="joint").fit(owner.disguise(columns, schema, seed=seed))
        split += model.tree_.nodes > 1
    assert split <= 8


@pytest.mark.parametrize("classes", [2, 3, 28])
def test_a_split_passes_the_same_level_however_many_classes_there_are(classes: int) -> None:
    rng = np.random.default_rng(classes)
    words = [f"c{label}" for label in range(classes)]
    pair = pv.Attribute.categorical("a", ["0", "1"])
    schema = pv.Schema([pair, pv.Attribute.categorical("y", words)], target="y")
    columns = {"a": rng.choice(["0", "1"], 300), "y": rng.choice(words, 300)}
    evidence = fitted(pv.RandomSubstitution(gamma=5).disguise(columns, schema))
    assert chi2.sf(evidence.price**2, classes - 1) == pytest.approx(2 * norm.sf(2.0))


def test_what_is_sure_comes_before_what_seems_to_gain_more() -> None:
    """Many values and few records: chance gains more than the one attribute that matters."""
    rng = np.random.default_rng(5)
    rows, names, letters = 400, ["u", "v", "w"], list("abcdefghijklmn")
    flags = rng.random(rows) < 0.5
    label = np.where(rng.random(rows) < 0.85, flags, ~flags)
    columns = {name: rng.choice(letters, rows) for name in names}
    columns |= {"flag": np.where(flags, "t", "f"), "y": np.where(label, "t", "f")}
    others = [pv.Attribute.categorical(name, letters) for name in names]
    pairs = [pv.Attribute.categorical(name, ["f", "t"]) for name in ("flag", "y")]
    schema = pv.Schema([*others, *pairs], target="y")
    for seed in range(10):
        release = pv.RandomSubstitution(gamma=3).disguise(columns, schema, seed=seed)
        tree = pv.TreeClassifier(method="joint").fit(release).tree_
        assert tree.codings[tree.attribute[0]].name == "flag"


def test_many_categories_that_mean_nothing_are_seldom_divided() -> None:
    """The best of all divisions of twenty categories looks sure by chance; it has its price."""
    letters = list("abcdefghijklmnopqrst")
    attributes = [pv.Attribute.categorical("c", letters), pv.Attribute.categorical("y", ["p", "q"])]
    schema, split = pv.Schema(attributes, target="y"), 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        columns = {"c": rng.choice(letters, 2000), "y": rng.choice(["p", "q"], 2000)}
        release = pv.RandomSubstitution(gamma=20).disguise(columns, schema, seed=seed)
        split += pv.TreeClassifier(method="joint").fit(release).tree_.nodes > 1
    assert split <= 2


@pytest.mark.parametrize(("gamma", "kind"), [(3, "band"), (8, "gamma-diagonal")])
def test_pure_chance_is_a_single_leaf(gamma: int, kind: str) -> None:
    """A tree in one table of twenty at most: in nine of twenty once in a million."""
    numbers = [pv.Attribute.numeric(name, low=0, high=1, bins=12) for name in "abc"]
    schema = pv.Schema([*numbers, pv.Attribute.categorical("y", ["p", "q"])], target="y")
    owner, split = pv.RandomSubstitution(gamma=gamma, kind=kind), 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        columns = {name: rng.random(3000) for name in "abc"}
        columns["y"] = rng.choice(["p", "q"], 3000)
        model = pv.TreeClassifier(method="joint").fit(owner.disguise(columns, schema, seed=seed))
        split += model.tree_.nodes > 1
    assert split <= 8


def clinic(rows: int, seed: int) -> dict[str, Any]:
    """Skewed numbers that hang together; sex and length of stay matter only deep in the tree."""
    rng = np.random.default_rng(seed)
    cause = rng.normal(size=rows)

    def tied(share: float) -> Any:
        return share * cause + np.sqrt(1 - share**2) * rng.normal(size=rows)

    crp, sugar = np.exp(1.0 + 1.1 * tied(0.6)), 90 * np.exp(0.3 * tied(0.5))
    weight, stay = 26 * np.exp(0.18 * tied(0.4)), np.floor(np.exp(0.8 + 0.9 * tied(0.5)))
    sex = rng.choice(["f", "m"], rows)
    ward = rng.choice(["a", "b", "c", "d"], rows, p=[0.5, 0.25, 0.15, 0.1])
    sick = (crp > 6) & ((sugar > 110) | (ward == "c")) | (ward == "d") & (crp > 2.5)
    sick |= (weight > 31) & (sex == "m") & (stay > 2)
    numbers = {"crp": np.minimum(crp, 300), "sugar": np.clip(sugar, 20, 600)}
    numbers |= {"weight": np.clip(weight, 10, 70), "stay": np.minimum(stay, 90)}
    return numbers | {"sex": sex, "ward": ward, "sick": np.where(sick, "yes", "no")}


def test_an_attribute_that_matters_only_deep_in_the_tree_is_seen() -> None:
    ranges = {"crp": (0.0, 300.0), "sugar": (20.0, 600.0), "weight": (10.0, 70.0)}
    numbers = [pv.Attribute.numeric(name, low=a, high=b) for name, (a, b) in ranges.items()]
    numbers.append(pv.Attribute.numeric("stay", low=0, high=90, integer=True))
    words = {"sex": "fm", "ward": "abcd"}
    categories = [pv.Attribute.categorical(name, list(values)) for name, values in words.items()]
    target = pv.Attribute.categorical("sick", ["no", "yes"])
    schema = pv.Schema([*numbers, *categories, target], target="sick")
    release = pv.RandomSubstitution(gamma=20).disguise(clinic(100_000, 1), schema, seed=1)
    model = pv.TreeClassifier(method="joint").fit(release)
    tested = {model.tree_.codings[place].name for place in model.tree_.attribute if place >= 0}
    assert tested >= {"sex", "stay"}
    assert model.score(pa.table(clinic(20_000, 2))) > 0.975


def test_a_first_wave_is_left_out_of_joint_tables_unless_it_is_large() -> None:
    table = datasets.load("as-f2", rows=20_000, seed=1)
    for wave, left in ((0.05, True), (0.5, False)):
        disguise = pv.RandomSubstitution(gamma=8, wave=wave)
        release = disguise.disguise(table, datasets.schema("as-f2"), seed=1)
        assert len(release.parts) == 2
        rows = fitted(release).rows
        assert (rows < 20_000) is left
        tree = pv.TreeClassifier(method="joint", max_depth=1).fit(release).tree_
        assert tree.counts[0].sum() == pytest.approx(20_000)


def test_a_sure_first_split_stays_though_both_sides_lean_the_same_way() -> None:
    """A tree of depth 1 tells how shares differ, where no split could save an error."""
    rng = np.random.default_rng(4)
    x, z = rng.random(20_000), rng.random(20_000)
    ill = rng.random(20_000) < np.where(x <= 0.5, 0.05, 0.35)
    table = pa.table({"x": x, "z": z, "y": np.where(ill, "yes", "no")})
    numbers = [pv.Attribute.numeric(name, low=0, high=1) for name in ("x", "z")]
    schema = pv.Schema([*numbers, pv.Attribute.categorical("y", ["no", "yes"])], target="y")
    release = pv.RandomSubstitution(gamma=20).disguise(table, schema, seed=4)
    tree = pv.TreeClassifier(method="joint", max_depth=1).fit(release).tree_
    assert tree.codings[tree.attribute[0]].name == "x"
    assert [tree.classes[label] for label in tree.label[1:]] == ["no", "no"]
    assert tree.shares[2][1] - tree.shares[1][1] > 0.2


def test_splits_of_one_table_say_how_sure_they_are() -> None:
    """Nobody asks while a tree grows in one table; its errors are worked out at the end."""
    evidence = fitted(released(20))
    tree = grow(evidence, POLICIES["cart"].but(max_depth=2))
    assert tree.nodes > 3
    tree = evidence.settled(tree, inside=False)
    assert (tree.size_errors[1:] > 0).all()
    assert (tree.errors[1:] > 0).all()
    assert tree.z[0] > 10


def test_a_set_that_is_too_large_has_no_table() -> None:
    evidence = fitted(released(8, rows=500))
    evidence._most = 2
    assert list(evidence.joints([(0,), (0, 1), (0, 1, 2)])) == [(0,), (0, 1)]
    assert list(evidence.joints([(0, 1, 2)])) == []
    evidence._most_cells = 1
    assert list(evidence.joints([(0,), (1, 2)])) == [(0,)]  # one attribute always has its table


def slanting(rows: int, seed: int) -> pa.Table:
    x, z = np.random.default_rng(seed).random((2, rows))
    return pa.table({"x": x, "z": z, "y": np.where(x + 0.6 * z > 0.8, "yes", "no")})


def test_leaves_along_a_slanting_border_may_be_small() -> None:
    """Few numbers say where it runs; leaves of a hundredth of the records would be coarse steps."""
    numbers = [pv.Attribute.numeric(name, low=0, high=1, bins=24) for name in ("x", "z")]
    schema = pv.Schema([*numbers, pv.Attribute.categorical("y", ["no", "yes"])], target="y")
    release = pv.RandomSubstitution(gamma=8, kind="band", wave=0).disguise(
        slanting(20_000, 1), schema, seed=2
    )
    evidence = fitted(release).with_leaves(200)
    policy = POLICIES["cart"]
    closer = evidence.refined(lambda of: grown(of, policy, "y"))
    assert (evidence.least_leaf, closer.least_leaf) == (200, 20)
    tree = closer.settled(grown(closer, policy, "y"))
    assert tree.counts[tree.leaves].sum(1).min() < 100
    fresh = slanting(10_000, 3)
    assert pv.TreeClassifier.from_tree(tree).score(fresh) > 0.97


@pytest.mark.parametrize("kind", ["uniform", "gaussian"])
def test_borders_slant_under_strong_noise_too(kind: str) -> None:
    numbers = [pv.Attribute.numeric(name, low=0, high=1) for name in ("x", "z")]
    schema = pv.Schema([*numbers, pv.Attribute.categorical("y", ["no", "yes"])], target="y")
    release = pv.AdditiveNoise(kind, level=1).disguise(slanting(60_000, 1), schema, seed=2)
    evidence = evidence_of(release, "joint").evidence
    assert isinstance(evidence, FittedEvidence)
    assert evidence.is_blurred
    closer = evidence.refined(lambda of: grown(of, POLICIES["cart"], "y"))
    steps = closer.joints([closer.whole])[closer.whole].steps
    assert steps is not None
    assert steps.slants
    tree = closer.settled(grown(closer, POLICIES["cart"], "y"))
    assert pv.TreeClassifier.from_tree(tree).score(slanting(10_000, 3)) > 0.97


def test_leaves_are_as_large_as_asked_where_no_border_slants() -> None:
    table = slanting(20_000, 1)
    steps = np.where((table["x"].to_numpy() > 0.4) ^ (table["z"].to_numpy() > 0.7), "yes", "no")
    table = table.set_column(2, "y", [steps])
    numbers = [pv.Attribute.numeric(name, low=0, high=1, bins=24) for name in ("x", "z")]
    schema = pv.Schema([*numbers, pv.Attribute.categorical("y", ["no", "yes"])], target="y")
    release = pv.RandomSubstitution(gamma=3, kind="band", wave=0).disguise(table, schema, seed=2)
    evidence = fitted(release).with_leaves(2_000)
    closer = evidence.refined(lambda of: grown(of, POLICIES["cart"], "y"))
    tree = grown(closer, POLICIES["cart"], "y")
    assert tree.nodes > 1
    assert closer.least_leaf == 2_000
    assert tree.counts[tree.leaves].sum(1).min() >= 2_000 - 1e-6
