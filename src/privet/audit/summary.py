"""The summary of an audit: aggregates only, and a verdict. Every rendering is made from it.

It carries names of attributes and numbers over many records: no record, no value of one, and no
name of a category.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.audit.advice import worst_of
from privet.errors import InputError

if TYPE_CHECKING:
    from privet.audit.attacks import NotRun, Outcome
    from privet.audit.fidelity import Associations, CountError, DetectedError
    from privet.audit.measures import Check, Measure
    from privet.audit.similarity import Similarity
    from privet.audit.utility import Utility

__all__ = ["Audit", "Facts", "grade_of_attack", "grade_of_promise", "percent"]

FORMAT, VERSION = "privet audit", 1


@dataclass(frozen=True)
class Facts:
    """What the card says of the release, and what the audit had at hand."""

    rows: int
    parts: int
    attributes: int
    target: str
    seeded: bool
    shuffled: bool
    learned: bool
    formal: bool
    disclosed: tuple[str, ...]
    turned: tuple[str, ...]
    noisy: tuple[str, ...]
    notes: tuple[str, ...]
    agreed: tuple[str, ...]
    epsilon: float | None
    disguised: int
    disguised_epsilon: float
    disguised_posteriors: tuple[float, ...]
    original: bool
    sampled: int
    skipped: tuple[str, ...]
    k: int | None = None

    @property
    def unbounded(self) -> str:
        """Why a record has no ε; empty if it has one, what is agreed to be plain left aside."""
        if self.seeded:
            return "The release was drawn from a seed: no ε holds."
        if not self.formal:
            return "The release gives no formal guarantee: no ε holds."
        plain = [name for name in self.disclosed if name not in self.agreed]
        for names, why in (
            (plain, "is plain and was not agreed to be"),
            (self.turned, "is turned round together with others"),
            (self.noisy, "has noise added"),
        ):
            if names:
                return f"{names[0]!r} {why}: ε has no bound."
        if self.k is not None:
            return f"Groups of {self.k} records that look alike bound no ε."
        return ""


@dataclass(frozen=True)
class Audit:
    """What an audit found. Print it, or write it: ``to_dict``, ``to_html``, ``to_text``.

    ``worst`` is the attack that wins most over a blind guess; ``exceeds`` tells whether bounds
    of yours are kept.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
    >>> audited = pv.audit(release, attacks=["guess"], trees=False)
    >>> audited.exceeds(max_epsilon=4)
    []
    """

    facts: Facts
    measures: tuple[Measure, ...]
    checks: tuple[Check, ...]
    attacks: tuple[Outcome, ...]
    not_run: tuple[NotRun, ...]
    utility: Utility | None
    counts: tuple[CountError, ...]
    associations: Associations | None
    advice: tuple[str, ...]
    similarity: Similarity | None = None
    detected: tuple[DetectedError, ...] = ()

    @property
    def worst(self) -> Outcome | None:
        """The attack with the largest advantage, of those that need this release only."""
        return worst_of(self.attacks)

    @property
    def grades(self) -> dict[str, str]:
        """How strong the promise is, and how well the release stood the attacks."""
        return {
            "promise": grade_of_promise(self.facts),
            "attacks": grade_of_attack(self.worst, self._promised),
        }

    @property
    def _promised(self) -> Measure | None:
        """What bounds the worst attack: the promise for the attribute that it is about."""
        worst = self.worst
        about = None if worst is None else worst.about
        return next((m for m in self.measures if m.about == about and m.gamma is not None), None)

    @property
    def verdict(self) -> list[str]:
        """Three sentences: what is promised, what the worst attack did, what is left to learn."""
        return [
            _promise(self.facts, self.checks),
            _attacked(self.worst, self._promised),
            _useful(self.utility),
        ]

    def exceeds(
        self, *, max_epsilon: float | None = None, max_attack: float | None = None
    ) -> list[str]:
        """Return a sentence for each bound that is exceeded.

        ``max_epsilon`` bounds the ε of a record; anything plain that was not agreed, a seed, or a
        promise without form exceeds every ε. ``max_attack`` bounds the largest advantage.
        """
        for name, bound in (("max_epsilon", max_epsilon), ("max_attack", max_attack)):
            if bound is not None and not bound >= 0:
                raise InputError(f"{name} must be a number of at least 0.")
        said = []
        if max_epsilon is not None:
            said += self._over_epsilon(max_epsilon)
        worst = self.worst
        if max_attack is not None and worst is not None and worst.advantage > max_attack:
            said.append(
                f"The attack '{worst.attack}' on {worst.about!r} wins {worst.advantage:.3f} over "
                f"a blind guess; allowed are {max_attack:g}."
            )
        failed = [check.what for check in self.checks if check.hard and not check.holds]
        if (max_epsilon is not None or max_attack is not None) and failed:
            said.append(f"A check failed: {failed[0].lower()}.")
        return said

    def _over_epsilon(self, bound: float) -> list[str]:
        if self.facts.unbounded:
            return [self.facts.unbounded]
        epsilon = self.facts.disguised_epsilon
        return [f"The ε of a record is {epsilon:.4g}; allowed are {bound:g}."][: epsilon > bound]

    # Renderings

    def to_dict(self) -> dict[str, Any]:
        """Return a plain form of numbers and text; what has no bound is null."""
        form: dict[str, Any] = {"format": FORMAT, "version": VERSION}
        form |= {"verdict": self.verdict, "grades": self.grades}
        form["worst"] = None if self.worst is None else _plain(self.worst)
        for field in fields(self):
            form[field.name] = _plain(getattr(self, field.name))
        for outcome, entry in zip(self.attacks, form["attacks"], strict=True):
            entry["advantage"] = outcome.advantage
        if self.utility is not None:
            form["utility"]["cost"] = self.utility.cost
        return form

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the summary as JSON text, and write it if a path is given."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return _written(text, path)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the report as one self-contained HTML page, and write it if a path is given."""
        from privet.audit.report.html import page

        return _written(page(self), path)

    def to_text(self, width: int = 100) -> str:
        """Return the report for a terminal, without colours."""
        from privet.audit.report.terminal import text

        return text(self, width)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        grades = self.grades
        about = f"promise {grades['promise']}, {len(self.attacks)} attacks {grades['attacks']}"
        return f"<Audit of {self.facts.rows:,} records: {about}>"

    def _repr_html_(self) -> str:
        from privet.notebook import shown

        rows = [
            (outcome.title, outcome.about, percent(outcome.value), percent(outcome.blind))
            for outcome in sorted(self.attacks, key=lambda outcome: -outcome.advantage)
        ]
        heads = ("attack", "about", "right", "blind guess")
        return shown(repr(self)[1:-1], heads=heads, rows=rows, sentences=self.verdict)


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        try:
            Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from None
    return text


