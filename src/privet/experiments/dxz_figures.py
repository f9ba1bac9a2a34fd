"""DXZ's figures, and the guide that is read off the last of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.channel import GammaDiagonal
from privet.estimate.distribution import REPAIRS
from privet.experiments.lab import mean, means
from privet.experiments.page import Section, table
from privet.figures import figure, legend

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privet.coding import Floats
    from privet.experiments.lab import Row
    from privet.figures import Figure

__all__ = ["GUIDE", "figure_2", "figure_3", "figure_4", "figure_5", "guide"]

GUIDE = range(5, 13)  # the γ that the paper recommends


def guide(rows: Sequence[Row], gammas: Sequence[int] = GUIDE) -> dict[str, Any]:
    """Read the paper's guide off results (DXZ §6): the best N for each γ, then the smallest N."""
    accuracies = means(rows, ["gamma", "bins"], "accuracy")
    best = {}
    for gamma in gammas:
        by_bins = {bins: value for (g, bins), (value, _) in accuracies.items() if g == gamma}
        if by_bins:
            best[gamma] = max(by_bins, key=lambda bins: (by_bins[bins], -bins))
    smallest = min(best.values())
    # Of the γ that ask for the smallest N, the most accurate.
    chosen = max(
        (gamma for gamma in best if best[gamma] == smallest),
        key=lambda gamma: accuracies[gamma, smallest][0],
    )
    return {
        "best_bins": best,
        "gamma": chosen,
        "bins": smallest,
        "accuracy": accuracies[chosen, smallest][0],
    }


def _surface(
    values: Mapping[tuple[Any, ...], tuple[float, float]],
    gammas: Sequence[int],
    sizes: Sequence[int],
) -> Floats:
    """Return the means as a matrix, N down and γ across."""
    return np.array([[values[gamma, size][0] for gamma in gammas] for size in sizes])


