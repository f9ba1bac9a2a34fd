"""What an audit says in a sentence or two: grades of promises and attacks, and why."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.audit.attacks import Outcome
    from privet.audit.checks import Check
    from privet.audit.measures import Measure
    from privet.audit.summary import Facts
    from privet.audit.utility import Utility


__all__ = ["attacked", "grade_of_attack", "grade_of_promise", "percent", "promise", "useful"]


def percent(share: float) -> str:
    """Write a share in per cent, never rounding up to certainty.

    >>> percent(0.12345), percent(0.99999)
    ('12.3 %', '> 99.9 %')
    """
    if share < 0:
        return f"−{percent(-share)}"
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    if 0 < share < 0.0005:
        return f"{100 * share:.2g} %"
    return f"{100 * share:.1f} %"


def grade_of_promise(facts: Facts) -> str:
    """Grade what is promised for a whole record."""
    if facts.seeded or not facts.formal:
        return "none"
    if facts.turned or facts.noisy or any(name not in facts.agreed for name in facts.disclosed):
        return "partial"
    epsilon = facts.disguised_epsilon
    return "strong" if epsilon <= 1 else "moderate" if epsilon <= 4 else "weak"


def grade_of_attack(worst: Outcome | None, promised: Measure | None = None) -> str:
    """Grade how the release stood the worst attack.

    One that wins much is ``within the promise`` where a γ bounds what it can win, and breaks the
    release where nothing does.
    """
    if worst is None:
        return "untested"
    won = worst.advantage
    if won > 0.4:
        return "broken" if promised is None else "within the promise"
    return "held" if won <= 0.1 else "dented"


def promise(facts: Facts, checks: tuple[Check, ...]) -> str:
    """Say what is promised, and whether the promise holds."""
    if facts.seeded:
        return (
            "NOT PRIVATE: the disguise was drawn from a seed, and whoever has the seed can undo it."
        )
    failed = [check for check in checks if check.hard and not check.holds]
    if failed:
        return f"NOT TO BE TRUSTED: a check failed, '{failed[0].what.lower()}'."
    if not facts.formal:
        return "No formal guarantee is given for whole records."
    if facts.k is not None or not facts.disguised:
        return _unbounded(facts)
    prior = percent(facts.disguised_posteriors[1])
    each = (
        "One attribute is disguised"
        if facts.disguised == 1
        else f"{facts.disguised} attributes are disguised"
    )
    whole = {
        "strong": "a strong promise",
        "moderate": "a moderate promise",
        "weak": "a weak promise for whole records",
        "partial": "and that only for what is disguised",
    }[grade_of_promise(facts)]
    return (
        f"{each}; together they promise ε = {facts.disguised_epsilon:.2f}, {whole}: "
        f"a guess of 5 % about a record can rise to {prior}."
    )


def _unbounded(facts: Facts) -> str:
    """Say what is promised where no ε is."""
    if facts.k is not None:
        return (
            f"Every record is like at least {facts.k - 1} others in its quasi-identifier; that "
            "bounds nothing of what such a group has in common, and there is no ε."
        )
    if facts.turned:
        return (
            f"{len(facts.turned)} attributes are flipped together with others, which has no "
            "finite ε: a report shows a record up to turning it round."
        )
    if facts.noisy:
        names = f"{len(facts.noisy)} attributes have" if len(facts.noisy) > 1 else "One has"
        return f"{names} noise added, which promises an interval for each value and no finite ε."
    return "Nothing in this release went through a channel: what is released is plain."


def attacked(worst: Outcome | None, promised: Measure | None, run: Sequence[Outcome] = ()) -> str:
    """Say what the worst attack did, of those that were ``run``."""
    if worst is None:
        return _uncounted(run)
    whole = re.fullmatch(r"record( \(T.*\))?", worst.about)
    about = f"records{whole[1] or ''}" if whole else repr(_short(worst.about))
    if worst.attack == "read":
        return f"The worst attack is to look: {about} stands in the release {worst.detail}."
    did = (
        f"identifies the right row for {percent(worst.value)} of records"
        if worst.attack in ("linkage", "nearest", "place")
        else f"is right about {about} for {percent(worst.value)}"
    )
    return (
        f"The worst attack run, '{worst.title.lower()}', {did}, where a blind guess is right for "
        f"{percent(worst.blind)}." + _allowed(worst, promised)
    )


def _uncounted(run: Sequence[Outcome]) -> str:
    """Say what was run where nothing counts as the worst attack."""
    if not run:
        return "No attack could be run on it."
    kinds = {
        "attacks that need further releases": any(outcome.repeated for outcome in run),
        "attacks on the tree": any(outcome.kind == "gain" for outcome in run),
        "readings of what is plain on purpose": any(outcome.agreed for outcome in run),
    }
    return f"Only {' and '.join(kind for kind, there in kinds.items() if there)} were run."


def _allowed(worst: Outcome, promised: Measure | None) -> str:
    """Say why a promise that holds lets an attack win much: few values hardly hide."""
    if promised is None or not promised.gamma or not promised.values or promised.values < 2:
        return ""
    if grade_of_attack(worst, promised) != "within the promise":
        return ""
    gamma = float(promised.gamma)
    if worst.attack == "joint":
        return (
            f" The promise allows that: γ = {gamma:.4g} bounds what a value's own disguise tells, "
            "not what attributes that go with it tell."
        )
    if worst.attack != "guess":
        return ""
    limit = gamma / (gamma + promised.values - 1)
    if worst.low > limit:  # no matter of chance
        return (
            f" The promise allows that: γ = {gamma:.4g} hides {promised.values} values, some of "
            "them commoner, no further."
        )
    return (
        f" The promise allows that: γ = {gamma:.4g} hides {promised.values} values so far that, "
        "were they equally common, a guess from their disguise alone is right for at most "
        f"{percent(limit)} on average; fewer values need a smaller γ."
    )


def useful(utility: Utility | None) -> str:
    """Say how accurate trees from the release are."""
    if utility is None:
        return "What it is still good for was not measured: no tree was grown from it."
    tree = f"{100 * utility.release.accuracy:.1f} ± {100 * utility.release.error:.1f} %"
    by = f" by '{utility.release.method}'" if utility.release.method else ""
    if utility.plain is None:
        return (
            f"A tree mined from the release{by} is right about {tree} of the originals; always "
            f"naming the commonest class, about {percent(utility.blind)}."
        )
    cost = utility.cost or 0.0
    lost = f"costs {100 * cost:.1f} points" if cost > 0 else "costs nothing that could be seen"
    alike = ", made as coarse," if utility.coarse else ""
    beyond = " What coarser values cost is not in that." if utility.coarse else ""
    return (
        f"A tree mined from it{by} is right for {tree}, one from the originals{alike} for "
        f"{percent(utility.plain.accuracy)}: the disguise {lost}, and always naming the commonest "
        f"class is right for {percent(utility.blind)}.{beyond}"
    )


def _short(name: str, length: int = 60) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"
