"""The summary of an audit: aggregates only, and a verdict. Every rendering is made from it.

It carries names of attributes and numbers over many records: no record, no record's value, and no
name of a category.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.audit import verdict as words
from privet.audit.advice import worst_of
from privet.audit.rendered import Rendered
from privet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.audit.attacks import NotRun, Outcome
    from privet.audit.checks import Check
    from privet.audit.fidelity import Associations, CountError, DetectedError
    from privet.audit.measures import Measure
    from privet.audit.similarity import Similarity
    from privet.audit.utility import Utility

__all__ = ["Audit", "Facts"]

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
        """Why a record has no ε; empty if it has ε, what is agreed to be plain left aside."""
        return " ".join(self.without_bound)

    @property
    def without_bound(self) -> list[str]:
        """Each reason why a record has no ε, with all attributes that it is given for."""
        if self.seeded:
            return ["The release was drawn from a seed: no ε holds."]
        if not self.formal:
            return ["The release gives no formal guarantee: no ε holds."]
        plain = [name for name in self.disclosed if name not in self.agreed]
        said = [
            f"{_listed(names)} {several if len(names) > 1 else single}: ε has no bound."
            for names, single, several in (
                (plain, "is plain and was not agreed to be", "are plain and were not agreed to be"),
                (self.turned, "is flipped together with others", "are flipped together"),
                (self.noisy, "has noise added", "have noise added"),
            )
            if names
        ]
        if not said and self.k is not None:
            return [f"Groups of {self.k} records that look alike bound no ε."]
        return said


@dataclass(frozen=True)
class Audit(Rendered):
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
            "promise": words.grade_of_promise(self.facts),
            "attacks": words.grade_of_attack(self.worst, self._promised),
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
            words.promise(self.facts, self.checks),
            words.attacked(self.worst, self._promised, self.attacks),
            words.useful(self.utility),
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
        if self.facts.without_bound:
            return self.facts.without_bound
        epsilon = self.facts.disguised_epsilon
        return [f"The ε of a record is {epsilon:.4g}; allowed are {bound:g}."][: epsilon > bound]

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

    def __repr__(self) -> str:
        grades = self.grades
        about = f"promise {grades['promise']}, {len(self.attacks)} attacks {grades['attacks']}"
        return f"<Audit of {self.facts.rows:,} records: {about}>"

    def _repr_html_(self) -> str:
        from privet.notebook import shown

        rows = [
            (attack.title, attack.about, words.percent(attack.value), words.percent(attack.blind))
            for attack in sorted(self.attacks, key=lambda attack: -attack.advantage)
        ]
        heads = ("attack", "about", "right", "blind guess")
        return shown(repr(self)[1:-1], heads=heads, rows=rows, sentences=self.verdict)


def _listed(names: Sequence[str]) -> str:
    """Return names in quotes, the last behind an "and".

    >>> _listed(["age", "pay", "rent"])
    "'age', 'pay' and 'rent'"
    """
    *others, last = map(repr, names)
    return f"{', '.join(others)} and {last}" if others else last


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
