"""A ledger of what was spent: the ε of every release of a data set, and the budget it must keep to.

Each release of the same records costs its ε again. An entry is on disk before anything is drawn, so
that what a crash cut off counts as spent. The ledger reminds an owner; it does not bind one who
edits, removes or goes round it.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import LedgerError
from privet.files.reading import cause, typed
from privet.files.sealed import Kind, seal
from privet.files.writing import locked, new_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from privet.release import Claim

__all__ = ["Account", "Entry", "Ledger"]

KIND = Kind(
    "privet ledger",
    1,
    LedgerError,
    what="ledger",
    indent=1,
    hint="restore it from a copy, and add what was released since; do not edit a ledger.",
)

ROUNDING = 1e-4  # ε that one part in 2³² can make, with as many cells as codes have room for


@dataclass(frozen=True)
class Entry:
    """What one release costs.

    ``epsilon`` has the ε of each attribute, or group of attributes, that is disguised; ``plain``
    the attributes that can be read off it. ``unbounded`` says that it discloses more than these
    tell: something in it has neither an ε nor is plain, or nothing has an ε at all.
    """

    time: str
    release: str
    epsilon: Mapping[tuple[str, ...], float]
    plain: tuple[str, ...]
    unbounded: bool
    seeded: bool

    @classmethod
    def of(cls, claim: Claim, release: str) -> Entry:
        """Return what a release that keeps a claim costs, as of now."""
        return cls(
            datetime.now(UTC).isoformat(timespec="seconds"),
            release,
            {promise.attributes: promise.epsilon for promise in claim.disguised},
            claim.disclosed,
            not claim.formal or not claim.disguised or bool(claim.turned or claim.noisy),
            claim.seeded,
        )

    @property
    def total(self) -> float:
        """The sum of ε over the disguised attributes."""
        return math.fsum(self.epsilon.values())

    def covers(self, other: Entry) -> bool:
        """Whether another entry costs the same, for the same attributes, up to rounding.

        How many cells numbers are cut into may follow from the number of records, and γ is rounded
        to whole parts of 2³², by less the fewer the cells are.
        """
        return (
            list(self.epsilon) == list(other.epsilon)
            and all(abs(value - other.epsilon[n]) < ROUNDING for n, value in self.epsilon.items())
            and (self.plain, self.unbounded) == (other.plain, other.unbounded)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as it stands in the file."""
        epsilon = [
            {"attributes": list(names), "epsilon": value} for names, value in self.epsilon.items()
        ]
        form = {"time": self.time, "release": self.release, "disguised": epsilon}
        told = {"plain": list(self.plain), "unbounded": self.unbounded, "seeded": self.seeded}
        return form | told

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Entry:
        """Read what ``to_dict`` wrote."""
        epsilon = {
            tuple(typed(name, str) for name in typed(entry["attributes"], list)): _amount(
                entry["epsilon"]
            )
            for entry in typed(form["disguised"], list)
        }
        entry = cls(
            typed(form["time"], str),
            typed(form["release"], str),
            epsilon,
            tuple(typed(name, str) for name in typed(form["plain"], list)),
            typed(form["unbounded"], bool),
            typed(form["seeded"], bool),
        )
        if entry.to_dict() != form:
            raise ValueError
        return entry


@dataclass(frozen=True)
class Account:
    """What was spent of one data set, release by release, and what may be.

    ``budget`` is the most that ε may sum to; None if nobody set one.
    """

    budget: float | None = None
    entries: tuple[Entry, ...] = ()

    @property
    def epsilon(self) -> float:
        """The ε of disguised attributes, summed over attributes and releases."""
        return math.fsum(value for entry in self.entries for value in entry.epsilon.values())

    @property
    def left(self) -> float:
        """What is left of the budget; infinite if there is none."""
        return math.inf if self.budget is None else max(0.0, self.budget - self.epsilon)

    @property
    def by_attribute(self) -> dict[tuple[str, ...], float]:
        """The ε of each attribute, or group disguised together, summed over releases."""
        groups = dict.fromkeys(names for entry in self.entries for names in entry.epsilon)
        return {
            names: math.fsum(entry.epsilon.get(names, 0.0) for entry in self.entries)
            for names in groups
        }

    @property
    def plain(self) -> tuple[str, ...]:
        """The attributes that some release shows as they are."""
        return tuple(dict.fromkeys(name for entry in self.entries for name in entry.plain))

    @property
    def unbounded(self) -> int:
        """How many releases disclose more than their ε tells."""
        return sum(entry.unbounded for entry in self.entries)

    def to_dict(self) -> dict[str, Any]:
        """Return the account as it stands in the file."""
        return {"budget": self.budget, "releases": [entry.to_dict() for entry in self.entries]}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Account:
        """Read what ``to_dict`` wrote."""
        budget = None if form["budget"] is None else _amount(form["budget"])
        entries = tuple(Entry.from_dict(entry) for entry in typed(form["releases"], list))
        account = cls(budget, entries)
        if account.to_dict() != form:
            raise ValueError
        return account


