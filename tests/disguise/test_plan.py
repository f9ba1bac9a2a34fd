"""Plans: from records in memory to a release, and everything that can be wrong with them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.disguise import (
    Exact,
    FlipGroup,
    JointGroup,
    Plan,
    RandomSubstitution,
    Substitution,
    ValueClass,
    Withheld,
)
from privet.disguise import recipe as recipe_module
from privet.errors import DataError, InputError, PlanError, ReleaseError
from privet.randomness import Randomness
from privet.release import Release
from privet.schema import Attribute, Schema
from privet.signing import SigningKey
from privet.table import MemoryTable
from tests.disguise.people import SCHEMA, people

PLAN = Plan(
    {
        "age": Substitution(gamma=8),
        "kids": ValueClass(bins=5),
        "car": Substitution(gamma=3),
        "rent": Exact(),
        "risk": Exact(),
    },
    wave=0,
)


def table(release: Release) -> MemoryTable:
    return release.parts[0].table.collect(10**9)


def test_columns_are_what_the_plan_says() -> None:
    raw = people(5000)
    release = PLAN.disguise(raw, SCHEMA, seed=1, shuffle=False)
    columns = table(release).columns
    assert release.schema.names == SCHEMA.names
    assert [channel.attributes for channel in release.parts[0].channels] == [("age",), ("car",)]
    assert np.array_equal(columns["rent"], raw["rent"])
    assert np.array_equal(columns["kids"], raw["kids"] // 2)
    risk = release.codings["risk"]
    assert risk is not None
    assert np.array_equal(risk.decode(columns["risk"]), raw["risk"])
    codes = SCHEMA["age"].encode(raw["age"])
    kept = (columns["age"] == codes).mean()
    assert kept == pytest.approx(8 / 13, abs=5 * np.sqrt(0.25 / 5000))
    assert release.codings["rent"] is None
    assert {name: column.dtype.name for name, column in columns.items()} == {
        "age": "uint8",
        "kids": "uint8",
        "car": "uint8",
        "rent": "float64",
        "risk": "uint8",
    }


def test_withheld_columns_are_absent_and_need_not_be_there() -> None:
    plan = Plan({"age": Withheld(), "rent": Withheld()}, default=Substitution(5))
    raw = people(100)
    del raw["age"]
    release = plan.disguise(raw, SCHEMA)
    assert release.schema.names == ["kids", "car", "risk"]
    assert release.claim["age"].treatment == "withheld"
    assert release.claim.disclosed == ("risk",)


def test_the_class_is_exact_unless_named() -> None:
    plan = Plan(default=Substitution(5))
    assert plan.claim(SCHEMA)["risk"].treatment == "exact"
    assert Plan({"risk": Substitution(4)}, default=Substitution(5)).claim(SCHEMA).gamma is not None


def test_the_class_may_be_disguised() -> None:
    for target in ("substitution", 4):
        release = RandomSubstitution(gamma=8, target=target).disguise(people(50), SCHEMA)
        assert release.claim.disclosed == ()
        channel = release.parts[0].channel("risk")
        assert channel is not None
        assert channel.to_dict()["gamma"] == (8 if target == "substitution" else 4)


@pytest.mark.parametrize(
    "kind",
    [lambda raw: raw, pd.DataFrame, pl.DataFrame, pa.table],
    ids=["dict", "pandas", "polars", "arrow"],
)
def test_frames_of_any_kind_give_the_same_release(kind: Any) -> None:
    expected = table(PLAN.disguise(people(2000), SCHEMA, seed="same")).columns
    columns = table(PLAN.disguise(kind(people(2000)), SCHEMA, seed="same")).columns
    for name, column in expected.items():
        assert np.array_equal(columns[name], column)


def test_a_seed_repeats_and_the_system_does_not() -> None:
    first, second = (table(PLAN.disguise(people(500), SCHEMA, seed=3)) for _ in range(2))
    assert all(np.array_equal(first.columns[n], second.columns[n]) for n in first.names)
    first, second = (table(PLAN.disguise(people(500), SCHEMA)) for _ in range(2))
    assert not np.array_equal(first.columns["age"], second.columns["age"])
    assert not PLAN.disguise(people(50), SCHEMA).seeded
    assert PLAN.disguise(people(50), SCHEMA, seed=3).seeded


def test_rows_are_shuffled_together_or_stay_in_order() -> None:
    raw = people(3000)
    mixed = table(PLAN.disguise(raw, SCHEMA, seed=3))
    plain = table(PLAN.disguise(raw, SCHEMA, seed=3, shuffle=False))
    assert not np.array_equal(mixed.columns["rent"], raw["rent"])
    assert PLAN.disguise(raw, SCHEMA, seed=3).shuffled
    assert not PLAN.disguise(raw, SCHEMA, seed=3, shuffle=False).shuffled
    back = np.argsort(mixed.columns["rent"])[np.argsort(np.argsort(raw["rent"]))]
    for name in mixed.names:
        assert np.array_equal(mixed.columns[name][back], plain.columns[name])


def test_pieces_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = table(PLAN.disguise(people(2000), SCHEMA, seed=1))
    monkeypatch.setattr(recipe_module, "ROWS", 77)
    released = table(PLAN.disguise(people(2000), SCHEMA, seed=1))
    assert all(np.array_equal(released.columns[n], expected.columns[n]) for n in released.names)


def test_extra_columns_are_left_out() -> None:
    raw = {**people(20), "name": ["someone"] * 20}
    assert "name" not in PLAN.disguise(raw, SCHEMA).schema


def changed(name: str, row: int, value: Any) -> dict[str, Any]:
    raw = people(300)
    column = np.array(raw[name], dtype=object if isinstance(value, str | None) else float)
    column[row] = value
    return {**raw, name: column.tolist() if column.dtype == object else column}


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (changed("car", 200, "wartburg"), r"'car' has a value outside its domain; .*row 200"),
        (changed("car", 200, None), r"'car' has a missing value .*row 200"),
        (changed("age", 200, 81.25), r"'age' has a value outside its range; .*row 200"),
        (changed("age", 200, np.nan), r"'age' has a missing value .*row 200"),
        (changed("age", 200, np.inf), r"'age' has a value outside its range; .*row 200"),
        (changed("kids", 200, 2.5), r"'kids' has a value that is not whole .*row 200"),
        (changed("age", 200, "old"), r"'age' (mixes|does not hold)"),
        ({**people(300), "age": ["thirty"] * 300}, "'age' does not hold numbers"),
        ({**people(300), "car": np.arange(300)}, "'car' has a value outside its domain"),
        ({**people(300), "car": ["vw"] * 299}, "differ in length"),
        (people(0), "no rows"),
        ({k: v for k, v in people(9).items() if k != "car"}, "no column 'car'"),
        (
            pd.DataFrame(np.ones((2, 2)), columns=["age", "age"]),
            "columns of the same name: columns 1",
        ),
        (pa.table([[1], [2]], names=["age", "age"]), "columns of the same name: columns 1"),
        (42, "A table is expected"),
    ],
)
def test_bad_records_are_refused_before_anything_is_written(
    raw: Any, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe_module, "ROWS", 64)
    with pytest.raises(DataError, match=complaint) as caught:
        PLAN.disguise(raw, SCHEMA, to=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    text = str(caught.value)
    assert not any(value in text for value in ("wartburg", "81.25", "2.5", "old'", "thirty"))


@pytest.mark.parametrize(
    ("plan", "complaint"),
    [
        (Plan({"agee": Exact()}, default=Exact()), "names 'agee', which the schema does not have"),
        (Plan({"age": Exact()}), "does not say what happens to attribute 'kids'"),
        (Plan({"risk": Withheld()}, default=Exact()), "withholds the class"),
        (Plan(default=Withheld()), "withholds every attribute"),
        (Plan({"age": "exact"}, default=Exact()), "'age': a treatment is expected"),  # type: ignore[dict-item]
        (Plan(default="exact"), "default: a treatment is expected"),  # type: ignore[arg-type]
        (RandomSubstitution(gamma=1), "gamma must be a finite number above 1"),
        (RandomSubstitution(gamma=8, bins=1), "'age' has a single value"),
        (RandomSubstitution(gamma=8, bins=0), "bins must be"),
        (RandomSubstitution(gamma=8, target="flip"), "target must be"),
        (RandomSubstitution(gamma=8, target=0.5), "gamma must be"),
    ],
)
def test_bad_plans_are_refused(plan: Plan | RandomSubstitution, complaint: str) -> None:
    with pytest.raises(PlanError, match=complaint):
        plan.disguise(people(5), SCHEMA)
    with pytest.raises(PlanError, match=complaint):
        plan.claim(SCHEMA)


def test_files_need_a_folder_to_go_to(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="out of core"):
        PLAN.disguise(tmp_path / "raw.parquet", SCHEMA)


def test_a_folder_in_the_way_is_noticed_first(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(ReleaseError, match="something other than a release"):
        PLAN.disguise(people(5), SCHEMA, to=tmp_path / "mine", overwrite=True)


def test_to_a_folder_and_back(tmp_path: Path) -> None:
    written = PLAN.disguise(people(1000), SCHEMA, to=tmp_path / "out", seed=1)
    plain = PLAN.disguise(people(1000), SCHEMA, seed=1)
    for name, column in table(plain).columns.items():
        assert np.array_equal(table(written).columns[name], column)


def test_a_bad_seed_is_the_users_mistake() -> None:
    with pytest.raises(InputError, match="A seed must be"):
        PLAN.disguise(people(5), SCHEMA, seed=1.5)  # type: ignore[arg-type]


def test_the_preview_is_the_claim() -> None:
    assert PLAN.claim(SCHEMA) == PLAN.disguise(people(10), SCHEMA).claim
    assert PLAN.claim(SCHEMA, seeded=True) == PLAN.disguise(people(10), SCHEMA, seed=1).claim


def test_learned_schemas_say_so() -> None:
    schema = Schema.infer(pd.DataFrame(people(100)), target="risk")
    release = RandomSubstitution().disguise(people(100), schema)
    assert release.claim.learned
    assert any("learned from the data" in said for said in release.claim.sentences())


def test_missing_as_a_category_goes_through_the_channel() -> None:
    schema = Schema(
        [
            Attribute.numeric("age", low=0, high=10, bins=3, missing="category"),
            Attribute.categorical("y", ["a", "b"]),
        ],
        target="y",
    )
    raw = {"age": [1.0, float("nan"), 9.0] * 100, "y": ["a", "b", "a"] * 100}
    release = Plan({"age": Substitution(1e6)}, default=Exact()).disguise(raw, schema, shuffle=False)
    assert table(release).columns["age"].tolist() == [0, 3, 2] * 100
    exact = Plan(default=Exact()).disguise(raw, schema, shuffle=False)
    assert np.isnan(table(exact).columns["age"]).sum() == 100


def test_every_attribute_has_words_of_its_own() -> None:
    names = ["a", "b", "c", "y"]
    schema = Schema([Attribute.categorical(name, ["n", "y"]) for name in names], target="y")
    raw = dict.fromkeys(names, ["n", "y"] * 500)
    plan = Plan({"b": Withheld()}, default=Substitution(3))
    columns = table(plan.disguise(raw, schema, seed=9, shuffle=False)).columns
    codes = np.array([0, 1] * 500, np.uint8)
    channel = Substitution(3).channel(schema["a"])
    with Randomness.seeded(9) as source:
        for place, name in ((0, "a"), (2, "c")):
            assert np.array_equal(columns[name], channel.draw(codes, source.words(place, 0, 1000)))
    assert not np.array_equal(columns["a"], columns["c"])


AGE, RISK = SCHEMA["age"], SCHEMA["risk"]


def test_one_attribute_and_the_class_are_enough() -> None:
    two = Schema([AGE, RISK], target="risk")
    raw = {name: people(9)[name] for name in ("age", "risk")}
    assert Plan(default=Exact()).disguise(raw, two).schema.names == ["age", "risk"]
    with pytest.raises(PlanError, match="every attribute but the class"):
        Plan({"age": Withheld()}, default=Exact()).recipe(two)
    with pytest.raises(PlanError, match="withholds the class 'risk'"):
        Plan({"risk": Withheld()}, default=Exact()).recipe(two)
    bare = Schema([AGE])
    assert Plan(default=Exact()).disguise({"age": raw["age"]}, bare).rows == 9
    with pytest.raises(PlanError, match=r"^The plan withholds every attribute\.$"):
        Plan(default=Withheld()).recipe(bare)
    with pytest.raises(PlanError, match=r"^The plan withholds every attribute\.$"):
        Plan(default=Withheld()).recipe(Schema([AGE, RISK]))


def test_an_attribute_is_in_one_group_or_has_its_own() -> None:
    groups = [JointGroup(["kids", "car"], 5), FlipGroup(["rent"], 0.8)]
    plan = Plan({"age": Substitution(8)}, default=Exact(), groups=groups)
    recipe = plan.recipe(SCHEMA)
    assert [channel.attributes for channel in recipe.channels] == [
        ("age",),
        ("kids", "car"),
        ("rent",),
    ]
    for other in (
        Plan({"car": Exact()}, default=Exact(), groups=groups),
        Plan({}, default=Exact(), groups=[*groups, JointGroup(["rent", "age"], 5)]),
    ):
        with pytest.raises(PlanError, match="says twice what happens to attribute"):
            other.recipe(SCHEMA)


def test_a_plan_that_was_tried_on_the_records_says_so() -> None:
    for tuned in (False, True):
        for wave in (None, 0.5):
            plan = Plan({"age": Substitution(8, bins=6)}, Exact(), wave=wave, tuned=tuned)
            claim = plan.claim(SCHEMA)
            assert bool(claim.notes) == tuned
            assert not claim.seeded
            release = plan.disguise(people(1_500), SCHEMA)
            assert release.tuned == tuned
            assert release.drawn == (wave is not None)
            assert len(release.parts) == (1 if wave is None else 2)
    assert Plan(default=Exact()).claim(SCHEMA, seeded=True).seeded


def test_only_what_is_written_can_be_signed(tmp_path: Path) -> None:
    plan = Plan(default=Exact())
    key = SigningKey.new()
    with pytest.raises(PlanError, match="signed when it is written"):
        plan.disguise(people(9), SCHEMA, sign=key)
    made = plan.disguise(people(9), SCHEMA, sign=key, to=tmp_path / "r")
    assert made.signed_by is not None
    assert plan.disguise(people(9), SCHEMA, to=tmp_path / "s").signed_by is None
