"""Leaves: noise that keeps the rules of trees leaves every number in its leaf's interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.attacks.nearest import has_pairs
from privet.audit.beside import ranges
from privet.audit.true_pairs import CLOSE, method_of, windows
from privet.disguise.rules import Rules, matrix
from privet.errors import DataError
from privet.tree.domains import intersect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.true_pairs import Pairs
    from privet.audit.world import Case, World
    from privet.coding import Floats

__all__ = ["intervals"]


def _rules(case: Case) -> Rules | None:
    """Return how the trees were grown that the noise was fitted to; None if there were none."""
    rules = getattr(method_of(case.release), "rules", None)
    return rules if isinstance(rules, Rules) else None


def _applies(case: Case) -> str:
    return has_pairs(case) or ("" if _rules(case) else "the noise was not fitted to trees")


@attack("intervals", applies=_applies, real=True)
def intervals(world: World) -> Iterator[Trial]:
    """Know a number from its leaf.

    Needs: a person's released row, the card, and trees grown from the release as the card says.
    Remedy: fewer trees, larger leaves and more noise: a leaf's interval is then wide.

    Grow the card's trees from the release; a true number lies in the interval of its leaf.

    The guess is the released number, its window of ± 5 % of the range moved into the interval. The
    owner's own trees would be right for certain; ``detail`` tells how often these are.
    """
    pairs, rules = world.pairs, _rules(world.case)
    if pairs is None or rules is None:
        return
    try:
        trees = rules.grown(pairs.shown, pairs.schema)
    except DataError:
        return
    regions = intersect(trees, matrix(pairs.shown, pairs.schema))
    limits = regions.limits.within(*ranges(pairs.schema)).at(regions.member)
    for place, attribute in enumerate(pairs.schema.inputs):
        if attribute.is_categorical or not regions.limits.tested[:, place].any():
            continue
        low, high = attribute.range
        lower, upper = limits.lower[:, place], limits.upper[:, place]
        yield _trial(attribute.name, pairs, lower, upper, high - low)


def _trial(name: str, pairs: Pairs, lower: Floats, upper: Floats, width: float) -> Trial:
    true, shown = pairs.true.columns[name], pairs.shown.columns[name]
    reach = CLOSE * width
    middle = (lower + upper) / 2
    room = np.maximum((upper - lower) / 2 - reach, 0.0)
    guess = np.where(np.isnan(shown), middle, np.clip(shown, middle - room, middle + room))
    known = ~np.isnan(true)
    slack = reach * (1 + 1e-9)
    hits = int((np.abs(guess - true) <= slack)[known].sum())
    blind = float((np.abs(windows(shown, 2 * reach) - true) <= slack)[known].mean())
    inside = float(((true >= lower) & (true <= upper))[known].mean())
    narrow = float(((upper - lower) / width).mean())
    detail = f"{100 * inside:.1f} % of true numbers lie in their leaf's interval, "
    detail += f"{100 * narrow:.0f} % of the range wide on average"
    return Trial.counted(name, hits, int(known.sum()), min(blind, 1.0), detail=detail)
