"""Claims: what a disguise promises, as a frozen value computed from the channels' integers.

A claim is never taken on trust: whoever reads a release computes it again from the channels on the
card, and a card that claims anything else does not load.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.channel.base import log
from privet.release.treatments import WITHHELD, meaning

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from privet.channel import Channel
    from privet.channel.breach import Interval
    from privet.release.people import People

__all__ = ["DRAWN", "PRIORS", "Claim", "Promise", "percent", "posterior"]

PRIORS = (Fraction(1, 100), Fraction(5, 100), Fraction(10, 100), Fraction(25, 100))
# On cards, word for word: a card that says anything else does not load.
DRAWN = "Which part of the release a record is in was drawn at random, whatever its values."
_CLOSE = 1e-9  # logarithms may differ in the last digit from machine to machine


def posterior(prior: Fraction, gamma: Fraction | None) -> Fraction:
    """Return the highest probability a release can lift a ``prior`` to (Evfimievski et al.).

    ``gamma`` is the amplification; None means that it has no bound.

    >>> posterior(Fraction(1, 20), Fraction(19))
    Fraction(1, 2)
    """
    if gamma is None:
        return Fraction(1)
    return gamma * prior / (gamma * prior + 1 - prior)


@dataclass(frozen=True)
class Promise:
    """What is promised for one attribute, or for a group that is disguised together.

    ``gamma`` is the exact amplification: how many times likelier a released value can be under
    one original than under another. It is None where there is no bound, because the value (or
    the class of values it lies in) is there for all to see. ``interval`` is what noise promises
    instead.
    """

    attributes: tuple[str, ...]
    treatment: str
    gamma: Fraction | None
    entropy: float
    interval: Interval | None = None

    @property
    def is_turned(self) -> bool:
        """Whether it is a flip group without a bound: disguised, but shown up to turning round."""
        return self.treatment == "flip" and self.gamma is None and self.entropy > 0

    @property
    def epsilon(self) -> float:
        """Local differential privacy; infinite for what is plain."""
        return math.inf if self.gamma is None else log(self.gamma)

    def to_dict(self) -> dict[str, Any]:
        """Return the promise as it is on the card."""
        return {
            "attributes": list(self.attributes),
            "treatment": self.treatment,
            "gamma": None if self.gamma is None else str(self.gamma),
            "epsilon": None if self.gamma is None else self.epsilon,
            "entropy_bits": self.entropy,
            "posterior": _posteriors(self.gamma),
            **({} if self.interval is None else {"interval": self.interval.to_dict()}),
        }


@dataclass(frozen=True)
class Claim:
    """What a release protects: every disguised attribute by its ε, and all of a record's by theirs.

    Whoever reads the release learns about a record's disguised attributes at most what ε
    allows, whatever else they know; what is released plainly is not protected at all.
    """

    promises: tuple[Promise, ...]
    target: str | None
    learned: bool = False
    seeded: bool = False
    formal: bool = True
    notes: tuple[str, ...] = ()
    whole: Fraction = Fraction(1)
    people: People | None = None

    @classmethod
    def of(
        cls,
        treatments: Mapping[str, str],
        parts: Iterable[Sequence[Channel]],
        *,
        columns: Iterable[str],
        target: str | None,
        learned: bool,
        seeded: bool,
        formal: bool = True,
        notes: tuple[str, ...] = (),
        lacking: Sequence[Collection[str]] = (),
        people: People | None = None,
    ) -> Claim:
        """Compute the claim from the columns that are there and the channels of each part.

        ``treatments`` names what was done to every attribute of the owner's schema; what is among
        the released ``columns`` is not withheld, whatever its name there. A record is in one part,
        so the promise for a group is that of the worst part; an attribute that is plain in some
        part is plain. ``lacking`` names the columns that each part does not have, which cost
        nothing there: what a record's attributes cost together is the largest sum of a part.
        ``notes`` are sentences that the method adds; ``people`` says how many records a person has.
        """
        by_part = [tuple(channels) for channels in parts]
        absent = [set(names) for names in lacking] or [set() for _ in by_part]
        treatments = _true(treatments, set(columns))
        formal = formal and all(meaning(word).formal for word in treatments.values())
        bounds = [
            [(channel, channel.amplification()) for channel in channels] for channels in by_part
        ]
        groups = _together(by_part)
        covered = {name for names in groups for name in names}
        by_name: dict[str, Promise] = {}
        for names, alike in groups.items():
            costs = [_cost(names, part, lacks) for part, lacks in zip(bounds, absent, strict=True)]
            everywhere = all(
                any(channel.attributes == names for channel in part) for part in by_part
            )
            by_name[names[0]] = Promise(
                names,
                treatments.get(names[0], "substitution"),
                None if None in costs else max(cost for cost in costs if cost is not None),
                min(channel.entropy() for channel in alike),
                _narrowest(alike) if everywhere else None,
            )
        promises = []
        for name, treatment in treatments.items():
            if name in by_name:
                promises.append(by_name[name])
            elif name not in covered:
                gamma = Fraction(1) if treatment == WITHHELD else None
                promises.append(Promise((name,), treatment, gamma, 0.0))
        safe = {name for promise in promises if promise.gamma for name in promise.attributes}
        whole = max(
            (
                math.prod(
                    gamma
                    for channel, gamma in part
                    if gamma is not None and safe.issuperset(channel.attributes)
                )
                for part in bounds
            ),
            default=1,
        )
        return cls(tuple(promises), target, learned, seeded, formal, notes, Fraction(whole), people)

    def __repr__(self) -> str:
        if self.seeded or not self.formal:
            why = "NOT PRIVATE, drawn from a seed" if self.seeded else "no formal guarantee"
            return f"<Claim: {why}>"
        plain = f"; {len(self.disclosed)} plain" if self.disclosed else ""
        about = f"{len(self.disguised)} disguised together"
        return f"<Claim: ε = {self.disguised_epsilon:.2f} for {about}{plain}>"

    def _repr_html_(self) -> str:
        from privet.notebook import shown

        return shown(repr(self)[1:-1], sentences=self.sentences())

    def __getitem__(self, name: str) -> Promise:
        return next(promise for promise in self.promises if name in promise.attributes)

    @property
    def disguised(self) -> tuple[Promise, ...]:
        """The promises of attributes that went through a channel with a bound."""
        return tuple(
            promise
            for promise in self.promises
            if promise.gamma is not None and promise.treatment != WITHHELD
        )

    @property
    def disclosed(self) -> tuple[str, ...]:
        """The attributes whose values, or classes of values, can be read off the release."""
        plain = [
            p
            for p in self.promises
            if p.gamma is None
            and not p.is_turned
            and p.interval is None
            and meaning(p.treatment).readable
        ]
        return tuple(name for promise in plain for name in promise.attributes)

    @property
    def turned(self) -> tuple[str, ...]:
        """The attributes of flip groups of two or more: no ε, and shown up to turning round."""
        return tuple(name for p in self.promises if p.is_turned for name in p.attributes)

    @property
    def noisy(self) -> tuple[str, ...]:
        """The attributes released with noise: no ε, but an interval that holds the true value."""
        return tuple(name for p in self.promises if p.interval for name in p.attributes)

    @property
    def disguised_gamma(self) -> Fraction:
        """The amplification over all disguised attributes of a record, in the worst part."""
        return self.whole

    @property
    def disguised_epsilon(self) -> float:
        """The sum of ε over the disguised attributes of a record, in the worst part."""
        return log(self.disguised_gamma)

    @property
    def gamma(self) -> Fraction | None:
        """The amplification of a whole record; None if anything in it is plain."""
        if self.disclosed or self.turned or self.noisy or not self.formal:
            return None
        return self.disguised_gamma

    @property
    def epsilon(self) -> float:
        """Local differential privacy of a whole record; infinite if anything in it is plain."""
        return math.inf if self.gamma is None else log(self.gamma)

    @property
    def private(self) -> bool:
        """Whether any promise holds: not if the words came from a seed."""
        return self.formal and not self.seeded

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as it is on the card."""
        return {
            "private": self.private,
            "formal": self.formal,
            "epsilon": None if self.gamma is None else self.epsilon,
            "epsilon_of_disguised": self.disguised_epsilon,
            "gamma_of_disguised": str(self.disguised_gamma),
            "posterior_of_disguised": _posteriors(self.disguised_gamma),
            "disclosed": list(self.disclosed),
            "class_disclosed": self.target in self.disclosed,
            **({"turned_round_together": list(self.turned)} if self.turned else {}),
            **({"noisy": list(self.noisy)} if self.noisy else {}),
            "attributes": [promise.to_dict() for promise in self.promises],
            **({} if self.people is None else {"person": self._person(self.people)}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }

    def _person(self, people: People) -> dict[str, Any]:
        """Return what is promised to a person of several records."""
        return {
            "rows": people.rows,
            "epsilon": None if self.gamma is None else people.rows * self.epsilon,
            "epsilon_of_disguised": people.rows * self.disguised_epsilon,
        }

    def agrees(self, form: object) -> bool:
        """Whether a card claims just this: every word and integer, logarithms to nine digits."""
        return _same(self.to_dict(), form)

    def sentences(self) -> list[str]:
        """Say the claim in words, the most important first."""
        from privet.release.words import sentences

        return sentences(self)


def _true(treatments: Mapping[str, str], columns: set[str]) -> dict[str, str]:
    """Return the treatments by what is there: only what is no column is withheld."""
    there = {name: word if word != WITHHELD else "exact" for name, word in treatments.items()}
    return {name: word if name in columns else WITHHELD for name, word in there.items()}


def _together(parts: Sequence[Sequence[Channel]]) -> dict[tuple[str, ...], list[Channel]]:
    """Return the channels of each group; groups that overlap, in different parts, are one."""
    groups: list[tuple[tuple[str, ...], list[Channel]]] = []
    for channel in (channel for channels in parts for channel in channels):
        names, alike = channel.attributes, [channel]
        apart = []
        for others, theirs in groups:
            if set(names).isdisjoint(others):
                apart.append((others, theirs))
            else:
                names = (*others, *(name for name in names if name not in others))
                alike = theirs if channel in theirs else [*theirs, *alike]
        groups = [*apart, (names, alike)]
    return dict(groups)


def _cost(
    names: tuple[str, ...], part: Sequence[tuple[Channel, Fraction | None]], lacks: set[str]
) -> Fraction | None:
    """Return what a part tells of some attributes at most; None if there is no bound."""
    touching = [
        (channel, gamma) for channel, gamma in part if not set(names).isdisjoint(channel.attributes)
    ]
    reached = {name for channel, _ in touching for name in channel.attributes}
    bounds = [gamma for _, gamma in touching]
    if not set(names) <= reached | lacks or None in bounds:
        return None
    return math.prod((gamma for gamma in bounds if gamma is not None), start=Fraction(1))


def _narrowest(channels: Sequence[Channel]) -> Interval | None:
    """Return the interval of the part that promises least, if all parts promise an interval."""
    intervals = [interval for channel in channels if (interval := channel.interval()) is not None]
    return (
        min(intervals, key=lambda interval: interval.widths[1])
        if len(intervals) == len(channels)
        else None
    )


def percent(share: Fraction) -> str:
    """Return a share in percent, as cards and sentences have it."""
    percent = float(share) * 100
    return f"{percent:.4g} %" if percent < 99.99 else "> 99.9 %"


def _posteriors(gamma: Fraction | None) -> dict[str, float]:
    return {percent(prior): float(posterior(prior, gamma)) for prior in PRIORS}


def _same(value: object, other: object) -> bool:
    if isinstance(value, float) and isinstance(other, float):
        return math.isclose(value, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
    if isinstance(value, dict) and isinstance(other, dict):
        return list(value) == list(other) and all(_same(value[key], other[key]) for key in value)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_same, value, other))
    return type(value) is type(other) and value == other
