"""What is left of the table: counts, associations and trees, with errors that are right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import datasets
from privet.audit import audit
from privet.audit.fidelity import association, associations, count_errors
from privet.audit.original import Original, read_original
from privet.audit.utility import SPLITS, utility
from privet.audit.world import Case, generator
from privet.disguise import Complement, Exact, Plan, RandomSubstitution, ValueClass
from privet.errors import DataError
from privet.randomness import Randomness
from privet.release import Release
from privet.schema import Attribute, Schema
from tests.audit.people import SCHEMA, people

ROWS = 20_000


def made(gamma: float) -> tuple[Release, Original]:
    release = RandomSubstitution(gamma=gamma, kind="gamma-diagonal").disguise(
        people(ROWS), SCHEMA, seed=1
    )
    return release, read_original(people(ROWS), release, np.random.default_rng(1))


def test_corrected_counts_are_near_the_truth_and_as_near_as_predicted() -> None:
    release, original = made(5)
    for one in count_errors(release.parts[0], original):
        assert one.naive is not None
        assert one.predicted is not None
        assert one.error < one.naive
        assert one.error < 4 * one.predicted  # the mean error; repair only makes it smaller
    mild, original = made(5000)
    assert max(one.error for one in count_errors(mild.parts[0], original)) < 0.01


def test_associations_survive_correction() -> None:
    release, original = made(5)
    found = associations(release, release.parts[0], original)
    assert found is not None
    assert found.pairs == 6
    assert found.kept < found.naive / 2
    car_town = max(found.points)
    assert car_town[0] > 0.6
    assert car_town[1] == pytest.approx(car_town[0], abs=0.05)
    assert car_town[2] < car_town[0] / 2


def test_associations_that_noise_hides_are_not_shown() -> None:
    """Two attributes that hardly vary, and have nothing to do with each other or with a third."""
    rng = np.random.default_rng(1)
    skewed = [f"v{code}" for code in range(10)]
    schema = Schema(
        [
            Attribute.categorical("a", skewed),
            Attribute.categorical("b", skewed),
            Attribute.categorical("c", ["x", "y"]),
            Attribute.categorical("kind", ["no", "yes"]),
        ],
        target="kind",
    )
    for seed in range(20):
        rare = np.where(rng.random((2, 2000)) < 0.97, 0, rng.integers(0, 10, (2, 2000)))
        table = {
            "a": np.array(skewed)[rare[0]],
            "b": np.array(skewed)[rare[1]],
            "c": np.array(["x", "y"])[rng.integers(0, 2, 2000)],
        }
        table["kind"] = np.where(table["c"] == "x", "no", "yes")
        release = RandomSubstitution(gamma=8).disguise(table, schema, seed=seed)
        original = read_original(table, release, np.random.default_rng(1))
        found = associations(release, release.parts[0], original)
        assert found is not None
        assert found.pairs + found.hidden == 6
        assert found.hidden >= 1  # a with b
        assert all(abs(corrected - true) < 0.6 for true, corrected, _ in found.points)
        assert max(found.points)[1] == pytest.approx(1, abs=0.2)  # c with the class


@given(st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=2, max_size=5))
def test_association_is_a_share_and_symmetric(rows: list[list[int]]) -> None:
    table = np.array(rows, float)
    found = association(table)
    assert 0 <= found <= 1
    assert association(table.T) == pytest.approx(found)
    assert association(table, np.full(table.shape, 1e9)) == 0


def test_association_of_two_bits_is_phi() -> None:
    table = np.array([[30, 10], [20, 40]])
    phi = (30 * 40 - 10 * 20) / np.sqrt(40 * 60 * 50 * 50)
    assert association(table) == pytest.approx(phi)
    assert association(np.zeros((2, 2))) == 0
    assert association(np.array([[3, 4]])) == 0


def test_originals_are_sampled_uniformly_and_counted_in_full() -> None:
    release = RandomSubstitution(gamma=8).disguise(people(3000), SCHEMA)
    ages = people(3000)["age"]
    codes = release.codings["age"]
    assert codes is not None
    held = read_original(people(3000), release, np.random.default_rng(9), 300)
    assert held.sampled == 300
    assert held.counts["age"].tolist() == np.bincount(codes.encode(ages), minlength=10).tolist()
    tops = [
        (
            read_original(people(3000), release, np.random.default_rng(seed), 300).sample["age"] > 4
        ).mean()
        for seed in range(50)
    ]
    # 15,000 draws in all: five standard errors.
    assert np.mean(tops) == pytest.approx((codes.encode(ages) > 4).mean(), abs=5 * 0.5 / 15000**0.5)


def test_another_table_is_refused() -> None:
    release, _ = made(5)
    with pytest.raises(DataError, match="The original has 10 records, the release 20,000"):
        read_original(people(10), release, np.random.default_rng(1))
    wrong = people(ROWS) | {"town": ["z"] * ROWS}
    with pytest.raises(DataError, match="'town' has a value outside its domain") as caught:
        read_original(wrong, release, np.random.default_rng(1))
    assert "'z'" not in str(caught.value)


def test_value_classes_of_categories_are_read_by_what_was_merged() -> None:
    groups = {"small": ["vw", "fiat"], "other": ["tesla", "none"]}
    plan = Plan({"car": ValueClass(groups=groups)}, default=Exact())
    release = plan.disguise(people(500), SCHEMA)
    held = read_original(people(500), release, np.random.default_rng(1))
    assert held.skipped == ()
    small = np.isin(people(500)["car"], groups["small"])
    assert np.bincount(held.sample["car"]).tolist() == [small.sum(), (~small).sum()]


def test_releases_whose_parts_belong_together_are_compared_as_a_whole() -> None:
    table, schema = datasets.load("weather"), datasets.schema("weather")
    found = audit(Complement().disguise(table, schema), table, seed=1)
    assert {one.attack for one in found.attacks} == {
        "rebuild",
        "leak",
        "one-row-each",
        "one-table",
        "moments",
    }
    assert {one.why for one in found.not_run} >= {"the parts of the release only belong together"}
    assert found.utility is not None
    assert found.utility.cost == 0  # mining a complemented table gives the original tree
    assert "cannot be split" in found.utility.how
    assert "exactly that of the originals" in found.utility.how


def test_trees_are_judged_on_records_they_did_not_see() -> None:
    release, original = made(20)
    with Randomness.seeded(1) as source:
        case = Case.of(release, original, source, frozenset({"risk"}))
        found = utility(release, original, case)
    assert found is not None
    assert found.plain is not None
    assert found.naive is not None
    assert found.splits == SPLITS
    assert found.plain.accuracy == pytest.approx(0.9, abs=0.02)  # a tenth of the risks is noise
    assert found.blind < found.release.accuracy <= found.plain.accuracy + 0.01
    assert 0.0005 < found.plain.error < 0.01
    assert found.cost == pytest.approx(found.plain.accuracy - found.release.accuracy)


def test_trees_are_mined_as_miners_do() -> None:
    """By what `auto` takes, not by the quickest method: else good plans look beaten."""
    release, original = made(4)
    with Randomness.seeded(1) as source:
        case = Case.of(release, original, source, frozenset({"risk"}))
        found = utility(release, original, case)
        inverted = utility(release, original, case, "direct")
        alone = utility(release, None, case)
    assert found is not None
    assert inverted is not None
    assert alone is not None
    assert (found.release.method, inverted.release.method) == ("joint", "direct")
    assert "mined by 'joint'" in found.how
    assert "mined by 'joint'" in alone.how


def test_without_originals_a_split_of_the_release_judges() -> None:
    release, _ = made(20)
    with Randomness.seeded(1) as source:
        case = Case.of(release, None, source, frozenset({"risk"}))
        assert not case.real
        assert generator(source) is not case.rng
        found = utility(release, None, case)
    assert found is not None
    assert (found.plain, found.cost) == (None, None)
    assert found.release.accuracy == pytest.approx(0.89, abs=5 * found.release.error + 0.03)
