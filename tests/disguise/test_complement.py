"""Complementation: the thesis' tables to the record, and what may not be asked of it."""

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import datasets
from privet.disguise import Complement, Exact, Plan, plan_from_dict
from privet.disguise.complement import originals
from privet.disguise.loss import dummy_bound, dummy_ratio, fewest_copies, loss_of, storage_bound
from privet.disguise.unrealize import Unrealizer
from privet.errors import DataError, InputError, MethodError, PlanError, ReleaseError
from privet.estimators import TreeClassifier
from privet.randomness import Randomness
from privet.release import Release
from privet.release.universe import _EXACT, _MOST, LIMIT, Universe, proposal
from privet.schema import Attribute, Schema
from privet.table import MemoryTable
from tests.disguise.thesis import PERTURBING, UNIVERSE, UNREAL, table, unrealize

SCHEMA = datasets.schema("weather")
DAYS = datasets.load("weather")


def rows(release: Release, part: int) -> Counter[tuple[str, ...]]:
    universe = release.universe
    assert universe is not None
    counts: Counter[tuple[str, ...]] = Counter()
    for batch in release.parts[part].table.batches():
        decoded = [
            coding.decode(batch.columns[name])
            for name, coding in release.codings.items()
            if coding is not None
        ]
        for record, count in zip(zip(*decoded, strict=True), universe.counts(batch), strict=True):
            counts[tuple(record)] += int(count)
    return counts


def test_the_thesis_tables_to_the_record() -> None:
    release = Complement("first").disguise(DAYS, SCHEMA)
    assert rows(release, 0) == table(UNREAL)
    assert rows(release, 1) == table(PERTURBING)
    assert release.universe is not None
    assert release.universe.copies * release.universe.size == 2 * 14 + 20 == 48


def test_the_thesis_tables_while_samples_come_in() -> None:
    days = [tuple(day.values()) for day in DAYS.to_pylist()]
    for number, left in ((1, 22), (7, 10), (8, 32)):  # tables 5-4, 5-6 and 5-8
        first = Complement("first").disguise(DAYS.slice(0, number), SCHEMA)
        unreal, perturbing, copies = unrealize(days[:number], UNIVERSE)
        assert rows(first, 0) == Counter(unreal)
        assert rows(first, 1) == Counter(perturbing)
        assert (len(perturbing), first.universe and first.universe.copies) == (left, copies)


def test_the_tree_and_the_gains_of_the_thesis() -> None:
    model = TreeClassifier(policy="id3").fit(Complement("first").disguise(DAYS, SCHEMA))
    tree = model.tree_
    assert [tree.codings[a].name for a in tree.attribute if a >= 0] == [
        "Outlook",
        "Humidity",
        "Wind",
    ]
    assert tree.gain[0] == pytest.approx(0.2467, abs=5e-5)
    assert tree.gain[tree.attribute >= 0][1:] == pytest.approx([0.9710, 0.9710], abs=5e-5)
    assert [tree.classes[tree.label[leaf]] for leaf in tree.leaves] == [
        "Yes",
        "No",
        "Yes",
        "No",
        "Yes",
    ]
    assert model.reason_.endswith("exactly")


@pytest.mark.parametrize("dummy", [None, "Wind", {"Wind": ["Crazy", "Deathly"]}, "TrueValue"])
def test_dummies_take_all_of_the_unreal_and_leave_the_tree(dummy: Any) -> None:
    release = Complement("dummy", dummy).disguise(DAYS, SCHEMA)
    universe = release.universe
    assert universe is not None
    assert (universe.size, universe.copies) == (48, 2)
    for batch in release.parts[0].table.batches():
        assert not universe.is_real(universe.join(batch.columns)).any()
    plain = TreeClassifier(policy="id3").fit(Plan({}, default=Exact()).disguise(DAYS, SCHEMA))
    model = TreeClassifier(policy="id3").fit(release)
    assert model.tree_.same_as(plain.tree_)
    assert (model.tree_.counts == plain.tree_.counts).all()
    assert model.accuracy(release) == (1.0, 0.0, 0.0)
    assert "recognisable" in " ".join(release.claim.sentences())


