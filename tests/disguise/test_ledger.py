"""The ledger: what is spent is spent, whoever crashes, races or asks again."""

import json
import math
import os
import subprocess
import sys
import textwrap
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.disguise import AdditiveNoise, Exact, KAnonymity, Plan, RandomNoise, RandomSubstitution
from privet.disguise import ledger as ledger_module
from privet.disguise.base import Disguise
from privet.disguise.group import FlipGroup
from privet.disguise.ledger import Account, Entry, Ledger
from privet.disguise.treatment import Substitution
from privet.errors import LedgerError
from privet.files import writing
from privet.files.sealed import seal
from privet.release.people import People
from tests.disguise.people import SCHEMA, people
from tests.flips import flipped

ROOT = Path(__file__).resolve().parents[2]
METHOD = RandomSubstitution(gamma=8)
CLAIM = METHOD.claim(SCHEMA)
COST = 4 * math.log(8)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "spent.json")


def test_a_budget_can_be_spent_to_the_last_bit_and_no_further(ledger: Ledger) -> None:
    cost = ledger.spend("others", CLAIM).epsilon
    account = ledger.spend("people", CLAIM, budget=cost)
    assert (account.epsilon, account.left) == (cost, 0.0)
    with pytest.raises(LedgerError, match=r"has 0 left"):
        ledger.spend("people", CLAIM)
    with pytest.raises(LedgerError, match="would cost"):
        ledger.spend("third", CLAIM, budget=math.nextafter(cost, 0.0))


def test_releases_add_up_until_the_budget_is_spent(ledger: Ledger) -> None:
    for turn in (1, 2):
        account = ledger.spend("people", CLAIM, release=f"{turn}.release", budget=20)
        assert account.epsilon == pytest.approx(turn * COST)
    assert account.left == pytest.approx(20 - 2 * COST)
    assert account.by_attribute[("age",)] == pytest.approx(2 * math.log(8))
    assert account.plain == ("risk",)
    before = ledger.path.read_bytes()
    with pytest.raises(LedgerError, match=r"cost ε = 8\.318 of 'people'.* 20 has 3\.364 left"):
        ledger.spend("people", CLAIM)
    assert ledger.path.read_bytes() == before
    ledger.spend("others", CLAIM)
    assert list(ledger.accounts) == ["people", "others"]
    assert ledger.account("strangers") == Account()
    assert Ledger(ledger.path).accounts == ledger.accounts
    assert json.loads(before)["version"] == 1  # readers from before this privet know that one


def test_a_budget_is_set_once_and_changed_on_purpose_only(ledger: Ledger) -> None:
    ledger.spend("people", CLAIM)
    ledger.spend("people", CLAIM, budget=17)
    with pytest.raises(LedgerError, match="is ε = 17 already"):
        ledger.spend("people", CLAIM, budget=100)
    ledger.set_budget("people", 25)
    assert ledger.spend("people", CLAIM, budget=25).left < 0.1
    for wrong in (-1, math.nan, math.inf, "much"):
        with pytest.raises(LedgerError, match="number of at least 0"):
            ledger.set_budget("people", wrong)  # type: ignore[arg-type]
    with pytest.raises(LedgerError, match="needs a name"):
        ledger.spend("", CLAIM)


def test_the_last_of_a_budget_can_be_spent(ledger: Ledger) -> None:
    two = RandomSubstitution(epsilon=2).claim(SCHEMA)
    assert ledger.spend("people", two, budget=8).left < 1e-6
    with pytest.raises(LedgerError, match="left"):
        ledger.spend("people", two)


def test_what_is_written_down_is_for_a_person(ledger: Ledger) -> None:
    people_of = replace(CLAIM, people=People(3))
    assert ledger.spend("people", people_of, budget=30).epsilon == pytest.approx(3 * COST)
    with pytest.raises(LedgerError, match=r"cost ε = 24\.95") as refused:
        ledger.spend("people", people_of)
    assert "give out the earlier release again" in refused.value.hint
    assert Ledger(ledger.path).account("people").left == pytest.approx(30 - 3 * COST)


@pytest.mark.parametrize(
    "method",
    [
        RandomNoise(),
        KAnonymity(k=2),
        Plan({}, default=Exact()),
        Plan({"rent": AdditiveNoise(level=0.5)}, default=Substitution(8)),
        Plan({}, default=Exact(), groups=[FlipGroup(["age", "car"], 0.8)]),
    ],
)
def test_what_has_no_epsilon_must_be_accepted(ledger: Ledger, method: Disguise) -> None:
    with pytest.raises(LedgerError, match="no ε"):
        ledger.spend("people", method.claim(SCHEMA), budget=50)
    assert not ledger.path.exists()
    account = ledger.spend("people", method.claim(SCHEMA), budget=50, accept_unbounded=True)
    assert account.unbounded == 1


