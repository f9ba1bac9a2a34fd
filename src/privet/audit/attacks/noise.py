"""Attacks on additive noise: the best guess from one number, recovery from many, and breaches.

A guess is right if it is within a twentieth of the range of the true value; blind is the best
single number for everyone. What recovery leaves of the noise stands in the details: the root mean
square of its error over that of the noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.attacks.recovery import bayes, pca, spectral
from privet.channel import CoarseNoise, Noise
from privet.channel.breach import CONFIDENCE, PART, supports
from privet.estimate.reconstruction import cells_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from privet.audit.world import Case, Group, World
    from privet.coding import Floats, Ints


__all__ = ["BOUND", "edge", "posterior", "recover_bayes", "recover_pca", "recover_spectral"]

TOLERANCE = 0.05  # of the range: a guess this near is right
CELLS = 100  # of an attribute whose originals are guessed
PARTS = 10  # of a range: what a posterior breach pins an original to one of
BOUND = 0.6  # of the posterior mass in one of them; the paper's own example


@dataclass(frozen=True)
class _Pairs:
    """Originals and what was released for them, in points of the grid; the noise believed."""

    group: Group
    noise: Noise
    truth: Floats
    seen: Floats
    plain: bool

    @property
    def tolerance(self) -> float:
        """How near is right, in points."""
        return TOLERANCE * self.noise.steps + 1e-9

    @property
    def blind(self) -> float:
        """How often the best single guess is right."""
        order = np.sort(self.truth)
        inside = np.searchsorted(order, order + 2 * self.tolerance, "right") - np.arange(len(order))
        return float(inside.max() / len(order))

    def right(self, guesses: Floats) -> int:
        """Return how many guesses are near enough."""
        return int((np.abs(guesses - self.truth) <= self.tolerance).sum())

    def trial(self, guesses: Floats, detail: str) -> Trial:
        """Return how well guesses did against the best single guess."""
        rows = len(self.truth)
        return Trial.counted(self.group.about, self.right(guesses), rows, self.blind, detail=detail)

    def left(self, guesses: Floats) -> float:
        """Return the error of guesses over that of the noise."""
        error = float(np.sqrt(np.mean((guesses - self.truth) ** 2)))
        return error / (self.noise.deviation / self.noise.step)


def _noisy(case: Case) -> tuple[Group, ...]:
    return tuple(group for group in case.groups if isinstance(group.channel, Noise))


def _has_noise(case: Case) -> str:
    if not _noisy(case):
        return "nothing in the release has noise added"
    return "" if case.truth else "the release has parts that only belong together"


def _has_several(case: Case) -> str:
    why = _has_noise(case)
    return why or ("" if len(_noisy(case)) > 1 else "only one attribute has noise added")


def _pairs(world: World) -> list[_Pairs]:
    noisy = []
    for group in _noisy(world.case):
        noise = group.channel
        if not isinstance(noise, Noise):
            continue
        plain = world.kind == "plain"
        seen = world.draw(group).astype(np.float64) - (0 if plain else noise.reach)
        truth = world.case.truth[group.about].astype(np.float64)
        noisy.append(_Pairs(group, noise, truth, seen, plain))
    return noisy


@dataclass(frozen=True)
class _Belief:
    """The posterior over cells for each observed interval: intervals × cells, rows sum to 1."""

    coarse: CoarseNoise
    posterior: Floats
    centres: Floats

    @classmethod
    def of(cls, world: World, pairs: _Pairs) -> _Belief:
        """Return what is believed with the originals' shares at hand as prior."""
        noise = pairs.noise
        coarse = CoarseNoise.of(noise, cells_of(noise, CELLS), tails=False)
        lasts = np.append(coarse.cells[1:], noise.input_size) - 1
        prior = np.add.reduceat(world.case.shares(pairs.group), coarse.cells)
        joint = coarse.kernel * prior
        posterior = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
        return cls(coarse, posterior, (coarse.cells + lasts) / 2)

    def slots(self, pairs: _Pairs) -> Ints:
        """Return the interval of each released number."""
        outputs = (pairs.seen + pairs.noise.reach).astype(np.int64)
        return self.coarse.slots[outputs].astype(np.int64)


_single = partial(
    attack,
    needs="the release, its card, and how numbers are spread (a miner reconstructs it)",
    remedy="more noise, or a channel with a bound",
    applies=_has_noise,
)