def test_a_release_comes_back_and_a_changed_one_does_not(tmp_path: Path) -> None:
    made = Complement("dummy", "Wind").disguise(DAYS, SCHEMA, to=tmp_path / "r")
    back = Release.read(tmp_path / "r")
    assert back.universe == made.universe
    assert back.rows == 14
    assert sorted(map(str, originals(back).to_pylist())) == sorted(map(str, DAYS.to_pylist()))
    assert not back.claim.formal
    for universe in (Universe.of(back.codings, None, 2), back.universe.with_copies(3)):  # type: ignore[union-attr]
        with pytest.raises((ReleaseError, KeyError)):
            Release(back.schema, back.codings, made.parts, universe=universe).verify()


@pytest.mark.parametrize("count", [0.0, 0.5, 3.0, 1e300, math.inf, math.nan, 2.0**62])
def test_a_count_that_no_universe_holds_is_refused(count: float) -> None:
    made = Complement("first").disguise(DAYS, SCHEMA)
    assert made.universe is not None
    columns = dict(made.parts[1].table.collect(100).columns)
    # Four times 2**62 of one record is nothing, to whoever adds in 64 bits.
    more = {name: np.append(column, column[:1].repeat(4)) for name, column in columns.items()}
    more[made.universe.count_column][-4:] = count
    parts = (made.parts[0], replace(made.parts[1], table=MemoryTable(more)))
    with pytest.raises(ReleaseError, match="A count of a complemented record"):
        Release(made.schema, made.codings, parts, universe=made.universe).verify()


def test_counts_whose_sum_runs_over_are_refused() -> None:
    made = Complement("first").disguise(DAYS, SCHEMA)
    assert made.universe is not None
    columns = dict(made.parts[1].table.collect(100).columns)
    many = {name: column[:1].repeat(2048) for name, column in columns.items()}
    many[made.universe.count_column][:] = 2.0**53
    parts = (made.parts[0], replace(made.parts[1], table=MemoryTable(many)))
    universe = made.universe.with_copies(2**53)
    with pytest.raises(ReleaseError, match="more records than can be counted"):
        Release(made.schema, made.codings, parts, universe=universe).verify()


@pytest.mark.parametrize("copies", [0, True, 1.0, 2**53 + 1, 10**30])
def test_copies_that_cannot_be_counted_are_refused(copies: Any) -> None:
    codings = Complement("first").disguise(DAYS, SCHEMA).codings
    with pytest.raises(ValueError, match=r"^$"):
        Universe.from_dict({"copies": copies}, codings)


