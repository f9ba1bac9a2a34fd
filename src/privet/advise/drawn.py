"""The trade-off as a drawing: accuracy and the attacker's best guess against γ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.errors import InputError
from privet.figures import figure, legend, save_figure

if TYPE_CHECKING:
    from pathlib import Path

    from privet.advise.advice import Advice

__all__ = ["draw"]


def draw(advice: Advice, path: Path) -> None:
    """Write the trade-off as SVG or PNG, without a date in it."""
    if not advice.trade_off:
        raise InputError("There is no trade-off to draw.", hint="advise with simulation.")
    drawing = figure()
    axis = drawing.add_subplot()
    gammas = [point.gamma for point in advice.trade_off]
    axis.errorbar(
        gammas,
        [100 * point.accuracy for point in advice.trade_off],
        yerr=[100 * point.error for point in advice.trade_off],
        marker="o",
        capsize=3,
        label="accuracy of the tree",
    )
    guesses = [100 * point.guess for point in advice.trade_off]
    axis.plot(gammas, guesses, marker="s", label="attacker's best guess of a value")
    axis.axvspan(5, 12, alpha=0.12, label="the paper's 5 ≤ γ ≤ 12")
    axis.axvline(float(advice.gamma), linestyle="--", color="black", label="advised")
    axis.set_xscale("log")
    axis.set_xticks(gammas, [f"{gamma:g}" for gamma in gammas], minor=False)
    axis.minorticks_off()
    axis.set_xlabel("γ")
    axis.set_ylabel("%")
    axis.set_ylim(0, 102)
    legend(drawing)
    save_figure(drawing, path)