def _plain(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


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


def _promise(facts: Facts, checks: tuple[Check, ...]) -> str:
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
            f"{len(facts.turned)} attributes are turned round together with others, which has no "
            "finite ε: a report shows a record up to turning it round."
        )
    if facts.noisy:
        names = f"{len(facts.noisy)} attributes have" if len(facts.noisy) > 1 else "One has"
        return f"{names} noise added, which promises an interval for each value and no finite ε."
    return "Nothing in this release went through a channel: what is released is plain."


def _attacked(worst: Outcome | None, promised: Measure | None) -> str:
    if worst is None:
        return "No attack could be run on it."
    about = "records" if worst.about == "record" else repr(_short(worst.about))
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


def _allowed(worst: Outcome, promised: Measure | None) -> str:
    """Say why a promise that holds lets an attack win much: few values hardly hide."""
    if promised is None or not promised.gamma or not promised.values or promised.values < 2:
        return ""
    if grade_of_attack(worst, promised) != "within the promise":
        return ""
    gamma = float(promised.gamma)
    return (
        f" The promise allows that: γ = {gamma:.4g} hides {promised.values} values so far that, "
        "were they equally common, a guess from their disguise alone is right for at most "
        f"{percent(gamma / (gamma + promised.values - 1))}; fewer values need a smaller γ."
    )


def _useful(utility: Utility | None) -> str:
    if utility is None:
        return "What it is still good for was not measured: no tree was grown from it."
    tree = f"{100 * utility.release.accuracy:.1f} ± {100 * utility.release.error:.1f} %"
    if utility.plain is None:
        return (
            f"A tree mined from the release is right about {tree} of the originals; always "
            f"naming the commonest class, about {percent(utility.blind)}."
        )
    cost = utility.cost or 0.0
    lost = f"costs {100 * cost:.1f} points" if cost > 0 else "costs nothing that could be seen"
    alike = ", made as coarse," if utility.coarse else ""
    beyond = " What coarser values cost is not in that." if utility.coarse else ""
    return (
        f"A tree mined from it is right for {tree}, one from the originals{alike} for "
        f"{percent(utility.plain.accuracy)}: the disguise {lost}, and always naming the commonest "
        f"class is right for {percent(utility.blind)}.{beyond}"
    )


def _short(name: str, length: int = 60) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"
