"""Regression: what is plain predicts what GADP drew anew, as well as it predicts the originals."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.attacks.nearest import has_pairs
from privet.audit.true_pairs import CLOSE, method_of, windows
from privet.disguise.gadp import GADP
from privet.disguise.regression import SingularWarning, regress, side_columns
from privet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import Case, World

__all__ = ["regression"]


def _applies(case: Case) -> str:
    drawn = isinstance(method_of(case.release), GADP)
    return has_pairs(case) or ("" if drawn else "no numbers were drawn anew round a regression")


@attack("regression", applies=_applies, real=True)
def regression(world: World) -> Iterator[Trial]:
    """Predict a number from what is plain.

    Needs: a person's released row (her plain attributes find it), the release and its card.
    Remedy: withhold or disguise the plain attributes that predict it, and lower the proximity.

    Guess m + a(U − m): m the regression of released numbers on what is plain, a the proximity.

    That is the best guess there is if all is normal. ``detail`` gives the share of the variance
    that the guess explains.
    """
    pairs, method = world.pairs, method_of(world.case.release)
    if pairs is None or not isinstance(method, GADP):
        return
    names = method.changed(pairs.schema)
    shown = np.column_stack([pairs.shown.columns[name] for name in names])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SingularWarning)
            fit = regress(shown, side_columns(pairs.shown, pairs.schema, names))
    except DataError:
        return
    near = 1.0 if pairs.is_plain else float(method.proximity)
    guesses = fit.mean + near * fit.residual
    for place, name in enumerate(names):
        low, high = pairs.schema[name].range
        reach = CLOSE * (high - low) * (1 + 1e-9)
        true, guess = pairs.true.columns[name], guesses[:, place]
        hits = int((np.abs(guess - true) <= reach).sum())
        blind = windows(shown[:, place], 2 * CLOSE * (high - low))
        told = 1.0 - float(((guess - true) ** 2).mean() / true.var()) if true.var() > 0 else 0.0
        yield Trial.counted(
            name,
            hits,
            len(true),
            float((np.abs(blind - true) <= reach).mean()),
            detail=f"the guess explains {100 * max(told, 0.0):.0f} % of the variance",
        )
