"""Forest Framework and Framework: noise that is there, rules that stay, errors that say what."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.disguise import ForestFramework, Framework, cut_class, plan_from_dict
from privet.disguise.forest_framework import check_noise
from privet.disguise.kernels import deal
from privet.disguise.noised import Noised, normals, uniforms
from privet.disguise.rules import matrix
from privet.errors import DataError, PlanError, SchemaError
from privet.estimators import TreeClassifier
from privet.randomness import Randomness
from privet.release import Release
from privet.schema import Attribute, Schema
from tests.disguise.noisy_people import SCHEMA, people, table_of
from tests.golden import golden

METHODS = [ForestFramework(min_leaf=30), Framework(min_leaf=30)]


def test_two_people_in_a_leaf_by_hand() -> None:
    """The tree cuts at 4.5; noise moves 1..4 among 0..4, and 5..9 among themselves."""
    schema = Schema(
        [
            Attribute.numeric("x", low=0, high=9, integer=True),
            Attribute.categorical("c", ["n", "y"]),
        ],
        target="c",
    )
    records = {"x": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "c": list("nnnnnyyyyy")}
    made = ForestFramework(n_trees=1, noise=0.5, min_leaf=2).disguise(
        records, schema, seed=3, shuffle=False
    )
    numbers = made.parts[0].table.collect(10).columns["x"]
    assert set(numbers[:5]) <= {0, 1, 2, 3, 4}
    assert set(numbers[5:]) <= {5, 6, 7, 8, 9}
    assert numbers.tolist() != list(range(10))
    assert made.parts[0].table.collect(10).columns["c"].tolist() == [0] * 5 + [1] * 5


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.method)
def test_a_miner_finds_the_first_tree_again(method: Noised) -> None:
    records = people(4000, missing=0)
    release = method.disguise(records, SCHEMA, seed=1)
    mined = TreeClassifier(policy="c4.5", min_samples_leaf=30).fit(release)
    plain = TreeClassifier(policy="c4.5", min_samples_leaf=30).fit(
        {name: records[name] for name in SCHEMA.names if name != "risk"}, records["risk"]
    )
    assert mined.score(records) == pytest.approx(
        plain.score({n: records[n] for n in SCHEMA.names if n != "risk"}, records["risk"]), abs=0.03
    )


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.method)
def test_noise_changes_what_it_may(method: Noised) -> None:
    table = table_of(people(2000))
    with Randomness.seeded(1) as source:
        made = method.perturb(table, SCHEMA, source)
    for name in ("age", "pay", "hours"):
        known = ~np.isnan(table.columns[name])
        same = table.columns[name][known] == made.columns[name][known]
        assert same.mean() < 0.2
    assert 0.02 < (table.columns["risk"] != made.columns["risk"]).mean() < 0.5


def test_noise_is_as_wide_as_asked_for() -> None:
    """Noise much narrower than a leaf's interval is normal: its spread is known."""
    table = table_of(people(4000, missing=0))
    with Randomness.seeded(5) as source:
        made = ForestFramework(noise=0.001, min_leaf=500).perturb(table, SCHEMA, source)
    away = made.columns["pay"] - table.columns["pay"]
    away = away[np.abs(away) < 2]  # but for those that went round
    # σ is 0.001 of 200; its estimate from n numbers has a standard error of σ/√(2n).
    assert away.std() == pytest.approx(0.2, abs=5 * 0.2 / np.sqrt(2 * len(away)))


def test_framework_leaves_categories_that_are_tested() -> None:
    table = table_of(people(2000))
    method = Framework(change=1.0, min_leaf=30)
    (tree,) = method.rules.grown(table, SCHEMA)
    with Randomness.seeded(2) as source:
        made = method.perturb(table, SCHEMA, source)
    before, after = (tree.apply(matrix(records, SCHEMA)) for records in (table, made))
    assert np.array_equal(before, after)
    tested = {tree.codings[place].name for place in tree.attribute if place >= 0}
    assert "town" in tested
    changed = table.columns["town"] != made.columns["town"]
    assert 0 < changed.mean() < 1


