"""Claims: what a disguise promises, as a frozen value computed from the channels' integers.

A claim is never taken on trust: whoever reads a release computes it again from the channels on the
card, and a card that claims anything else does not load.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.channel.base import log
from privet.release.unbounded import TREATMENT as UNBOUNDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from privet.channel import Channel
    from privet.channel.breach import Interval

__all__ = ["PRIORS", "Claim", "Promise", "posterior"]

PRIORS = (Fraction(1, 100), Fraction(5, 100), Fraction(10, 100), Fraction(25, 100))
_WHOLE = ("complement", "monotone", UNBOUNDED)  # of whole tables; no formal guarantee in any
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

    def to_json(self) -> dict[str, Any]:
        """Return the promise as it stands on the card."""
        return {
            "attributes": list(self.attributes),
            "treatment": self.treatment,
            "gamma": None if self.gamma is None else str(self.gamma),
            "epsilon": None if self.gamma is None else self.epsilon,
            "entropy_bits": self.entropy,
            "posterior": _posteriors(self.gamma),
            **({} if self.interval is None else {"interval": self.interval.to_json()}),
        }


@dataclass(frozen=True)
class Claim:
    """What a release protects: every disguised attribute by its ε, and their sum for a record.

    Whoever reads the release learns about a record's disguised attributes at most what ε
    allows, whatever else they know; what is released plainly is not protected at all.
    """

    promises: tuple[Promise, ...]
    target: str
    learned: bool = False
    seeded: bool = False
    formal: bool = True
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        treatments: Mapping[str, str],
        parts: Iterable[Sequence[Channel]],
        *,
        target: str,
        learned: bool,
        seeded: bool,
        formal: bool = True,
        notes: tuple[str, ...] = (),
    ) -> Claim:
        """Compute the claim from the channels of each part.

        ``treatments`` names what was done to every attribute of the owner's schema. A record
        is in one part, so the promise for a group is that of the worst part; an attribute that
        is plain in some part is plain. ``notes`` are sentences that the method adds.
        """
        held = [tuple(channels) for channels in parts]
        formal = formal and not any(one in _WHOLE for one in treatments.values())
        groups: dict[tuple[str, ...], list[Channel]] = defaultdict(list)
        for channels in held:
            for channel in channels:
                groups[channel.attributes].append(channel)
        covered: set[str] = set()
        found: dict[str, Promise] = {}
        for names, alike in groups.items():
            worst = [channel.amplification() for channel in alike]
            bounds = [gamma for gamma in worst if gamma is not None]
            finite = len(bounds) == len(held)
            if covered & set(names):
                formal = False  # grouped in two ways: no sum of these promises is one
            covered |= set(names)
            found[names[0]] = Promise(
                names,
                treatments.get(names[0], "substitution"),
                max(bounds) if finite else None,
                min(channel.entropy() for channel in alike),
                _narrowest(alike) if len(alike) == len(held) else None,
            )
        promises = []
        for name, treatment in treatments.items():
            if name in found:
                promises.append(found[name])
            elif name not in covered:
                gamma = Fraction(1) if treatment == "withheld" else None
                promises.append(Promise((name,), treatment, gamma, 0.0))
        return cls(tuple(promises), target, learned, seeded, formal, notes)

    def __getitem__(self, name: str) -> Promise:
        return next(promise for promise in self.promises if name in promise.attributes)

    @property
    def disguised(self) -> tuple[Promise, ...]:
        """The promises of attributes that went through a channel with a bound."""
        return tuple(
            promise
            for promise in self.promises
            if promise.gamma is not None and promise.treatment != "withheld"
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
            and p.treatment not in _WHOLE
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
        """The amplification over all disguised attributes of a record: the product."""
        bounds = [promise.gamma for promise in self.disguised if promise.gamma is not None]
        return math.prod(bounds, start=Fraction(1))

    @property
    def disguised_epsilon(self) -> float:
        """The sum of ε over the disguised attributes."""
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

    def to_json(self) -> dict[str, Any]:
        """Return the claim as it stands on the card."""
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
            "attributes": [promise.to_json() for promise in self.promises],
            **({"notes": list(self.notes)} if self.notes else {}),
        }

    def agrees(self, form: object) -> bool:
        """Whether a card claims just this: every word and integer, logarithms to nine digits."""
        return _same(self.to_json(), form)

    def sentences(self) -> list[str]:
        """Say the claim in words, the most important first."""
        said = []
        if self.seeded:
            said.append(
                "NOT PRIVATE: the random words were drawn from a seed; whoever has it can undo "
                "the disguise."
            )
        if not self.formal:
            said.append("No formal guarantee is given for whole records.")
        said += self.notes
        whole = ("complement", UNBOUNDED)  # of these the notes have told
        single = [promise for promise in self.promises if promise.treatment not in whole]
        if len(self.noisy) > _MANY:
            said.append(_about_noisy([one for one in single if one.interval is not None]))
            single = [one for one in single if one.interval is None]
        said += [_about(promise) for promise in single if len(self.disguised) <= _MANY]
        if len(self.disguised) > _MANY:
            said.append(_about_many(self.disguised))
            said += [_about(p) for p in single if p not in self.disguised]
        if self.disguised:
            said.append(self._about_record())
        if self.disclosed and single:
            said.append(_about_disclosed(self.disclosed, self.target))
        if self.learned:
            said.append(
                "The schema was learned from the data: its categories and ranges are themselves "
                "facts about the records."
            )
        return said

    def _about_record(self) -> str:
        gamma = self.disguised_gamma
        turned = ", ".join(map(repr, (*self.turned, *self.noisy)))
        most = ", ".join(f"{_percent(p)} to {_percent(posterior(p, gamma))}" for p in PRIORS)
        return (
            f"All disguised attributes of a record together: ε = {self.disguised_epsilon:.2f}. "
            f"A guess about them can rise, at most, from {most}. Each further release of the same "
            "records, freshly disguised, costs as much again."
            + (f" Left out of these bounds: {turned}, for which there is none." if turned else "")
        )


_MANY = 4  # disguised attributes that get a sentence each


def _narrowest(channels: Sequence[Channel]) -> Interval | None:
    """Return the interval of the part that promises least, if all parts promise one."""
    held = [interval for one in channels if (interval := one.interval()) is not None]
    return min(held, key=lambda one: one.widths[1]) if len(held) == len(channels) else None


def _about(promise: Promise) -> str:
    names = " and ".join(repr(name) for name in promise.attributes)
    if promise.treatment == "withheld":
        return f"{names} is withheld: nothing of it is released."
    if promise.is_turned:
        listed = ", ".join(map(repr, promise.attributes))
        return (
            f"{listed} are turned round together or not at all, which has no finite ε: a report "
            "shows every record up to turning it round. Which of these attributes are equal is "
            "plain, one known value gives away the others, and so does an impossible opposite."
        )
    if promise.interval is not None:
        return promise.interval.sentence(names)
    if promise.gamma is None:
        how = {
            "value-class": "as a value class: which class, is plain.",
            "monotone": (
                "through a secret function that keeps order: the order is plain, and a few known "
                "values, or a similar sample, give most others away."
            ),
        }
        return f"{names} is released {how.get(promise.treatment, 'exactly: plain for all to see.')}"
    return (
        f"{names} is protected by ε = {promise.epsilon:.2f} (γ = {float(promise.gamma):.4g}): "
        f"a guess of 5 % rises to {_percent(posterior(PRIORS[1], promise.gamma))} at most."
    )


def _about_many(promises: Sequence[Promise]) -> str:
    worst = max(promises, key=lambda promise: promise.epsilon)
    return (
        f"{len(promises)} attributes are protected by ε = {worst.epsilon:.2f} each or less "
        f"(γ = {float(worst.gamma or 0):.4g}): a guess of 5 % about one of them rises to "
        f"{_percent(posterior(PRIORS[1], worst.gamma))} at most from that attribute."
    )


def _about_noisy(promises: Sequence[Promise]) -> str:
    held = [promise.interval for promise in promises if promise.interval is not None]
    names = ", ".join(repr(name) for promise in promises for name in promise.attributes)
    return (
        f"Released with noise, which has no finite ε: {names}. For someone who knows nothing else "
        "each true value lies in an interval whose width stands on the card. Warning: near the "
        "ends of a range it is narrower, were values spread evenly less than half of that for up "
        f"to {100 * max(one.narrow for one in held):.2g} % of records, and so it is for whoever "
        "knows how values are spread."
    )


def _about_disclosed(names: Sequence[str], target: str) -> str:
    listed = ", ".join(repr(name) for name in names)
    class_too = f" The class {target!r} is among them." if target in names else ""
    return (
        f"Disclosed plainly, and so without any bound for a whole record: {listed}.{class_too} "
        "The bounds above are against someone who has seen these already."
    )


def _percent(share: Fraction) -> str:
    percent = float(share) * 100
    return f"{percent:.4g} %" if percent < 99.99 else "> 99.9 %"


def _posteriors(gamma: Fraction | None) -> dict[str, float]:
    return {_percent(prior): float(posterior(prior, gamma)) for prior in PRIORS}


def _same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other
