"""The one call: with originals and without, bounds, aggregates only, the same for the same seed."""

import importlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.audit import Audit, audit
from privet.audit.verdict import attacked, grade_of_attack, percent
from privet.disguise import Exact, Plan, RandomSubstitution, Substitution, ValueClass, Withheld
from privet.errors import DataError, InputError
from privet.release import Release
from privet.schema import Attribute, Schema
from tests.audit.people import SCHEMA, people


@pytest.fixture(scope="module")
def release() -> Release:
    return RandomSubstitution(gamma=8).disguise(people(), SCHEMA)


@pytest.fixture(scope="module")
def found(release: Release) -> Audit:
    return audit(release, people(), seed=1)


def test_the_room_and_the_function_have_one_name(release: Release) -> None:
    package: Any = importlib.import_module("privet")
    room: Any = importlib.import_module("privet.audit")
    for call in (package.audit, room, room.audit):
        assert isinstance(call(release, attacks=["read"], trees=False), Audit)
    assert "audit" in dir(package)


def test_a_verdict_has_three_sentences(found: Audit) -> None:
    promise, attack, use = found.verdict
    assert promise.startswith("3 attributes are disguised; together they promise ε = 6.24, a weak")
    assert "where a blind guess is right for" in attack
    assert "the disguise costs" in use
    assert found.grades["promise"] == "weak"


def test_what_the_promise_allows_is_not_called_broken() -> None:
    """The advised γ leaves an attribute of two values hardly hidden: said, with what to change."""
    bits = Schema(
        [
            Attribute.categorical("sex", ["f", "m"]),
            Attribute.categorical("vote", ["no", "yes"]),
            Attribute.categorical("town", [f"t{place}" for place in range(12)]),
            Attribute.categorical("kind", ["a", "b"]),
        ],
        target="kind",
    )
    rng = np.random.default_rng(1)
    table = {
        one.name: np.array(one.coding().values)[rng.integers(0, one.coding().size, 3000)]
        for one in bits
    }
    asked: dict[str, Any] = {"attacks": ["guess", "read"], "trees": False, "seed": 1}
    found = audit(RandomSubstitution(gamma=8).disguise(table, bits), table, **asked)
    assert found.worst is not None
    assert found.worst.advantage > 0.7
    assert found.grades["attacks"] == "within the promise"
    assert "γ = 8" in found.verdict[1]
    assert "2 values" in found.verdict[1]
    assert "88.9 %" in found.verdict[1]
    change = next(line for line in found.advice if "Take γ = 3" in line)
    assert "'sex'" in change
    assert "'vote'" in change
    assert "'town'" not in change
    plain = Plan({"sex": Exact()}, default=Substitution(8)).disguise(table, bits)
    assert audit(plain, table, **asked).grades["attacks"] == "broken"


def test_the_worst_attack_wins_most_of_those_that_count(found: Audit) -> None:
    worst = found.worst
    assert worst is not None
    counted = [
        one for one in found.attacks if not (one.repeated or one.agreed or one.kind == "gain")
    ]
    assert worst.advantage == max(one.advantage for one in counted)
    assert {one.attack for one in found.attacks} == {
        "guess", "joint", "averaging", "linkage", "read", "poisoning",
    }  # fmt: skip
    # Attacks on noise have nothing to do here either.
    assert {"homogeneity", "place", "nearest"} <= {one.attack for one in found.not_run}


def test_the_same_seed_gives_the_same_audit(release: Release, found: Audit) -> None:
    again = audit(release, people(), seed=1)
    assert again.to_json() == found.to_json()
    other = audit(release, people(), seed=2, trees=False)
    assert other.attacks != found.attacks


def test_json_is_plain_and_has_no_category_in_it(found: Audit) -> None:
    text = found.to_json()
    form = json.loads(text)
    assert form["format"] == "privet audit"
    assert form["measures"][3]["epsilon"] is None
    for value in ("tesla", "fiat", '"vw"', '"a"'):
        assert value not in text


def test_a_miner_audits_without_originals(release: Release, tmp_path: Path) -> None:
    release.write(tmp_path / "r")
    found = audit(Release.read(tmp_path / "r"), seed=1)
    assert not found.facts.original
    held = {one.attack for one in found.attacks}
    assert held == {"guess", "averaging", "read", "poisoning"}
    assert {"joint", "linkage"} <= {one.attack for one in found.not_run}
    guesses = {one.about: one for one in found.attacks if one.attack == "guess"}
    true = {
        one.about: one for one in audit(release, people(), attacks=["guess"], trees=False).attacks
    }
    for about, one in guesses.items():
        # How values are spread is itself estimated here, from a few thousand ranges.
        assert one.value == pytest.approx(true[about].value, abs=0.2)
    assert found.counts == ()