def test_framework_changes_as_often_as_asked_for() -> None:
    rng = np.random.default_rng(3)
    rows = 4000
    records: dict[str, Any] = {
        "x": rng.uniform(0, 1, rows),
        "town": rng.choice(["a", "b", "c"], rows),
    }
    records["c"] = np.where(records["x"] > 0.5, "y", "n")
    schema = Schema(
        [
            Attribute.numeric("x", low=0, high=1),
            Attribute.categorical("town", ["a", "b", "c"]),
            Attribute.categorical("c", ["n", "y"]),
        ],
        target="c",
    )
    table = table_of(records, schema)
    with Randomness.seeded(4) as source:
        made = Framework(change=0.3).perturb(table, schema, source)
    share = (made.columns["town"] != table.columns["town"]).mean()
    assert share == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / rows))


def test_dealing_is_uniform_within_groups() -> None:
    """Of three codes dealt to three records each of six orders comes as often."""
    seen: dict[tuple[int, ...], int] = {}
    rows, times = 3, 3000
    codes = np.tile(np.array([0, 1, 2], np.uint8), times)
    order = np.arange(rows * times)
    ends = np.arange(1, times + 1) * rows
    with Randomness.seeded(1) as source:
        words = source.words(0, 0, 2 * len(codes))
    out = np.empty_like(codes)
    deal(codes, order, ends, words, out)
    for group in out.reshape(-1, rows).tolist():
        seen[tuple(group)] = seen.get(tuple(group), 0) + 1
    assert len(seen) == 6
    for count in seen.values():
        assert abs(count - times / 6) < 5.5 * np.sqrt(times * 5 / 36)


def _deal_twin(codes: Any, order: Any, ends: Any, words: Any) -> Any:
    out = codes.copy()
    begin = 0
    for end in ends.tolist():
        for last in range(end - 1, begin, -1):
            word = (int(words[2 * last + 1]) << 32) | int(words[2 * last])
            other = begin + ((word * (last - begin + 1)) >> 64)
            a, b = order[last], order[other]
            out[a], out[b] = out[b], out[a]
        begin = end
    return out


def test_dealing_is_its_plain_twin() -> None:
    rng = np.random.default_rng(7)
    member = rng.integers(0, 9, 500)
    codes = rng.integers(0, 5, 500).astype(np.uint8)
    order, ends = np.argsort(member, kind="stable"), np.cumsum(np.bincount(member))
    words = rng.integers(0, 2**32, 1000, dtype=np.uint32)
    out = np.empty_like(codes)
    deal(codes, order, ends, words, out)
    assert np.array_equal(out, _deal_twin(codes, order, ends, words))


def test_random_numbers_have_their_laws() -> None:
    with Randomness.seeded(9) as source:
        flat, bell = uniforms(source, 0, 50_000), normals(source, 1, 50_000)
    assert 0 < flat.min() < flat.max() < 1
    assert flat.mean() == pytest.approx(0.5, abs=5 * np.sqrt(1 / 12 / 50_000))
    assert bell.mean() == pytest.approx(0, abs=5 / np.sqrt(50_000))
    assert bell.var() == pytest.approx(1, abs=5 * np.sqrt(2 / 50_000))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.method)
def test_the_claim_is_that_there_is_none(method: Noised, tmp_path: Path) -> None:
    release = method.disguise(people(), SCHEMA, to=tmp_path / "r")
    assert release.claim == method.claim(SCHEMA)
    assert not release.claim.formal
    assert release.claim.gamma is None
    assert release.claim.disclosed == ()
    said = " ".join(release.claim.sentences())
    assert "No formal guarantee" in said
    assert "knows for certain which interval" in said
    assert "plain for all to see" not in said
    assert Release.read(tmp_path / "r").unbounded == release.unbounded


