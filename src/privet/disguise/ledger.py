"""A ledger of what was spent: the ε of every release of a data set, and the budget it must keep to.

Each release of the same records costs its ε again: that of a person, where a schema says how many
records a person has, else that of a record. An entry is on disk before anything is drawn, so
that what a crash cut off counts as spent. The ledger reminds an owner; it does not bind those who
edits, removes or goes round it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from privet.disguise.account import Account, Entry, amount
from privet.errors import LedgerError
from privet.files.reading import cause, typed
from privet.files.sealed import Kind, seal
from privet.files.writing import locked, new_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
        """Return what was spent of a data set; nothing if it has not been released.

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
            What the release will promise: ``method.claim(schema)``. Where the schema has
            ``rows_per_unit``, what is written down is the ε of a person of so many records.
        release
            A note for people: where the release goes.
        budget
            The most that ε may sum to. The first that is given holds; another is an error.
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
                hint = "disguise more strongly (a smaller gamma), release fewer attributes, or "
                hint += "give out the earlier release again, which costs nothing."
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
        return amount(float(budget))
    except (TypeError, ValueError):
        raise LedgerError("A budget is a number of at least 0.", hint="budget=8.") from None


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"The ledger {path} cannot be written: {cause(error)}."
        hint = "keep it on a local disk, in a folder you may write to."
        raise LedgerError(message, hint=hint) from None