def _maps(
    titled: Mapping[str, Floats],
    gammas: Sequence[int],
    sizes: Sequence[int],
    colour: str,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """Draw matrices over γ and N side by side, in one scale of colours."""
    across = min(4, len(titled))
    down = -(-len(titled) // across)
    drawing = figure(2.6 * across + 0.8, 2.6 * down)
    axes = drawing.subplots(down, across, squeeze=False, sharex=True, sharey=True).ravel()
    low = min(values.min() for values in titled.values())
    high = max(values.max() for values in titled.values())
    bounds = limits or (low, high)
    for axis, (title, values) in zip(axes, titled.items(), strict=False):
        shown = axis.pcolormesh(values, cmap=colour, vmin=bounds[0], vmax=bounds[1])
        axis.set_title(title, fontsize=9)
        step = max(1, len(gammas) // 5)
        axis.set_xticks(np.arange(0, len(gammas), step) + 0.5, list(gammas)[::step])
        axis.set_yticks(np.arange(len(sizes)) + 0.5, list(sizes), fontsize=7)
    for axis in axes[len(titled) :]:
        axis.set_visible(False)
    for axis in axes[::across]:
        axis.set_ylabel("N")
    for axis in axes[max(0, len(titled) - across) : len(titled)]:
        axis.set_xlabel("γ")
    drawing.colorbar(shown, ax=list(axes[: len(titled)]), shrink=0.8)
    return drawing


def figure_2(rows: Sequence[Row], gammas: Sequence[int], sizes: Sequence[int]) -> Section:
    """Draw the errors of estimated distributions."""
    titles = {"none": "inverted", "paper": "repaired", "rescale": "rescaled"}
    titles |= {"simplex": "projected", "em": "EM"}
    lines = []
    for size in sorted({row["rows"] for row in rows}):
        for name in ("plateau", "triangles"):
            for how in REPAIRS:
                these = [r for r in rows if r["rows"] == size and r["shape"] == name]
                cells = [mean(r[how] for r in these if r["gamma"] == g)[0] for g in (3, 8, 21)]
                lines.append([f"{size:,}", name, titles[how], *(f"{cell:.3f}" for cell in cells)])
    header = ["numbers", "distribution", "estimate", "E, γ = 3", "E, γ = 8", "E, γ = 21"]
    text = table(header, lines)
    drawn = {}
    fewest = min(row["rows"] for row in rows)
    for name in ("plateau", "triangles"):
        chosen = [row for row in rows if row["shape"] == name and row["rows"] == fewest]
        for how in ("none", "paper"):
            errors = means(chosen, ["gamma", "bins"], how)
            drawn[f"{name}, {titles[how]}"] = np.log10(_surface(errors, gammas, sizes))
    drawing = _maps(drawn, gammas, sizes, "magma")
    lead = "The error E, on average over all N. The figure shows log10 E for the fewest "
    lead += "numbers.\n\n"
    return Section("figure-2", lead + text, "Estimation error (figure 2)", {"dxz-2": drawing})


def figure_3(gammas: Sequence[int], sizes: Sequence[int]) -> Section:
    """Draw the entropies of the matrices."""
    drawing = figure()
    axis = drawing.add_subplot()
    for size in sizes:
        bits = [GammaDiagonal("x", size, gamma).entropy() for gamma in gammas]
        axis.plot(gammas, bits, label=f"N = {size}")
    axis.set_xlabel("γ")
    axis.set_ylabel("entropy of the matrix, bits")
    legend(drawing)
    chosen = [size for size in (5, 10, 20, 50, 100) if size in sizes]
    text = table(
        ["γ", *(f"N = {size}" for size in chosen)],
        [
            [gamma, *(f"{GammaDiagonal('x', size, gamma).entropy():.3f}" for size in chosen)]
            for gamma in gammas
            if gamma in {2, 3, 5, 8, 12, 21}
        ],
    )
    return Section("figure-3", text, "Entropy of the matrices (figure 3)", {"dxz-3": drawing})


def figure_4(
    rows: Sequence[Row], plain: Sequence[Row], gammas: Sequence[int], sizes: Sequence[int]
) -> Section:
    """Draw the accuracies of trees from reconstructed tables."""
    names = list(dict.fromkeys(row["table"] for row in rows))
    drawn = {}
    lines = []
    for name in names:
        accuracies = means(
            [row for row in rows if row["table"] == name], ["gamma", "bins"], "accuracy"
        )
        drawn[name] = 100 * _surface(accuracies, gammas, sizes)
        best = max(accuracies, key=lambda key: accuracies[key][0])
        original_, error = means(plain, ["table"], "accuracy")[name,]
        lines.append(
            [
                name,
                f"{100 * original_:.1f} ± {100 * error:.1f}",
                f"{drawn[name].mean():.1f}",
                f"{100 * accuracies[best][0]:.1f} at γ = {best[0]}, N = {best[1]}",
                f"{drawn[name].min():.1f}",
                f"{100 * mean(row['cautious'] for row in rows if row['table'] == name)[0]:.1f}",
            ]
        )
    header = ["table", "tree from the originals", "mean", "best", "worst", "mean, larger leaves"]
    text = table(header, lines)
    drawing = _maps(drawn, gammas, sizes, "viridis", (50.0, 100.0))
    lead = "Accuracy in % over all combinations of γ and N, on plain test records.\n\n"
    return Section("figure-4", lead + text, "Accuracy of trees (figure 4)", {"dxz-4": drawing})


def figure_5(rows: Sequence[Row]) -> Section:
    """Draw γ, N and accuracy against entropy, and read the guide off."""
    by_setting = means(rows, ["gamma", "bins"], "accuracy")
    bits = {key: GammaDiagonal("x", key[1], key[0]).entropy() for key in by_setting}
    drawing = figure()
    axis = drawing.add_subplot()
    across = list(bits.values())
    axis.scatter(across, [gamma for gamma, _ in by_setting], s=8, marker="D", label="γ")
    axis.scatter(across, [size for _, size in by_setting], s=8, marker="s", label="N")
    accuracies = [100 * value for value, _ in by_setting.values()]
    axis.scatter(across, accuracies, s=10, marker="^", label="mean accuracy, %")
    axis.set_xlabel("entropy of the matrix, bits")
    legend(drawing)
    read = guide(rows)
    best = read["best_bins"]
    text = table(
        ["γ", "best N", "mean accuracy"],
        [
            [gamma, best[gamma], f"{100 * by_setting[gamma, best[gamma]][0]:.1f} %"]
            for gamma in best
        ],
    )
    text += f"\n\nThe smallest best N is {read['bins']}; of the γ that share it, "
    text += f"{read['gamma']} gives the most accurate trees."
    return Section("figure-5", text, "Entropy, and the guide (figure 5)", {"dxz-5": drawing})