@pytest.mark.parametrize(
    "method",
    [METHOD, RandomSubstitution(gamma=8, kind="band"), RandomSubstitution(gamma=8, wave=0.5)],
)
def test_what_is_written_down_is_what_the_release_costs(method: Disguise) -> None:
    claim = method.disguise(people(3000), SCHEMA, seed=1).claim
    planned, made = (
        Entry.of(claimed, "") for claimed in (method.claim(SCHEMA, seeded=True), claim)
    )
    assert planned.covers(made)
    assert planned.seeded
    assert made.seeded
    assert not planned.covers(Entry.of(RandomSubstitution(gamma=8.1).claim(SCHEMA), ""))


def test_every_flipped_bit_is_found_and_the_file_named(ledger: Ledger) -> None:
    ledger.spend("people", CLAIM, release="r", budget=20)
    good = ledger.path.read_bytes()
    for bad in flipped(good):
        ledger.path.write_bytes(bad)
        with pytest.raises(LedgerError, match=r"spent\.json"):
            ledger.account("people")
        with pytest.raises(LedgerError, match=r"spent\.json"):
            ledger.spend("people", CLAIM)
        assert ledger.path.read_bytes() == bad


words = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(words, st.sampled_from(["datasets", "budget", "releases", "disguised", "epsilon", "plain"]))
def test_odd_ledgers_are_errors_of_ours(
    tmp_path_factory: pytest.TempPathFactory, odd: object, place: str
) -> None:
    ledger = Ledger(tmp_path_factory.getbasetemp() / "odd.json")
    entry = Entry.of(CLAIM, "r").to_dict()
    account = {"budget": 20.0, "releases": [entry]}
    form = {"format": "privet ledger", "version": 1, "datasets": {"people": account}}
    for section in (form, account, entry, entry["disguised"][0]):
        if place in section:
            section[place] = odd
    ledger.path.write_bytes(seal(form, 1))
    with suppress(LedgerError):  # and nothing else
        ledger.account("people")


def test_a_disk_that_fails_leaves_the_ledger_as_it_was(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.spend("people", CLAIM)
    before = ledger.path.read_bytes()

    def fails(_: int) -> None:
        raise OSError(5, "gone")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(LedgerError, match=r"spent\.json cannot be written: Input/output error"):
        ledger.spend("people", CLAIM)
    assert ledger.path.read_bytes() == before
    assert [path.name for path in ledger.path.parent.iterdir()] == ["spent.json"]


def test_where_there_are_no_locks_nothing_is_spent(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_lock", lambda *_, **__: False)
    with pytest.raises(LedgerError, match=r"No locks available.*local disk"):
        ledger.spend("people", CLAIM)


def test_a_link_is_the_same_ledger(ledger: Ledger, tmp_path: Path) -> None:
    ledger.spend("people", CLAIM)
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.json"
    link.symlink_to(ledger.path)
    Ledger(link).spend("people", CLAIM)
    assert link.is_symlink()
    assert len(ledger.account("people").entries) == 2


SPENDER = """
import sys
from privet.disguise.ledger import Ledger
from privet.errors import LedgerError
from tests.disguise.test_ledger import CLAIM
sys.stdin.readline()
spent = 0
for turn in range(int(sys.argv[2])):
    try:
        Ledger(sys.argv[1]).spend("people", CLAIM, release=f"{sys.argv[3]} {turn}")
        spent += 1
    except LedgerError as error:
        assert "left" in str(error), error
print(spent)
"""


def spender(ledger: Ledger, turns: int, name: int) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", textwrap.dedent(SPENDER), str(ledger.path), str(turns)]
    return subprocess.Popen(
        [*command, str(name)],
        text=True,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def test_processes_cannot_both_spend_the_last_of_it(ledger: Ledger) -> None:
    """Two processes ask for forty releases, and the budget is for ten."""
    ledger.spend("people", CLAIM, budget=10.5 * COST)
    spenders = [spender(ledger, 20, number) for number in range(2)]
    for one in spenders:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    told = [int(one.communicate(timeout=120)[0]) for one in spenders]
    account = ledger.account("people")
    assert sum(told) == 9
    assert len(account.entries) == 10
    assert len({entry.release for entry in account.entries}) == 10
    assert account.budget is not None
    assert account.epsilon <= account.budget
    assert [path.name for path in ledger.path.parent.iterdir()] == ["spent.json"]


def test_the_file_is_as_documented(ledger: Ledger) -> None:
    ledger.spend("people", CLAIM, release="p.release", budget=20)
    form = json.loads(ledger.path.read_text())
    assert list(form) == ["format", "version", "datasets", "checksum"]
    (entry,) = form["datasets"]["people"]["releases"]
    assert entry["plain"] == ["risk"]
    assert entry["disguised"][0] == {"attributes": ["age"], "epsilon": pytest.approx(math.log(8))}


def test_what_another_spent_while_this_one_waited_counts(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waited(*arguments: Any, **settings: Any) -> Any:
        monkeypatch.setattr(ledger_module, "locked", writing.locked)
        ledger.spend("people", CLAIM, release="another's")
        return writing.locked(*arguments, **settings)

    monkeypatch.setattr(ledger_module, "locked", waited)
    ledger.spend("people", CLAIM, release="mine")
    releases = [entry.release for entry in ledger.account("people").entries]
    assert releases == ["another's", "mine"]
