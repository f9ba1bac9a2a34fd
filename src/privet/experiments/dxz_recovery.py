"""DXZ §2.3: recovery attacks that break additive noise, on noise and on substitution.

Thirty attributes of rank three, cut to twenty cells. The noise is Gaussian with the deviation that
the substitution has if it is taken for noise, so both disguises move values equally far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.recovery import pca, spectral
from privet.audit.attacks.substitution import taken_for_noise
from privet.channel import GammaDiagonal
from privet.experiments.lab import mean
from privet.experiments.page import Compared, Section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.experiments.lab import Row, Seeds, Setting

__all__ = ["recovered", "recovering"]

RANK, COLUMNS, CELLS = 3, 30, 20
SPREAD = 3.0  # standard deviations of the range on either side
GAINED = 0.95  # of the error of guessing the mean: an attack below that has recovered something


def recovering(setting: Setting, seeds: Seeds) -> dict[str, float]:
    """Disguise records of low rank in both ways; return what each attack leaves of the disguise."""
    rng = seeds.generator("records")
    rows: int = setting["rows"]
    signal = rng.normal(size=(rows, RANK)) @ rng.normal(size=(RANK, COLUMNS))
    places = (signal / signal.std(axis=0) / SPREAD + 1) / 2 * CELLS
    truth = np.clip(places.astype(np.int64), 0, CELLS - 1)
    channel = GammaDiagonal("x", CELLS, setting["gamma"])
    words = rng.integers(0, channel.scale, truth.size, dtype=np.uint32)
    substituted = channel.draw(truth.ravel().astype(np.uint8), words).reshape(truth.shape)
    law = channel.matrix() / channel.scale
    shares = [np.bincount(column, minlength=CELLS) / rows for column in truth.T]
    deviations = np.array([taken_for_noise(law, share) for share in shares])
    noisy = truth + rng.normal(size=truth.shape) * deviations

    def left(guesses: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
        errors = (np.clip(guesses, 0, CELLS - 1) - truth) / deviations
        return float(np.sqrt(np.mean(errors**2)))

    return {
        "noise_spectral": left(spectral(noisy, deviations)),
        "noise_pca": left(pca(noisy, deviations)),
        "substitution_spectral": left(spectral(substituted.astype(np.float64), deviations)),
        "substitution_pca": left(pca(substituted.astype(np.float64), deviations)),
        "everyone": left(np.broadcast_to(truth.mean(axis=0), truth.shape)),
        "read": float((substituted == truth).mean()),
    }


def recovered(rows: Sequence[Row]) -> tuple[Section, list[Compared]]:
    """Set what the attacks leave of noise beside what they leave of substitution."""
    kinds = ["noise_spectral", "noise_pca", "substitution_spectral", "substitution_pca", "everyone"]
    gammas = sorted({row["gamma"] for row in rows})
    lines, gained, broken, shares = [], [], [], []
    for gamma in gammas:
        these = [row for row in rows if row["gamma"] == gamma]
        left = {kind: mean(row[kind] for row in these)[0] for kind in kinds}
        unmoved, _ = mean(row["read"] for row in these)
        lines.append([gamma, *(f"{left[kind]:.2f}" for kind in kinds), f"{100 * unmoved:.0f} %"])
        bar = GAINED * left["everyone"]
        if min(left["substitution_spectral"], left["substitution_pca"]) < bar:
            gained.append(gamma)
        shares += [left["noise_spectral"], left["noise_pca"]]
        if max(shares[-2:]) < bar:
            broken.append(gamma)
    header = ["γ", "noise, spectral", "noise, PCA", "substitution, spectral", "substitution, PCA"]
    header += ["guessing the mean", "unchanged values"]
    text = "The root mean square error of an attack, divided by that of the disguise: "
    text += f"{COLUMNS} attributes of rank {RANK}, {CELLS} cells.\n\n" + table(header, lines)
    safe = [gamma for gamma in gammas if gamma not in gained]
    named = ", ".join(map(str, safe)) or "none"
    compared = [
        Compared(
            "recovery attacks accurately derive the originals from additive noise",
            f"they leave {min(shares):.2f} to {max(shares):.2f} of the noise, less than guessing "
            f"the mean at {len(broken)} of {len(gammas)} widths of noise",
            holds=len(broken) == len(gammas),
        ),
        Compared(
            "random substitution is immune to these attacks",
            f"at γ = {named} they are no better than guessing the mean"
            + (f"; at γ = {', '.join(map(str, gained))} they are" if gained else ""),
            holds=not gained,
        ),
    ]
    return Section("recovery", text, "Recovery attacks (§2.3)"), compared
