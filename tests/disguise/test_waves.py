"""Two waves: cells drawn from a released share of the records."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.cells import Prior
from privet.channel.matrix import WrittenMatrix
from privet.disguise import Exact, Plan, RandomSubstitution, Substitution, plan_from_dict
from privet.disguise.planfile import plan_to_toml
from privet.disguise.units import Kept
from privet.disguise.waves import (
    FINE,
    LEAST,
    check_share,
    first_wave,
    is_open,
    prior_of,
    suiting,
)
from privet.errors import DataError, PlanError
from privet.estimate.distribution import observed_counts
from privet.estimate.merged import aligned, merged, overlap
from privet.estimate.shares import shares
from privet.estimators import TreeClassifier
from privet.release import Release
from privet.schema import Attribute, Schema
from privet.table import MemoryTable
from tests.golden import golden

SCHEMA = Schema(
    [
        Attribute.numeric("income", low=0, high=400, bins=12),
        Attribute.numeric("children", low=0, high=9, integer=True),
        Attribute.numeric("days", low=0, high=365, bins=12, integer=True),
        Attribute.numeric("given", low=0, high=10, edges=[2, 5]),
        Attribute.categorical("sky", ["sun", "rain"]),
        Attribute.categorical("class", ["a", "b"]),
    ],
    target="class",
)
BAND = RandomSubstitution(8, kind="band", wave=0.2)


def people(rows: int, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    income = np.minimum(rng.lognormal(3, 0.6, rows), 400)
    return {
        "income": income,
        "children": rng.integers(0, 10, rows),
        "days": np.minimum(rng.geometric(0.05, rows), 365),
        "given": rng.uniform(0, 10, rows),
        "sky": np.array(["sun", "rain"])[rng.integers(0, 2, rows)],
        "class": np.where(income > 20, "a", "b"),
    }


@pytest.fixture(scope="module")
def release() -> Release:
    return BAND.disguise(people(20_000), SCHEMA)


def test_a_random_share_is_released_over_fine_cells(release: Release) -> None:
    rest, wave = release.parts
    assert rest.table.rows + wave.table.rows == 20_000
    # Binomial(20,000, 0.2): within five deviations, which chance misses once in a million.
    assert abs(wave.table.rows - 4_000) < 5 * np.sqrt(20_000 * 0.2 * 0.8)
    assert set(wave.codings) == {"income", "days"}
    assert wave.codings["income"].known == FINE
    assert release.drawn
    assert not rest.codings


def test_cells_hold_about_equal_shares_of_the_originals(release: Release) -> None:
    coding = release.codings["income"]
    assert coding is not None
    assert coding.known == 12
    counts = np.bincount(coding.encode(people(20_000)["income"]), minlength=12)
    even = SCHEMA["income"].coding().encode(people(20_000)["income"])
    assert counts.max() / 20_000 < 0.2
    assert np.bincount(even).max() / 20_000 > 0.6  # what equal width would do


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=5, deadline=None)
def test_cells_are_a_function_of_the_released_wave(seed: int) -> None:
    """Whoever has the wave computes the cells of the rest: they tell nothing besides."""
    release = BAND.disguise(people(6_000, seed), SCHEMA, seed=seed)
    wave = release.parts[1]
    for name, own in wave.codings.items():
        channel = wave.channel(name)
        assert channel is not None
        counts = observed_counts(wave, name, own.size)
        prior = prior_of(own, channel, counts, SCHEMA[name])
        cells = SCHEMA[name].with_cells(12, prior=prior).coding()
        coding = release.codings[name]
        assert coding is not None
        assert coding.to_dict() == cells.to_dict()


def test_other_values_of_the_rest_change_no_cell() -> None:
    """The same wave, other records behind it: the same cells, to the last digit."""
    table = people(6_000)
    first = BAND.disguise(table, SCHEMA, seed=3, shuffle=False)
    rng = np.random.default_rng(0)
    chosen = _wave_of(6_000, seed=3)
    other = {
        name: np.where(chosen, column, rng.permutation(column)) for name, column in table.items()
    }
    second = BAND.disguise(other, SCHEMA, seed=3, shuffle=False)
    assert _columns(first.parts[1]) == _columns(second.parts[1])
    assert _columns(first.parts[0]) != _columns(second.parts[0])
    for name, coding in first.codings.items():
        mirrored = second.codings[name]
        assert coding is not None
        assert mirrored is not None
        assert coding.to_dict() == mirrored.to_dict()


def _wave_of(rows: int, seed: int) -> Any:
    from privet.disguise.recipe import Lot
    from privet.randomness import Randomness

    with Randomness.seeded(seed) as source:
        chosen = Lot.shares([0.2, 0.8])[0].chosen(source, 0, rows)
    assert chosen is not None
    return chosen


def _columns(part: Any) -> dict[str, list[Any]]:
    return {name: column.tolist() for name, column in part.table.collect(10**6).columns.items()}


def test_every_record_keeps_gamma_per_attribute(release: Release) -> None:
    for part in release.parts:
        names = {name for channel in part.channels for name in channel.attributes}
        assert names == {"income", "children", "days", "given", "sky"}
        for channel in part.channels:
            worst = channel.amplification()
            assert worst is not None
            assert worst <= 8
    claim = release.claim
    assert {float(promise.gamma or 0) <= 8 for promise in claim.disguised} == {True}
    assert len(claim.disguised) == 5
    assert "chance alone decided" in " ".join(claim.sentences())
    assert BAND.claim(SCHEMA).disguised_epsilon == pytest.approx(claim.disguised_epsilon, abs=1e-6)


def test_folders_seeds_and_splits(tmp_path: Path) -> None:
    release = BAND.disguise(people(6_000), SCHEMA, seed=7, to=tmp_path / "a")
    two = BAND.disguise(people(6_000), SCHEMA, seed=7, to=tmp_path / "b")
    assert release.seeded
    assert not release.claim.private
    for name in ("part-0.parquet", "part-1.parquet", "card.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    first, second = two.split(0.7)
    assert first.drawn
    assert second.drawn
    assert first.rows + second.rows == 6_000
    assert set(first.parts[1].codings) == {"income", "days"}
    first.write(tmp_path / "c")
    assert Release.read(tmp_path / "c").claim == first.claim


@pytest.mark.parametrize("shuffle", [True, False])
def test_files_give_what_memory_gives(tmp_path: Path, shuffle: bool) -> None:
    table = people(9_000)
    pq.write_table(pa.table(table), tmp_path / "p.parquet", row_group_size=2_000)
    made = BAND.disguise(tmp_path / "p.parquet", SCHEMA, to=tmp_path / "r", seed=5, shuffle=shuffle)
    whole = BAND.disguise(table, SCHEMA, seed=5, shuffle=shuffle)
    for part, other in zip(made.parts, whole.parts, strict=True):
        mine, theirs = _columns(part), _columns(other)
        if shuffle:
            mine = {name: sorted(column) for name, column in mine.items()}
            theirs = {name: sorted(column) for name, column in theirs.items()}
        assert mine == theirs
    for name, coding in made.codings.items():
        assert coding is not None
        assert coding.to_dict() == whole.codings[name].to_dict()  # type: ignore[union-attr]


def test_both_parts_are_mined_together(release: Release) -> None:
    table = people(5_000, seed=9)
    model = TreeClassifier(max_depth=3).fit(release)
    assert model.score(table) > 0.87  # equal width gives 0.7
    direct = TreeClassifier(max_depth=2, method="direct").fit(release)
    assert direct.score(table) > 0.85
    grown, tested = release.split(0.7)
    accuracy = TreeClassifier(max_depth=2, method="direct").fit(grown).accuracy(tested)
    truth = TreeClassifier(max_depth=2, method="direct").fit(grown).score(table)
    assert abs(accuracy.value - truth) < 5 * accuracy.error + 0.03
    part = merged(release).parts[0]
    assert part.table.rows == 20_000
    channel = part.channel("income")
    assert channel is not None
    assert channel.outputs[0] > release.parts[0].channel("income").outputs[0]  # type: ignore[union-attr]
    same = aligned(release)
    assert len(same.parts) == 1  # the wave's even cells cannot tell the narrow ones apart
    even = BAND.disguise(
        people(20_000) | {"income": np.linspace(0, 400, 20_000), "days": np.arange(20_000) % 366},
        SCHEMA,
    )
    assert aligned(even).parts[1].channel("income").inputs == (12,)  # type: ignore[union-attr]


def test_shares_stand_on_the_rest(release: Release) -> None:
    estimated = shares(release, "income")
    assert estimated.rows == release.parts[0].table.rows
    assert shares(release, "sky").rows == 20_000
    assert abs(estimated.unbiased.sum() - 1) < 1e-9


@given(
    st.lists(st.integers(1, 98), min_size=1, max_size=8, unique=True),
    st.lists(st.integers(1, 98), min_size=1, max_size=8, unique=True),
    st.booleans(),
    st.booleans(),
)
def test_overlaps_are_shares_of_cells(
    first: list[int], second: list[int], integer: bool, missing: bool
) -> None:
    def cells(borders: list[int]) -> Any:
        return Attribute.numeric(
            "x",
            low=0,
            high=99,
            edges=sorted(borders),
            integer=integer,
            missing="category" if missing else "error",
        ).coding()

    own, theirs = cells(first), cells(second)
    law = overlap(own, theirs)
    assert np.allclose(law.sum(axis=0), 1)
    values = np.arange(100.0) if integer else np.linspace(0, 99, 99_001)[1:]
    mine, other = own.encode(values), theirs.encode(values)
    counted = np.zeros(law.shape)
    np.add.at(counted, (mine, other), 1)
    known = counted[: own.known, : theirs.known]
    assert np.allclose(law[: own.known, : theirs.known], known / known.sum(axis=0), atol=2e-3)
    assert np.allclose(overlap(own, own), np.eye(own.size))


def test_waves_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"too few to draw cells from; at least {LEAST}"):
        BAND.disguise(people(1_000), SCHEMA)
    for wave in (-1, 1, 1.5, True, "some"):
        with pytest.raises(PlanError, match="above 0 and below 1"):
            RandomSubstitution(8, wave=wave).claim(SCHEMA)
    with pytest.raises(PlanError, match="there are none"):
        Plan({}, default=Exact(), wave=0.1).claim(SCHEMA)
    with pytest.raises(PlanError, match="at most 128 cells can be drawn"):
        Plan({"income": Substitution(8, bins=200)}, default=Exact(), wave=0.1).claim(SCHEMA)
    table = people(1_000)
    pq.write_table(pa.table(table), tmp_path / "p.parquet")
    with pytest.raises(DataError, match="too few to draw cells from"):
        BAND.disguise(tmp_path / "p.parquet", SCHEMA, to=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_plan_file_names_the_wave() -> None:
    plan = plan_from_dict({"wave": 0.1, "default": "exact", "attributes": {"age": "exact"}})
    assert isinstance(plan, Plan)
    assert plan.wave == 0.1


def test_a_plan_takes_two_waves_as_the_method_does() -> None:
    """Cells that nobody gave follow from a first wave, in a plan as in ``RandomSubstitution``."""
    treatments = {"income": Substitution(8, bins=12), "days": Substitution(8)}
    written = plan_from_dict(
        {
            "default": "exact",
            "attributes": {
                "income": {"method": "substitution", "gamma": 8, "bins": 12},
                "days": {"method": "substitution", "gamma": 8},
            },
        }
    )
    assert written == Plan(treatments, default=Exact())
    release = written.disguise(people(5_000), SCHEMA, seed=1)
    assert [set(part.codings) for part in release.parts] == [set(), {"income", "days"}]
    promised = written.claim(SCHEMA).disguised_epsilon
    assert release.claim.disguised_epsilon == pytest.approx(promised, abs=1e-6)
    method = RandomSubstitution(8, edges={"given": [2, 5]}).disguise(people(5_000), SCHEMA, seed=1)
    assert [set(part.codings) for part in method.parts] == [set(), {"income", "days"}]


@pytest.mark.parametrize("wave", [0, None])
def test_a_plan_may_ask_for_a_single_wave(wave: float | None) -> None:
    plan = Plan({"income": Substitution(8, bins=12)}, default=Exact(), wave=wave)
    release = plan.disguise(people(5_000), SCHEMA, seed=1)
    assert len(release.parts) == 1
    coding = release.codings["income"]
    assert coding is not None
    assert coding.to_dict() == SCHEMA["income"].with_cells(12).coding().to_dict()
    assert "wave = 0" in plan_to_toml(plan)
    assert plan_from_dict({"wave": 0, "default": "exact"}).disguise(people(5_000), SCHEMA).rows


def test_few_records_and_given_cells_take_a_single_wave() -> None:
    plan = Plan({"income": Substitution(8)}, default=Exact())
    assert len(plan.disguise(people(3_000), SCHEMA).parts) == 1
    given = Plan({"income": Substitution(8, edges=[10, 20, 40])}, default=Exact())
    assert len(given.disguise(people(5_000), SCHEMA).parts) == 1


def test_a_wave_leaves_other_channels_and_many_cells_alone() -> None:
    """Only bands whose cells a wave can draw are drawn, if nothing else was asked for."""
    other = {
        "days": Substitution(8, bins=12, kind="gamma-diagonal"),
        "income": Substitution(8, bins=200),
    }
    assert len(Plan(other, default=Exact()).disguise(people(5_000), SCHEMA).parts) == 1
    mixed = Plan({**other, "given": Substitution(8, bins=12)}, default=Exact())
    release = mixed.disguise(people(5_000), SCHEMA)
    assert [set(part.codings) for part in release.parts] == [set(), {"given"}]
    even = release.codings["days"]
    assert even is not None
    assert even.to_dict() == SCHEMA["days"].with_cells(12).coding().to_dict()


INCOME = Attribute.numeric("x", low=-20, high=100)
WHOLE = Attribute.numeric("x", low=10, high=21, integer=True)


@pytest.mark.parametrize(
    ("attribute", "treatment", "is_it"),
    [
        (INCOME, Substitution(8), True),
        (INCOME, Substitution(8, bins=5), True),
        (INCOME, Substitution(8, edges=[3]), False),
        (INCOME, Substitution(8, prior={"shape": "quantiles", "values": [1.0, 3, 9]}), False),
        (INCOME, Substitution(matrix=[[0.7, 0.3], [0.3, 0.7]], bins=2), False),
        (replace(INCOME, edges=(3, 9)), Substitution(8), False),
        (replace(INCOME, edges=(3, 9)), Substitution(8, bins=5), True),
        (replace(INCOME, low=0, edges=(3, 9)), Substitution(8, scale="log"), True),
        (replace(INCOME, bins=5), Substitution(8), True),
        (replace(WHOLE, bins=12), Substitution(8), False),  # a cell for every value
        (replace(WHOLE, bins=11), Substitution(8), True),
        (WHOLE, Substitution(8, bins=11), True),
        (WHOLE, Substitution(8, bins=12), False),
        (replace(INCOME, low=7, high=7), Substitution(8), False),
        (SCHEMA["sky"], Substitution(8), False),
    ],
)
def test_where_a_wave_may_draw_cells(
    attribute: Attribute, treatment: Substitution, is_it: bool
) -> None:
    if treatment.scale:
        attribute = replace(attribute, low=1)
    if treatment.prior:
        treatment = replace(treatment, prior=Prior("quantiles", (1.0, 3, 9)).to_dict())
    assert is_open(treatment, attribute) == is_it


def test_numbers_of_a_public_prior_need_no_wave() -> None:
    known = replace(INCOME, prior=Prior("quantiles", (1.0, 3, 9)))
    assert not is_open(Substitution(8), known)
    assert not is_open(Substitution(8, bins=4), known)


@pytest.mark.parametrize("cells", [127, 128, 129])
def test_a_wave_has_128_cells(cells: int) -> None:
    schema = Schema([INCOME, SCHEMA["class"]], target="class")
    plan = {"x": Substitution(8, bins=cells), "class": Exact()}
    suits = suiting(plan, schema)
    assert ("x" in suits) == (cells <= 128)
    if cells > 128:
        with pytest.raises(PlanError, match="at most 128"):
            first_wave(plan, schema)
        return
    first = first_wave(plan, schema)["x"]
    assert isinstance(first, Substitution)
    assert (first.bins, first.kind) == (128, "band")
    other = {"x": Substitution(8, bins=cells, kind="gamma-diagonal"), "class": Exact()}
    assert not suiting(other, schema)
    assert set(first_wave(other, schema)) == {"x"}  # asked for, where no band is


@pytest.mark.parametrize("rows", [499, 500])
def test_cells_are_drawn_from_500_records(rows: int) -> None:
    schema = Schema([INCOME, SCHEMA["class"]], target="class")
    plan = Plan({"x": Substitution(8, bins=7)}, default=Exact(), wave=0.5)
    codes = np.arange(rows) % 20

    def make(recipe: Any, number: int) -> MemoryTable:
        used = codes if number == 1 else codes[:9] % 7
        types = recipe.types
        return MemoryTable(
            {"x": used.astype(types["x"]), "class": (used % 2).astype(types["class"])}
        )

    if rows < 500:
        with pytest.raises(DataError, match="too few"):
            plan.made(schema, make, Kept(), seeded=False, shuffled=True)
        return
    release = plan.made(schema, make, Kept(), seeded=False, shuffled=True)
    assert release.drawn
    coding = release.codings["x"]
    assert coding is not None
    assert coding.known == 7
    assert coding.edges[3] < INCOME.coding(7).edges[3]  # all of the wave lies low


@pytest.mark.parametrize("missing", ["error", "category"])
def test_distributions_drawn_from_a_wave_are_the_same_again(missing: Any) -> None:
    found = []
    for low, high, cells in ((-20, 100, 12), (50, 55, 30), (0, 1, 128)):
        number = Attribute.numeric("x", low=low, high=high, missing=missing)
        treatment = Substitution(6, bins=cells, kind="band")
        coding = treatment.released(number).coding()
        channel = treatment.channel(number)
        counts = np.floor(900.0 / (1 + np.arange(channel.output_size) % 17))
        counts[3] = 0
        prior = prior_of(coding, channel, counts, number)
        found.append(prior.to_dict())
        values = np.array(prior.parameters)
        assert len(values) == 255
        assert (np.diff(values) >= 0).all()
        assert low < values[0] < values[-1] < high
    golden("settings", f"priors of waves, missing {missing}", found)


def test_a_distribution_is_drawn_towards_even_shares() -> None:
    """All counts in the first of four cells, told plainly: most quantiles stay there."""
    number = Attribute.numeric("x", low=0, high=4, bins=4)
    plain = WrittenMatrix.of("x", np.eye(4).tolist())
    prior = prior_of(number.coding(), plain, np.array([100.0, 0, 0, 0]), number)
    values = np.array(prior.parameters)
    beyond = (values > 1).mean()
    assert 0.07 < beyond < 0.4
    even = prior_of(number.coding(), plain, np.full(4, 25.0), number)
    assert even.parameters == pytest.approx(np.arange(1, 256) / 64)


@pytest.mark.parametrize("wave", ["0.5", None, [], True, 2, 0])
def test_shares_of_waves_are_numbers(wave: Any) -> None:
    with pytest.raises(PlanError, match="above 0 and below 1"):
        check_share(wave)
    assert check_share(0.5) == 0.5