@_single("noise-guess", title="Best guess of one number from its noisy value")
def guess(world: World) -> Iterator[Trial]:
    """Guess where most of the posterior lies within the tolerance (univariate Bayes)."""
    for pairs in _pairs(world):
        if pairs.plain:
            yield Trial.counted(pairs.group.about, len(pairs.truth), len(pairs.truth), pairs.blind)
            continue
        belief = _Belief.of(world, pairs)
        near = np.abs(belief.centres[:, None] - belief.centres) <= pairs.tolerance
        best = np.argmax(belief.posterior @ near, axis=1)
        slots = belief.slots(pairs)
        mean = (belief.posterior @ belief.centres)[slots]
        detail = f"the posterior mean leaves {pairs.left(mean):.2f} of the noise"
        yield pairs.trial(belief.centres[best][slots], detail)


def _recovered(world: World, recover: Callable[[Floats, Floats], Floats]) -> Iterator[Trial]:
    """Recover all noisy attributes at once and count the guesses that are near enough."""
    attacked = _pairs(world)
    noisy = np.stack([pairs.seen for pairs in attacked], axis=1)
    deviations = np.array([pairs.noise.deviation / pairs.noise.step for pairs in attacked])
    estimates = noisy if attacked[0].plain else recover(noisy, deviations)
    for place, pairs in enumerate(attacked):
        guesses = np.clip(estimates[:, place], 0, pairs.noise.steps)
        yield pairs.trial(guesses, f"leaves {pairs.left(guesses):.2f} of the noise")


_NEEDS = "the release and its card; it works where attributes go together"
_REMEDY = "more noise, fewer attributes, or noise that goes together as the attributes do"


_several = partial(attack, needs=_NEEDS, remedy=_REMEDY, applies=_has_several)


@_several("noise-spectral", title="Filter noise out by the spectrum of the covariance")
def recover_spectral(world: World) -> Iterator[Trial]:
    """Keep the directions that noise alone would not reach."""
    yield from _recovered(world, spectral)


@_several("noise-pca", title="Project noisy records on the originals' directions")
def recover_pca(world: World) -> Iterator[Trial]:
    """Take the noise's covariance off and keep the leading directions."""
    yield from _recovered(world, pca)


@_several("noise-recovery", title="Best linear recovery of noisy records")
def recover_bayes(world: World) -> Iterator[Trial]:
    """Shrink every direction by what of its variance is signal."""
    yield from _recovered(world, bayes)


@attack("breach-edge", applies=_has_noise)
def edge(world: World) -> Iterator[Trial]:
    """Noisy values that only a narrow range can give.

    Needs: the release and its card.
    Remedy: Gaussian noise, a wider declared range, or a channel with a bound.

    Name the records pinned for certain to less than half of the promised width (AS).
    """
    for pairs in _pairs(world):
        rows = len(pairs.truth)
        if pairs.plain:
            yield Trial.counted(pairs.group.about, rows, rows, 0.0)
            continue
        noise = pairs.noise
        first, last = supports(noise)
        outputs = (pairs.seen + noise.reach).astype(np.int64)
        low, high = first[outputs], last[outputs]
        narrow = (high - low) * noise.step < PART * noise.width(CONFIDENCE)
        inside = (pairs.truth >= low) & (pairs.truth <= high)
        most = int((narrow & inside).sum())
        least = float((high - low)[narrow].min() * noise.step) if narrow.any() else 0.0
        detail = f"the narrowest to a range of {least:.4g}" if most else ""
        yield Trial.counted(pairs.group.about, most, rows, 0.0, detail=detail)


@_single(
    "breach-posterior",
    title=f"Noisy values with {100 * BOUND:.0f} % of their sources in a tenth of the range",
)
def posterior(world: World) -> Iterator[Trial]:
    """Name the records whose posterior puts the bound into one tenth of the range, and rightly."""
    for pairs in _pairs(world):
        rows = len(pairs.truth)
        place = np.minimum(pairs.truth * PARTS // (pairs.noise.steps + 1), PARTS - 1)
        most = float(np.bincount(place.astype(np.int64), minlength=PARTS).max() / rows)
        if pairs.plain:
            yield Trial.counted(pairs.group.about, rows, rows, most)
            continue
        belief = _Belief.of(world, pairs)
        part = np.minimum(belief.centres * PARTS // (pairs.noise.steps + 1), PARTS - 1)
        heaped = np.stack(
            [belief.posterior[:, part == tenth].sum(axis=1) for tenth in range(PARTS)], 1
        )
        slots = belief.slots(pairs)
        sure = heaped.max(axis=1)[slots] >= BOUND
        hits = int((sure & (heaped.argmax(axis=1)[slots] == place)).sum())
        named = float(sure.mean())  # a blind guesser who names as many is right about the commonest
        detail = f"{100 * named:.1f} % of records are named"
        yield Trial.counted(pairs.group.about, hits, rows, named * most, detail=detail)
