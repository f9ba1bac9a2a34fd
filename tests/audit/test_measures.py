"""Every notion of privacy from the same integers; claims that do not hold are found."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.audit import register_notions
from privet.audit.checks import check_claims
from privet.audit.measures import measures, widths
from privet.audit.notions import NOTIONS, may_claim, words
from privet.audit.original import read_original
from privet.channel import GammaDiagonal
from privet.coding import Coding
from privet.disguise import Exact, Plan, RandomSubstitution, Substitution, ValueClass, Withheld
from privet.release import Part, Release
from privet.release.claim import Promise
from privet.schema import Attribute, Schema
from privet.table import MemoryTable
from tests.audit.people import SCHEMA, people
from tests.property.strategies import plans, records, schemas

GAMMA = 19


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.fixture(scope="module")
def release() -> Release:
    plan = Plan(
        {
            "age": Substitution(GAMMA),
            "car": Withheld(),
            "town": Exact(),
            "risk": Substitution(3),
        }
    )
    return plan.disguise(people(), SCHEMA)


def test_notions_stand_side_by_side(release: Release) -> None:
    age, car, town, _ = measures(release)
    assert age.gamma == Fraction(GammaDiagonal("age", 10, GAMMA).amplification() or 0)
    assert age.epsilon == pytest.approx(math.log(GAMMA), rel=1e-6)
    assert age.posteriors is not None
    assert age.posteriors[1] == pytest.approx(0.5, abs=1e-6)  # 5 % to 50 %: the paper's γ = 19
    assert age.posteriors[0] == pytest.approx(0.19 / (0.19 + 0.99), abs=1e-6)
    assert age.entropy == pytest.approx(GammaDiagonal("age", 10, GAMMA).entropy())
    assert age.most_entropy == pytest.approx(math.log2(10))
    assert (car.epsilon, car.said) == (0.0, "Nothing of it is released.")
    assert (town.epsilon, town.gamma, town.posteriors) == (None, None, None)
    assert town.said.startswith("No formal guarantee")
    assert town.k == int(np.unique(people()["town"], return_counts=True)[1].min())


def test_an_interval_of_a_value_class_is_its_width_times_the_confidence() -> None:
    coding = Coding.cells("age", [0, 20, 40, 60, 80], [20, 40, 60, 80, 100])
    half, most = widths(coding, np.eye(5))
    assert [half, most] == pytest.approx([0.1, 0.19])  # c·W: AS, methods.md §1
    flat, wide = widths(coding, np.full((5, 5), 0.2))
    assert [flat, wide] == pytest.approx([0.5, 0.95])


def test_an_interval_reaches_over_cells_until_it_is_sure() -> None:
    coding = Coding.cells("x", [0, 1, 2, 3], [1, 2, 3, 4])
    law = GammaDiagonal("x", 4, 3).matrix() / 2**32  # ½ in the cell itself, ⅙ in each other
    half, most = widths(coding, law)
    assert half == pytest.approx(0.25, abs=1e-6)
    # 95 % needs ½ and then 0.45 of ⅙ a cell: the cell and 2.7 others.
    assert most == pytest.approx((1 + 0.45 * 6) / 4, abs=1e-6)


def test_an_interval_is_that_of_the_output_that_tells_most() -> None:
    coding = Coding.cells("x", [0, 1], [1, 2])
    law = np.array([[0.5, 1.0], [0.5, 0.0]])  # the second output comes from the first cell only
    assert widths(coding, law)[0] == pytest.approx(0.25)


def test_every_claim_of_a_good_release_holds(release: Release) -> None:
    original = read_original(people(), release, rng())
    checks = check_claims(release, original)
    assert all(check.holds for check in checks), [c for c in checks if not c.holds]
    assert sum(check.hard for check in checks) == 5


@settings(max_examples=20)
@given(st.data())
def test_every_integer_matrix_equals_its_claim(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    made = data.draw(plans(schema)).disguise(records(schema, 30, 1), schema)
    for check in check_claims(made):
        assert check.holds, check
    for one in measures(made):
        if one.gamma is not None and one.treatment != "withheld":
            channel = made.parts[0].channel(one.about)
            assert channel is not None
            rows = channel.matrix().tolist()
            assert one.gamma == max(Fraction(max(row), min(row)) for row in rows)


@pytest.mark.parametrize(("size", "gamma"), [(2, 8), (3, 3), (10, 5.5), (20, 19), (41, 8)])
def test_what_is_drawn_are_the_cards_integers_to_the_last_word(size: int, gamma: float) -> None:
    channel = GammaDiagonal("a", size, gamma)
    for code in (0, size // 2, size - 1):
        ends = np.cumsum(channel.matrix()[:, code])
        last = np.array([*(ends - 1), *ends[:-1]], np.uint32)  # of a value, and first of the next
        drawn = channel.draw(np.full(len(last), code, np.uint16), last)
        assert drawn.tolist() == [*range(size), *range(1, size)]


def failed(release: Release, original: Any = None) -> list[str]:
    held = None if original is None else read_original(original, release, rng())
    return [check.what for check in check_claims(release, held) if not check.holds]


def claiming(release: Release, promise: Promise) -> Release:
    """The release with a claim that was not computed from its channels."""
    promises = tuple(
        promise if held.attributes == promise.attributes else held
        for held in release.claim.promises
    )
    release.__dict__["claim"] = replace(release.claim, promises=promises)
    return release


@pytest.mark.parametrize(
    "factor", [Fraction(99, 100), Fraction(101, 100), Fraction(2**32 - 1, 2**32)]
)
def test_a_claim_that_is_not_the_matrix_is_found(factor: Fraction) -> None:
    made = RandomSubstitution(gamma=8).disguise(people(200), SCHEMA)
    held = made.claim["age"]
    lie = replace(held, gamma=(held.gamma or 1) * factor)
    assert "Every claimed γ is the largest ratio in its matrix" in failed(claiming(made, lie))


def test_a_treatment_may_not_claim_what_it_cannot_keep() -> None:
    made = Plan({}, default=Exact()).disguise(people(200), SCHEMA)
    lie = replace(made.claim["age"], gamma=Fraction(3))
    assert failed(claiming(made, lie)) == ["No treatment claims what it may not"]


def test_records_drawn_by_another_channel_are_found() -> None:
    table = people(20_000)
    made = RandomSubstitution(gamma=8, wave=0).disguise(table, SCHEMA)
    other = RandomSubstitution(gamma=12, wave=0).disguise(table, SCHEMA)
    lie = replace(made, parts=(Part(other.parts[0].table, made.parts[0].channels),))
    assert failed(lie, table) == ["The released counts are what the channels make of the originals"]


def test_seed_order_and_learned_schema_are_told() -> None:
    schema = Schema(SCHEMA.attributes, target="risk", learned=True)
    made = RandomSubstitution(gamma=8).disguise(people(200), schema, seed=1, shuffle=False)
    assert failed(made) == [
        "The random words came from the operating system",
        "The rows are shuffled",
        "The schema was declared, not learned from the data",
    ]


def test_a_schema_read_off_the_records_says_so_in_the_audit() -> None:
    schema = Schema.infer(people(200), target="risk")
    made = RandomSubstitution(gamma=8).disguise(people(200), schema)
    assert failed(made) == ["The schema was declared, not learned from the data"]


def test_what_is_drawn_for_one_attribute_tells_nothing_of_another() -> None:
    rows = 40_000
    values = ["a", "b", "c", "d"]
    schema = Schema(
        [Attribute.categorical(name, values) for name in ("one", "two")] + [SCHEMA["risk"]],
        target="risk",
    )
    table = {"one": ["a"] * rows, "two": ["a"] * rows, "risk": ["low", "high"] * (rows // 2)}
    made = RandomSubstitution(gamma=3).disguise(table, schema, seed=1)
    held = made.parts[0].table.collect(rows).columns
    both = float(((held["one"] == 0) & (held["two"] == 0)).mean())
    assert both == pytest.approx(0.25, abs=5 * 0.44 / rows**0.5)  # each is kept with ½
    # Rows are in another order than the records: a kept class would alternate.
    assert 0.45 < float((np.diff(held["risk"].astype(int)) != 0).mean()) < 0.55


def test_a_table_without_channels_has_no_matrix_to_check() -> None:
    made = Plan({"age": ValueClass(4)}, default=Exact()).disguise(people(200), SCHEMA)
    assert check_claims(made)[0].what == "No treatment claims what it may not"
    age = measures(made)[0]
    assert (age.epsilon, age.entropy) == (None, None)
    assert age.intervals == pytest.approx((0.125, 0.2375))


def test_the_registry_of_notions() -> None:
    assert may_claim("substitution") == set(NOTIONS) - {"k"}
    assert may_claim("unheard-of") == set()
    assert "the audit knows of none" in words("unheard-of")
    register_notions("test-only", ["interval"], "Said.")
    assert may_claim("test-only") == {"interval"}
    assert words("test-only") == "Said."
    with pytest.raises(ValueError, match="no notion 'magic'"):
        register_notions("test-only", ["magic"])


def test_counts_of_a_part_in_memory_and_claims_of_groups() -> None:
    made = RandomSubstitution(gamma=8).disguise(people(200), SCHEMA)
    assert isinstance(made.parts[0].table, MemoryTable)
    assert [one.about for one in measures(made)] == ["age", "car", "town", "risk"]