def test_files_are_audited_batch_by_batch(tmp_path: Path) -> None:
    pq.write_table(pa.table(people(3000)), tmp_path / "people.parquet")
    made = RandomSubstitution(gamma=8).disguise(
        tmp_path / "people.parquet", SCHEMA, to=tmp_path / "r"
    )
    found = audit(made, tmp_path / "people.parquet", attacks=["guess"], trees=False, sample=500)
    assert (found.facts.rows, found.facts.sampled) == (3000, 500)


def test_bounds_are_kept_or_exceeded(found: Audit) -> None:
    assert found.exceeds() == []
    assert found.exceeds(max_epsilon=6.3, max_attack=0.99) == []
    (said,) = found.exceeds(max_epsilon=6.2)
    assert said == "The ε of a record is 6.238; allowed are 6.2."
    (said,) = found.exceeds(max_attack=0.01)
    assert said.endswith("over a blind guess; allowed are 0.01.")
    assert found.worst is not None
    won = found.worst.advantage
    assert found.exceeds(max_attack=won) == []
    assert len(found.exceeds(max_attack=won - 1e-6)) == 1
    with pytest.raises(InputError, match="max_attack must be a number of at least 0"):
        found.exceeds(max_attack=float("nan"))


def quick(release: Release, **settings: Any) -> Audit:
    return audit(release, attacks=["read"], trees=False, **settings)


def test_what_is_plain_exceeds_every_epsilon_unless_agreed() -> None:
    plan = Plan({"age": Substitution(2), "town": Exact()}, default=Withheld())
    made = plan.disguise(people(300), SCHEMA)
    (said,) = quick(made).exceeds(max_epsilon=100)
    assert said == "'town' is plain and was not agreed to be: ε has no bound."
    assert quick(made).grades["promise"] == "partial"
    assert quick(made, agreed=["town"]).exceeds(max_epsilon=1, max_attack=0.5) == []
    assert quick(made).verdict[1].startswith("The worst attack is to look: 'town' stands")


def test_a_seed_exceeds_every_epsilon() -> None:
    made = RandomSubstitution(gamma=2).disguise(people(300), SCHEMA, seed=1)
    found = quick(made)
    assert found.exceeds(max_epsilon=100) == ["The release was drawn from a seed: no ε holds."]
    assert found.verdict[0].startswith("NOT PRIVATE")
    assert found.grades["promise"] == "none"
    assert found.advice[0].startswith("Disguise again without a seed")


