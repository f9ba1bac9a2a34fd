"""Tables of an attribute at a node, values × classes: counted, or estimated with an error.

A table says how sure its splits are. ``screened`` looks at all candidates at once, ``written`` at
the split that is taken. Variance is over the disguise, with the originals fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.split.criterion import criterion
from privet.split.scored import roots

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Mask
    from privet.split.policy import Policy

__all__ = ["Counted", "Estimate", "Linear", "Screened", "Total", "Written", "members", "sureness"]


class Total(NamedTuple):
    """The class counts of a node, their standard errors, and how many records it has."""

    counts: Floats
    errors: Floats
    rows: float


class Screened(NamedTuple):
    """How sure candidates are: z, what each scores, and which of its branches are large enough."""

    z: Floats
    score: Floats
    large: Mask


class Written(NamedTuple):
    """How sure a chosen split is: z, the errors of its counts and sizes, which branches are not."""

    z: float
    errors: Floats
    size_errors: Floats
    unsure: Mask


class Estimate:
    """The table of an attribute at a node; ``mean`` is values × classes."""

    rows: Floats | None = None  # how many records each value has, where ``mean`` adds up weights

    if TYPE_CHECKING:

        @property
        def mean(self) -> Floats:
            """Return the table; a kind of estimate stores it or works it out."""

    def variances(self, coefficients: Floats) -> Floats:
        """Return the variance of sums of cells.

        ``coefficients`` is k × values × classes; the i-th sum is Σ coefficients[i] · table.
        """
        return np.zeros(len(coefficients))

    def total(self) -> Total:
        """Return what the table says of all values together."""
        classes = self.mean.shape[1]
        single = np.einsum("dc,v->dvc", np.eye(classes), np.ones(len(self.mean)))
        errors = roots(self.variances(single), self.mean.sum())
        rows = self.mean if self.rows is None else self.rows
        return Total(self.mean.sum(0), errors, float(rows.sum()))

    def screened(
        self, branch: NDArray[np.int16], counts: Floats, gain: Floats, policy: Policy
    ) -> Screened:
        """Say how sure candidates are: infinitely, and scores are gains, if nothing is uncertain.

        ``branch`` is candidates × codes, ``counts`` candidates × branches × classes, ``gain`` the
        gain per record.
        """
        del branch, policy
        return Screened(np.full(len(gain), np.inf), gain, np.ones(counts.shape[:2], np.bool_))

    def written(
        self, branch: NDArray[np.int16], counts: Floats, coding: Coding, z: float
    ) -> Written | None:
        """Say how sure a chosen split is, or None if it does not stand closer scrutiny.

        ``z`` is what ``screened`` said of it. If nothing is uncertain, there are no errors.
        """
        del branch, coding
        none = np.zeros_like(counts)
        return Written(z, none, none[:, 0], np.zeros(len(counts), np.bool_))


@dataclass(frozen=True, eq=False)
class Counted(Estimate):
    """A table that was simply counted: nothing about it is uncertain."""

    mean: Floats
    rows: Floats | None = None


def sureness(gain: Floats, variance: Floats, gain_z: float) -> tuple[Floats, Floats]:
    """Return how many standard errors each gain is above zero, and what it scores.

    An estimated variance may come out negative: then nothing is known of the error.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(np.maximum(variance, 0.0))
        z = np.where(variance > 0, gain / error, np.where(variance < 0, 0.0, np.inf))
        score = np.where(z > 0, gain * (1.0 - (gain_z / z) ** 2), -1.0)
    return z, np.where(np.isinf(z), gain, score)


class Linear(Estimate):
    """A table estimated linearly from what was observed: the variance of every sum is known.

    A gain must be ``gain_z`` standard errors above zero, and counts for less the nearer it is to
    that; a child must hold ``child_z`` standard errors of records; a branch whose leading class is
    less than ``lead_z`` standard errors ahead is unsure. Two standard errors are the usual 95 %;
    one for a lead, because a wrong label of a branch whose classes are about equal costs little.
    """

    gain_z: float = 2.0
    child_z: float = 2.0
    lead_z: float = 1.0

    def screened(
        self, branch: NDArray[np.int16], counts: Floats, gain: Floats, policy: Policy
    ) -> Screened:
        """Compare each gain with its linearised error, and each branch with its own.

        The gain's slope by a cell is the parent's less that of the branch the cell is in.
        """
        slope = criterion(policy.criterion).slope
        member = members(branch, counts.shape[1])
        total = counts.sum(1)
        slopes = slope(total)[:, None, :] - slope(counts)
        coefficients = np.einsum("kbv,kbc->kvc", member, slopes)
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = self.variances(coefficients) / np.maximum(total, 0.0).sum(-1) ** 2
        z, score = sureness(gain, variance, self.gain_z)
        noisy = variance != 0
        rows = counts.sum(-1)
        errors = self._row_errors(member) if noisy.any() else np.zeros_like(rows)
        large = rows >= self.child_z * errors
        return Screened(z, np.where(noisy & (z < self.gain_z), -np.inf, score), large)

    def _row_errors(self, member: Floats) -> Floats:
        number, branches, size = member.shape
        flat = member.reshape(-1, size)[:, :, None] * np.ones(self.mean.shape[1])
        return np.sqrt(np.maximum(self.variances(flat), 0.0)).reshape(number, branches)

    def written(
        self,
        branch: NDArray[np.int16],
        counts: Floats,
        coding: Coding,  # noqa: ARG002 - the errors say all
        z: float,
    ) -> Written | None:
        """Return the standard error of each count, and the branches without a clear lead."""
        errors, sizes, leads = self.leads(branch, counts)
        return Written(z, errors, sizes, leads < self.lead_z)

    def leads(self, branch: NDArray[np.int16], counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the standard errors of each count and each size, and leads in standard errors."""
        branches, classes = counts.shape
        member = members(branch[None], branches)[0]
        each = np.vstack([np.eye(classes), np.ones(classes)])  # each class, and all together
        asked = np.einsum("bv,dc->bdvc", member, each).reshape(-1, member.shape[1], classes)
        both = roots(self.variances(asked), self.mean.sum()).reshape(branches, classes + 1)
        errors, sizes = both[:, :-1], both[:, -1]
        if classes == 1 or not errors.any():
            return errors, sizes, np.full(branches, np.inf)
        order = np.argsort(-counts, axis=1, kind="stable")
        ahead = np.zeros((branches, classes))
        np.put_along_axis(ahead, order[:, :1], 1.0, axis=1)
        np.put_along_axis(ahead, order[:, 1:2], -1.0, axis=1)
        variances = self.variances(np.einsum("bv,bc->bvc", member, ahead))
        lead = (counts * ahead).sum(1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return errors, sizes, np.where(variances > 0, lead / np.sqrt(variances), np.inf)


def members(branch: NDArray[np.int16], number: int) -> Floats:
    """Return which codes are in each branch of candidates: candidates × branches × codes."""
    inside: Floats = (branch[:, None, :] == np.arange(number)[:, None]).astype(np.float64)
    return inside
