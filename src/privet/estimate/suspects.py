"""Whether a tree overlooks an attribute: what disguised records of its leaves say of the others.

Taken at face value they say too little, and some of it only because attributes hang together. But
an attribute that divides a leaf surely shows there too, so where nothing shows nothing is missed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privet.split.candidates import candidates_of
from privet.split.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.estimate.routed import WalkedEvidence
    from privet.tree import Tree

__all__ = ["seems_to_divide"]


def seems_to_divide(
    records: WalkedEvidence,
    tree: Tree,
    leaves: Sequence[int],
    others: Sequence[int],
    least_z: float,
) -> bool:
    """Whether one of ``others`` seems to divide a leaf of a tree as surely as ``least_z``.

    z² is twice the gain in log-likelihood.
    """
    if not leaves or not others:
        return False
    walked = records.at(tree, leaves)
    policy = Policy(criterion="entropy")
    for leaf in range(len(leaves)):
        tables = walked.at(leaf)
        for place in others:
            candidates = candidates_of(place, tables[place], tree.codings[place], policy)
            bits = 0.0 if candidates is None else candidates.gain.max() * tables[place].mean.sum()
            if 2 * math.log(2) * bits >= least_z**2:
                return True
    return False