@dataclass(frozen=True)
class Ledger:
    """A file that knows what was spent of each data set.

    Call ``spend`` before each disguise. Many processes may share a ledger: what one has spent the
    others see.

    >>> import tempfile, privet as pv
    >>> schema, method = pv.datasets.schema("weather"), pv.RandomSubstitution(gamma=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = pv.Ledger(f"{folder}/spent.json")
    ...     account = ledger.spend("weather", method.claim(schema), budget=5)
    ...     print(f"spent {account.epsilon:.2f}, plain: {', '.join(account.plain)}")
    ...     try:
    ...         ledger.spend("weather", method.claim(schema))
    ...     except pv.LedgerError:
    ...         print("no more")
    spent 3.30, plain: Play
    no more
    """

    path: Path = field()

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

    @property
    def accounts(self) -> dict[str, Account]:
        """What was spent, by data set; nothing if there is no such file yet.

        >>> import tempfile, privet as pv
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     pv.Ledger(f"{folder}/ledger.json").accounts
        {}
        """
        return self._read() if self.path.exists() else {}

    def account(self, dataset: str) -> Account:
        """Return what was spent of one data set; nothing if it has not been released.

        >>> import tempfile, privet as pv
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = pv.Ledger(f"{folder}/ledger.json")
        ...     len(ledger.account("weather").entries)
        0
        """
        return self.accounts.get(dataset, Account())

    def spend(
        self,
        dataset: str,
        claim: Claim,
        *,
        release: str = "",
        budget: float | None = None,
        accept_unbounded: bool = False,
    ) -> Account:
        """Write down what a release will cost, before it is made; return what is spent by then.

        A release that goes beyond the budget is a ``LedgerError``, and then nothing is spent.

        Parameters
        ----------
        dataset
            What the records are called; the same records must have the same name each time.
        claim
            What the release will promise: ``method.claim(schema)``.
        release
            A note for people: where the release goes.
        budget
            The most that ε may sum to. The first one that is given holds; another is an error.
        accept_unbounded
            Whether to go on with a method that has no ε: the ledger cannot tell what it discloses.

        >>> import tempfile, privet as pv
        >>> claim = pv.RandomSubstitution(gamma=3).claim(pv.datasets.schema("weather"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = pv.Ledger(f"{folder}/ledger.json")
        ...     len(ledger.spend("weather", claim, release="weather.release").entries)
        1
        """
        entry = Entry.of(claim, release)
        if entry.unbounded and not accept_unbounded:
            message = "The method has no ε for what it discloses, so that no budget can bound it."
            hint = "use a method with an ε for every attribute, or accept_unbounded=True."
            raise LedgerError(message, hint=hint)

        def spent(account: Account) -> Account:
            if budget is not None and account.budget not in (None, budget):
                message = f"The budget of {dataset!r} is ε = {account.budget:g} already."
                raise LedgerError(message, hint="privet ledger budget changes it.")
            before = account if budget is None else replace(account, budget=_checked(budget))
            after = replace(before, entries=(*before.entries, entry))
            if before.budget is not None and after.epsilon > before.budget:
                message = f"The release would cost ε = {entry.total:.4g} of {dataset!r}, whose "
                message += f"budget of {before.budget:g} has {before.left:.4g} left."
                hint = "disguise more strongly (a smaller gamma), or release fewer attributes."
                raise LedgerError(message, hint=hint)
            return after

        return self._change(dataset, spent)

    def set_budget(self, dataset: str, budget: float | None) -> Account:
        """Set the most that the ε of a data set may sum to; None lifts the bound.

        >>> import tempfile, privet as pv
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = pv.Ledger(f"{folder}/ledger.json")
        ...     ledger.set_budget("weather", 5.0).budget
        5.0
        """
        value = None if budget is None else _checked(budget)
        return self._change(dataset, lambda account: replace(account, budget=value))

    # The file

    def _read(self) -> dict[str, Account]:
        form = KIND.read(self.path)
        if list(form) != ["format", "version", "datasets"]:
            raise KIND.altered(str(self.path))
        try:
            return {
                name: Account.from_dict(account)
                for name, account in typed(form["datasets"], dict).items()
            }
        except (LookupError, TypeError, ValueError, AttributeError):
            raise KIND.altered(str(self.path)) from None

    def _change(self, dataset: str, change: Callable[[Account], Account]) -> Account:
        """Replace an account by what comes of it; nobody else can change the ledger meanwhile."""
        if not isinstance(dataset, str) or not dataset:
            raise LedgerError("A data set needs a name.", hint="dataset='patients-2024'.")
        path = self.path.resolve()  # a link to it is the same ledger, with the same lock
        with _telling(self.path), locked(path.parent, must=True):
            accounts = self.accounts
            account = accounts[dataset] = change(accounts.get(dataset, Account()))
            form = {name: account.to_dict() for name, account in accounts.items()}
            head = {"format": KIND.mark, "version": KIND.version, "datasets": form}
            with new_file(path) as made:
                made.write_bytes(seal(head, KIND.indent))
        return account


def _checked(budget: float) -> float:
    try:
        return _amount(float(budget))
    except (TypeError, ValueError):
        raise LedgerError("A budget is a number of at least 0.", hint="budget=8.") from None


def _amount(value: Any) -> float:
    if not (math.isfinite(typed(value, float)) and value >= 0):
        raise ValueError
    return float(value)


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"The ledger {path} cannot be written: {cause(error)}."
        hint = "keep it on a local disk, in a folder you may write to."
        raise LedgerError(message, hint=hint) from None