def test_a_card_knows_nothing_of_the_records(tmp_path: Path) -> None:
    cards = []
    for seed in (1, 2):
        path = tmp_path / str(seed)
        release = ForestFramework(min_leaf=20).disguise(people(500, seed), SCHEMA, to=path)
        card = (path / "card.json").read_text()
        for line in card.splitlines():
            if "sha256" in line or "checksum" in line:
                card = card.replace(line, "")
        cards.append(card)
        assert release.rows == 500
    assert cards[0] == cards[1]


def test_seeds_repeat_and_are_stamped() -> None:
    first, second = (
        ForestFramework(min_leaf=20).disguise(people(), SCHEMA, seed=4) for _ in range(2)
    )
    assert first.seeded
    assert first.to_frame().equals(second.to_frame())
    other = ForestFramework(min_leaf=20).disguise(people(), SCHEMA)
    assert not other.seeded
    assert not other.to_frame().equals(first.to_frame())


def test_a_plan_in_words() -> None:
    asked = plan_from_dict({"method": "forest-framework", "n_trees": 2, "noise": 0.05})
    assert asked == ForestFramework(n_trees=2, noise=0.05)
    assert plan_from_dict({"method": "framework", "change": 0.5}) == Framework(change=0.5)
    assert not hasattr(asked, "plan")  # what happens to an attribute depends on the records


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (ForestFramework(n_trees=0), "n_trees must be a whole number of at least 1"),
        (ForestFramework(noise=0), "noise must be a number above 0"),
        (ForestFramework(noise=float("nan")), "noise must be a number above 0"),
        (ForestFramework(goodness=2), "goodness must be a number from 0 to 1"),
        (ForestFramework(min_leaf=0), "min_leaf must be a whole number of at least 1"),
        (ForestFramework(min_gain_ratio=-1), "min_gain_ratio must be a number from 0 to 1"),
        (ForestFramework(confidence=0), "confidence must be above 0"),
        (ForestFramework(confidence=1), "confidence must be a number from 0 up to, but not, 1"),
        (Framework(change=1.5), "change must be a number from 0 to 1"),
    ],
)
def test_settings_that_cannot_be(method: Noised, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        method.disguise(people(), SCHEMA)


def _without_class() -> dict[str, Any]:
    return {name: column for name, column in people().items() if name != "risk"}


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (_without_class, "no column 'risk'"),
        (lambda: people() | {"risk": ["low"] * 600}, "all of one class of 'risk'"),
        (lambda: people(20), "20 records, fewer than the 30 that a leaf"),
        (lambda: people() | {"age": np.full(600, 91)}, "'age' has a value outside its range"),
        (lambda: people() | {"town": ["z"] * 600}, "'town' has a value outside its domain"),
        (lambda: people(0), "no rows"),
    ],
)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.method)
def test_records_that_cannot_be(
    method: Noised, records: Callable[[], dict[str, Any]], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        method.disguise(records(), SCHEMA)


def test_a_range_of_one_number_has_no_room() -> None:
    schema = SCHEMA.with_attributes(
        [*SCHEMA.inputs, Attribute.numeric("one", low=3, high=3), SCHEMA["risk"]]
    )
    with pytest.raises(PlanError, match="'one' is a single number"):
        ForestFramework().disguise(people() | {"one": np.full(600, 3.0)}, schema)


def test_a_constant_column_gets_noise_like_any_other() -> None:
    records = people() | {"pay": np.full(600, 7.0)}
    table = ForestFramework(min_leaf=20).disguise(records, SCHEMA).to_frame()
    assert len(set(table["pay"].to_pylist())) > 300


def test_a_schema_without_a_class_is_refused() -> None:
    with pytest.raises(SchemaError, match="class"):
        Schema(SCHEMA.inputs, target="risk")


@pytest.mark.parametrize("kind", [ForestFramework, Framework])
def test_noise_may_have_a_mean(kind: Any) -> None:
    """Noise that hardly varies moves every number by its mean, round inside its sub-domain."""
    table = table_of(people())
    with Randomness.seeded(1) as source:
        made = kind(noise=1e-9, mean=0.05, min_leaf=600).perturb(table, SCHEMA, source)
    low, high = SCHEMA["pay"].range
    width = high - low
    moved = (made.columns["pay"] - table.columns["pay"]) % width
    assert moved == pytest.approx(0.05 * width, abs=1e-5)
    with pytest.raises(PlanError, match="mean must be a finite number"):
        kind(mean=float("nan")).disguise(people(), SCHEMA)


def test_a_table_without_a_class_keeps_the_rules_of_a_number() -> None:
    rng = np.random.default_rng(2)
    age = rng.uniform(0, 90, 800)
    numbers = {"age": age, "size": rng.uniform(0, 10, 800), "pay": np.clip(age + 5, 0, 100)}
    attributes = [
        Attribute.numeric("age", low=0, high=90),
        Attribute.numeric("size", low=0, high=10),
        Attribute.numeric("pay", low=0, high=100),
    ]
    table, schema = cut_class(numbers, attributes, "pay", edges=[30, 60])
    assert schema.classes == ("0 to 30", "30 to 60", "60 to 100")
    assert (table["pay"] == "0 to 30").sum() == (numbers["pay"] <= 30).sum()
    release = ForestFramework(min_leaf=20).disguise(table, schema, shuffle=False)
    shown = release.to_frame()
    model = TreeClassifier(max_depth=3).fit(release)
    assert model.score(table) > 0.95  # age tells the number's class, before and after
    assert abs(np.array(shown["age"].to_pylist()) - age).max() > 1
    with pytest.raises(SchemaError, match="must be one of the attributes"):
        cut_class(numbers, attributes, "height")
    for wrong in ({"classes": 1}, {"edges": [60, 30]}, {"edges": [120]}):
        with pytest.raises(PlanError, match="two categories at least"):
            cut_class(numbers, attributes, "pay", **wrong)


@pytest.mark.parametrize("change", [0.0, 0.4, 1.0])
def test_categories_of_any_number_become_similar_ones(change: float) -> None:
    """One tree for two groups of numbers: inside each, categories are mixed and may change."""
    rng = np.random.default_rng(2)
    rows = 400
    x = rng.integers(0, 100, rows).astype(np.float64)
    schema = Schema(
        [
            Attribute.numeric("x", low=0, high=100),
            Attribute.categorical("two", ["a", "b"]),
            Attribute.categorical("three", ["p", "q", "r"]),
            Attribute.categorical("same", ["m", "n"]),
            Attribute.categorical("c", ["no", "yes"]),
        ],
        target="c",
    )
    raw = {
        "x": x,
        "two": np.array(["a", "b"])[rng.integers(0, 2, rows)],
        "three": np.array(["p", "q", "r"])[np.where(x > 50, 2, rng.integers(0, 2, rows))],
        "same": np.array(["m"] * rows),
        "c": np.where(x > 50, "yes", "no"),
    }
    made = Framework(change=change, min_leaf=60).disguise(raw, schema, seed=4, shuffle=False)
    frame = made.to_frame()
    assert frame["same"].to_pylist() == ["m"] * rows
    two = np.array(frame["two"].to_pylist()) != raw["two"]
    three = np.array(frame["three"].to_pylist()) != raw["three"]
    assert not three[x > 50].any()  # a leaf of one value changes nothing
    if change == 1:
        assert two.all()
        assert three[x <= 50].all()
    else:
        # Binomial: within five deviations, which chance misses once in a million.
        assert abs(two.mean() - change) <= 5 * np.sqrt(change * (1 - change) / rows)
        low = (x <= 50).sum()
        assert abs(three[x <= 50].mean() - change) <= 5 * np.sqrt(change * (1 - change) / low)
    golden("settings", f"similar categories, {change:g}", made.parts[0].table.collect(rows).columns)


@pytest.mark.parametrize("words", [{"noise": 10**400}, {"mean": 10**400}, {"mean": -(10**400)}])
def test_noise_beyond_all_floats_is_refused(words: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=next(iter(words))):
        check_noise("It", words.get("noise", 0.1), SCHEMA, words.get("mean", 0.0))
