"""``privet ledger``: what was spent of each data set, and what may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from privet.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from privet.disguise.ledger import Account
    from privet.errors import LedgerError
    from privet.release import Claim

__all__ = ["Spending", "command"]


@dataclass(frozen=True)
class Spending:
    """What a command was told about a ledger."""

    file: Path
    dataset: str
    budget: float | None
    accept_unbounded: bool

    @classmethod
    def told(
        cls, file: Path | None, dataset: str | None, budget: float | None, *, accept_unbounded: bool
    ) -> Spending | None:
        """Return what the options say; None if they name no ledger."""
        if file is None:
            if dataset is not None or budget is not None or accept_unbounded:
                message = "--dataset, --budget and --accept-unbounded go with --ledger FILE."
                raise click.UsageError(message)
            return None
        if not dataset:
            raise click.UsageError("--ledger needs --dataset NAME: what the records are called.")
        return cls(file, dataset, budget, accept_unbounded)

    def spend(self, claim: Claim, output: Path) -> None:
        """Write down what a release will cost, or refuse it."""
        from privet.cli.output import remark
        from privet.disguise.ledger import Ledger

        ledger = Ledger(self.file)
        known = ledger.accounts
        if self.dataset not in known:
            remark(f"{self.file}: {self.dataset!r} is new in this ledger.{self._doubts(known)}")
        account = ledger.spend(
            self.dataset,
            claim,
            release=str(output),
            budget=self.budget,
            accept_unbounded=self.accept_unbounded,
        )
        if claim.people is not None and claim.people.rows > 1:
            most = f"a person has up to {claim.people.rows:,} records"
            remark(f"{self.file}: {most}, and what is written down is the ε of a person.")
        remark(f"{self.file}: {_spent(account)} of {self.dataset!r} is spent now.")

    def _doubts(self, known: Iterable[str]) -> str:
        """Say what may be wrong about a new name: it has no budget, and others are known."""
        said = " It has no budget." if self.budget is None else ""
        names = ", ".join(map(repr, known))
        return said + (f" Known names: {names}." if names else "")

    def check(self, claim: Claim) -> None:
        """Check that the release costs just what was written down."""
        from privet.disguise.ledger import Entry, Ledger
        from privet.errors import BugError

        entries = Ledger(self.file).account(self.dataset).entries
        if not any(entry.covers(Entry.of(claim, "")) for entry in entries):
            raise BugError("the release costs something else than the ledger says")


@options.group(
    "privet disguise people.csv --schema people.toml --gamma 3 --output people.release \\",
    "    --ledger spent.json --dataset people-2024 --budget 12",
    "privet ledger show spent.json",
    "privet ledger budget spent.json people-2024 20",
)
def command() -> None:
    """Keep account of what releases of the same records cost together."""


@command.command("show")
@click.argument("file", type=options.EXISTING, metavar="LEDGER")
@click.option("--dataset", metavar="NAME", help="Only this data set.")
@options.as_json
def show(file: Path, dataset: str | None, as_json: bool) -> None:
    """Show what was spent of each data set, release by release."""
    from privet.cli.output import emit, say
    from privet.disguise.ledger import Ledger

    accounts = Ledger(file).accounts
    if dataset is not None:
        if dataset not in accounts:
            raise _unknown(file, dataset, accounts)
        accounts = {dataset: accounts[dataset]}
    if as_json:
        emit({name: _form(account) for name, account in accounts.items()})
        return
    for name, account in accounts.items():
        say("\n".join(_lines(name, account)))


@command.command("budget")
@click.argument("file", type=options.EXISTING, metavar="LEDGER")
@click.argument("dataset", metavar="NAME")
@click.argument("budget", type=click.FloatRange(0), metavar="EPSILON")
def budget_(file: Path, dataset: str, budget: float) -> None:
    """Set the most that the ε of a data set may sum to, instead of what it was."""
    from privet.cli.output import say
    from privet.disguise.ledger import Ledger

    ledger = Ledger(file)
    if dataset not in ledger.accounts:
        raise _unknown(file, dataset, ledger.accounts)
    say(f"{dataset}: {_spent(ledger.set_budget(dataset, budget))} is spent.")


def _unknown(file: Path, dataset: str, known: Iterable[str]) -> LedgerError:
    from privet.errors import LedgerError

    return LedgerError(f"{file} knows no data set {dataset!r}; it has {', '.join(known)}.")


def _spent(account: Account) -> str:
    budget = "" if account.budget is None else f" of {account.budget:g}"
    return f"ε = {account.epsilon:.4g}{budget}"


def _lines(name: str, account: Account) -> list[str]:
    lines = [f"{name}: {_spent(account)} spent; releases: {len(account.entries)}."]
    for names, epsilon in account.by_attribute.items():
        lines.append(f"  {', '.join(names)}: ε = {epsilon:.4g}")
    if account.plain:
        lines.append(f"  plain: {', '.join(account.plain)}")
    if account.unbounded:
        lines.append(f"  WITHOUT A BOUND: {account.unbounded} of the releases")
    for entry in account.entries:
        marks = ["no bound"] * entry.unbounded + ["from a seed, NOT PRIVATE"] * entry.seeded
        told = "; ".join([f"ε = {entry.total:.4g}", *marks])
        lines.append(f"  {entry.time}  {entry.release}: {told}")
    return lines


def _form(account: Account) -> dict[str, Any]:
    left = None if account.budget is None else account.left
    spent = {"epsilon": account.epsilon, "left": left, "plain": list(account.plain)}
    return {**spent, "unbounded": account.unbounded, **account.to_dict()}
