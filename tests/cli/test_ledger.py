"""``disguise --ledger`` and ``privet ledger``: written before anything is drawn."""

import math
from pathlib import Path

import pytest

from privet.disguise.ledger import Ledger
from tests.cli.running import run, run_json, start

COST = 3 * math.log(8)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    run("generate", "weather", "-o", "w.csv", "--schema", "w.toml")
    return tmp_path


def words(*more: object, name: str = "w.release") -> tuple[object, ...]:
    known = ("--ledger", "spent.json", "--dataset", "weather", "--overwrite")
    return ("disguise", "w.csv", "--schema", "w.toml", "-o", name, *known, *more)


def test_a_budget_is_kept_and_the_same_seed_counts_again() -> None:
    seeded = words("--gamma", 8, "--budget", 15, "--seed", 1)
    told = run(*seeded)
    assert "'weather' is new in this ledger" in told.stderr
    assert "ε = 6.238 of 15 of 'weather' is spent now" in told.stderr
    run(*seeded)
    before = Path("w.release/card.json").read_bytes()
    assert "15 has 2.523 left" in run(*words("--gamma", 8), code=2).stderr
    assert Path("w.release/card.json").read_bytes() == before
    shown = run("ledger", "show", "spent.json").stdout
    for said in ("weather: ε = 12.48 of 15 spent; releases: 2", "plain: Play", "NOT PRIVATE"):
        assert said in shown
    form = run_json("ledger", "show", "spent.json", "--dataset", "weather")["weather"]
    assert form["epsilon"] == pytest.approx(2 * COST)
    assert form["left"] == pytest.approx(15 - 2 * COST)
    assert "is ε = 15 already" in run(*words("--gamma", 8, "--budget", 90), code=2).stderr
    run("ledger", "budget", "spent.json", "weather", 90)
    run(*words("--gamma", 8))
    assert "no data set 'x'" in run("ledger", "budget", "spent.json", "x", 9, code=2).stderr
    assert "no data set 'x'" in run("ledger", "show", "spent.json", "--dataset", "x", code=2).stderr


@pytest.mark.parametrize("most", [2, None])
def test_people_of_several_records_cost_as_much_as_a_person(most: int | None) -> None:
    """Also where nobody says how many records a person has: they are counted first."""
    rows = Path("w.csv").read_text().splitlines()
    ids = ["id", *("abcdefghij"[:10]), "a", "a", "a", "b"]
    table = "\n".join(f"{row},{person}" for row, person in zip(rows, ids, strict=True))
    Path("w.csv").write_text(table)
    unit = 'unit = "id"\n' + ("" if most is None else f"rows_per_unit = {most}\n")
    Path("w.toml").write_text(unit + Path("w.toml").read_text())
    told = run(*words("--gamma", 8)).stderr
    times = most or 4
    assert f"a person has up to {times} records" in told
    spent = Ledger(Path("spent.json")).account("weather")
    assert spent.epsilon == pytest.approx(times * COST)


def test_a_new_name_is_told_what_it_lacks() -> None:
    assert "is new in this ledger.\n" in run(*words("--gamma", 8, "--budget", 9)).stderr
    more = run(*words("--gamma", 8, "--dataset", "wether")).stderr
    assert "'wether' is new in this ledger. It has no budget. Known names: 'weather'." in more


def test_methods_without_an_epsilon_are_accepted_by_word_only() -> None:
    noise = words("--method", "random-noise")
    said = run(*noise, code=2).stderr
    assert "--accept-unbounded" in said
    assert not Path("w.release").exists()
    run(*noise, "--accept-unbounded")
    assert "WITHOUT A BOUND: 1" in run("ledger", "show", "spent.json").stdout


def test_a_mistake_that_is_seen_in_time_costs_nothing() -> None:
    run(*words("--gamma", 8, "--sign", "w.toml"), code=2)
    run(*words("--gamma", 0.5), code=2)
    assert not Path("spent.json").exists()
    plain = ("disguise", "w.csv", "--schema", "w.toml", "--gamma", 8, "-o", "x")
    assert "go with --ledger" in run(*plain, "--budget", 3, code=2).stderr
    assert "needs --dataset" in run(*plain, "--ledger", "spent.json", code=2).stderr


DIES = (
    "import os\nfrom privet.randomness import Randomness\n"
    "Randomness.of = classmethod(lambda cls, seed: os._exit(9))\n"
    "from privet.cli import main; main()"
)


def test_a_crash_counts_as_spent() -> None:
    process = start(*words("--gamma", 8), script=DIES)
    assert process.wait(timeout=120) == 9
    assert not Path("w.release").exists()
    assert Ledger(Path("spent.json")).account("weather").epsilon == pytest.approx(COST)


def test_parties_keep_a_ledger_too() -> None:
    plan = '[parties.a]\ngroups = [["Outlook"]]\ngamma = 8\n'
    plan += '[parties.b]\ngroups = [["Wind", "Humidity"]]\ngamma = 8\n'
    Path("p.toml").write_text(plan.replace("[parties.a]", 'split = "columns"\n[parties.a]', 1))
    Path("w2.csv").write_text(
        "\n".join(
            f"{line},{place or 'id'}"
            for place, line in enumerate(Path("w.csv").read_text().splitlines())
        )
    )
    run("party", "keygen", "-o", "secret.key")
    common = ("--schema", "w.toml", "--plan", "p.toml", "--party", "a", "--id", "id")
    known = ("--ledger", "spent.json", "--dataset", "weather")
    told = ("--secret", "secret.key", "-o", "a.party", *known)
    run("party", "disguise", "w2.csv", *common, *told)
    spent = Ledger(Path("spent.json")).account("weather")
    assert spent.by_attribute == {("Outlook",): pytest.approx(math.log(8))}


def test_numbers_are_cut_by_the_number_of_records_and_cost_the_same() -> None:
    """A release whose cells follow from its size costs what was written down, up to rounding."""
    run("generate", "as-f1", "--rows", 3000, "-o", "f.csv", "--schema", "f.toml")
    known = ("--ledger", "spent.json", "--dataset", "f1")
    run("disguise", "f.csv", "--schema", "f.toml", "--gamma", 8, "-o", "f.release", *known)
    assert Ledger(Path("spent.json")).account("f1").epsilon > 0
