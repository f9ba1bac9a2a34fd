"""Every exception of privet: the user's mistake apart from our own bug.

A message says what is wrong, where (column, row, file), what is allowed and, after *Hint:*, what to
do. It never carries a record's value. A hint names settings as a call would, ``overwrite=True``;
the command line says the same as an option.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

__all__ = [
    "BugError",
    "DataError",
    "InputError",
    "LedgerError",
    "MethodError",
    "PlanError",
    "PrivetError",
    "PrivetWarning",
    "ReleaseError",
    "SchemaError",
    "StoreError",
    "SurveyError",
    "TreeError",
    "Where",
]


@dataclass(frozen=True)
class Where:
    """The place of a mistake: a column, the first row that has it (counted from 0), a file.

    >>> print(Where(column="age", row=3, file="people.csv"))
    first in row 3 of people.csv
    """

    column: str | None = None
    row: int | None = None
    file: str | None = None

    def __str__(self) -> str:
        if self.row is None:
            return self.file or ""
        return f"first in row {self.row}" + (f" of {self.file}" if self.file else "")


class PrivetError(Exception):
    """Anything privet raises on purpose.

    Attributes
    ----------
    message
        What is wrong, as a sentence.
    hint
        What to do, or nothing.
    where
        The column, row and file it is about, as far as they are known.

    Examples
    --------
    >>> import privet as pv
    >>> try:
    ...     pv.Release.read("no-such.release")
    ... except pv.PrivetError as error:
    ...     print(type(error).__name__)
    ReleaseError
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        column: str | None = None,
        row: int | None = None,
        file: str | Path | None = None,
    ) -> None:
        self.message = message
        self.hint = hint
        self.where = Where(column, row, None if file is None else str(file))
        super().__init__(message)

    @property
    def said(self) -> str:
        """The message with its place, without the hint."""
        where = self.where
        if where.row is not None:
            return f"{self.message.removesuffix('.')} ({where})."
        return self.message if where.file is None else f"{where.file}: {self.message}"

    def __str__(self) -> str:
        return f"{self.said} Hint: {self.hint}" if self.hint else self.said

    def placed(self, file: str | Path | None = None, *, row: int = 0) -> Self:
        """Return the same mistake as one of a file, whose row ``row`` was the first one looked at.

        >>> str(DataError("A value is missing.", row=2).placed("people.csv", row=100))
        'A value is missing (first in row 102 of people.csv).'
        """
        moved = replace(
            self.where,
            row=None if self.where.row is None else self.where.row + row,
            file=self.where.file if file is None else str(file),
        )
        return self.retold(self.message, where=moved)

    def retold(self, message: str, *, hint: str | None = None, where: Where | None = None) -> Self:
        """Return the same mistake in other words.

        >>> str(DataError("It is wrong.", row=2).retold("A value is missing."))
        'A value is missing (first in row 2).'
        """
        made = type(self).__new__(type(self))
        PrivetError.__init__(made, message, hint=self.hint if hint is None else hint)
        made.where = self.where if where is None else where
        return made


class PrivetWarning(UserWarning):
    """Something to know that is no error: commands tell it on stderr.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", PrivetWarning)
    ...     warnings.warn("A group has no ε.", PrivetWarning, stacklevel=1)
    """


class InputError(PrivetError, ValueError):
    """The caller can mend this: an argument, a file or a table is not what it has to be.

    >>> import privet as pv
    >>> pv.Format(decimal=";")
    Traceback (most recent call last):
    privet.errors.InputError: The decimal sign must be ...
    """


class SchemaError(InputError):
    """A schema or one of its attributes is declared wrongly.

    >>> import privet as pv
    >>> pv.Attribute.numeric("age", low=9, high=1)
    Traceback (most recent call last):
    privet.errors.SchemaError: Attribute 'age': low is above high.
    """


class DataError(InputError):
    """Records do not fit the schema: an absent column, a value outside its domain, no rows.

    >>> import privet as pv
    >>> pv.RandomSubstitution(gamma=3).disguise({"Wind": []}, pv.datasets.schema("weather"))
    Traceback (most recent call last):
    privet.errors.DataError: ...
    """


class PlanError(InputError):
    """A plan asks for a disguise that cannot be, or not for this schema.

    >>> import privet as pv
    >>> pv.RandomSubstitution(gamma=0.5).claim(pv.datasets.schema("weather"))
    Traceback (most recent call last):
    privet.errors.PlanError: ...
    """


class ReleaseError(InputError):
    """A release folder is absent, altered, incomplete, too new, or cannot be written.

    >>> import privet as pv
    >>> pv.Release.read("no-such.release")
    Traceback (most recent call last):
    privet.errors.ReleaseError: ...
    """


class LedgerError(InputError):
    """A budget is spent, or a ledger cannot be read or written.

    >>> import privet as pv
    >>> pv.Ledger("no-such.json").set_budget("people", -1)
    Traceback (most recent call last):
    privet.errors.LedgerError: ...
    """


class StoreError(InputError):
    """A store's database cannot be reached, is another's, is full or locked, or does not add up.

    >>> from privet import Store
    >>> Store.open("no-such.db")
    Traceback (most recent call last):
    privet.errors.StoreError: ...
    """


class SurveyError(InputError):
    """A questionnaire is declared wrongly, or an answer or its database is not the survey's.

    >>> from privet import Questionnaire
    >>> Questionnaire.from_dict({"title": "What do you eat?"})
    Traceback (most recent call last):
    privet.errors.SurveyError: ...
    """


class MethodError(InputError):
    """A mining method or policy does not exist, or cannot work for this release.

    >>> import privet as pv
    >>> pv.Noise.uniform("age", low=0, high=9, alpha=1, steps=9).marginal(["sex"])
    Traceback (most recent call last):
    privet.errors.MethodError: ...
    """


class TreeError(InputError):
    """A stored tree cannot be read, or does not fit what it is used for.

    >>> import privet as pv
    >>> pv.Tree.from_dict({})
    Traceback (most recent call last):
    privet.errors.TreeError: This is not a tree of privet's...
    """


class BugError(PrivetError, RuntimeError):
    """Something that cannot happen did: a bug in privet, not a mistake of the caller."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="this is a bug in privet; please report it.")
