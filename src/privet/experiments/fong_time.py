"""Fong §6.4: the time that sanitizing takes, by samples, by the universe, and with dummies.

The thesis counts O(|T_S|) for the samples and O(V^|A|) for the universal set, where V values of
each of |A| attributes are expanded; with dummies twice as much for the universal set. Here every
attribute has ten values, so each further attribute makes the universe ten times as large.
"""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from privet.disguise.unrealize import Unrealizer
from privet.experiments.lab import means
from privet.experiments.page import Compared, Section, table
from privet.randomness import Randomness
from privet.release.universe import Dummy, Universe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from privet.experiments.lab import Row, Seeds, Setting

__all__ = ["ATTRIBUTES", "SAMPLES", "TIMED", "timed", "timing"]

VALUES = 10  # of each attribute
ATTRIBUTES = (2, 3, 4, 5, 6)
SAMPLES = (100_000, 400_000, 1_600_000)
TIMED = ("first", "dummy")  # the thesis' rule, and that of §6.2
LARGE = 10_000  # records of a universe from which on its time is more than the clock's grain
LINEAR = (0.7, 1.3)  # powers that are called linear: few times, on a machine with other work


def timing(setting: Setting, seeds: Seeds) -> dict[str, float]:
    """Return the processor's seconds for samples and for the universal set, the fewest of five."""
    names = tuple(f"a{place}" for place in range(setting["attributes"]))
    dummy = Dummy("dummy", ("yes",)) if setting["pick"] == "dummy" else None
    universe = Universe(names, (VALUES,) * len(names), dummy)
    kinds = seeds.generator("cells").integers(0, universe.real_size, int(setting["samples"]))
    cells = kinds * (universe.size // universe.real_size)
    taken = []
    for _ in range(5):
        with Randomness.seeded(1) as source:
            clock = [process_time()]
            worked = Unrealizer(universe, setting["pick"], source)
            clock.append(process_time())
            worked.add(cells)
            clock.append(process_time())
            worked.tables()
            clock.append(process_time())
        begun, built, sanitized, listed = clock
        taken.append((sanitized - built, built - begun + listed - sanitized))
    return dict(zip(("samples_seconds", "universe_seconds"), np.min(taken, axis=0), strict=True))


def _power(sizes: Iterable[float], seconds: Iterable[float]) -> float:
    """Return the power of a size that the seconds grow with."""
    floor = 1e-7  # a clock that did not move
    logs = np.log(np.maximum(list(seconds), floor))
    return float(np.polyfit(np.log(list(sizes)), logs, 1)[0])


def _span(powers: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(f"{power:.2f}" for power in (min(powers), max(powers))))


def _linear(powers: Iterable[float]) -> bool:
    return all(LINEAR[0] <= power <= LINEAR[1] for power in powers)


def timed(rows: Sequence[Row]) -> tuple[Section, list[Compared]]:
    """Set §6.4's complexities beside measured times."""
    counts = sorted({row["samples"] for row in rows})
    expanded = means(rows, ["pick", "attributes"], "universe_seconds")
    lines, by_samples, by_universe = [], [], {}
    for pick in TIMED:
        widths = sorted({row["attributes"] for row in rows if row["pick"] == pick})
        for width in widths:
            runs = [row for row in rows if (row["pick"], row["attributes"]) == (pick, width)]
            seconds = {row["samples"]: row["samples_seconds"] for row in runs}
            by_samples.append(_power(counts, [seconds[count] for count in counts]))
            cells = [f"{seconds[count]:.4f}" for count in counts]
            size = f"{VALUES**width:,}" + (" × 2" if pick == "dummy" else "")
            universe = f"{expanded[pick, width][0]:.4f}"
            lines.append([pick, size, *cells, f"{by_samples[-1]:.2f}", universe])
        large = [width for width in widths if VALUES**width >= LARGE]
        if len(large) > 1:
            sizes = [VALUES**width for width in large]
            by_universe[pick] = _power(sizes, [expanded[pick, width][0] for width in large])
    header = ["pick", "|T^U|", *(f"{count:,} samples, s" for count in counts), "power of |T_S|"]
    text = (
        "Seconds of the processor on one thread, the fewest of five. Samples are distributed "
        "evenly over a universe of attributes with ten values each. The last column is the time "
        "for the universal set: preparing it, and listing T′ and T^P with their counts.\n\n"
    )
    section = Section(
        "chapter-6-time",
        text + table([*header, "universal set, s"], lines),
        "Chapter 6: time (§6.4)",
    )
    compared = [
        Compared(
            "sanitizing is O(|T_S|), given the universe (§6.4)",
            f"the time grows as |T_S| to the power of {_span(by_samples)}",
            holds=_linear(by_samples),
        )
    ]
    if set(by_universe) == set(TIMED):
        widest = max(row["attributes"] for row in rows)
        times = expanded["dummy", widest][0] / expanded["first", widest][0]
        compared += [
            Compared(
                "the universal set is O(V^|A|), and O(2·V^|A|) with dummies (§6.4)",
                f"from {LARGE:,} records on its time grows as V^|A| to the power of "
                f"{by_universe['first']:.2f}, with dummies of {by_universe['dummy']:.2f}; dummies "
                f"take {times:.1f} times as long",
                holds=_linear(by_universe.values()),
            )
        ]
    return section, compared
