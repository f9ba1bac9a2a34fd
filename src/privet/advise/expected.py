"""What to expect of a channel for so many records, from its matrix alone.

The values are taken to be equally common: a schema says nothing else, and neither do we.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.audit.attacks.guess import success
from privet.channel import Band, GammaDiagonal

if TYPE_CHECKING:
    from privet.channel import Channel
    from privet.channel.gamma_diagonal import Gamma
    from privet.coding import Floats

__all__ = ["Expected", "best_channel", "cut_error", "expected", "repeated"]

SIZES = (4, 5, 6, 8, 10, 12, 16, 20, 24, 32)  # the N that are considered
PATH = 2  # a cut is judged in a node below so many tests


@dataclass(frozen=True)
class Expected:
    """What an attribute's channel will do.

    ``count_error`` is the expected E = Σ|X̂ − X| / ΣX of the inverted counts, before any repair;
    ``cut_error`` the expected error of the share of records below a cut, finite cells included;
    ``guess`` how often an attacker's best guess of a value is right, ``blind`` without the release.
    """

    attribute: str
    channel: str
    values: int
    gamma: float
    epsilon: float
    entropy: float
    condition: float
    count_error: float
    cut_error: float
    guess: float
    blind: float

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return asdict(self)


def expected(channel: Channel, records: int) -> Expected:
    """Return what to expect of a channel of an attribute.

    >>> quality = expected(GammaDiagonal("age", 10, 19), 10_000)
    >>> round(quality.guess, 3), round(quality.condition, 2), round(quality.epsilon, 2)
    (0.679, 1.56, 2.94)
    """
    size = channel.input_size
    shares = np.full(size, 1.0 / size)
    law = channel.matrix() / channel.scale
    (name,) = channel.attributes
    return Expected(
        attribute=name,
        channel=channel.kind,
        values=size,
        gamma=math.exp(channel.epsilon()),
        epsilon=channel.epsilon(),
        entropy=channel.entropy(),
        condition=channel.condition(),
        count_error=count_error(channel, records),
        cut_error=cut_error(channel, records),
        guess=success(shares, law),
        blind=1.0 / size,
    )


def _covariance(channel: Channel) -> Floats:
    """Return the covariance of the best unbiased shares, for one record and equal shares.

    The information about the shares is Kᵀ diag(1/Kp) K; the variance that remains with the
    originals fixed is its inverse less that of the originals' own draw.
    """
    law = channel.matrix() / channel.scale
    size = channel.input_size
    shares = np.full(size, 1.0 / size)
    seen = law @ shares
    information = (law / seen[:, None]).T @ law
    drawn = np.linalg.inv(information)
    return np.asarray(drawn - np.diag(shares), np.float64)


def count_error(channel: Channel, records: int) -> float:
    """Return the expected E of unbiased counts: √(2/π) Σ_v σ_v, the errors being near normal."""
    variances = np.maximum(np.diag(_covariance(channel)), 0.0)
    return float(math.sqrt(2 / math.pi) * np.sqrt(variances / records).sum())


def cut_error(channel: Channel, records: int, path: int = 0) -> float:
    """Return the expected error of the share of a node's records on one side of a cut.

    Two errors add: a cut in mind lies on average a quarter of a cell from the nearest border; and
    the estimated share below a border has a standard error. A node below ``path`` tests of other
    attributes, each through a channel like this one and true of half the values, has its records
    counted by the product of their weights, whose mean squares multiply.
    """
    size = channel.input_size
    covariance = _covariance(channel)
    below = np.tril(np.ones((size, size)))[:-1]
    variances = np.maximum(np.einsum("kv,vw,kw->k", below, covariance, below), 0.0)
    shares = np.arange(1, size) / size
    half = size // 2 - 1
    squares = (variances[half] + shares[half]) ** path * (variances + shares)
    inside = shares[half] ** path
    errors = np.sqrt(np.maximum(squares - inside * shares, 0.0) / records) / inside
    return float(0.25 / size + errors.mean())


def best_channel(name: str, most: int | None, gamma: Gamma, records: int, *, band: bool) -> Channel:
    """Return the channel of a numeric attribute whose cuts will be least in error.

    ``most`` is the number of values of an integer attribute: it has no more cells than that. With
    ``band`` near values stay near, for miners who fit joint tables: a path costs them little more
    than the records it leaves. Without it counts are inverted, and a path multiplies weights, so
    that fewer cells are better.
    """
    sizes = sorted({size if most is None else min(size, most) for size in SIZES})
    if band:
        bands = [Band(name, size, gamma) for size in sizes if size > 1]
        node = max(1, records >> (PATH + 1))
        return min(bands, key=lambda channel: cut_error(channel, node))
    squares = [GammaDiagonal(name, size, gamma) for size in sizes if size > 1]
    return min(squares, key=lambda channel: cut_error(channel, records, PATH))


def repeated(size: int, gamma: float, times: int) -> dict[str, float]:
    """Return what disguising a release again, or the originals again, comes to.

    Re-disguising what is released gives Mᵗ = λᵗ I + (1 − λᵗ)/N (DXZ, theorem 2): γ falls towards
    1 and nothing is paid. ``times`` fresh disguises of a record cost ``times`` ε.

    >>> {name: round(value, 3) for name, value in repeated(10, 19, 2).items()}
    {'times': 2, 'gamma_again': 8.043, 'epsilon_again': 2.085, 'epsilon_fresh': 5.889}
    """
    power = ((gamma - 1) / (gamma + size - 1)) ** times
    again = 1 + size * power / (1 - power)
    return {
        "times": times,
        "gamma_again": again,
        "epsilon_again": math.log(again),
        "epsilon_fresh": times * math.log(gamma),
    }
