"""Do channels keep the ε they claim? ``python -m benchmarks claims``.

Configurations are drawn at random over every kind of channel that claims an ε. Each is drawn from a
million times per input, and a lower confidence bound of its ε is computed from the draws alone. No
bound may lie above the claim, but for a chance of one in a million over all of them together. To
show that the test can fail, it is repeated with a slip planted: words are drawn by a γ that is a
tenth larger than the one claimed.
"""

from __future__ import annotations

import argparse
import math
import secrets
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.harness import Goal, Report
from privet.audit.statistics import epsilon_from_counts
from privet.channel import Band, Flip, GammaDiagonal, JointGammaDiagonal, WrittenMatrix
from privet.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privet.channel import Channel

    Draw = Callable[[np.random.Generator, float], tuple[Channel, Channel]]

__all__ = ["KINDS", "bound", "main", "pooled_bound"]

ERROR = 1e-6  # over all configurations together
SLIP = Fraction(11, 10)  # what the planted γ is too large by
LEAST, MOST = 1.5, 30.0  # of γ


@dataclass(frozen=True)
class Checked:
    """One configuration: what it claims, and what its draws and those with a slip show."""

    kind: str
    inputs: int
    claim: float
    bound: float
    planted: float


# A pair of channels: the one that is claimed, and the one whose γ is a tenth larger.


def _diagonal(rng: np.random.Generator, gamma: float) -> tuple[Channel, Channel]:
    size, bits = int(rng.integers(2, 25)), int(rng.choice([16, 24, 32]))
    held = Fraction(gamma)
    return GammaDiagonal("a", size, held, bits), GammaDiagonal("a", size, held * SLIP, bits)


def _joint(rng: np.random.Generator, gamma: float) -> tuple[Channel, Channel]:
    sizes = (int(rng.integers(2, 6)), int(rng.integers(2, 6)))
    held = Fraction(gamma)
    names = ("a", "b")
    return JointGammaDiagonal(names, sizes, held), JointGammaDiagonal(names, sizes, held * SLIP)


def _band(rng: np.random.Generator, gamma: float) -> tuple[Channel, Channel]:
    size = int(rng.integers(4, 25))
    claimed = Band("a", size, Fraction(gamma))
    return claimed, Band("a", size, Fraction(gamma) * SLIP, claimed.half)


def _flip(rng: np.random.Generator, gamma: float) -> tuple[Channel, Channel]:
    lies = bool(rng.integers(2))
    odds = [Fraction(gamma), Fraction(gamma) * SLIP]
    truth, slipped = (1 / (1 + odd) if lies else odd / (1 + odd) for odd in odds)
    return Flip(("a",), truth), Flip(("a",), slipped)


def _matrix(rng: np.random.Generator, gamma: float) -> tuple[Channel, Channel]:
    """Return any matrix whose worst ratio is γ, and the same drawn apart until it is 1.1 γ."""
    size = int(rng.integers(2, 9))
    logs = rng.normal(size=(size, size)) + 2 * np.eye(size)

    def stretched(power: float) -> NDArray[np.float64]:
        held = np.exp(power * logs)
        return np.asarray(held / held.sum(axis=0), np.float64)

    def reaching(worst: float) -> WrittenMatrix:
        low, high = 0.0, 64.0
        for _ in range(60):
            power = (low + high) / 2
            held = stretched(power)
            over = (held.max(axis=1) / held.min(axis=1)).max() > worst
            low, high = (low, power) if over else (power, high)
        return WrittenMatrix.of("a", stretched(low).tolist())

    return reaching(gamma), reaching(gamma * float(SLIP))


KINDS: dict[str, Draw] = {
    "gamma-diagonal": _diagonal,
    "joint-gamma-diagonal": _joint,
    "band": _band,
    "flip": _flip,
    "matrix": _matrix,
}


def counted(channel: Channel, source: Randomness, column: int, draws: int) -> NDArray[np.int64]:
    """Return how often each output came for each input, outputs × inputs."""
    counts = np.zeros((channel.output_size, channel.input_size), np.int64)
    for code in range(channel.input_size):
        drawn = channel.disguise(np.full(draws, code), source, column, code * draws)
        counts[:, code] = np.bincount(drawn, minlength=channel.output_size)
    return counts


