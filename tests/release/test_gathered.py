"""Releases that no disguise made: gathered from people, joined, given another class."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from privet import Release, TreeClassifier, shares
from privet.channel import Channel, GammaDiagonal, JointGammaDiagonal
from privet.disguise import JointGroup, Plan, RandomSubstitution, Substitution
from privet.errors import DataError, ReleaseError, SchemaError
from privet.schema import Attribute, Schema
from privet.table import ParquetTable

SCHEMA = Schema(
    [
        Attribute.categorical("smoker", ["yes", "no"]),
        Attribute.numeric("age", low=0, high=99, bins=4, integer=True, missing="category"),
    ]
)
CHANNELS: list[Channel] = [GammaDiagonal("smoker", 2, 3), GammaDiagonal("age", 5, 9)]
PLAN = Plan({"smoker": Substitution(3), "age": Substitution(9, kind="gamma-diagonal")})


def told(rows: int, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {"smoker": rng.integers(0, 2, rows), "age": rng.integers(0, 5, rows)}


def test_disguised_records_make_an_ordinary_release(tmp_path: Path) -> None:
    rows = told(300)
    release = Release.of_disguised(SCHEMA, CHANNELS, rows)
    assert release.claim == PLAN.claim(SCHEMA)
    release.write(tmp_path / "r")
    again = Release.read(tmp_path / "r")
    again.verify()
    counts = np.bincount(again.parts[0].table.collect(1000).columns["age"])
    assert np.array_equal(counts, np.bincount(rows["age"]))
    assert again.schema.goal is None


def test_rows_are_shuffled_unless_asked() -> None:
    rows = {"smoker": np.repeat([0, 1], 500), "age": np.arange(1000) % 5}
    kept = Release.of_disguised(SCHEMA, CHANNELS, rows, shuffle=False)
    mixed = Release.of_disguised(SCHEMA, CHANNELS, rows)
    assert np.array_equal(kept.parts[0].table.collect(1000).columns["smoker"], rows["smoker"])
    assert not np.array_equal(mixed.parts[0].table.collect(1000).columns["smoker"], rows["smoker"])
    assert (kept.shuffled, mixed.shuffled) == (False, True)


@pytest.mark.parametrize("wrong", [[2, 0], [-1, 0], [0.5, 0], ["yes", "no"]])
def test_what_is_no_code_is_refused(wrong: list[object]) -> None:
    with pytest.raises(DataError, match="smoker"):
        Release.of_disguised(SCHEMA, CHANNELS, {"smoker": wrong, "age": [0, 0]})


def test_a_single_record_follows_its_channels() -> None:
    recipe = PLAN.recipe(SCHEMA)
    answers = [recipe.record({"smoker": "yes", "age": None}) for _ in range(4000)]
    kept = np.mean([answer["smoker"] == 0 for answer in answers])
    missing = np.mean([answer["age"] == 4 for answer in answers])
    # Five deviations: a correct program misses one of two such bounds once in a million runs.
    assert abs(kept - 0.75) < 5 * np.sqrt(0.75 * 0.25 / 4000)
    assert abs(missing - 9 / 13) < 5 * np.sqrt(9 * 4 / 13**2 / 4000)
    with pytest.raises(DataError, match="no 'age'"):
        recipe.record({"smoker": "yes"})


def test_a_single_record_goes_through_groups_too() -> None:
    bits = [Attribute.categorical(name, [0, 1]) for name in ("a", "b")]
    recipe = Plan({}, groups=[JointGroup(["a", "b"], gamma=30)]).recipe(Schema(bits))
    answers = [recipe.record({"a": 1, "b": 0}) for _ in range(2000)]
    kept = np.mean([answer == {"a": 1, "b": 0} for answer in answers])
    assert abs(kept - 30 / 33) < 5 * np.sqrt(30 * 3 / 33**2 / 2000)
    gathered = Release.of_disguised(
        recipe.schema,
        recipe.channels,
        {name: [answer[name] for answer in answers] for name in ("a", "b")},
        treatments=recipe.treatments,
    )
    assert isinstance(gathered.parts[0].channels[0], JointGammaDiagonal)
    assert gathered.claim == Plan({}, groups=[JointGroup(["a", "b"], gamma=30)]).claim(Schema(bits))


def test_releases_of_one_plan_are_joined(tmp_path: Path) -> None:
    parts = [Release.of_disguised(SCHEMA, CHANNELS, told(200, seed)) for seed in (1, 2)]
    joined = Release.concat(parts)
    assert joined.rows == 400
    assert joined.shuffled
    for number, part in enumerate(parts):
        part.write(tmp_path / str(number))
    on_disk = Release.concat(Release.read(tmp_path / str(number)) for number in range(2))
    assert on_disk.rows == 400
    assert shares(on_disk, "age").unbiased == pytest.approx(shares(joined, "age").unbiased)
    twice = Release.concat([Release.read(tmp_path / "0")] * 2)
    assert twice.rows == 400


def test_releases_of_other_plans_are_not_joined() -> None:
    other = [GammaDiagonal("smoker", 2, 4), CHANNELS[1]]
    releases = [Release.of_disguised(SCHEMA, channels, told(20)) for channels in (CHANNELS, other)]
    with pytest.raises(ReleaseError, match="one plan"):
        Release.concat(releases)
    with pytest.raises(ReleaseError, match="no release"):
        Release.concat([])


def test_any_question_can_become_the_class() -> None:
    rng = np.random.default_rng(3)
    smoker = rng.integers(0, 2, 6000)
    age = np.where(rng.random(6000) < 0.9, 4 * smoker, rng.integers(0, 5, 6000))
    release = Release.of_disguised(SCHEMA, [], {"smoker": smoker, "age": age.astype(float)})
    with pytest.raises(SchemaError, match="no class"):
        TreeClassifier().fit(release)
    with pytest.raises(SchemaError, match="numbers"):
        release.with_target("age")
    cut = Release.of_disguised(SCHEMA, CHANNELS, {"smoker": smoker, "age": age})
    tree = TreeClassifier(max_depth=1).fit(cut.with_target("age")).tree_
    assert tree.classes == ("0 to 24", "25 to 49", "50 to 74", "75 to 99", "missing")
    assert tree.nodes == 3
    assert TreeClassifier(max_depth=1).fit(cut.with_target("smoker")).tree_.nodes == 3


def test_methods_disguise_a_schema_without_a_class() -> None:
    data = {"smoker": ["yes", "no"] * 50, "age": [30.0, np.nan] * 50}
    release = RandomSubstitution(gamma=3).disguise(data, SCHEMA)
    assert release.claim.disclosed == ()
    assert Schema.from_dict(SCHEMA.to_dict()) == SCHEMA
    assert "target" not in SCHEMA.to_toml()


def test_one_release_alone_is_joined_to_itself(tmp_path: Path) -> None:
    """Exact numbers, which have no codes, in memory and on disk."""
    rows = {"smoker": np.array([0, 1, 1]), "age": np.array([1.0, 2.0, np.nan])}
    made = Release.of_disguised(SCHEMA, [CHANNELS[0]], rows)
    assert Release.concat([made]).rows == 3
    made.write(tmp_path / "r")
    read = Release.read(tmp_path / "r")
    joined = Release.concat([read])
    assert isinstance(joined.parts[0].table, ParquetTable)
    assert (joined.rows, joined.shuffled) == (3, False)
    made.write(tmp_path / "s")
    both = Release.concat([read, Release.read(tmp_path / "s")])
    assert isinstance(both.parts[0].table, ParquetTable)
    assert both.rows == 6
    mixed = Release.concat([made, read])
    assert (mixed.rows, mixed.shuffled) == (6, True)
    first, _ = read.split(0.34)
    assert Release.concat([first, read]).rows == 4


def test_releases_are_joined_only_if_cut_alike() -> None:
    other = Attribute.numeric("age", low=0, high=99, edges=[10.0, 20.0, 30.0], missing="category")
    schemas = [SCHEMA, Schema([SCHEMA["smoker"], other])]
    made = [Release.of_disguised(schema, CHANNELS, told(20)) for schema in schemas]
    with pytest.raises(ReleaseError, match="one plan"):
        Release.concat(made)
    with pytest.raises(ReleaseError, match="expected, not int"):
        Release.concat([made[0], 3])  # type: ignore[list-item]


def test_stamps_of_what_is_joined_stay() -> None:
    made = Release.of_disguised(SCHEMA, CHANNELS, told(20))
    assert not Release.concat([made, made]).seeded
    assert Release.concat([made, replace(made, seeded=True)]).seeded
    assert Release.concat([made, replace(made, tuned=True)]).tuned
    assert not Release.concat([made, made]).tuned


def test_a_category_stays_what_it_is_as_the_class() -> None:
    """Numbers that name categories stay numbers; a missing value is a class like others."""
    schema = Schema(
        [
            Attribute.categorical("stars", [1, 2, 3]),
            Attribute.categorical("town", ["a", "b"], missing="category"),
        ]
    )
    rows = {"stars": np.array([0, 1, 2]), "town": np.array([0, 1, 2])}
    made = Release.of_disguised(schema, [], rows)
    plain = made.with_target("stars")
    assert plain.schema["stars"] == schema["stars"]
    assert plain.codings["stars"] == made.codings["stars"]
    gaps = made.with_target("town")
    assert gaps.schema["town"] == Attribute.categorical("town", ["a", "b", "missing"])
    assert gaps.schema["stars"] == schema["stars"]
    assert gaps.schema.target == "town"


@pytest.mark.parametrize(("code", "row"), [(5, 1), (-1, 1), (np.nan, 1), (0.5, 1)])
def test_the_first_wrong_code_is_named(code: float, row: int) -> None:
    with pytest.raises(DataError, match="allowed are 0 to 4") as caught:
        Release.of_disguised(
            SCHEMA, CHANNELS, {"smoker": [0, 1, 1], "age": np.array([4.0, code, code])}
        )
    assert caught.value.where.row == row
    with pytest.raises(DataError, match="no records"):
        Release.of_disguised(SCHEMA, CHANNELS, {"smoker": np.zeros(0), "age": np.zeros(0)})