def test_a_release_that_lies_is_not_to_be_trusted() -> None:
    table = people(20_000)
    made = RandomSubstitution(gamma=8, wave=0).disguise(table, SCHEMA)
    other = RandomSubstitution(gamma=12, wave=0).disguise(table, SCHEMA)
    lie = Release(
        made.schema,
        made.codings,
        (type(made.parts[0])(other.parts[0].table, made.parts[0].channels),),
        made.treatments,
    )
    found = audit(lie, table, attacks=["guess"], trees=False)
    assert found.verdict[0].startswith("NOT TO BE TRUSTED")
    assert found.exceeds(max_attack=1) == [
        "A check failed: the released counts are what the channels make of the originals."
    ]
    assert "Do not release this" in found.advice[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"attacks": ["magic"]}, "There is no attack 'magic'; there are"),
        ({"agreed": ["magic"]}, "agreed names 'magic'"),
        ({"method": "magic"}, "There is no method 'magic'"),
        ({"sample": 3}, "sample must be a whole number of at least 100"),
        ({"releases": 1}, "releases must be a whole number from 2 to 100"),
        ({"original": {"age": [1]}}, "has no columns 'car', 'town', 'risk'"),
    ],
)
def test_bad_calls(release: Release, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        audit(release, **settings)


def test_only_releases_are_audited() -> None:
    with pytest.raises(InputError, match="A release is expected, not dict"):
        audit({})  # type: ignore[arg-type]


def test_a_report_that_cannot_be_written(found: Audit, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        found.to_html(tmp_path / "no" / "a.html")


def test_original_rows_must_be_those_of_the_release(release: Release) -> None:
    with pytest.raises(DataError, match="the very table"):
        audit(release, people(5))


def test_advice_names_a_smaller_gamma() -> None:
    rng = np.random.default_rng(1)
    schema = Schema([Attribute.categorical("sex", ["f", "m"]), SCHEMA["risk"]], target="risk")
    table = {
        "sex": np.array(["f", "m"])[rng.integers(0, 2, 3000)],
        "risk": np.array(["low", "high"])[rng.integers(0, 2, 3000)],
    }
    made = RandomSubstitution(gamma=20).disguise(table, schema)
    found = audit(made, table, attacks=["guess"], trees=False)
    assert "Take γ = 12 for 'sex' instead of 20" in found.advice[0]
    assert "right for 92.3 % instead of 95.2 %" in found.advice[0]


def test_percentages_never_round_to_certainty() -> None:
    assert percent(0.99999) == "> 99.9 %"
    assert percent(1) == "100.0 %"
    assert percent(0.00004) == "0.004 %"
    assert percent(-0.01) == "−1.0 %"
    assert grade_of_attack(None) == "untested"


def test_an_attribute_of_one_value_discloses_nothing() -> None:
    schema = Schema(
        [
            Attribute.numeric("age", low=0, high=100, bins=1, integer=True),
            Attribute.categorical("car", ["a", "b"]),
            Attribute.categorical("risk", ["high", "low"]),
        ],
        target="risk",
    )
    rows = np.arange(200)
    table = {
        "age": rows % 100,
        "car": np.where(rows % 3 == 0, "a", "b"),
        "risk": np.where(rows % 2 == 0, "low", "high"),
    }
    plan = Plan({"age": ValueClass(1), "car": Substitution(3), "risk": Exact()})
    found = audit(plan.disguise(table, schema, seed=1), table, seed=1, trees=False)
    assert found.facts.disclosed == ("risk",)
    said = {measure.about: measure.said for measure in found.measures}
    assert said["age"] == "It has one value in all records, and so discloses nothing of any."
    assert not any("'age'" in advice for advice in found.advice)
    assert "age" not in {outcome.about for outcome in found.attacks if outcome.attack == "read"}
    exact = Plan({"age": Exact(), "car": Substitution(3), "risk": Exact()})
    found = audit(exact.disguise(table, schema, seed=1), table, seed=1, trees=False)
    assert found.facts.disclosed == ("age", "risk")  # one cell in the schema, but plain numbers
    assert any("Put 'age' through a channel" in advice for advice in found.advice)


def test_only_the_attack_that_a_limit_bounds_is_told_of_it(found: Audit) -> None:
    promised = next(measure for measure in found.measures if measure.about == "car")
    guess = next(one for one in found.attacks if one.attack == "guess" and one.about == "car")
    high = replace(guess, value=0.7, low=0.69, high=0.71, blind=0.3)
    assert "at most 72.7 % on average" in attacked(high, promised)  # 8 / (8 + 3)
    joint = replace(high, attack="joint", value=0.729)
    assert "at most" not in attacked(joint, promised)
    assert "not what attributes that go with it tell" in attacked(joint, promised)
    uneven = attacked(replace(high, value=0.8, low=0.78), promised)
    assert "at most" not in uneven
    assert "commoner" in uneven
    assert "The promise" not in attacked(replace(high, attack="background"), promised)


def test_attacks_that_need_more_releases_are_no_silence(release: Release) -> None:
    told = audit(release, people(), attacks=["averaging"], trees=False, seed=1)
    assert told.verdict[1] == "Only attacks that need further releases were run."
    assert "untested with this release alone" in told.to_text()
    told = audit(release, people(), attacks=["poisoning", "averaging"], trees=False, seed=1)
    assert "further releases and attacks on the tree were run" in told.verdict[1]
    assert audit(release, attacks=["linkage"], trees=False).verdict[1].startswith("No attack")


def test_as_many_releases_are_combined_as_one_asks_for(release: Release) -> None:
    asked: dict[str, Any] = {"attacks": ["averaging"], "trees": False, "seed": 1}
    few = audit(release, people(), releases=2, **asked).attacks
    ten = audit(release, people(), **asked)
    for one, other in zip(few, ten.attacks, strict=True):
        assert [number for number, _ in one.curve] == [1, 2]
        assert one.detail == "with 2 releases"
        assert other.detail == "with 10 releases"
        assert one.value < other.value
    assert re.search(r"with 2: \d\d\.\d %, with 10: ", ten.to_text())
    many = audit(release, people(), releases=33, **asked)
    assert many.attacks[0].curve[-1][0] == 33
    assert "releases of the same records" in many.to_html()


def test_all_that_exceeds_is_named() -> None:
    plan = Plan({"car": Substitution(4), "town": Exact(), "risk": Exact(), "age": Exact()})
    told = audit(plan.disguise(people(300), SCHEMA), attacks=["guess"], trees=False)
    (said,) = told.exceeds(max_epsilon=100)
    assert said == "'age' and 'town' are plain and were not agreed to be: ε has no bound."
    facts = replace(told.facts, noisy=("pay",), turned=("a", "b", "c"))
    assert facts.without_bound[1:] == [
        "'a', 'b' and 'c' are flipped together: ε has no bound.",
        "'pay' has noise added: ε has no bound.",
    ]
    assert all(sentence in facts.unbounded for sentence in facts.without_bound)


def test_records_that_were_left_out_are_not_missed() -> None:
    """People with many records lose some of them, so counts cannot be those of all records."""
    records = people()
    often = np.where(records["risk"] == "high", 50, 4000)  # the risky come again and again
    records["id"] = np.arange(4000) % often
    for limit, tested in ((1, False), (4000, True)):
        schema = Schema(SCHEMA.attributes, target="risk", unit="id", rows_per_unit=limit)
        release = RandomSubstitution(gamma=8, wave=0).disguise(records, schema)
        found = audit(release, records, attacks=["read"], trees=False)
        counts = [check for check in found.checks if check.what.startswith("The released counts")]
        assert bool(counts) == tested
        assert all(check.holds for check in found.checks if check.hard)
