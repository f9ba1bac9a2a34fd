"""Plans drawn by their names, in plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.audit.report.names import shown

if TYPE_CHECKING:
    from privet.audit.compare import Comparison

__all__ = ["drawn"]

_LINE = "a tree from the originals"


def drawn(plans: Comparison, width: int = 60, height: int = 12) -> list[str]:
    """Return a drawing of names: to the right the attack, up the accuracy."""
    values = [
        plans.plain_accuracy,
        plans.blind_accuracy,
        *(point.accuracy for point in plans.points),
    ]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    height = max(height, len(plans.points) + 1)
    grid = [[" "] * (width + 1) for _ in range(height + 1)]

    def row(accuracy: float) -> int:
        return round((accuracy - low) / span * height)

    def write(text: str, at: int, first: int) -> bool:
        """Write a text where nothing stands yet."""
        there = grid[at][first : first + len(text)] if 0 <= at <= height and first >= 0 else []
        if len(there) < len(text) or not set(there) <= {" ", "·"}:
            return False
        grid[at][first : first + len(text)] = text
        return True

    line = row(plans.plain_accuracy)
    grid[line] = ["·"] * (width + 1)
    marks = [
        (row(point.accuracy), round(min(1.0, point.advantage) * width)) for point in plans.points
    ]
    for (at, column), point in zip(marks, plans.points, strict=True):
        grid[at][column] = "*" if point.front else "○"
    any(write(_LINE, line, first) for first in range(width, -1, -1))
    for (at, column), point in zip(marks, plans.points, strict=True):
        name = shown(shown(point.plan, 24), 24)
        near = sorted(range(height + 1), key=lambda other: abs(other - at))
        any(write(name, y, x) for y in near for x in (column + 2, column - 1 - len(name)))
    lines = []
    for at in range(height, -1, -1):
        mark = f"{100 * (low + span * at / height):5.1f} % " if at % 4 == 0 else " " * 8
        lines.append(f"{mark}│{''.join(grid[at])}".rstrip())
    return [*lines, f"{'':8}└{'─' * width}", f"{'':8} 0 %{'100 %':>{width - 3}}"]
