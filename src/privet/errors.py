"""Every exception of privet: the user's mistake apart from our own bug.

A message says what is wrong, where (column, parameter, file), what is allowed and, after
*Hint:*, what to do. It never carries a record's value.
"""

from __future__ import annotations

__all__ = [
    "BugError",
    "DataError",
    "InputError",
    "MethodError",
    "PlanError",
    "PrivetError",
    "ReleaseError",
    "SchemaError",
    "StoreError",
    "TreeError",
]


class PrivetError(Exception):
    """Anything privet raises on purpose."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.hint = hint
        super().__init__(f"{message} Hint: {hint}" if hint else message)


class InputError(PrivetError, ValueError):
    """The caller can mend this: an argument, a file or a table is not what it has to be."""


class SchemaError(InputError):
    """A schema or one of its attributes is declared wrongly."""


class DataError(InputError):
    """Records do not fit the schema: an absent column, a value outside its domain, no rows."""


class PlanError(InputError):
    """A plan asks for a disguise that cannot be, or not for this schema."""


class ReleaseError(InputError):
    """A release folder is absent, altered, incomplete, too new, or cannot be written."""


class StoreError(InputError):
    """A store's database cannot be reached, is another's, is full or locked, or does not add up."""


class MethodError(InputError):
    """A mining method or policy does not exist, or cannot work for this release."""


class TreeError(InputError):
    """A stored tree cannot be read, or does not fit what it is used for."""


class BugError(PrivetError, RuntimeError):
    """Something that cannot happen did: a bug in privet, not a mistake of the caller."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="this is a bug in privet; please report it.")
