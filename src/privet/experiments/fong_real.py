"""Fong's next step: real samples. Adult, cut to universes that fit, and the time of §6.4.

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
from privet.experiments.page import Compared, Section, table
from privet.grow import grow
from privet.randomness import Randomness
from privet.schema import Attribute, Schema
from privet.split import Policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from privet.experiments.lab import Row, Seeds, Setting

__all__ = ["CUTS", "real", "sampling", "timed", "timing"]

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
LINEAR = (0.7, 1.3)  # powers that are called linear: few times, on a machine with other work


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
    cells: NDArray[np.int64] = np.concatenate(list(method.cells(train, schema)))
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
    header = ["cut", "pick", "|T^U|", "kinds collected", "copies (fewest)", "listed per sample"]
    header += ["rows as counts", "loss, of the plain table's", "kinds exposed", "seconds"]
    header += ["tree's accuracy, %"]
    text = "Adult's 30,162 complete training records. *Listed* is the thesis' storage, every "
    text += "record of T′ and T^P written out; *rows as counts* is ours, distinct records with "
    text += "their counts. The tree is the one the plain records give, tried on Adult's own test "
    text += "part.\n\n"
    return Section("real-samples", text + table(header, lines), "Chapter 7: real samples")


def timing(setting: Setting, seeds: Seeds) -> dict[str, float]:
    """Return the seconds of the processor that unrealizing takes, the fewest of five."""
    universe = Complement().universe(
        Schema([Attribute.numeric("x", low=0, high=1, bins=setting["universe"])])
    )
    rng = seeds.generator("cells")
    cells: NDArray[np.int64] = rng.integers(0, setting["universe"], int(setting["samples"]))
    seconds = []
    for _ in range(5):
        with Randomness.seeded(1) as source:
            begun = process_time()
            Unrealizer(universe, "first", source).add(cells)
            seconds.append(process_time() - begun)
    return {"seconds": min(seconds)}


def timed(rows: Sequence[Row]) -> tuple[Section, Compared]:
    """Set §6.4's O(|T_S|) beside measured times."""
    lines = []
    powers = []
    for universe in sorted({row["universe"] for row in rows}):
        runs = [row for row in rows if row["universe"] == universe]
        samples = np.array([row["samples"] for row in runs], np.float64)
        seconds = np.array([row["seconds"] for row in runs])
        powers.append(float(np.polyfit(np.log(samples), np.log(seconds), 1)[0]))
        lines.append([f"{universe:,}", *(f"{second:.4f}" for second in seconds)])
        lines[-1].append(f"{powers[-1]:.2f}")
    counts = sorted({row["samples"] for row in rows})
    header = ["|T^U|", *(f"{count:,} samples, s" for count in counts), "power of |T_S|"]
    text = "Unrealizing samples that are spread evenly over a universe, by the thesis' rule, on "
    text += "one thread: seconds of the processor, the fewest of five.\n\n"
    section = Section("chapter-6-time", text + table(header, lines), "Chapter 6: time (§6.4)")
    said = "the time grows as |T_S| to the power of "
    said += " to ".join(f"{power:.2f}" for power in sorted({min(powers), max(powers)}))
    holds = all(LINEAR[0] <= power <= LINEAR[1] for power in powers)
    return section, Compared("sanitizing is O(|T_S|), given the universe (§6.4)", said, holds=holds)
