"""What an attack is: something run for real, three times, and reported beside a blind guess.

An attack looks at a *world*: originals, what was released for each, and the law the attacker
believes. It is run on the disguised world, on the plain world (the control, near 100 %), and
on a world whose outputs come from other records (the null: chance). To add an attack, write a
generator of trials and register it:

    @attack("guess", applies=has_channels)
    def guess(world):
        '''Best guess of one value from its own disguise.

        Needs: the release.
        Remedy: a smaller γ.
        '''
        yield Trial.counted("age", hits, trials, blind=0.2)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING, Literal

from privet.audit.statistics import binomial_interval
from privet.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from privet.audit.world import Case, World

__all__ = ["ATTACKS", "Attack", "NotRun", "Outcome", "Trial", "attack", "run_attack", "run_attacks"]

Kind = Literal["success", "gain"]
SURPRISE = 1e-6  # how seldom a right program may leave the band round what theory expects


@dataclass(frozen=True)
class Trial:
    """What an attack did in a world.

    ``about`` names the attribute, or is "record". ``expected`` is what theory says the value
    must be, and ``fits`` whether it may be by chance; ``curve`` are further points to draw.

    >>> trial = Trial.counted("age", hits=40, trials=100, blind=0.25)
    >>> trial.value, trial.low < 0.4 < trial.high
    (0.4, True)
    """

    about: str
    value: float
    low: float
    high: float
    blind: float
    expected: float | None = None
    fits: bool = True
    detail: str = ""
    curve: tuple[tuple[int, float], ...] = ()

    @classmethod
    def counted(
        cls,
        about: str,
        hits: int,
        trials: int,
        blind: float,
        *,
        expected: float | None = None,
        detail: str = "",
        curve: tuple[tuple[int, float], ...] = (),
    ) -> Trial:
        """Return the trial of an attack that was right ``hits`` times of ``trials``."""
        low, high = binomial_interval(hits, trials)
        fits = True
        if expected is not None:
            least, most = binomial_interval(hits, trials, SURPRISE)
            fits = bool(least - 1e-12 <= expected <= most + 1e-12)
        value = hits / trials
        return cls(about, value, low, high, blind, expected, fits, detail, curve)


@dataclass(frozen=True)
class Attack:
    """A registered attack.

    ``applies`` returns why it has nothing to do in a case, or nothing. ``real`` attacks need
    the owner's records; the others can do with ones drawn from estimated shares. ``repeated``
    ones need further releases of the same records: they warn of what may come. ``signed`` ones
    can take releases with negative parts, whose rows are not the records disguised.

    >>> from privet.audit import ATTACKS
    >>> ATTACKS["guess"].real
    False
    """

    name: str
    title: str
    needs: str
    remedy: str
    trials: Callable[[World], Iterable[Trial]]
    applies: Callable[[Case], str]
    kind: Kind = "success"
    real: bool = False
    repeated: bool = False
    signed: bool = False


@dataclass(frozen=True)
class Outcome:
    """How an attack went about an attribute, or about whole records.

    ``agreed`` marks what stands plainly in the release because it was meant to.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
    >>> outcome = pv.audit(release, table, attacks=["guess"], trees=False).attacks[0]
    >>> outcome.attack, 0 <= outcome.advantage <= 1
    ('guess', True)
    """

    attack: str
    title: str
    about: str
    kind: Kind
    needs: str
    remedy: str
    value: float
    low: float
    high: float
    blind: float
    control: float | None
    null: float | None
    expected: float | None
    fits: bool
    repeated: bool
    agreed: bool = False
    detail: str = ""
    curve: tuple[tuple[int, float], ...] = ()

    @property
    def advantage(self) -> float:
        """The share of a blind guesser's misses that the attacker gets right."""
        if self.kind != "success" or self.blind >= 1:
            return 0.0
        return max(0.0, (self.value - self.blind) / (1 - self.blind))


@dataclass(frozen=True)
class NotRun:
    """An attack that had nothing to do, and why."""

    attack: str
    title: str
    why: str


ATTACKS: dict[str, Attack] = {}
_WORDS = re.compile(r"^(Needs|Remedy): (.*?)\.\n(?=Remedy:|\n)", re.MULTILINE | re.DOTALL)


def attack(
    name: str,
    *,
    applies: Callable[[Case], str],
    title: str = "",
    needs: str = "",
    remedy: str = "",
    kind: Kind = "success",
    real: bool = False,
    repeated: bool = False,
    signed: bool = False,
) -> Callable[[Callable[[World], Iterator[Trial]]], Callable[[World], Iterator[Trial]]]:
    """Register a generator of trials as an attack; see ``Attack``.

    A title that is not given is the first line of its docstring; what it needs, and the remedy, are
    what that says behind ``Needs:`` and ``Remedy:``.

    >>> @attack("coin", title="Toss a coin", needs="a coin", remedy="", applies=lambda case: "")
    ... def coin(world):
    ...     yield Trial.counted("record", hits=50, trials=100, blind=0.5)
    >>> ATTACKS.pop("coin").title
    'Toss a coin'
    """

    def made(trials: Callable[[World], Iterator[Trial]]) -> Callable[[World], Iterator[Trial]]:
        doc = cleandoc(trials.__doc__ or "")
        told = {word: " ".join(text.split()) for word, text in _WORDS.findall(f"{doc}\n\n")}
        words = (
            title or doc.partition("\n")[0].removesuffix(".") or name,
            needs or told.get("Needs", ""),
            remedy or told.get("Remedy", ""),
        )
        ATTACKS[name] = Attack(name, *words, trials, applies, kind, real, repeated, signed)
        return trials

    return made


def run_attacks(
    case: Case, names: Iterable[str] | None = None
) -> tuple[list[Outcome], list[NotRun]]:
    """Run the named attacks, or all, that apply to a case."""
    chosen = list(ATTACKS.values()) if names is None else [ATTACKS[name] for name in names]
    outcomes, idle = [], []
    for attempt in track(chosen, "attacking", len(chosen)):
        together = any(part.sign < 0 for part in case.release.parts)
        why = (
            "the parts of the release only belong together"
            if together and not attempt.signed
            else ""
        )
        why = why or attempt.applies(case)
        if not why and attempt.real and not case.real:
            why = "it needs the owner's records (original)"
        fresh = [] if why else run_attack(case, attempt)
        outcomes += fresh
        if not fresh:
            idle.append(
                NotRun(attempt.name, attempt.title, why or "there was nothing for it to attack")
            )
    return outcomes, idle


def run_attack(case: Case, attempt: Attack) -> list[Outcome]:
    """Run an attack on all three worlds of a case."""
    control = {trial.about: trial.value for trial in attempt.trials(case.world("plain"))}
    null = {trial.about: trial.value for trial in attempt.trials(case.world("independent"))}
    return [
        Outcome(
            attempt.name,
            attempt.title,
            trial.about,
            attempt.kind,
            attempt.needs,
            attempt.remedy,
            trial.value,
            trial.low,
            trial.high,
            trial.blind,
            control.get(trial.about),
            null.get(trial.about),
            trial.expected,
            trial.fits,
            attempt.repeated,
            trial.about in case.agreed and attempt.name == "read",
            trial.detail,
            trial.curve,
        )
        for trial in attempt.trials(case.world("disguised"))
    ]
