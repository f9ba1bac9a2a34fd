"""Attacks succeed as theory says, neither more nor less: bands that fail either way."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from privet.audit.attacks import ATTACKS, Outcome, Trial, attack, run_attacks
from privet.audit.attacks.guess import best_guess, success
from privet.audit.attacks.poisoning import FAKES
from privet.audit.original import read_original
from privet.audit.world import Case, generator
from privet.channel import GammaDiagonal
from privet.disguise import Exact, Plan, RandomSubstitution, Substitution
from privet.disguise.base import Disguise
from privet.randomness import Randomness
from privet.schema import Attribute, Schema
from tests.audit.people import SCHEMA, SIZE, people

ROWS = 20_000


def case_of(plan: Disguise, rows: int = ROWS, **settings: Any) -> Case:
    table = people(rows)
    release = plan.disguise(table, SCHEMA, **settings)
    source = Randomness.seeded("attacks")
    original = read_original(table, release, generator(source))
    return Case.of(release, original, source, frozenset({"risk"}))


def outcomes(case: Case, name: str) -> dict[str, Outcome]:
    held, _ = run_attacks(case, [name])
    return {one.about: one for one in held}


def inside(value: float, expected: float, trials: int) -> bool:
    """Whether a share is where a right program finds it but for one run in a million."""
    low, high = binom.ppf([5e-7, 1 - 5e-7], trials, min(1.0, expected)) / trials
    return bool(low <= value <= high)


@pytest.fixture(scope="module")
def substituted() -> Case:
    return case_of(RandomSubstitution(gamma=8, kind="gamma-diagonal"))


def test_the_best_guess_is_right_as_often_as_the_formula_says(substituted: Case) -> None:
    found = outcomes(substituted, "guess")
    assert set(found) == {"age", "car", "town"}
    for group in substituted.hidden:
        one = found[group.about]
        shares = substituted.shares(group)
        law = (group.channel.matrix() / group.channel.scale) if group.channel else np.eye(1)
        formula = sum(
            max(shares[x] * law[y, x] for x in range(len(shares))) for y in range(len(law))
        )
        assert one.expected == pytest.approx(formula)
        assert inside(one.value, formula, ROWS)
        assert one.fits
        assert one.low < one.value < one.high
        assert one.control == 1
        assert one.blind == pytest.approx(shares.max())
        assert one.null is not None
        guesses = best_guess(shares, law)
        assert inside(one.null, float((law @ shares) @ shares[guesses]), ROWS)
        assert one.null <= one.blind + 0.02


def test_a_flat_prior_has_the_closed_form() -> None:
    law = GammaDiagonal("a", SIZE, 8).matrix() / 2**32
    assert success(np.full(SIZE, 0.1), law) == pytest.approx(8 / (8 + SIZE - 1), abs=1e-6)
    assert best_guess(np.full(SIZE, 0.1), law).tolist() == list(range(SIZE))
    # A value so common that no disguise speaks against it is always guessed.
    assert best_guess(np.array([0.95, 0.05]), np.array([[0.6, 0.4], [0.4, 0.6]])).tolist() == [0, 0]
    assert success(np.array([0.95, 0.05]), np.array([[0.6, 0.4], [0.4, 0.6]])) == 0.95


def test_ten_releases_at_gamma_19_of_10_values_find_the_value() -> None:
    schema = Schema(
        [Attribute.numeric("x", low=0, high=10, bins=10), SCHEMA["risk"]], target="risk"
    )
    rng = np.random.default_rng(2)
    table = {
        "x": rng.uniform(0, 10, ROWS),
        "risk": np.array(["low", "high"])[rng.integers(0, 2, ROWS)],
    }
    release = RandomSubstitution(gamma=19).disguise(table, schema)
    source = Randomness.seeded("averaging")
    original = read_original(table, release, generator(source))
    case = Case.of(release, original, source, frozenset({"risk"}))
    (one,) = outcomes(case, "averaging").values()
    assert one.value > 0.99
    assert one.value == pytest.approx(0.998, abs=0.008)
    assert dict(one.curve)[5] == pytest.approx(0.94, abs=0.01)  # methods.md §6
    assert dict(one.curve)[1] == pytest.approx(19 / 28, abs=0.025)
    assert one.repeated
    assert one.control == 1
    assert one.null is not None
    assert inside(one.null, 0.1, 10_000)


def test_attributes_that_go_together_betray_each_other(substituted: Case) -> None:
    alone, joint = outcomes(substituted, "guess"), outcomes(substituted, "joint")
    assert joint["car"].value > alone["car"].value + 0.02
    assert joint["town"].value > alone["town"].value + 0.02
    # Age goes with the plain class only a little; the attack must not be worse for it.
    assert joint["age"].value > alone["age"].value - 0.02
    assert joint["car"].control == pytest.approx(1, abs=0.001)
    for about in ("age", "car", "town"):
        null = joint[about].null
        assert null is not None
        assert null <= joint[about].blind + 0.03
    whole = joint["record"]
    assert whole.value <= min(joint[about].value for about in ("age", "car", "town"))
    assert whole.blind < whole.value


def test_joint_guesses_reach_the_exact_posterior_of_two_attributes() -> None:
    plan = Plan({"car": Substitution(4), "town": Substitution(4)}, default=Exact())
    table = {name: column for name, column in people(ROWS).items() if name != "age"}
    schema = Schema([SCHEMA["car"], SCHEMA["town"], SCHEMA["risk"]], target="risk")
    release = plan.disguise(table, schema)
    source = Randomness.seeded("pairs")
    case = Case.of(
        release, read_original(table, release, generator(source)), source, frozenset({"risk"})
    )
    car, town = case.hidden
    joint = np.zeros((car.size, town.size))
    np.add.at(joint, (case.truth["car"], case.truth["town"]), 1 / ROWS)
    laws = [case.world("disguised").law(group) for group in (car, town)]
    mixed = joint @ laws[1].T
    exact = sum((laws[0][y] * mixed[:, z]).max() for y in range(car.size) for z in range(town.size))
    found = outcomes(case, "joint")["car"]
    assert inside(found.value, exact, ROWS // 2)


def test_linkage_finds_rows_by_all_attributes_together() -> None:
    mild = outcomes(case_of(RandomSubstitution(gamma=1000), 2000), "linkage")["record"]
    strong = outcomes(case_of(RandomSubstitution(gamma=1.5), 2000), "linkage")["record"]
    assert strong.value < 0.05
    assert mild.value > strong.value
    assert (mild.blind, mild.kind) == (1 / 2000, "success")
    assert mild.null is not None
    assert mild.null < 0.02


def test_linkage_of_unique_plain_records_is_certain() -> None:
    table = people(1500) | {"age": np.arange(1500) / 15}
    release = Plan({}, default=Exact()).disguise(table, SCHEMA)
    source = Randomness.seeded("plain")
    original = read_original(table, release, generator(source))
    case = Case.of(release, original, source, frozenset({"risk"}))
    one = outcomes(case, "linkage")["record"]
    assert one.value > 0.99  # the exact age tells everyone apart
    assert one.control == one.value
    assert one.null is not None
    assert one.null < 0.02


def test_a_plain_column_is_read_whatever_it_is_called() -> None:
    case = case_of(Plan({"age": Substitution(8)}, default=Exact()), 500)
    treatments = {**case.release.treatments, "town": "sealed in wax"}
    renamed = replace(case, release=replace(case.release, treatments=treatments))
    assert set(outcomes(renamed, "read")) == {"car", "risk", "town"}


def test_plain_attributes_are_read() -> None:
    plan = Plan({"age": Substitution(8)}, default=Exact())
    found = outcomes(case_of(plan, 2000), "read")
    assert set(found) == {"car", "town", "risk"}
    town = found["town"]
    assert (town.value, town.control, town.agreed) == (1, 1, False)
    share = float(np.mean(people(2000)["town"] == "a"))
    assert [town.blind, town.null] == pytest.approx([share, share])
    assert found["risk"].agreed


def test_rows_in_order_are_found_by_their_place() -> None:
    case = case_of(RandomSubstitution(gamma=8), 500, shuffle=False)
    assert outcomes(case, "place")["record"].value == 1
    _, idle = run_attacks(case_of(RandomSubstitution(gamma=8), 500), ["place"])
    assert idle[0].why == "rows are shuffled"


def test_homogeneous_groups_give_the_class_away() -> None:
    rng = np.random.default_rng(3)
    town = np.repeat(["a", "b", "c"], 1000)
    risk = np.where(town == "a", "low", np.array(["low", "high"])[rng.integers(0, 2, 3000)])
    table = {**people(3000), "town": town, "risk": risk}
    plan = Plan({"age": Substitution(8), "car": Substitution(8)}, default=Exact())
    release = plan.disguise(table, SCHEMA)
    source = Randomness.seeded(5)
    original = read_original(table, release, generator(source))
    case = Case.of(release, original, source, frozenset({"risk"}))
    one = outcomes(case, "homogeneity")["risk"]
    high = (risk[1000:2000] == "high").sum(), (risk[2000:] == "high").sum()
    right = 1000 + sum(max(count, 1000 - count) for count in high)
    assert one.value == pytest.approx(right / 3000)
    assert one.detail.startswith("3 groups of at least 1,000 records: 1-diverse")
    assert one.detail.endswith("33.3 % of records are in groups of one value")
    assert one.null is not None
    assert one.null <= one.blind + 0.02


def test_homogeneity_has_nothing_to_do_without_plain_attributes(substituted: Case) -> None:
    _, idle = run_attacks(substituted, ["homogeneity"])
    assert "no attribute but the class is plain" in idle[0].why


def test_fake_records_win_what_the_formula_says(substituted: Case) -> None:
    found = outcomes(substituted, "poisoning")
    for group in substituted.hidden:
        channel = group.channel
        assert isinstance(channel, GammaDiagonal)
        share = float(substituted.shares(group).min())
        gamma = float(channel.amplification())
        formula = FAKES * (1 - share) + FAKES * (group.size - 1) / (gamma - 1)
        one = found[group.about]
        assert one.expected == pytest.approx(formula, rel=1e-6)
        assert one.fits
        assert one.control == pytest.approx(FAKES * (1 - share))
        assert one.null is not None
        assert abs(one.null) < 0.03
        assert (one.kind, one.advantage) == ("gain", 0)


def test_a_channel_that_is_not_the_cards_does_not_fit() -> None:
    class Louder(GammaDiagonal):
        """Says γ = 8 and keeps values more often."""

        def draw(self, codes: Any, words: Any, out: Any = None) -> Any:
            return GammaDiagonal(self.attribute, self.size, 11).draw(codes, words, out)

    case = case_of(RandomSubstitution(gamma=8))
    groups = tuple(
        type(group)(
            group.names,
            group.size,
            Louder("age", SIZE, 8) if "age" in group.names else group.channel,
        )
        for group in case.groups
    )
    lying = Case(
        case.release, case.part, case.truth, groups, case.source, case.rng, True, case.agreed
    )
    found = outcomes(lying, "guess")
    assert not found["age"].fits
    assert found["town"].fits


def test_a_new_attack_registers_itself(substituted: Case) -> None:
    @attack(
        "test-only",
        title="Always right",
        needs="nothing",
        remedy="nothing",
        applies=lambda case: "" if case.real else "no",
    )
    def sure(world: Any) -> Any:
        yield Trial.counted("age", 90, 100, 0.5, expected=0.9)

    try:
        one = outcomes(substituted, "test-only")["age"]
        assert (one.value, one.control, one.fits) == (0.9, 0.9, True)
        assert one.advantage == pytest.approx(0.8)
        assert math.isclose(one.low, 0.82, abs_tol=0.01)
    finally:
        del ATTACKS["test-only"]


def test_a_trial_far_from_theory_is_told() -> None:
    assert not Trial.counted("x", 500, 1000, 0.1, expected=0.7).fits
    assert Trial.counted("x", 500, 1000, 0.1, expected=0.52).fits
