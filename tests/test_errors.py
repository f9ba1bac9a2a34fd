import pickle

import pytest

from privet import errors
from privet.errors import DataError, PrivetError, StoreError


def test_an_error_has_its_parts_as_fields() -> None:
    error = DataError("A value is missing.", hint="fill it.", column="age", row=3, file="p.csv")
    assert (error.message, error.hint) == ("A value is missing.", "fill it.")
    assert vars(error.where) == {"column": "age", "row": 3, "file": "p.csv"}
    assert str(error) == "A value is missing (first in row 3 of p.csv). Hint: fill it."


KINDS = [vars(errors)[name] for name in errors.__all__]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if issubclass(kind, PrivetError)])
def test_every_kind_can_be_placed_and_told_anew(kind: type[PrivetError]) -> None:
    error = kind("It is wrong.")
    error.where = errors.Where("age", 2)
    moved = error.placed("p.csv", row=100)
    assert type(moved) is kind
    assert (moved.where.column, moved.where.row, moved.where.file) == ("age", 102, "p.csv")
    assert moved.hint == error.hint
    assert error.where.row == 2
    assert str(error.retold("Party 'a': it is wrong.", hint="")) == (
        "Party 'a': it is wrong (first in row 2)."
    )


def test_a_file_without_a_row_comes_first() -> None:
    assert str(DataError("It is empty.").placed("p.csv")) == "p.csv: It is empty."


def test_errors_survive_pickling() -> None:
    error = StoreError("It is locked.", hint="wait.", file="s.db")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert str(again) == str(error)
    assert again.where == error.where
