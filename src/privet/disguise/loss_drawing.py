"""Privacy loss, drawn: how many collected records a leak matches, by how much leaked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.figures import figure, legend, save_figure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from privet.disguise.loss import Loss
    from privet.figures import Figure

__all__ = ["draw_losses", "save_losses"]


def draw_losses(losses: Mapping[str, Loss]) -> Figure:
    """Return a figure with one line per store, its bounds shaded, and the plain table beside."""
    drawing = figure()
    axes = drawing.subplots()
    most = max(loss.stored for loss in losses.values())
    leaks = [0, most]
    first = next(iter(losses.values()))
    for name, loss in losses.items():
        share = [leak / loss.leaked for leak in leaks]
        axes.plot(leaks, [loss.value * part for part in share], label=name)
        axes.fill_between(
            leaks,
            [loss.low * part for part in share],
            [loss.high * part for part in share],
            alpha=0.1,
        )
    plain = [first.without * leak / first.leaked for leak in leaks]
    axes.plot(leaks, plain, "k:", label="stored as it is")
    axes.set(xlabel="leaked records", ylabel="matching pairs, expected")
    legend(drawing)
    return drawing


def save_losses(losses: Mapping[str, Loss], path: Path) -> None:
    """Draw into a file: SVG, PNG or PDF by its name."""
    save_figure(draw_losses(losses), path)
