"""ZCM's experiments: three parties, multi-variant randomized response, thirteen values of θ.

Figure 2: mean and variance of the accuracy on Breast-Cancer. Figure 3: the same on Adult. Every run
deals the attributes out to three parties anew, each disguises its share as one group, and ID3 is
grown on the join; a plain test set says how often it is right. Attributes are cut at the middle of
their range, categories in the order of their codes (ZCM §6.1).

Where the paper is silent: parties get a third of the attributes each, Adult is complete records
with its own test part, of Breast-Cancer a random third is held out, and ID3 splits on a gain that
is two standard errors above zero. Beside the paper's method (``direct``) stand ``naive``, which
believes the disguised values, and ``joint``, which fits the whole table by EM.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import datasets
from privet.disguise import Binary, Plan, RandomizedResponse
from privet.estimators import TreeClassifier
from privet.experiments.lab import Lab, Seeds, Setting, grid
from privet.experiments.page import Compared, Findings, Section, table
from privet.experiments.registry import experiment
from privet.experiments.tables import is_present, parts
from privet.figures import figure, legend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Value
    from privet.experiments.lab import Row
    from privet.release import Release
    from privet.schema import Schema

__all__ = ["PARTIES", "THETAS", "zcm"]

THETAS = (0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 1)
PARTIES = 3
TABLES = {"wisconsin": "Breast-Cancer", "adult": "Adult"}
FIGURES = {"wisconsin": "figure 2", "adult": "figure 3"}
FITTED = 20  # runs of ``joint``, which is not in the paper: its mean is known well enough by then


def deal(names: Sequence[str], rng: np.random.Generator) -> list[list[str]]:
    """Deal attributes out to the parties at random, as evenly as it goes."""
    order = [str(name) for name in rng.permutation(list(names))]
    return [order[party::PARTIES] for party in range(PARTIES)]


def halves(schema: Schema) -> dict[str, list[Value]]:
    """Cut categories in the middle of their list: the paper does not say where it did."""
    values = {attribute.name: attribute.values or () for attribute in schema.inputs}
    return {
        name: list(listed[: (len(listed) + 1) // 2])
        for name, listed in values.items()
        if len(listed) > 2
    }


def _disguised(setting: Setting, seeds: Seeds) -> tuple[Any, Schema, Release, Any]:
    """Return the records to train on, their schema, their release, and plain test records."""
    train, test = parts(setting["table"], 0, 0, seeds)
    schema = datasets.schema(setting["table"], complete=True)
    groups = deal([attribute.name for attribute in schema.inputs], seeds.generator("parties"))
    wish = RandomizedResponse(groups, theta=setting["theta"], cuts=halves(schema))
    release = wish.disguise(train, schema, seed=seeds("noise"))
    return train, schema, release, wish.cut(test, schema)


def mining(setting: Setting, seeds: Seeds) -> dict[str, float]:
    """Disguise by three parties and mine; return the accuracy on plain test records."""
    train, schema, release, tested = _disguised(setting, seeds)
    scores = {}
    for method in ("direct", "naive"):
        model = TreeClassifier(policy="id3", method=method).fit(release)
        scores[method] = model.score(tested)
        scores[f"{method} leaves"] = float(len(model.tree_.leaves))
    plain = Plan({}, Binary()).disguise(train, schema, seed=0, shuffle=False)
    scores["plain"] = TreeClassifier(policy="id3").fit(plain).score(tested)
    return scores


def fitting(setting: Setting, seeds: Seeds) -> dict[str, float]:
    """The same with the whole table fitted by EM, which is not in the paper."""
    _, _, release, tested = _disguised(setting, seeds)
    model = TreeClassifier(policy="id3", method="joint").fit(release)
    return {"joint": model.score(tested)}


@experiment("zcm", title="Multi-party randomized response: Zhan, Chang & Matwin")
def zcm(lab: Lab) -> Findings:
    """Draw figures 2 and 3 anew."""
    thetas = (0, 0.3, 0.55, 0.9, 1) if lab.quick else THETAS
    runs = lab.times(100)
    names = [name for name in TABLES if is_present(name)]
    rows = lab.run(mining, grid(table=names, theta=thetas), runs=runs, alike=("theta",))
    settings = grid(table=names, theta=[theta for theta in thetas if theta > 0.5])
    rows += lab.run(fitting, settings, runs=min(runs, FITTED))
    sections = [_figure(name, rows, thetas) for name in names]
    absent = [TABLES[name] for name in TABLES if name not in names]
    if absent:
        text = f"Not run: the data folder has no complete table of {', '.join(absent)}."
        sections.append(Section("absent", text, "Not run"))
    return Findings(sections, _compared(names, rows, thetas), {"runs": runs, "absent": absent})


def _spread(rows: Sequence[Row], name: str, theta: float, method: str) -> tuple[float, float]:
    """Return mean and variance of the accuracy in percent."""
    scores = [
        100 * row[method]
        for row in rows
        if (row["table"], row["theta"]) == (name, theta) and method in row
    ]
    return float(np.mean(scores)), round(float(np.var(scores)), 6)


def _figure(name: str, rows: Sequence[Row], thetas: Sequence[float]) -> Section:
    drawing = figure(9.0, 3.6)
    means, variances = drawing.subplots(1, 2)
    lines = []
    for method in ("direct", "naive", "plain"):
        spreads = [_spread(rows, name, theta, method) for theta in thetas]
        means.plot(thetas, [spread[0] for spread in spreads], marker=".", label=method)
        variances.plot(thetas, [spread[1] for spread in spreads], marker=".", label=method)
    upper = [theta for theta in thetas if theta > 0.5]
    fitted = {theta: _spread(rows, name, theta, "joint") for theta in upper}
    means.plot(upper, [spread[0] for spread in fitted.values()], marker=".", label="joint")
    variances.plot(upper, [spread[1] for spread in fitted.values()], marker=".", label="joint")
    means.set(xlabel="θ", ylabel="mean accuracy, %", title=f"{TABLES[name]} (a)")
    variances.set(xlabel="θ", ylabel="variance, points²", title=f"{TABLES[name]} (b)")
    legend(drawing)
    for theta in thetas:
        cells: list[Any] = [theta]
        for method in ("direct", "naive", "plain"):
            cells += _spread(rows, name, theta, method)
        lines.append([*cells, *fitted.get(theta, ("", ""))])
    header = ["θ", "direct: mean %", "variance", "naive: mean %", "variance", "plain: mean %"]
    lead = "Mean and variance of the accuracy over all runs.\n\n"
    text = lead + table([*header, "variance", "joint: mean %", "variance"], lines)
    return Section(name, text, f"{TABLES[name]}, {FIGURES[name]}", {f"zcm-{name}": drawing})


def _compared(names: Sequence[str], rows: Sequence[Row], thetas: Sequence[float]) -> list[Compared]:
    compared = []
    for name in names:
        ends = [row for row in rows if row["table"] == name and "plain" in row]
        ends = [row for row in ends if row["theta"] in (0, 1)]
        same = sum(row["direct"] == row["plain"] for row in ends)
        compared.append(
            Compared(
                f"{TABLES[name]}: at θ = 0 and θ = 1 exactly the result of ID3",
                f"the same accuracy in {same} of {len(ends)} runs",
                same == len(ends),
            )
        )
        mean = {theta: _spread(rows, name, theta, "direct")[0] for theta in thetas}
        upper = [mean[theta] for theta in thetas if theta > 0.5]
        lower = [mean[theta] for theta in thetas if theta < 0.5]
        slack = 0.5  # points: chance, between neighbouring θ
        falls = all(b >= a - slack for a, b in pairwise(upper))
        falls = falls and all(b <= a + slack for a, b in pairwise(lower))
        compared.append(
            Compared(
                f"{TABLES[name]}: the mean falls as θ moves from 0 and 1 towards 0.5",
                f"from {mean[0]:.2f} % at θ = 0 to {lower[-1]:.2f} %, and from {mean[1]:.2f} % at "
                f"θ = 1 to {upper[0]:.2f} % at the θ nearest to 0.5",
                falls,
            )
        )
        ahead = [
            theta
            for theta in thetas
            if mean[theta] >= _spread(rows, name, theta, "naive")[0] - 1e-9
        ]
        compared.append(
            Compared(
                f"{TABLES[name]}: (ours) direct is no worse than naive",
                f"at {len(ahead)} of {len(thetas)} θ",
                len(ahead) == len(thetas),
            )
        )
        ahead = [
            theta
            for theta in thetas
            if theta > 0.5
            and _spread(rows, name, theta, "joint")[0]
            >= _spread(rows, name, theta, "naive")[0] - slack / 5
        ]
        compared.append(
            Compared(
                f"{TABLES[name]}: (ours) joint is no worse than naive, within 0.1 points",
                f"at {len(ahead)} of {len(upper)} θ above 0.5",
                len(ahead) == len(upper),
            )
        )
    return compared
