"""AS's tables and figures, drawn from results: the paper's numbers and words beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.experiments.lab import mean, means
from privet.experiments.page import Compared, Section, table
from privet.figures import figure, legend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.experiments.lab import Row
    from privet.figures import Figure


__all__ = [
    "CELLS",
    "CLASSES",
    "KINDS",
    "METHODS",
    "SHAPES",
    "SWEPT",
    "TOLD",
    "WAYS",
    "accuracies",
    "shapes_of",
    "sweep",
    "value_classes",
    "verdicts",
]

KINDS = ("uniform", "gaussian")
METHODS = ("naive", "global", "by-class", "local", "joint")
TOLD = "told"  # by-class with nothing left to reconstruct
CLASSES = "value classes"
SWEPT = ("naive", "global", "by-class", "local")
SHAPES = ("plateau", "triangles")
WAYS = {
    "paper": {"how": "paper"},
    "exact, χ² stop": {"stop": "paper"},
    "exact, held-out stop": {"stop": "held-out"},
    "exact, converged": {},
}
CELLS = 50  # in which shapes are compared
SLIGHT = 2.0  # points of accuracy that are a slight difference at most


def shapes_of(rows: Sequence[Row]) -> Section:
    """Tabulate the errors and draw the shapes."""
    ways = ["randomized", *WAYS]
    lines = []
    for name in SHAPES:
        for kind in KINDS:
            errors = [row["errors"] for row in rows if (row["shape"], row["kind"]) == (name, kind)]
            cells = [f"{mean(error[way] for error in errors)[0]:.3f}" for way in ways]
            lines.append([name, kind, *cells])
    drawing = figure(8.0, 5.2)
    axes = drawing.subplots(2, 2, sharex=True, sharey="row")
    middles = np.linspace(-1, 1, CELLS + 1)[:-1] + 1 / CELLS
    for across, name in enumerate(SHAPES):
        for down, kind in enumerate(KINDS):
            row = next(row for row in rows if (row["shape"], row["kind"]) == (name, kind))
            axis = axes[down, across]
            for way in ("original", "randomized", "paper", "exact, held-out stop"):
                label = "as released" if way == "randomized" else way
                axis.plot(middles, np.array(row[way]) * CELLS / 2, label=label, linewidth=1)
            axis.set_title(f"{name}, {kind} noise", fontsize=9)
    legend(drawing)
    lead = f"The sum of absolute errors of the shares in {CELLS} cells.\n\n"
    text = lead + table(["shape", "noise", "as released", *WAYS], lines)
    return Section("shapes", text, "Reconstructing distributions", {"as-shapes": drawing})


def accuracies(
    rows: Sequence[Row], plain: Sequence[Row], tables: Sequence[str], level: float
) -> Section:
    """Tabulate and draw the accuracies of every method at one level."""
    chosen = [row for row in rows if row["level"] == level]
    accuracies = means(chosen, ["table", "kind", "method"], "accuracy")
    best = means(plain, ["table"], "accuracy")
    methods = [*METHODS, *([TOLD] if level == 1.0 else [])]
    lines = []
    for name in tables:
        for kind in KINDS:
            cells = [f"{100 * accuracies[name, kind, method][0]:.1f}" for method in methods]
            original = f"{100 * best[name,][0]:.1f}"
            lines.append([name.removeprefix("as-").upper(), kind, original, *cells])
    text = "Accuracy in %.\n\n" + table(["table", "noise", "original", *methods], lines)
    word = f"{100 * level:.0f}"
    name = f"as-accuracy-{word}"
    return Section(f"accuracy-{word}", text, f"Accuracy at {word} % privacy", {name: _bars(lines)})


def _bars(lines: Sequence[Sequence[str]]) -> Figure:
    """Draw accuracies side by side, one group per table, one panel per noise."""
    drawing = figure(8.0, 3.2)
    for axis, kind in zip(drawing.subplots(1, 2, sharey=True), KINDS, strict=True):
        bars = [line for line in lines if line[1] == kind]
        for place, method in enumerate(("original", *METHODS)):
            heights = [float(line[2 + place]) for line in bars]
            axis.bar(np.arange(len(bars)) + (place - 2.5) * 0.14, heights, 0.13, label=method)
        axis.set_xticks(range(len(bars)), [line[0] for line in bars])
        axis.set_ylim(30, 101)
        axis.set_title(f"{kind} noise", fontsize=9)
        axis.set_ylabel("accuracy, %")
    legend(drawing)
    return drawing


def sweep(
    rows: Sequence[Row], plain: Sequence[Row], tables: Sequence[str], levels: Sequence[float]
) -> Section:
    """Tabulate and draw accuracy against the level."""
    accuracies = means(rows, ["table", "method", "kind", "level"], "accuracy")
    best = means(plain, ["table"], "accuracy")
    lines = []
    drawing = figure(2.4 * len(tables) + 0.6, 3.0)
    axes = drawing.subplots(1, len(tables), sharey=True, squeeze=False)[0]
    for axis, name in zip(axes, tables, strict=True):
        for method in SWEPT:
            for kind in KINDS:
                line = [100 * accuracies[name, method, kind, level][0] for level in levels]
                cells = [f"{value:.1f}" for value in line]
                lines.append([name.removeprefix("as-").upper(), method, kind, *cells])
                style = "-" if kind == "gaussian" else "--"
                colour = f"C{SWEPT.index(method)}"
                across = [100 * level for level in levels]
                axis.plot(across, line, style, color=colour, label=f"{method}, {kind}")
        axis.axhline(100 * best[name,][0], color="grey", linewidth=0.8)
        axis.set_title(name.removeprefix("as-").upper(), fontsize=9)
        axis.set_xlabel("privacy level, %")
    axes[0].set_ylabel("accuracy, %")
    legend(drawing)
    header = ["table", "method", "noise", *(f"{100 * level:.0f} %" for level in levels)]
    title = "Accuracy against the privacy level"
    text = "Accuracy in %. The grey line in the figure is the tree from the originals.\n\n"
    return Section("levels", text + table(header, lines), title, {"as-levels": drawing})


def value_classes(
    classed: Sequence[Row], swept: Sequence[Row], tables: Sequence[str], levels: Sequence[float]
) -> Section:
    """Set value classes beside noise at the same level."""
    of_classes = means(classed, ["table", "level"], "accuracy")
    of_noise = means(swept, ["table", "method", "kind", "level"], "accuracy")
    lines = []
    for name in tables:
        best = [
            max(of_noise[name, "by-class", kind, level][0] for kind in KINDS) for level in levels
        ]
        heights = [of_classes[name, level][0] for level in levels]
        word = name.removeprefix("as-").upper()
        lines.append([word, CLASSES, *(f"{100 * value:.1f}" for value in heights)])
        lines.append([word, "noise, by-class", *(f"{100 * value:.1f}" for value in best)])
    header = ["table", "released as", *(f"{100 * level:.0f} %" for level in levels)]
    text = "Accuracy in %. For noise, the better of the two kinds.\n\n" + table(header, lines)
    return Section("value-classes", text, "Value classes at the same level")


def verdicts(
    shapes: Sequence[Row], learned: Sequence[Row], plain: Sequence[Row], tables: Sequence[str]
) -> tuple[list[Compared], dict[str, Any]]:
    """Set what the paper says beside what was measured."""
    scores = means(learned, ["table", "kind", "level", "method"], "accuracy")
    best = {key[0]: value for key, (value, _) in means(plain, ["table"], "accuracy").items()}

    def loss(names: Sequence[str], level: float, methods: Sequence[str]) -> float:
        """Return the most points lost on any table and noise by the better of some methods."""
        return max(
            100 * (best[name] - max(scores[name, kind, level, method][0] for method in methods))
            for name in names
            for kind in KINDS
        )

    def overall(method: str, kind: str | None = None) -> float:
        kinds = KINDS if kind is None else (kind,)
        return 100 * float(
            np.mean([scores[name, noise, 1.0, method][0] for name in tables for noise in kinds])
        )

    easy = [name for name in tables if name[-1] in "145"]
    hard = [name for name in tables if name[-1] in "23"]
    paper = ("by-class", "local")
    flat = [{**row, **row["errors"]} for row in shapes]
    mended, noisy = (means(flat, ["shape", "kind"], way) for way in ("paper", "randomized"))
    ratios = [mended[key][0] / noisy[key][0] for key in mended]
    mild, easy_loss, hard_loss = loss(tables, 0.25, paper), loss(easy, 1.0, paper), 0.0
    compared = [
        Compared(
            "reconstruction works well: the reconstructed density is near the original",
            f"the paper's method leaves {min(ratios):.2f} to {max(ratios):.2f} of the error of "
            "the released values (both shapes, both noises)",
            holds=max(ratios) < 0.5,
        ),
        Compared(
            "at 25 % privacy by-class and local are close to the original",
            f"the better of the two loses at most {mild:.1f} points on any table",
            holds=mild <= 5,
        ),
        Compared(
            "at 100 % within 5 points on F1, F4 and F5",
            f"the better of by-class and local loses at most {easy_loss:.1f} points",
            holds=easy_loss <= 5,
        ),
    ]
    if hard:
        hard_loss = loss(hard, 1.0, paper)
        said = f"the better of by-class and local loses at most {hard_loss:.1f} points"
        compared.append(Compared("and within 15 on F2 and F3", said, holds=hard_loss <= 15))
    told_easy, told_hard = loss(easy, 1.0, [TOLD]), loss(hard, 1.0, [TOLD]) if hard else 0.0
    said = f"given every class's true distributions, by-class loses at most {told_easy:.1f} points"
    if hard:
        said += f" on F1, F4 and F5, and at most {told_hard:.1f} on F2 and F3"
    aim = "(ours) perfect reconstruction would bring by-class within these bounds"
    compared.append(Compared(aim, said, holds=told_easy <= 5 and told_hard <= 15))
    local, by_class = overall("local"), overall("by-class")
    gaussian = np.mean([overall(method, "gaussian") for method in paper])
    uniform = np.mean([overall(method, "uniform") for method in paper])
    joint = overall("joint")
    compared += [
        Compared(
            "local performs better than by-class",
            f"{local:.1f} % against {by_class:.1f} % at 100 % privacy (mean of tables and noises)",
            holds=local > by_class,
        ),
        Compared(
            "uniform noise does slightly worse than Gaussian at the same level",
            f"{uniform:.1f} % against {gaussian:.1f} % at 100 % privacy (mean of by-class and "
            "local)",
            holds=bool(0 < gaussian - uniform < SLIGHT),
        ),
        Compared(
            "(ours) joint tables recover what single attributes lose",
            f"joint {joint:.1f} % against local {local:.1f} % at 100 % privacy",
            holds=joint > local,
        ),
    ]
    facts = {
        "loss_25": mild,
        "loss_100_f1_f4_f5": easy_loss,
        "loss_100_f2_f3": hard_loss,
        "local": local,
        "by_class": by_class,
        "joint": joint,
        "told": overall(TOLD),
        "reconstruction_ratio": float(np.mean(ratios)),
    }
    return compared, facts