def test_files_and_frames_give_the_same(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(DAYS, tmp_path / "days.parquet")
    made = Complement("first").disguise(tmp_path / "days.parquet", SCHEMA)
    assert rows(made, 1) == table(PERTURBING)


def test_a_plan_file_may_ask_for_it() -> None:
    assert plan_from_dict({"method": "complement", "pick": "dummy"}) == Complement("dummy")


def test_no_other_method_reads_it() -> None:
    release = Complement().disguise(DAYS, SCHEMA)
    with pytest.raises(MethodError, match="no row of it is real"):
        TreeClassifier(method="naive").fit(release)
    with pytest.raises(ReleaseError, match="belong together"):
        release.split(0.5)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (Complement("last"), "no such pick"),  # type: ignore[arg-type]
        (Complement("first", "Wind"), "pick='dummy' only"),
        (Complement("dummy", {"Wind": ["Crazy"]}), "at least 2 dummies"),
        (Complement("dummy", {"Wind": ["Weak", "Crazy"]}), "name of its own"),
        (Complement("dummy", {"a": ["b"], "c": ["d"]}), "one name"),
    ],
)
def test_what_cannot_be_is_refused(method: Complement, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        method.disguise(DAYS, SCHEMA)


def test_a_universe_that_is_too_large_is_refused_with_a_proposal() -> None:
    schema = Schema(
        [
            *(Attribute.numeric(f"x{i}", low=0, high=1, bins=100) for i in range(4)),
            Attribute.categorical("y", ["no", "yes"]),
        ],
        target="y",
    )
    with pytest.raises(
        PlanError, match=r"200,000,000 records; at most 4,194,304.*'x0' from 100 to"
    ):
        Complement().claim(schema)
    hint = proposal(schema.names, [*[100] * 4, 2], LIMIT)
    with pytest.raises(PlanError) as caught:
        Complement().claim(schema)
    for name, old, new in hint:
        assert f"{name!r} from {old} to {new} values" in str(caught.value)
    wanted = dict(zip("abc", (1000, 1000, 1000), strict=True))
    steps = proposal(list(wanted), list(wanted.values()), LIMIT)
    wanted |= {name: size for name, _, size in steps}
    assert np.prod(list(wanted.values())) <= LIMIT


def test_bad_samples_are_refused_without_their_values() -> None:
    with pytest.raises(DataError, match="outside its domain") as raised:
        Complement().disguise({**DAYS.to_pydict(), "Wind": ["Gale"] * 14}, SCHEMA)
    assert "Gale" not in str(raised.value)
    winds = [*["Weak"] * 3, "Gale", *["Weak"] * 10]
    with pytest.raises(DataError, match="first in row 3"):
        list(Complement().cells({**DAYS.to_pydict(), "Wind": winds}, SCHEMA))
    with pytest.raises(DataError, match="no rows"):
        Complement().disguise(DAYS.slice(0, 0), SCHEMA)


def test_the_loss_of_the_weather_data_and_its_bounds() -> None:
    universe = Complement().universe(SCHEMA)
    (cells,) = Complement().cells(DAYS, SCHEMA)
    collected = np.bincount(cells, minlength=universe.size)
    loss = loss_of(universe, collected, 2, leaked=17)
    assert loss.value == pytest.approx(17 * sum(c * (2 - c) for c in collected) / 34)
    assert (loss.samples, loss.stored) == (14, 34)
    assert loss.high == pytest.approx(17 * 14 / 24)
    assert fewest_copies(universe, collected) == 2
    assert storage_bound(universe, 14) == 23 * 14
    assert loss.lost == loss.value


def test_the_bounds_of_the_loss_are_reached() -> None:
    universe = Complement().universe(SCHEMA)
    alike = np.zeros(universe.size, np.int64)
    alike[3] = 5
    loss = loss_of(universe, alike, 7, leaked=4)  # all samples alike: the least of all tables
    assert loss.low == pytest.approx(loss.value) == pytest.approx(4 * 5 * 2 / (7 * 24 - 5))
    even = np.ones(universe.size, np.int64)
    loss = loss_of(universe, even, 3)
    assert loss.high == pytest.approx(loss.value)
    assert fewest_copies(universe, even) == 2  # every sample takes two records, its own and one
    assert fewest_copies(universe, alike) == 5


def test_the_loss_in_full() -> None:
    """P_loss = r/|T_D|·((1 − α)·P_D·ΣΣM + α·ΣΣP_R), by hand for the weather data."""
    universe = Complement().universe(SCHEMA)
    (cells,) = Complement().cells(DAYS, SCHEMA)
    collected = np.bincount(cells, minlength=universe.size)
    matches = sum(int(c) * (2 - int(c)) for c in collected)
    loss = loss_of(universe, collected, 2, 17, alpha=0.25, p_d=0.5, p_r=0.01)
    assert loss.lost == pytest.approx(17 / 34 * (0.75 * 0.5 * matches + 0.25 * 0.01 * 34 * 14))
    assert loss.value == pytest.approx(17 / 34 * matches)
    assert any("rebuilding" in line for line in loss.sentences())
    # All records, all rebuilt: each collected one is lost once (§6.1.2).
    assert loss_of(universe, collected, 2, 34, alpha=1.0).lost == pytest.approx(14)
    wrongs: list[dict[str, Any]] = [{"alpha": 2.0}, {"p_d": -1.0}, {"p_r": -1.0}]
    for wrong in wrongs:
        with pytest.raises(InputError, match="alpha must be from 0 to 1"):
            loss_of(universe, collected, 2, **wrong)


def test_where_the_thesis_is_wrong_about_dummies() -> None:
    # "Always less than one-third" holds up to 13 kinds of records only, and never goes beyond a
    # half.
    assert dummy_ratio(12) < 1 / 3 < dummy_ratio(14)
    assert dummy_ratio(10**9) == pytest.approx(0.5, abs=1e-4)
    assert dummy_bound(100, 50) == pytest.approx(dummy_ratio(50) * 100 / 50)
    assert dummy_bound(10**6, 10**6, fold=5) == pytest.approx(1 / 5, rel=1e-2)
    # Doubling does not always make a rare record rarer: it needs n·x ≥ m·y.
    dummied = Universe(("a", "y"), (3, 2)).size * 2
    counts = np.zeros(dummied, np.int64)
    counts[[0, 2, 4, 6, 8]], counts[10] = 100, 1
    universe = Complement("dummy").universe(
        Schema([Attribute.categorical("a", "pqr"), Attribute.categorical("y", "no")], target="y")
    )
    assert loss_of(universe, counts, 100).exposed == 1
    assert any("Warning" in line for line in loss_of(universe, counts, 100).sentences())


def test_equal_cells_are_drawn_equally_often() -> None:
    """Pick 'random': 4000 first moves over 7 cells, six equal shares; ±7 standard errors."""
    universe = Universe(("a",), (7,))
    moved = np.zeros(7)
    with Randomness.seeded("complement") as source:
        words = source.words(5, 0, 8000)
        for trial in range(4000):
            unrealizer = Unrealizer(universe, "random", source)
            unrealizer.source = _Words(words[2 * trial : 2 * trial + 2])  # type: ignore[assignment]
            unrealizer.add(np.array([3]))
            moved += unrealizer.unreal
    assert moved[3] == 0
    others = np.delete(moved, 3)
    assert np.abs(others - 4000 / 6).max() < 7 * np.sqrt(4000 * (1 / 6) * (5 / 6))


@pytest.mark.parametrize("pick", ["first", "random", "most-frequent"])
def test_the_last_record_of_the_perturbing_set_is_never_taken_as_a_sample(pick: Any) -> None:
    universe = Universe(("a",), (3,))
    for seed in range(20):
        with Randomness.seeded(seed) as source:
            unrealizer = Unrealizer(universe, pick, source)
            unrealizer.add(np.array([0]))
            assert unrealizer.perturbing.sum() == 1
            last = unrealizer.perturbing.argmax()
            unrealizer.add(np.array([last]))
        assert unrealizer.copies == 2
        assert min(unrealizer.perturbing.min(), unrealizer.unreal.min()) >= 0
        assert unrealizer.unreal.sum() == 2


class _Words:
    def __init__(self, words: Any) -> None:
        self.held = words

    def words(self, _column: int, start: int, count: int) -> Any:
        return self.held[start : start + count]


@pytest.mark.parametrize("goal", ["Outlook", "Humidity", "Wind", "Play"])
@pytest.mark.parametrize("pick", ["first", "dummy"])
def test_any_attribute_may_be_the_class(goal: str, pick: str) -> None:
    """Fong §3.2: the tree for another class is that of the plain table, counts and all."""
    table, schema = datasets.load("weather"), datasets.schema("weather")
    asked = TreeClassifier(policy="id3")
    release = Complement(pick=pick).disguise(table, schema)  # type: ignore[arg-type]
    plain = Plan({}, default=Exact()).disguise(table, schema)
    tree = asked.fit(release.with_target(goal)).tree_
    assert tree.same_as(asked.fit(plain.with_target(goal)).tree_)
    assert tree.target == goal


def test_a_schema_may_leave_the_class_open() -> None:
    table, schema = datasets.load("weather"), datasets.schema("weather")
    bare = Schema(list(schema))
    release = Complement().disguise(table, bare)
    tree = TreeClassifier(policy="id3").fit(release.with_target("Play")).tree_
    named = TreeClassifier(policy="id3").fit(Complement().disguise(table, schema)).tree_
    assert tree.same_as(named)


@pytest.mark.parametrize(
    "dummy",
    [{"Wind": [1, 2]}, {"Wind": ["x", 2]}, {3: ["x"]}, {"Wind": ["x"], "Play": ["y"]}, {}],
)
def test_dummies_that_are_no_names_are_refused(dummy: dict[Any, Any]) -> None:
    codings = {attribute.name: attribute.coding() for attribute in SCHEMA}
    named = Universe.from_dict({"copies": 3, "dummy": {"Wind": ["x"]}}, codings)
    assert named.to_dict() == {"copies": 3, "dummy": {"Wind": ["x"]}}
    assert Universe.from_dict({"copies": 3}, codings).to_dict() == {"copies": 3}
    with pytest.raises((TypeError, ValueError)):
        Universe.from_dict({"copies": 3, "dummy": dummy}, codings)
    with pytest.raises(ValueError, match=r"^$"):
        Universe.from_dict({"dummy": {"Wind": ["x"]}, "copies": 3}, codings)


def test_as_many_copies_are_read_as_can_be_counted() -> None:
    codings = {attribute.name: attribute.coding() for attribute in SCHEMA}
    size = 3 * 2 * 2 * 2
    most = min(_EXACT, _MOST // (2 * size))
    for copies in (1, most):
        assert Universe.from_dict({"copies": copies}, codings).copies == copies
    for copies in (0, most + 1):
        with pytest.raises(ValueError, match=r"^$"):
            Universe.from_dict({"copies": copies}, codings)


@pytest.mark.parametrize(
    ("dummy", "name", "values"),
    [
        (None, "dummy", ("yes",)),
        ("more", "more", ("yes",)),
        ({"more": ["a", "b"]}, "more", ("a", "b")),
        ({"more": []}, "more", ("yes",)),
        ("Wind", "Wind", ("dummy 1", "dummy 2")),
        ({"Wind": ["Crazy", "Deathly"]}, "Wind", ("Crazy", "Deathly")),
        ({"Wind": ["Crazy", "Deathly", "Odd"]}, "Wind", ("Crazy", "Deathly", "Odd")),
    ],
)
def test_names_of_dummies(dummy: Any, name: str, values: tuple[str, ...]) -> None:
    made = Complement("dummy", dummy).universe(SCHEMA).dummy
    assert made is not None
    assert (made.attribute, made.values) == (name, values)


def test_an_added_attribute_has_a_name_of_its_own() -> None:
    taken = [Attribute.categorical(name, "ab") for name in ("dummy", "dummy_", "y")]
    made = Complement("dummy").universe(Schema(taken, target="y")).dummy
    assert made is not None
    assert made.attribute == "dummy__"


@pytest.mark.parametrize(
    ("dummy", "said"),
    [
        ({}, "one name"),
        (["Wind"], "one name"),
        (3, "one name"),
        ({"Wind": ["Crazy", "Crazy"]}, "at least 2 dummies"),
        ({"Wind": ["Crazy", "Deathly", "Crazy"]}, "at least 2 dummies"),
        ({"Wind": ["Crazy", 3]}, "at least 2 dummies"),
        ({"Wind": ["Weak", "Strong"]}, "at least 2 dummies"),
    ],
)
def test_dummies_that_cannot_be(dummy: Any, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        Complement("dummy", dummy).universe(SCHEMA)


def test_what_a_complemented_release_says() -> None:
    claim = Complement().claim(SCHEMA)
    assert not claim.seeded
    assert Complement().claim(SCHEMA, seeded=True).seeded
    release = Complement().disguise(DAYS, SCHEMA, seed=3)
    assert release.seeded
    assert [part.sign for part in release.parts] == [-1, -1]
    assert len(claim.sentences()) == len(Complement().disguise(DAYS, SCHEMA).claim.sentences())
    with pytest.raises(PlanError, match="Only a complemented release"):
        originals(Plan({}, default=Exact()).disguise(DAYS, SCHEMA))


def test_whole_numbers_and_gaps_come_back_as_they_were() -> None:
    schema = Schema(
        [
            Attribute.numeric("age", low=0, high=9, bins=5, integer=True, missing="category"),
            Attribute.categorical("sky", ["sun", "rain"], missing="category"),
            Attribute.categorical("ill", ["no", "yes"]),
        ],
        target="ill",
    )
    raw = {
        "age": np.array([0.0, 5, np.nan, 9]),
        "sky": np.array(["sun", None, "rain", "rain"], object),
        "ill": np.array(["no", "yes", "no", "no"]),
    }
    back = originals(Complement().disguise(raw, schema)).to_pylist()
    assert sorted(map(str, (row["sky"] for row in back))) == ["None", "rain", "rain", "sun"]
    ages = [row["age"] for row in back]
    assert ages.count(None) == 1
    assert all(age is None or age == int(age) for age in ages)
