"""What would be better: from the findings to what to change, with numbers where they are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.guess import success
from privet.audit.notions import constant
from privet.channel import GammaDiagonal
from privet.channel.base import MAX_CELLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.audit.attacks import Outcome
    from privet.audit.checks import Check
    from privet.audit.utility import Utility
    from privet.audit.world import Case

__all__ = ["advise", "worst_of"]

STRENGTHS = (2, 3, 5, 8, 12, 19)  # of γ that are thought through
_HIGH = 0.3  # advantage that calls for a smaller γ
_COSTLY = 0.05  # accuracy whose loss calls for a larger γ
_LARGE = 4  # ε of a record that is no strong promise any more


def worst_of(outcomes: Sequence[Outcome]) -> Outcome | None:
    """Return the attack that wins most over a blind guess, of those that need this release only.

    Of several that win as much, it is to read what is plain, and there the least expected value.
    """
    counted = [
        outcome
        for outcome in outcomes
        if outcome.kind == "success" and not outcome.repeated and not outcome.agreed
    ]
    return max(
        counted,
        key=lambda outcome: (
            outcome.advantage,
            outcome.attack == "read",
            outcome.value - outcome.blind,
        ),
        default=None,
    )


def advise(
    case: Case, outcomes: Sequence[Outcome], checks: Sequence[Check], use: Utility | None
) -> list[str]:
    """Return what to change, the most urgent first."""
    known = case.agreed | constant(case.release)
    plain = [name for name in case.release.claim.disclosed if name not in known]
    return [
        *_mend(case, checks, plain),
        *_attacked(case, worst_of(outcomes), use, plain),
        *_remember(case),
    ]


def _mend(case: Case, checks: Sequence[Check], plain: Sequence[str]) -> list[str]:
    """Say what makes the release unfit to be published."""
    release = case.release
    said = []
    if release.seeded:
        said.append("Disguise again without a seed: whoever has the seed can undo this release.")
    if any(check.hard and not check.holds for check in checks):
        said.append("Do not release this: a check of its numbers failed.")
    if not release.shuffled:
        said.append("Shuffle the rows: whoever knows a record's place knows its row.")
    if plain:
        listed = f"{', '.join(map(repr, plain[:4]))}{' and others' if len(plain) > 4 else ''}"
        said.append(f"Put {listed} through a channel, or withhold what is plain.")
    if release.schema.learned:
        said.append("Declare the schema by hand: a learned one discloses categories and ranges.")
    return said


def _attacked(
    case: Case, worst: Outcome | None, use: Utility | None, plain: Sequence[str]
) -> list[str]:
    """Say what to do against the worst attack, or with the room it leaves."""
    if worst is None:
        return []
    if worst.advantage > _HIGH:
        if worst.attack in ("guess", "joint"):
            return _weaker(case, worst)
        return [] if plain else [f"Against '{worst.title.lower()}': {worst.remedy}."]
    if use is None or use.cost is None or use.cost <= _COSTLY or plain:
        return []
    said = (
        f"There is room for accuracy: the worst attack wins {100 * worst.advantage:.0f} % over a "
        f"blind guess and the tree loses {100 * use.cost:.1f} points. Try a plan with a larger γ "
        "by privet compare."
    )
    return [said]


def _remember(case: Case) -> list[str]:
    """Say what holds for most releases, and is forgotten for most."""
    release, claim = case.release, case.release.claim
    said = []
    if len(claim.disguised) > 1 and claim.disguised_epsilon > _LARGE:
        said.append(
            "Withhold attributes that no tree needs: each one adds to the ε of a record, now "
            f"{claim.disguised_epsilon:.1f}."
        )
    if release.schema.target in claim.disclosed:
        said.append(
            f"The class {release.schema.target!r} is plain. If it is sensitive, disguise it too "
            "(target = a γ)."
        )
    if claim.disguised:
        said.append(
            "Never disguise the same records afresh for a second release: give out the first again."
        )
    return said


def _weaker(case: Case, worst: Outcome) -> list[str]:
    """Say what a smaller γ would do to the best guess of the worst attribute."""
    group = next((group for group in case.hidden if group.about == worst.about), None)
    channel = None if group is None else group.channel
    if group is None or not isinstance(channel, GammaDiagonal) or group.size**2 > MAX_CELLS:
        return [f"Against '{worst.title.lower()}': {worst.remedy}."]
    shares = case.shares(group)
    now = success(shares, channel.matrix() / channel.scale)
    smaller = [gamma for gamma in STRENGTHS if gamma < channel.gamma]
    if not smaller:
        return [f"{worst.about!r} is nearly as hidden as a channel can; withhold it to hide more."]
    gamma = smaller[-1] if len(smaller) < 2 else smaller[-2]
    trial = GammaDiagonal(channel.attribute, channel.size, gamma)
    then = success(shares, trial.matrix() / trial.scale)
    alike = [
        repr(other.about)
        for other in case.hidden
        if other.size <= group.size
        and isinstance(other.channel, GammaDiagonal)
        and other.channel.gamma >= channel.gamma
        and other is not group
    ]
    return [
        f"Take γ = {gamma} for {worst.about!r} instead of {float(channel.gamma):g}: the best guess "
        f"from its own disguise is then right for {100 * then:.1f} % instead of {100 * now:.1f} % "
        f"(blind: {100 * float(np.max(shares)):.1f} %)."
        + (f" The same goes for {', '.join(alike)}, with as few values." if alike else "")
    ]
