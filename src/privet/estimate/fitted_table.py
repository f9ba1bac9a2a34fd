"""A table of an attribute at a node, cut out of a fitted joint table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.estimate.weighted import variances
from privet.split.tables import Linear, Screened, Written

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Mask
    from privet.estimate.joint import Joint
    from privet.split.policy import Policy

__all__ = ["Fitted"]

# A split that brings z² / 2 of log-likelihood costs SPLIT_Z² / 2: the grower goes on past splits of
# half that z, and subtrees that do not pay are cut. The usual two standard errors.
SPLIT_Z = 2.0


@dataclass(frozen=True, eq=False)
class Fitted(Linear):
    """A table of an attribute at a node, cut out of a fitted joint table.

    ``mean`` holds the fitted counts, values × classes; never negative. ``labels`` inverts the
    class's channel, None if there is none; ``masks`` is the node's box along the joint's axes.
    ``split_z`` is what a split has to bring, as ``SPLIT_Z``; 0 if none has to be sure. ``least_z``
    is how sure it has to be by itself.
    """

    mean: Floats
    labels: Floats | None = None
    joint: Joint | None = None
    masks: tuple[Mask, ...] = ()
    own: int = 0
    split_z: float = SPLIT_Z
    least_z: float = 0.0

    def screened(
        self,
        branch: NDArray[np.int16],  # noqa: ARG002 - a split's likelihood is asked when it is chosen
        counts: Floats,
        gain: Floats,
        policy: Policy,  # noqa: ARG002 - the same
    ) -> Screened:
        """Let all candidates pass: ``written`` puts the chosen split to a sharper test."""
        return Screened(np.full(len(gain), np.inf), gain, np.ones(counts.shape[:2], np.bool_))

    def written(
        self, branch: NDArray[np.int16], counts: Floats, coding: Coding, z: float
    ) -> Written | None:
        """Ask how much likelier the split makes what was observed, less the price of its choices.

        A split costs ``split_z``² for two choices, where to divide and how the classes differ;
        every category beyond two, or every branch, is one choice more.
        """
        none = np.zeros_like(counts)  # errors are worked out for the splits that stay
        written = Written(z, none, none[:, 0], np.zeros(len(counts), np.bool_))
        if self.split_z == 0:
            return written
        z = self.likelihood_z(branch)
        if not coding.ordered:
            branches = len(counts)
            values = int(self.mean.any(1).sum()) if branches == 2 else branches
            z = math.sqrt(max(0.0, z**2 - (values - 2) * self.split_z**2 / 2))
        return None if z < max(self.split_z / 2, self.least_z) else written._replace(z=z)

    def variances(self, coefficients: Floats) -> Floats:
        """Return the variance of sums of cells in the linear estimate by left inverses.

        EM's is a bettered version of that one: an honest upper bound.
        """
        weights, squares = self._linear
        return variances(weights, self.labels, squares, self.mean, coefficients)

    @cached_property
    def _linear(self) -> tuple[Floats | None, Floats]:
        """The weights of the attribute's outputs, and what was observed by squared weights.

        Worked out when it is asked for: nobody asks about splits that do not stay.
        """
        if self.joint is None:
            return None, self.mean
        squares = self.joint.observed
        for axis in reversed(range(len(self.masks))):  # the last first, so that places stay right
            if axis != self.own:
                seen, mask = self.joint.views[axis], self.masks[axis]
                share = seen.inside(mask) if seen.inverse is None else mask @ seen.inverse
                squares = np.tensordot(share**2, squares, (0, axis))
        seen, inside = self.joint.views[self.own], self.masks[self.own][:, None]
        if seen.inverse is None:
            return None, squares * inside
        return seen.inverse * inside, squares

    def likelihood_z(self, branch: NDArray[np.int16]) -> float:
        """Return how much likelier what was observed is with a split than without, as a z."""
        return 0.0 if self.joint is None else self.joint.split_z(self.masks, self.own, branch)
