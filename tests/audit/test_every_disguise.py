"""One command answers for every disguise: with originals and without, in every rendering."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from click.testing import CliRunner

import privet as pv
from privet.audit import Audit, audit
from privet.cli import cli
from privet.disguise.base import METHODS
from privet.release import Release

SEED = 918_273_645
ROWS = 600
JOBS = ["axolotl", "bittern", "cormorant"]
CUTS = {"job": ["axolotl", "bittern"]}
FLAGS, CLASSES = ["nay", "yea"], ["alder", "birch", "cedar"]
AGE = pv.Attribute.numeric("age", low=18, high=80, integer=True, bins=4)
PAY = pv.Attribute.numeric("pay", low=0, high=100_000, bins=4)
GRADE = pv.Attribute.categorical("grade", CLASSES)
SCHEMA = pv.Schema(
    [
        AGE,
        PAY,
        pv.Attribute.categorical("job", JOBS),
        pv.Attribute.categorical("flag", FLAGS),
        GRADE,
    ],
    target="grade",
)
NUMBERS = pv.Schema([AGE, PAY, GRADE], target="grade")


def people(schema: pv.Schema) -> dict[str, Any]:
    """Return records whose pay goes with age, job with flag, and the grade with all of it."""
    rng = np.random.default_rng(3)
    age = rng.integers(18, 81, ROWS)
    flag = rng.integers(0, 2, ROWS)
    made = {
        "age": age,
        "pay": np.round(1000 * age + rng.uniform(0, 19_000, ROWS), 2),
        "job": np.array(JOBS)[np.where(rng.random(ROWS) < 0.7, flag, rng.integers(0, 3, ROWS))],
        "flag": np.array(FLAGS)[flag],
        "grade": np.array(CLASSES)[np.where(rng.random(ROWS) < 0.85, (age > 50) + flag, 1)],
    }
    return {name: made[name] for name in schema.names}


@dataclass(frozen=True)
class Asked:
    """A disguise, and the attacks that an audit has to run on it, with originals and without."""

    make: Callable[[Path], Any]
    owner: set[str]
    miner: set[str]
    schema: pv.Schema = SCHEMA
    formal: bool = True


SUBSTITUTED = {"guess", "averaging", "poisoning"}
NOISE = {"noise-guess", "noise-spectral", "noise-pca", "noise-recovery", "breach-edge"}
SHAKEN = {"nearest"}
ASKED = {
    "substitution": Asked(
        lambda _: pv.RandomSubstitution(gamma=5), {*SUBSTITUTED, "joint", "linkage"}, SUBSTITUTED
    ),
    "band": Asked(
        lambda _: pv.RandomSubstitution(gamma=5, kind="band"),
        {*SUBSTITUTED, "joint", "linkage"},
        SUBSTITUTED,
        NUMBERS,
    ),
    "subsets": Asked(
        lambda _: pv.RandomSubsets(epsilon=4, attributes=2),
        {*SUBSTITUTED, "joint", "linkage"},
        SUBSTITUTED,
    ),
    "flip groups": Asked(
        lambda _: pv.RandomizedResponse([["age", "pay"], ["job", "flag"]], theta=0.8, cuts=CUTS),
        {"known-value", "opposite", "collusion", "guess", "linkage"},
        {"known-value", "opposite", "guess"},
    ),
    "joint groups": Asked(
        lambda _: pv.RandomizedResponse([["age", "pay"], ["job", "flag"]], gamma=8, bins=3),
        {"known-value", "collusion", "guess", "linkage"},
        {"known-value", "guess"},
    ),
    "complement": Asked(
        lambda _: pv.Complement(),
        {"rebuild", "leak", "one-table", "one-row-each", "moments"},
        {"rebuild", "leak", "one-table", "one-row-each"},
        formal=False,
    ),
    "complement with dummies": Asked(
        lambda _: pv.Complement(pick="dummy"),
        {"rebuild", "leak", "one-table", "one-row-each", "moments"},
        {"rebuild", "leak", "one-table", "one-row-each"},
        formal=False,
    ),
    "k-anonymity": Asked(
        lambda _: pv.KAnonymity(k=4, suppress=0.1),
        {"homogeneity", "background", "read", "linkage"},
        {"homogeneity", "background", "read"},
    ),
    "monotone": Asked(
        lambda folder: pv.Monotone(key=folder / "secret.key"),
        {"rank", "between", "read"},
        {"read"},
        NUMBERS,
        formal=False,
    ),
    "additive noise": Asked(
        lambda _: pv.AdditiveNoise(alpha=20.0), {*NOISE, "linkage"}, NOISE, NUMBERS
    ),
    "forest framework": Asked(
        lambda _: pv.ForestFramework(), {*SHAKEN, "intervals"}, set(), formal=False
    ),
    "framework": Asked(lambda _: pv.Framework(), {*SHAKEN, "intervals"}, set(), formal=False),
    "random noise": Asked(lambda _: pv.RandomNoise(), SHAKEN, set(), formal=False),
    "gadp": Asked(lambda _: pv.GADP(), {*SHAKEN, "regression"}, {"read"}, formal=False),
    "egadp": Asked(lambda _: pv.EGADP(), {*SHAKEN, "regression"}, {"read"}, formal=False),
    "cgadp": Asked(lambda _: pv.CGADP(), {*SHAKEN, "regression"}, {"read"}, formal=False),
    "a mixed plan": Asked(
        lambda _: pv.Plan(
            {
                "age": pv.Substitution(4),
                "pay": pv.ValueClass(3),
                "job": pv.Exact(),
                "flag": pv.Withheld(),
                "grade": pv.Exact(),
            }
        ),
        {"guess", "joint", "homogeneity", "background", "read", "linkage"},
        {"guess", "homogeneity", "background", "read"},
    ),
}


def renderings(found: Audit) -> list[str]:
    return [found.to_text(), found.to_json(), found.to_html()]


@pytest.mark.parametrize("side", ["owner", "miner"])
@pytest.mark.parametrize("name", ASKED)
def test_every_disguise_is_audited(name: str, side: str, tmp_path: Path) -> None:
    asked = ASKED[name]
    table = people(asked.schema)
    asked.make(tmp_path).disguise(table, asked.schema, to=tmp_path / "r")
    release = Release.read(tmp_path / "r")
    found = audit(release, table if side == "owner" else None, seed=SEED)
    assert found.facts.formal is asked.formal
    assert found.facts.skipped == ()
    ran = {one.attack: one for one in found.attacks}
    assert set(ran) >= (asked.owner if side == "owner" else asked.miner)
    for one in found.attacks:
        assert 0 <= one.low <= one.value <= one.high <= 1 or one.kind == "gain"
        if one.attack in asked.owner | asked.miner:
            assert one.null is not None
            if side == "owner" or one.attack not in ("homogeneity", "background"):
                assert one.control is not None
    assert all(check.holds for check in found.checks)
    if side == "owner":
        assert found.utility is not None
        assert found.utility.plain is not None
    # No category, no number of a record and no seed is in any rendering.
    held = {repr(number) for number in table["pay"].tolist()}
    for text in renderings(found):
        assert not any(word in text for word in (*JOBS, *FLAGS, *CLASSES, str(SEED)))
        assert not any(number in text for number in held)
    assert json.loads(found.to_json())["verdict"] == found.verdict
    assert all(len(sentence) > 20 for sentence in found.verdict)


def test_no_method_is_forgotten(tmp_path: Path) -> None:
    made = {type(asked.make(tmp_path)) for asked in ASKED.values()}
    assert made >= set(METHODS.values())


def test_the_command_answers_for_a_complement(tmp_path: Path) -> None:
    pc.write_csv(pa.table(people(SCHEMA)), tmp_path / "people.csv")
    pv.Complement().disguise(people(SCHEMA), SCHEMA, to=tmp_path / "r")
    asked = ["audit", str(tmp_path / "r"), "--original", str(tmp_path / "people.csv")]
    done = CliRunner().invoke(cli, [*asked, "--max-attack", "0.5"])
    assert done.exit_code == 1, done.output
    assert "One row of each table for the same record" in " ".join(done.stdout.split())
    assert "EXCEEDED: The attack 'rebuild'" in done.stderr


def test_known_successes_of_attacks() -> None:
    flips = pv.RandomizedResponse([["age", "pay"], ["job", "flag"]], theta=0.8, cuts=CUTS)
    table = people(SCHEMA)
    found = audit(flips.disguise(table, SCHEMA), table, seed=1, trees=False)
    for one in found.attacks:
        if one.attack == "known-value":
            assert one.value == one.control == 1.0  # one known value tells whether it was turned
        assert one.fits
    made = audit(pv.Complement().disguise(table, SCHEMA), table, seed=1)
    held = {one.attack: one for one in made.attacks}
    assert held["rebuild"].value == held["one-row-each"].value == held["moments"].value == 1.0
    assert held["leak"].control == 1.0
    assert held["leak"].value < 1.0
    assert made.utility is not None
    assert "exactly that of the originals" in made.utility.how


def test_other_originals_are_found_out() -> None:
    table = people(SCHEMA)
    other = {**table, "flag": np.roll(table["flag"], 1)}
    found = audit(pv.Complement().disguise(table, SCHEMA), other, seed=1, trees=False)
    assert found.verdict[0].startswith("NOT TO BE TRUSTED")
