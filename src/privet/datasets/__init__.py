"""Tables to try things out on, by name: made-up people, random worlds, the weather, real tables.

``load("as-f2", rows=1000, seed=1)`` makes AS's F2, ``load("agrawal-f7")`` the older family's
function 7, ``load("skewed")`` borrowers, ``load("world", seed=3)`` records of random world 3;
``load("weather")`` and ``load("adult")`` return what they say.

>>> from privet import datasets
>>> datasets.load("as-f2", rows=10, seed=1).num_rows
10
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.datasets import agrawal, skewed, uci, weather
from privet.datasets.worlds import World
from privet.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.schema import Schema

__all__ = ["is_generated", "load", "names", "schema"]

DEFAULT_ROWS = 100_000  # AS's training sets

_GENERATED = {
    f"{family}-f{number}": (family, number)
    for family, functions in agrawal.FAMILIES.items()
    for number in range(1, len(functions) + 1)
}


def names() -> list[str]:
    """Return all names ``load`` knows.

    >>> names()[:2]
    ['as-f1', 'as-f2']
    """
    return [*_GENERATED, "skewed", "world", "weather", *uci.NAMES]


def is_generated(name: str) -> bool:
    """Whether the table is made to measure: it takes a number of rows and a seed.

    >>> is_generated("as-f1"), is_generated("weather")
    (True, False)
    """
    _check(name)
    return name in _GENERATED or name in {"skewed", "world"}


def load(
    name: str,
    *,
    rows: int | None = None,
    seed: int | None = None,
    split: str | None = None,
    complete: bool | None = None,
) -> pa.Table:
    """Return a table by name.

    ``rows`` (100,000 if not given) and ``seed`` are for the made-up ones, ``split`` and
    ``complete`` for UCI tables; given to another table they are an error. The seed of a random
    world names it (0 if not given): schema and records of one seed belong together.

    >>> load("as-f1", rows=6, seed=3).num_rows
    6
    """
    _check(name)
    if name == "world":
        _refuse(name, split=split, complete=complete)
        return World.drawn(seed).table(DEFAULT_ROWS if rows is None else rows)
    if name == "skewed":
        _refuse(name, split=split, complete=complete)
        return skewed.table(DEFAULT_ROWS if rows is None else rows, seed)
    if name in _GENERATED:
        _refuse(name, split=split, complete=complete)
        make = agrawal.as_functions if _GENERATED[name][0] == "as" else agrawal.agrawal
        return make(_GENERATED[name][1], DEFAULT_ROWS if rows is None else rows, seed)
    _refuse(name, rows=rows, seed=seed)
    if name == "weather":
        _refuse(name, split=split, complete=complete)
        return weather.table()
    return uci.load(name, split=split or "train", complete=bool(complete))


def schema(
    name: str,
    *,
    bins: int | None = None,
    margin: float | None = None,
    seed: int | None = None,
    complete: bool | None = None,
) -> Schema:
    """Return the public domains of a table by name; ``bins`` cuts its numeric attributes.

    ``margin`` and ``seed`` are for the made-up tables (see ``agrawal.schema``), ``complete`` for
    UCI tables.

    >>> schema("weather").target
    'Play'
    """
    _check(name)
    if name == "world":
        _refuse(name, margin=margin, complete=complete)
        declared = World.drawn(seed).schema
        return declared if bins is None else declared.with_bins(bins)
    if name == "skewed":
        _refuse(name, complete=complete)
        return skewed.schema(bins, margin or 0.0, seed)
    if name in _GENERATED:
        _refuse(name, complete=complete)
        return agrawal.schema(_GENERATED[name][0], bins, margin or 0.0, seed)
    _refuse(name, margin=margin, seed=seed)
    if name == "weather":
        _refuse(name, complete=complete)
    declared = weather.schema() if name == "weather" else uci.schema(name, complete=bool(complete))
    return declared if bins is None else declared.with_bins(bins)


def _check(name: str) -> None:
    if name not in names():
        message = f"There is no table {name!r}."
        raise InputError(message, hint=f"there are {', '.join(names())}.")


def _refuse(name: str, **settings: object) -> None:
    for setting, value in settings.items():
        if value is not None:
            message = f"Parameter {setting} does not apply to the table {name!r}."
            raise InputError(message, hint=f"leave out {setting}.")
