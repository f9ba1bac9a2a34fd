"""Numbers as people read them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from privet.tree.tree import Tree

__all__ = ["border", "counted", "percent", "plus_minus"]

FINE = 20  # parts of the gap round a threshold, or of the cell it lies in, that are worth a digit


def plus_minus(error: float, digits: int = 0) -> str:
    """Return a standard error to stand behind a number; nothing where it is zero or not known.

    >>> plus_minus(27.4), plus_minus(0.034), plus_minus(0.0), plus_minus(float("nan"))
    (' ± 27', ' ± 0.03', '', '')
    """
    if not error or math.isnan(error):
        return ""
    places = max(digits, -math.floor(math.log10(error)))  # one digit that is not zero, at least
    return f" ± {error:,.{places}f}"


def counted(rows: float, error: float) -> str:
    """Return an estimated number of records with its error; ≈ stands where that is not known.

    >>> counted(83_332.2, 275.1), counted(83_332.2, float("nan")), counted(14, 0.0)
    ('83,332 ± 275', '≈ 83,332', '14')
    """
    return f"{'≈ ' if math.isnan(error) else ''}{rows:,.0f}{plus_minus(error)}"


def percent(tree: Tree, node: int) -> str:
    """Return the share of the predicted class at a node, with its error or ≈ where it has one.

    A share whose error was measured is that of the measured counts, another the learned share.
    """
    label = tree.label[node]
    share = 100 * float(tree.shares[node][label])
    error = math.nan if tree.share_errors is None else 100 * float(tree.share_errors[node])
    if math.isnan(error):
        return f"{'≈ ' if math.isnan(tree.size_errors[node]) else ''}{share:.0f} %"
    rows = float(tree.counts[node].sum())
    measured = 100 * float(tree.counts[node][label]) / rows if rows > 0 else share
    if error >= measured / 2:  # its interval reaches down to nothing
        return f"≈ {share:.0f} %"
    return f"{measured:.0f}{plus_minus(error) if round(error) else ''} %"


def border(tree: Tree, node: int) -> str:
    """Return the threshold of a test of numbers with as many digits as are known of it.

    That is how far apart the two values are that it lies between, or how wide the cells beside it.
    What is printed still lies between the two.
    """
    threshold = float(tree.threshold[node])
    below, above = tree.around[node].tolist()
    step = above - below
    if not step > 0:
        coding = tree.codings[tree.attribute[node]]
        edges = coding.edges[np.isfinite(coding.edges)]
        ends = np.unique([coding.lower[0], *edges, coding.upper[-1]])
        step = float(np.diff(ends[np.isfinite(ends)]).min(initial=math.inf))
    if not 0 < step < math.inf:
        return f"{threshold:.10g}"
    digits = max(0, math.ceil(math.log10(FINE / step)))
    while digits < 17 and below < above and not below <= round(threshold, digits) < above:
        digits += 1
    text = f"{threshold:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