def pooled_bound(counts: NDArray[np.int64], matrix: NDArray[np.int64], error: float) -> float:
    """Return a lower confidence bound of ε over many pairs of inputs at once.

    For events E_x and a permutation y(x) fixed before anything is drawn, Σ P(E_x | x) is at most
    e^ε · Σ P(E_x | y(x)), and both sums are known well. The events are where the claimed matrix has
    its worst ratios; of the rotations y(x) = x + s the one with the largest events is taken.
    """
    from scipy.special import betainccinv, betaincinv

    inputs = matrix.shape[1]
    chosen: tuple[float, int, NDArray[np.bool_]] | None = None
    worst = (matrix.max(axis=1) / np.maximum(matrix.min(axis=1), 1)).max()
    for shift in range(1, inputs):
        far = np.roll(matrix, -shift, axis=1)
        events = matrix > far * worst * 0.999
        mass = float(far[events].sum())
        if chosen is None or mass > chosen[0]:
            chosen = mass, shift, events
    if chosen is None or not chosen[0]:
        return 0.0
    _, shift, events = chosen
    near = int(counts[events].sum())
    remote = int(np.roll(counts, -shift, axis=1)[events].sum())
    total = int(counts.sum())
    # A sum of unlike coins is spread no wider than one of alike coins (Hoeffding 1956).
    low = float(betaincinv(max(near, 1), total - near + 1, error / 2)) if near else 0.0
    high = float(betainccinv(remote + 1, max(total - remote, 1), error / 2))
    return math.log(max(low / high, 1.0))


def bound(
    claimed: Channel, drawn: Channel, source: Randomness, column: int, draws: int, error: float
) -> float:
    """Return a lower confidence bound of the ε of what ``drawn`` draws.

    ``claimed`` says where to look; a false claim does not make the bound wrong, only weak.
    """
    counts = counted(drawn, source, column, draws)
    favoured = np.argmax(claimed.matrix(), axis=1)
    first = epsilon_from_counts(counts, favoured, error / 2)
    return max(first, pooled_bound(counts, claimed.matrix(), error / 2))


def run(configurations: int, draws: int, seed: int) -> list[Checked]:
    """Check configurations of every kind in turn."""
    rng = np.random.default_rng(seed)
    checked = []
    kinds = list(KINDS.items())
    with Randomness.system() as source:
        for number in range(configurations):
            kind, make = kinds[number % len(kinds)]
            gamma = math.exp(rng.uniform(math.log(LEAST), math.log(MOST)))
            claimed, slipped = make(rng, gamma)
            error = ERROR / configurations
            checked.append(
                Checked(
                    kind,
                    claimed.input_size,
                    claimed.epsilon(),
                    bound(claimed, claimed, source, 2 * number, draws, error),
                    bound(claimed, slipped, source, 2 * number + 1, draws, error),
                )
            )
    return checked


def main(arguments: list[str] | None = None) -> int:
    """Run, print and write; return 1 if a claim is broken, or a slip overlooked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks claims", description=__doc__)
    parser.add_argument("--configurations", type=int, default=300)
    parser.add_argument("--draws", type=int, default=1_000_000, help="per input")
    parser.add_argument("--seed", type=int, default=None, help="of the configurations")
    asked = parser.parse_args(arguments)
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    checked = run(asked.configurations, asked.draws, seed)
    about = f"{len(checked)} configurations (seed {seed}), {asked.draws:,} draws per input, "
    report = Report("claims", about + f"simultaneous error {ERROR:g}")
    groups: dict[str, list[Checked]] = defaultdict(list)
    for one in checked:
        groups[one.kind].append(one)
    table = Table(
        "channel",
        "configurations",
        "draws",
        "bounds above the claim",
        "claim − bound",
        "slip found",
    )
    for kind, held in {**groups, "all": checked}.items():
        gap = np.array([one.claim - one.bound for one in held])
        table.add_row(
            kind,
            str(len(held)),
            f"{asked.draws * sum(one.inputs for one in held):,}",
            str(int((gap < 0).sum())),
            f"{gap.min():.4f} to {gap.max():.4f}",
            f"{sum(one.planted > one.claim for one in held)}",
        )
    broken = sum(one.bound > one.claim for one in checked)
    caught = sum(one.planted > one.claim for one in checked)
    report.goals += [
        Goal("bounds above the claim", broken, 0, at_most=True),
        Goal("configurations that find the planted slip", caught, len(checked)),
    ]
    report.facts["overlooked"] = [
        f"{one.kind} of {one.inputs}, ε = {one.claim:.2f}"
        for one in checked
        if one.planted <= one.claim
    ]
    console = Console()
    console.print(table)
    report.show(console)
    console.print(f"  written: benchmarks/results/{report.write().name}", highlight=False)
    return int(broken > 0 or caught < len(checked))
