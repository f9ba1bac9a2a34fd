"""FI beyond its tables: credal forests in the place of SysFor's, and the time of all but them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.experiments.fi_tables import NAMES
from privet.experiments.lab import means
from privet.experiments.page import Compared, Section, table
from privet.figures import figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.experiments.lab import Row

__all__ = ["forests", "linear"]

LINEAR = (0.8, 1.2)  # powers of n that are called linear: times of small tables waver


def forests(rows: Sequence[Row], names: Sequence[str]) -> Section:
    """Set FF by credal forests beside FF by SysFor's."""
    values = ("leaves", "original", "perturbed", "eduds")
    by_value = {value: means(rows, ["table", "forest"], value) for value in values}
    lines = []
    for name in names:
        cells = [NAMES[name]]
        for word in ("sysfor", "credal"):
            cells.append(f"{by_value['leaves'][name, word][0]:.1f}")
            cells += [f"{by_value[value][name, word][0]:.4f}" for value in values[1:]]
        lines.append(cells)
    header = ["table"]
    for word in ("SysFor", "credal"):
        header += [f"{word}: leaves", "accuracy, originals", "accuracy, FF", "EDUDS, FF"]
    lead = "Forests of three trees, all folds. *Leaves* is the mean number per tree.\n\n"
    return Section("forests", lead + table(header, lines), "Credal forests instead of SysFor")


def linear(rows: Sequence[Row]) -> tuple[Section, Compared]:
    """Draw the time of steps 2-5 against the records, and fit the power of n it grows by."""
    sizes = np.array([row["rows"] for row in rows], np.float64)
    seconds = np.array([row["seconds"] for row in rows])
    power, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    drawing = figure(5.0, 3.2)
    axes = drawing.subplots()
    axes.loglog(sizes, seconds, "o-", label="steps 2-5")
    axes.loglog(sizes, seconds[0] * sizes / sizes[0], "--", color="grey", label="proportional to n")
    axes.set(xlabel="records", ylabel="seconds")
    axes.legend()
    lines = [
        [f"{int(size):,}", f"{second:.4f}", f"{1e6 * second / size:.3f}"]
        for size, second in zip(sizes, seconds, strict=True)
    ]
    text = "Seconds of the processor for Forest Framework without its step 1, the fewest of three, "
    text += "on one thread: F1's nine attributes, and trees grown from the first 2,000 records.\n\n"
    text += table(["records", "seconds", "µs per record"], lines)
    section = Section("time", text, "Time against records (§3)", {"fi-time": drawing})
    said = f"from {int(sizes[0]):,} to {int(sizes[-1]):,} records the time grows as n to the power "
    said += f"of {power:.2f}"
    holds = bool(LINEAR[0] <= power <= LINEAR[1])
    return section, Compared("without the forest, Forest Framework is O(n)", said, holds=holds)
