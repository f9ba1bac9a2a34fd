"""What the worker does: each order is a call or two of the library, told in plain numbers.

An order carries paths and settings; an answer carries aggregates. Trees and reports are written to
files, whose names the order gives.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.advise.simulated import LARGEST, simulated_accuracy
from privet.audit import audit, compare
from privet.audit.report.html import body
from privet.disguise import Exact, Plan, plan_from_dict
from privet.errors import DataError
from privet.estimate.accuracy import accuracy as accuracy_on
from privet.mining import mine
from privet.progress import track
from privet.release import Release
from privet.schema import Files, Schema
from privet.split import Policy
from privet.tree.understand import importances
from privet.web.bench.describe import described_release, ordered_pairs, pairs_of, shares_of
from privet.web.bench.looks import look_at
from privet.web.bench.misfits import with_rows

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WORK"]

Given = dict[str, Any]
SEEDS = (1, 2)  # of made-up tables: the same ones for every γ, so that γ alone makes the difference


def look(given: Given, tell: Any) -> dict[str, Any]:
    """Look at an owner's table."""
    del tell
    return look_at(Files(Path(given["path"])))


def simulate(given: Given, tell: Any) -> dict[str, Any]:
    """Try plans on made-up tables, and tell after each; the second round narrows the errors."""
    schema = Schema.from_dict(given["schema"])
    rows = int(given["records"])
    accuracies: dict[str, list[float]] = {}
    plain = simulated_accuracy(Plan({}, default=Exact()), schema, rows, SEEDS[:1])[0]

    def told() -> dict[str, Any]:
        points = {name: _mean(values) for name, values in accuracies.items()}
        return {"points": points, "plain": plain, "rows": min(rows, LARGEST)}

    tries = [(seed, name) for seed in SEEDS for name in given["plans"]]
    for seed, name in track(tries, "simulating", len(tries)):
        plan = plan_from_dict(given["plans"][name])
        if not isinstance(plan, Plan):
            continue
        accuracies.setdefault(name, []).extend(simulated_accuracy(plan, schema, rows, [seed]))
        tell(told())
    return told()


def _mean(values: list[float]) -> list[float]:
    error = np.std(values, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return [float(np.mean(values)), float(error)]


def compared(given: Given, tell: Any) -> dict[str, Any]:
    """Try plans on the owner's own records."""
    del tell
    plans = {name: plan_from_dict(form) for name, form in given["plans"].items()}
    schema, files = Schema.read(given["schema"]), Files(Path(given["path"]))
    try:
        return compare(plans, files, schema, agreed=given["plain"] or None).to_dict()
    except DataError as error:
        raise with_rows(error, files, schema) from None


def disguise(given: Given, tell: Any) -> dict[str, Any]:
    """Make the release."""
    del tell
    schema, files = Schema.read(given["schema"]), Files(Path(given["path"]))
    plan = Plan.read(given["plan"])
    try:
        made = plan.disguise(files, schema, to=given["to"], seed=given["seed"])
    except DataError as error:
        raise with_rows(error, files, schema) from None
    return described_release(made)


def opened(given: Given, tell: Any) -> dict[str, Any]:
    """Open a release: what is in it, and the shares of what was there before."""
    release = Release.read(given["path"])
    form = described_release(release)
    tell(form)
    form["shares"] = shares_of(release)
    return form


def paired(given: Given, tell: Any) -> dict[str, Any]:
    """Test which attributes of a release go together, those with the class first."""
    release = Release.read(given["path"])
    first = pairs_of(release, with_class=True)
    tell({"pairs": first})
    return {"pairs": ordered_pairs(first + pairs_of(release, with_class=False))}


def audited(given: Given, tell: Any) -> dict[str, Any]:
    """Audit a release; the report goes to three files."""
    del tell
    original = given["original"]
    audited = audit(
        Release.read(given["path"]),
        None if original is None else Files(Path(original)),
        target=given["target"],
        agreed=given["agreed"] or None,
        attacks=given["attacks"],
        trees=given["trees"],
        seed=given["seed"],
    )
    to = Path(given["to"])
    audited.to_html(to.with_suffix(".html"))
    to.with_suffix(".json").write_text(audited.to_json(), encoding="utf-8")
    to.with_suffix(".body").write_text(body(audited), encoding="utf-8")
    worst = audited.worst
    return {
        "verdict": list(audited.verdict),
        "grades": audited.grades,
        "worst": None if worst is None else [worst.about, worst.value, worst.blind],
        "original": original is not None,
        "attacks": len({outcome.attack for outcome in audited.attacks}),
    }


def mined(given: Given, tell: Any) -> dict[str, Any]:
    """Grow a tree; it goes to a file."""
    del tell
    release = Release.read(given["path"])
    if given["target"] is not None:
        release = release.with_target(given["target"])
    policy = Policy.named("cart").but(max_depth=given["depth"])
    taught, accuracy = release, None
    if given["test"]:
        taught, tested = release.split(1 - given["test"])
        grown = mine(taught, policy, given["method"])
        measured = accuracy_on(grown.tree, tested)
        value, low, high = np.clip([measured.value, *measured.interval()], 0.0, 1.0).tolist()
        doubt = measured.doubt()
        accuracy = {"value": value, "low": low, "high": high, "doubt": doubt}
    else:
        grown = mine(taught, policy, given["method"])
    tree = grown.tree
    Path(given["to"]).write_text(tree.to_json(), encoding="utf-8")
    return {
        "target": tree.target,
        "method": grown.method,
        "reason": grown.reason,
        "leaves": len(tree.leaves),
        "depth": tree.depth,
        "nodes": tree.nodes,
        "rows": taught.rows,
        "accuracy": accuracy,
        "importances": [
            [
                importance.name,
                importance.value,
                None if math.isnan(importance.error) else importance.error,
            ]
            for importance in importances(tree)
        ],
    }


WORK: dict[str, Callable[[Given, Any], dict[str, Any]]] = {
    "look": look,
    "simulate": simulate,
    "compare": compared,
    "disguise": disguise,
    "open": opened,
    "pairs": paired,
    "audit": audited,
    "mine": mined,
}
