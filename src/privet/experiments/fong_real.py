"""Fong's next step: real samples. Adult, cut to universes that fit.

The thesis ends with "testing with real samples should be the next step" (chapter 7). Adult's
complete training records are cut to a few attributes of few values each, so that the universe,
their product, can be counted out; each cut is unrealized, stored, and mined.
"""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from privet import datasets
from privet.disguise.complement import Complement
from privet.disguise.loss import fewest_copies, loss_of
from privet.disguise.unrealize import Unrealizer
from privet.estimate.methods import evidence_of
from privet.estimators import TreeClassifier
from privet.experiments.page import Section, table
from privet.grow import grow
from privet.randomness import Randomness
from privet.schema import Schema
from privet.split import Policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from privet.coding import Ints
    from privet.experiments.lab import Row, Seeds, Setting

__all__ = ["CUTS", "real", "sampling"]

# How Adult is cut: attributes with cells for numbers, and whether categories stay.
CUTS: dict[str, dict[str, int]] = {
    "4 attributes": {"age": 4, "sex": 0, "education_num": 4, "marital_status": 0},
    "6 attributes": {
        "age": 6,
        "sex": 0,
        "education_num": 6,
        "marital_status": 0,
        "hours_per_week": 4,
        "capital_gain": 3,
    },
    "8 attributes": {
        "age": 8,
        "sex": 0,
        "education_num": 8,
        "marital_status": 0,
        "hours_per_week": 4,
        "capital_gain": 3,
        "relationship": 0,
        "race": 0,
    },
}


def cut(name: str) -> tuple[pa.Table, pa.Table, Schema]:
    """Return Adult's training and test records with a cut's attributes, and the schema."""
    whole = datasets.schema("adult")
    attributes = []
    for wanted, cells in CUTS[name].items():
        attribute = whole[wanted]
        attributes.append(attribute if not cells else attribute.with_cells(cells))
    schema = Schema([*attributes, whole[whole.target]], target=whole.target)
    parts = [datasets.load("adult", split=split, complete=True) for split in ("train", "test")]
    return parts[0].select(schema.names), parts[1].select(schema.names), schema


def sampling(setting: Setting, seeds: Seeds) -> dict[str, float]:
    """Unrealize one cut of Adult; return universe, storage, loss, time, and the tree's accuracy."""
    train, test, schema = cut(setting["cut"])
    method = Complement(pick=setting["pick"])
    universe = method.universe(schema)
    cells: Ints = np.concatenate(list(method.cells(train, schema)))
    collected = np.bincount(cells, minlength=universe.size)
    with Randomness.seeded(seeds("pick")) as source:
        begun = process_time()
        worked = Unrealizer(universe, setting["pick"], source)
        worked.add(cells)
        seconds = process_time() - begun
    loss = loss_of(universe, collected, worked.copies)
    moved, left = worked.tables()
    release = method.disguise(train, schema, seed=seeds("pick"))
    policy = Policy.named("cart").but(min_samples_leaf=50)
    tree = grow(evidence_of(release).evidence, policy, schema.target)
    return {
        "kinds": float(len(np.flatnonzero(collected))),
        "universe": float(universe.size),
        "samples": float(len(cells)),
        "copies": float(worked.copies),
        "fewest": float(fewest_copies(universe, collected)),
        "listed": float(loss.stored),
        "rows": float(sum(len(next(iter(columns.values()))) for columns in (moved, left))),
        "share": loss.value / loss.without,
        "exposed": loss.exposed / loss.kinds,
        "seconds": seconds,
        "accuracy": TreeClassifier.from_tree(tree).score(test),
    }


def real(rows: Sequence[Row]) -> Section:
    """Tabulate what the store of real samples costs and discloses."""
    lines = [
        [
            row["cut"],
            row["pick"],
            f"{row['universe']:,.0f}",
            f"{row['kinds']:,.0f}",
            f"{row['copies']:,.0f} ({row['fewest']:,.0f})",
            f"{row['listed'] / row['samples']:,.0f}",
            f"{row['rows']:,.0f}",
            f"{row['share']:.2g}",
            f"{100 * row['exposed']:.0f} %",
            f"{row['seconds']:.2f}",
            f"{100 * row['accuracy']:.1f}",
        ]
        for row in rows
    ]
    header = ["cut", "pick", "|T^U|", "distinct records", "copies (fewest)", "listed per sample"]
    header += ["rows with counts", "loss, of the plain table's", "exposed records", "seconds"]
    header += ["tree's accuracy, %"]
    text = "Adult's 30,162 complete training records. *Listed per sample* is the thesis' storage: "
    text += "every record of T′ and T^P, one by one. *Rows with counts* is ours: distinct records "
    text += "with their counts. The tree is that of the plain records; its accuracy is measured on "
    text += "Adult's own test part.\n\n"
    return Section("real-samples", text + table(header, lines), "Chapter 7: real samples")
