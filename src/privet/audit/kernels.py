"""Compiled loops of the audit; each has a plain NumPy twin in the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import fused, kernel

if TYPE_CHECKING:
    from privet.coding import Floats, Ints


__all__ = ["best_cut", "similarity_entropies"]

BLOCK = 512  # released rows taken at a time: with their sums they stay in a core's own cache
_ROOT = 0.7071067811865476
_TWICE = 2.8853900817779268  # 2 / ln 2
_FRACTION = 0x000FFFFFFFFFFFFF
_HALF = 0x3FE0000000000000  # the bits of 0.5: with a fraction behind them, a number in [½, 1)
_WHOLE = 0x4330000000000000  # the bits of 2**52: small whole numbers behind them are added to it
_SHIFT = 4503599627370496.0 + 1022.0  # of the exponent, in those bits


@fused
def similarity_entropies(originals: Floats, columns: Floats, out: Floats) -> None:
    """Write the entropy in bits of each original's normalised similarities to all released rows.

    ``originals`` are records × attributes and ``columns`` attributes × released records, scaled so
    that two values differ by |x − y| and at most by 1. With similarities s (any scale) and T their
    sum the entropy is log2 T − (Σ s log2 s) / T. Every loop does one thing to a block of numbers,
    so that the processor works on several at once; so does the logarithm: exponent and fraction
    x by their bits, then 2 atanh((x − c)/(x + c)), c = √½, to 1e-13.
    """
    rows, width = originals.shape
    number = columns.shape[1]
    total, logs = np.zeros(rows), np.zeros(rows)
    near, x, e = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    near_bits, x_bits, e_bits = near.view(np.int64), x.view(np.int64), e.view(np.int64)
    for start in range(0, number, BLOCK):
        size = min(BLOCK, number - start)
        for i in range(rows):
            near[:] = width
            for j in range(width):
                value = originals[i, j]
                column = columns[j, start : start + size]
                for k in range(size):
                    near[k] -= min(abs(value - column[k]), 1.0)
            near[size:] = 0.0
            for k in range(BLOCK):
                x_bits[k] = (near_bits[k] & _FRACTION) | _HALF
                e_bits[k] = (near_bits[k] >> 52) | _WHOLE
            for k in range(BLOCK):
                z = (x[k] - _ROOT) / (x[k] + _ROOT)
                w = z * z
                series = 1.0 / 15.0
                series = series * w + 1.0 / 13.0
                series = series * w + 1.0 / 11.0
                series = series * w + 1.0 / 9.0
                series = series * w + 1.0 / 7.0
                series = series * w + 1.0 / 5.0
                series = series * w + 1.0 / 3.0
                series = series * w + 1.0
                e[k] = near[k] * (_TWICE * z * series - 0.5 + (e[k] - _SHIFT))
            for half in (256, 128, 64, 32, 16, 8, 4):
                for k in range(half):
                    near[k] += near[half + k]
                    e[k] += e[half + k]
            total[i] += near[0] + near[1] + near[2] + near[3]
            logs[i] += e[0] + e[1] + e[2] + e[3]
    for i in range(rows):
        out[i] = np.log2(total[i]) - logs[i] / total[i] if total[i] > 0.0 else 0.0


@kernel
def best_cut(
    values: Floats,
    labels: Ints,
    classes: int,
    gini: bool,  # noqa: FBT001 - compiled: by place
) -> tuple[float, float]:
    """Return the most gain a record of cutting sorted values in two, and that cut's entropy.

    ``labels`` are in the order of the values. Impurity is the entropy in bits, or the gini index.
    Of cuts that gain the same the first counts; without a cut both numbers are 0.
    """
    rows = len(values)
    left, right = np.zeros(classes), np.zeros(classes)
    for i in range(rows):
        right[labels[i]] += 1.0
    whole = 0.0
    for c in range(classes):
        if right[c] > 0.0:
            whole += right[c] * right[c] if gini else right[c] * np.log2(right[c])
    here, there = 0.0, whole
    best, place = 0.0, 0
    for i in range(rows - 1):
        c = labels[i]
        a, b = left[c], right[c]
        if gini:
            here += 2.0 * a + 1.0
            there += 1.0 - 2.0 * b
        else:
            here += (a + 1.0) * np.log2(a + 1.0) - (a * np.log2(a) if a > 0.0 else 0.0)
            there += ((b - 1.0) * np.log2(b - 1.0) if b > 1.0 else 0.0) - b * np.log2(b)
        left[c] += 1.0
        right[c] -= 1.0
        if values[i] == values[i + 1]:
            continue
        n, m = i + 1.0, rows - i - 1.0
        if gini:
            gain = here / n + there / m - whole / rows
        else:
            gain = (rows * np.log2(rows) - whole) - (n * np.log2(n) - here)
            gain -= m * np.log2(m) - there
        if gain / rows > best + 1e-12:
            best, place = gain / rows, i + 1
    if place == 0:
        return 0.0, 0.0
    part = place / rows
    return best, -part * np.log2(part) - (1.0 - part) * np.log2(1.0 - part)
