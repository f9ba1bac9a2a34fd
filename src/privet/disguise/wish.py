"""What an owner may wish for instead of γ: ε, or that no prior of ρ1 becomes more than ρ2."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from privet.channel.gamma_diagonal import check_gamma
from privet.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.channel.gamma_diagonal import Gamma

__all__ = ["DEFAULT_GAMMA", "gamma_of"]

DEFAULT_GAMMA = 8


def gamma_of(
    where: str,
    gamma: Gamma | None = None,
    epsilon: float | None = None,
    rho: Sequence[float] | None = None,
) -> Gamma:
    """Return the γ that one of three wishes amounts to; 8 if there is none.

    ε-local differential privacy is γ = e^ε. ρ1-to-ρ2 privacy (Evfimievski et al.; DXZ §4) holds up
    to γ = ρ2 (1 − ρ1) / (ρ1 (1 − ρ2)).

    >>> gamma_of("age", rho=(0.05, 0.5))
    Fraction(19, 1)
    """
    given = [wish for wish in (gamma, epsilon, rho) if wish is not None]
    if len(given) > 1:
        message = f"{where}: gamma, epsilon and rho say the same thing in three ways."
        raise PlanError(message, hint="give one of them.")
    if epsilon is not None:
        return _of_epsilon(epsilon, where)
    if rho is not None:
        return _of_rho(rho, where)
    if gamma is None:
        return DEFAULT_GAMMA
    check_gamma(gamma, where)
    return gamma


def _of_epsilon(epsilon: object, where: str) -> float:
    number = isinstance(epsilon, int | float) and not isinstance(epsilon, bool)
    if not number or not 0 < epsilon < math.log(float(1 << 31)):  # type: ignore[operator]
        message = f"{where}: epsilon must be a number above 0 and below 21."
        raise PlanError(message, hint="1 to 3 is usual; the smaller, the more private.")
    # Two steps down: the exponential is rounded, and must not be rounded up.
    gamma = math.exp(epsilon)  # type: ignore[arg-type]
    return math.nextafter(math.nextafter(gamma, 1.0), 1.0)


def _of_rho(rho: object, where: str) -> Fraction:
    pair = list(rho) if isinstance(rho, list | tuple) else []
    numbers = all(isinstance(chance, int | float | Fraction) for chance in pair)
    if len(pair) != 2 or not numbers or not 0 < pair[0] < pair[1] < 1:
        message = f"{where}: rho must be two numbers, 0 < ρ1 < ρ2 < 1: what somebody may believe "
        message += "before and after seeing the release."
        raise PlanError(message, hint="rho = [0.05, 0.5] allows gamma = 19.")
    low, high = (Fraction(str(chance)) for chance in pair)  # 0.05 means a twentieth
    return high * (1 - low) / (low * (1 - high))
