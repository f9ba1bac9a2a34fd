"""Poisoning: fake records pull an estimate further than honest ones could."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from privet.audit.attacks.base import SURPRISE, Trial, attack
from privet.audit.attacks.guess import has_channels
from privet.audit.statistics import LEVEL
from privet.errors import MethodError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import Group, World
    from privet.coding import Floats

__all__ = ["FAKES", "poisoning"]

FAKES = 0.01  # of all records are the attacker's


@attack(
    "poisoning",
    title=f"Raise the share of a rare value with {100 * FAKES:.0f} % fake records",
    needs=f"{100 * FAKES:.0f} % of the records, sent as if they had been disguised",
    applies=has_channels,
    kind="gain",
)
def poisoning(world: World) -> Iterator[Trial]:
    """Send the report that weighs most for the rarest value (gain β(1−f) + β(N−1)/(γ−1)).

    Remedy: a larger γ makes each report weigh less; or disguise at a party that cannot be faked.
    """
    case = world.case
    wide, widest = -ndtri((1 - LEVEL) / 2), -ndtri(SURPRISE / 2)
    for group in case.hidden:
        shares = case.shares(group)
        rare = int(np.argmin(shares))
        try:
            weights = _weights(world, group)[rare]
        except MethodError:
            continue  # estimated by EM: no single report has a weight
        honest = weights[world.draw(group)]
        report = float(weights.max())
        if world.kind == "independent":  # fakes that know nothing: drawn like everyone's
            report = float(weights[world.draw(group)].mean())
        value = (1 - FAKES) * float(honest.mean()) + FAKES * report - shares[rare]
        error = (1 - FAKES) * float(honest.std()) / np.sqrt(len(honest))
        expected = FAKES * (report - shares[rare])
        yield Trial(
            group.about,
            value,
            value - wide * error,
            value + wide * error,
            0.0,
            expected,
            bool(abs(value - expected) <= widest * error + 1e-9),
        )


def _weights(world: World, group: Group) -> Floats:
    if world.kind == "plain" or group.channel is None:
        return np.eye(group.size)
    return group.channel.inverse()
