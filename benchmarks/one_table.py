"""What a thief of one whole table of a store has: the visitors of the tutorial, for every pick."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import privet as pv
from privet.disguise.unrealize import PICKS

_FLAGS = ("fever", "rash", "travelled")
_SEASONS = ["winter", "spring", "summer", "autumn"]


def visitors(rows: int = 200) -> dict[str, list[str]]:
    """Return the visitors of ``docs/tutorials/store.md``."""
    rng = np.random.default_rng(3)
    made: dict[str, list[str]] = {name: [] for name in ("season", *_FLAGS, "infected")}
    for _ in range(rows):
        season = str(rng.choice(_SEASONS))
        fever, rash, travelled = rng.random(3) < [0.4, 0.2, 0.15]
        infected = (fever and travelled) or (rash and season == "summer")
        made["season"].append(season)
        for name, truth in zip(
            (*_FLAGS, "infected"), (fever, rash, travelled, infected), strict=True
        ):
            made[name].append("yes" if truth else "no")
    return made


def right(method: pv.Complement, table: dict[str, Any], schema: pv.Schema) -> list[float]:
    """Return what the attack gets right from T^P, from T′, and what a blind guess does."""
    release = method.disguise(table, schema)
    told = pv.audit(release, table, attacks=["one-table"], trees=False).attacks
    return [told[0].value, told[1].value, told[0].blind]


def main(arguments: list[str]) -> int:
    """Print the table of docs/store.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks one_table", description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="disguises of each pick")
    runs = parser.parse_args(arguments).runs
    table = visitors()
    few = [
        pv.Attribute.categorical("season", _SEASONS),
        *(pv.Attribute.categorical(name, ["no", "yes"]) for name in (*_FLAGS, "infected")),
    ]
    days = [str(day) for day in range(365)]
    many = [*few, pv.Attribute.categorical("day", days)]
    drawn = np.random.default_rng(1).integers(0, len(days), len(table["season"]))
    dated: dict[str, Any] = {**table, "day": [days[day] for day in drawn]}
    for called, records, attributes in (("64", table, few), ("23,360", dated, many)):
        schema = pv.Schema(attributes, target="infected")
        print(f"{called} possible records: right from T^P, from T′, blind")
        for pick in PICKS:
            told = [right(pv.Complement(pick=pick), records, schema) for _ in range(runs)]
            print(f"{pick:<14}" + "".join(f"{share:8.1%}" for share in np.mean(told, axis=0)))
    return 0
