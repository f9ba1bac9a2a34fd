"""What a release says of itself, in plain numbers and words, for pages."""

from __future__ import annotations

import contextlib
import math
import time
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import PrivetError
from privet.estimate.crosstab import crosstab
from privet.estimate.shares import shares
from privet.progress import track
from privet.release.claim import posterior

if TYPE_CHECKING:
    from privet.release import Release

__all__ = ["BELIEF", "described_release", "ordered_pairs", "pairs_of", "raised", "shares_of"]

BELIEF = Fraction(1, 20)  # the belief that is spoken of: 5 %
PATIENCE = 15.0  # seconds for pairs without the class


def raised(gamma: float | Fraction | None) -> float:
    """Return how far a belief of 5 % can rise."""
    return float(posterior(BELIEF, None if gamma is None else Fraction(gamma)))


def described_release(release: Release) -> dict[str, Any]:
    """Return what is in a release, and what is promised."""
    claim = release.claim
    return {
        "rows": release.rows,
        "target": release.schema.goal,
        "seeded": release.seeded,
        "shuffled": release.shuffled,
        "learned": release.schema.learned,
        "epsilon": claim.disguised_epsilon,
        "disguised": sum(len(promise.attributes) for promise in claim.disguised),
        "formal": claim.formal,
        "disclosed": list(claim.disclosed),
        "sentences": claim.sentences(),
        "raised": raised(claim.disguised_gamma),
        "attributes": [_attribute(release, name) for name in release.treatments],
    }


def _attribute(release: Release, name: str) -> dict[str, Any]:
    promise = release.claim[name]
    bounded = promise.gamma is not None
    return {
        "name": name,
        "treatment": release.treatments[name],
        "domain": _domain(release, name) if name in release.schema else "not in the release",
        "classes": name in release.schema and release.schema[name].is_categorical,
        "gamma": float(promise.gamma) if promise.gamma is not None else None,
        "epsilon": promise.epsilon if bounded else None,
        "raised": raised(promise.gamma),
        "group": len(promise.attributes) > 1,
    }


def _domain(release: Release, name: str) -> str:
    attribute, coding = release.schema[name], release.codings[name]
    if attribute.values is not None:
        return f"{len(attribute.values)} categories"
    low, high = attribute.range
    cells = "" if coding is None else f" in {coding.known} cells"
    kind = "whole numbers" if attribute.integer else "numbers"
    return f"{kind} {low:,.10g} to {high:,.10g}{cells}"


def shares_of(release: Release) -> list[dict[str, Any]]:
    """Return how the originals of each attribute lay, with errors; what cannot be told is left out.

    A share of a released attribute is estimated, so that it has a 95 % interval.
    """
    told: list[dict[str, Any]] = []
    for name in track(release.schema.names, "estimating shares", len(release.schema.names)):
        try:
            estimate = shares(release, name)
        except PrivetError as error:
            told.append({"name": name, "why_not": error.message, "values": []})
            continue
        values = zip(
            estimate.labels[0], estimate.shares.tolist(), estimate.errors.tolist(), strict=True
        )
        told.append(
            {
                "name": name,
                "why_not": "",
                "values": [[label, share, 1.96 * error] for label, share, error in values],
                "mean": None
                if estimate.mean is None
                else [estimate.mean.value, estimate.mean.interval()[1] - estimate.mean.value],
            }
        )
    return told


def pairs_of(release: Release, *, with_class: bool) -> list[dict[str, Any]]:
    """Return which pairs of attributes go together, the surest and strongest first.

    Either the pairs with the class, or the others: of these the small tables first, and as many as
    there is patience for.
    """
    goal, names = release.schema.goal, release.schema.names
    sizes = {name: 10 if coding is None or coding.ordered else coding.size
             for name, coding in release.codings.items()}  # fmt: skip
    pairs = [pair for pair in combinations(names, 2) if (goal in pair) == with_class]
    pairs.sort(key=lambda pair: sizes[pair[0]] * sizes[pair[1]])
    told: list[dict[str, Any]] = []
    end = time.monotonic() + PATIENCE
    for first, second in track(pairs, "testing pairs", len(pairs)):
        if time.monotonic() > end and not with_class:
            break
        with contextlib.suppress(PrivetError):
            table = crosstab(release, first, second)
            test = table.independence
            if test is not None and math.isfinite(test.p_value):
                strength = _strength(table.shares)
                told.append({"first": first, "second": second, "strength": strength})
                told[-1]["p"] = test.p_value
    return ordered_pairs(told)


def ordered_pairs(pairs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return pairs with whether they surely go together (Bonferroni), the strongest first."""
    for pair in pairs:
        pair["sure"] = pair["p"] < 0.05 / len(pairs)
    return sorted(pairs, key=lambda pair: (not pair["sure"], -pair["strength"]))


def _strength(table: Any) -> float:
    """Return Cramér's V of a table of shares: 0 for independent attributes, 1 at most."""
    margins = np.outer(table.sum(axis=1), table.sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.where(margins > 0, (table - margins) ** 2 / margins, 0.0)
    least = min(int((table.sum(axis=axis) > 0).sum()) for axis in (0, 1)) - 1
    return float(min(1.0, math.sqrt(squares.sum() / max(1, least))))
