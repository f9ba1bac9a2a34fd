"""Recovery of substituted numbers by what breaks additive noise (DXZ §2.3).

The attacker takes a substitution for noise of a known variance and filters it out by the spectrum
of the covariance, or by principal components. A substitute's distance from the original depends on
the original, so it is no noise of one law: what the filter leaves stands beside what the mean for
everyone leaves. A guess is right within a twentieth of the range, and in the right cell.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.attacks.noise import TOLERANCE
from privet.audit.attacks.recovery import pca, spectral

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from privet.audit.world import Case, Group, World
    from privet.coding import Floats


__all__ = ["recover_pca", "recover_spectral", "taken_for_noise"]


def _substituted(case: Case) -> tuple[Group, ...]:
    """Return the attributes of ordered cells that were substituted by one of the same cells."""
    groups = []
    for group in case.hidden:
        coding = case.release.codings.get(group.names[0])
        if len(group.names) > 1 or coding is None or not coding.ordered or coding.missing:
            continue
        if group.channel is not None and group.channel.inputs == group.channel.outputs:
            groups.append(group)
    return tuple(groups)


def _has_several(case: Case) -> str:
    if len(_substituted(case)) < 2:
        return "fewer than two numbers were replaced by single cells; a band releases ranges"
    return ""


def taken_for_noise(law: Floats, shares: Floats) -> float:
    """Return the deviation of the noise that an attacker takes a substitution for, in cells.

    The root of E(y − x)², x as common as ``shares`` and y by the law's column.

    >>> taken_for_noise(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5]))
    0.5
    """
    places = np.arange(len(law))
    squares = (places[:, None] - np.arange(law.shape[1])) ** 2
    return float(np.sqrt((law * squares).sum(axis=0) @ shares))


def _recovered(world: World, recover: Callable[[Floats, Floats], Floats]) -> Iterator[Trial]:
    case = world.case
    groups = _substituted(case)
    truth = np.stack([case.truth[group.about] for group in groups], axis=1).astype(np.float64)
    seen = np.stack([world.draw(group) for group in groups], axis=1).astype(np.float64)
    if world.kind == "plain":
        guesses, deviations = seen, np.ones(len(groups))
    else:
        deviations = np.array(
            [max(taken_for_noise(world.law(group), case.shares(group)), 1e-9) for group in groups]
        )
        guesses = recover(seen, deviations)
    for place, group in enumerate(groups):
        near = max(0.5, TOLERANCE * group.size) + 1e-9
        own = truth[:, place]
        told = np.clip(guesses[:, place], 0, group.size - 1)
        hits = int((np.abs(told - own) <= near).sum())
        ordered = np.sort(own)
        inside = np.searchsorted(ordered, ordered + 2 * near, "right") - np.arange(len(own))
        left = float(np.sqrt(np.mean((told - own) ** 2)) / deviations[place])
        everyone = float(own.std() / deviations[place])
        yield Trial.counted(
            group.about,
            hits,
            len(own),
            float(inside.max() / len(own)),
            detail=f"leaves {left:.2f} of the disguise, the mean for everyone {everyone:.2f}",
        )


_NEEDS = "the release and its card; it works on noise, where attributes go together"
_REMEDY = "a smaller γ, or fewer attributes that go together"


_recovery = partial(attack, needs=_NEEDS, remedy=_REMEDY, applies=_has_several, real=True)


@_recovery(
    "substitution-spectral", title="Take substitution for noise and filter it out by the spectrum"
)
def recover_spectral(world: World) -> Iterator[Trial]:
    """Keep the directions that noise alone would not reach."""
    yield from _recovered(world, spectral)


@_recovery(
    "substitution-pca", title="Take substitution for noise and project on the leading directions"
)
def recover_pca(world: World) -> Iterator[Trial]:
    """Keep the directions up to the largest gap."""
    yield from _recovered(world, pca)
