"""SysFor: a forest of the trees that start with good splits (Islam and Giggins, 2011).

The first trees take each good split of the root in turn; where more are wanted, the next ones take
good splits of the root's children. SysFor asks for a gain ratio only; as C4.5 does, we first take
splits that gain at least the average, and the others where these give too few trees. All grow by
the one grower, from shared first levels: the root's tables are counted once however many trees
there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.grow.draft import Known
from privet.grow.grower import Level, grow, grown, next_level
from privet.split.candidates import ranked_splits
from privet.split.scored import TIE, informations, ratios

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privet.coding import Coding, Floats
    from privet.estimate.base import Evidence
    from privet.split.candidates import Candidates
    from privet.split.policy import Policy
    from privet.split.scored import Scored
    from privet.tree import Tree

__all__ = ["VOTES", "SysFor", "good_splits", "grow_forest", "votes"]

VOTES = ("credal", "majority")


@dataclass(frozen=True)
class SysFor:
    """How many trees, and which splits are good enough to start a tree.

    A split is good if its gain ratio is at most ``goodness`` below the best. Several cuts of
    one numeric attribute are taken only if they are more than ``separation`` of its range apart.
    """

    trees: int = 60
    goodness: float = 0.3
    separation: float = 0.3


def good_splits(
    every: Sequence[Candidates], policy: Policy, wanted: SysFor, *, below: bool = False
) -> list[Scored]:
    """Return the good splits of a node, best first; the grower's own choice is the first of them.

    Those that follow are taken by their gain ratio, the highest first; as for C4.5 the gain must
    be at least the average of the attributes' best ones, unless ``below`` lets the others in.
    """
    ranked = ranked_splits(every, policy)
    if not ranked:
        return []
    good = ranked[:1]
    codings = {candidates.attribute: candidates.coding for candidates in every}
    cuts = {ranked[0].attribute: [_threshold(codings[ranked[0].attribute], ranked[0])]}
    for score, candidates, place in _offered(every, policy, below=below):
        if len(good) >= wanted.trees or score < ranked[0].score - wanted.goodness - TIE:
            break
        near = cuts.setdefault(candidates.attribute, [])
        coding = candidates.coding
        cut = coding.cut(*candidates.gap(place))[1] if coding.ordered else 0.0
        room = wanted.separation * _range(coding)
        if any(not abs(cut - other) > room for other in near):
            continue
        split = candidates.scored(place, policy)
        if split is not None:
            near.append(cut)
            good.append(split)
    return good


def _offered(
    every: Sequence[Candidates], policy: Policy, *, below: bool
) -> list[tuple[float, Candidates, int]]:
    """Return all candidates that may be chosen with their scores, the highest first."""
    tops = np.array([candidates.score.max() for candidates in every])
    least = np.array([tops[tops > TIE].mean() if (tops > TIE).any() and not below else 0.0])
    offered = []
    for candidates in every:
        scores: Floats = candidates.score
        if policy.ratio:
            scores = ratios(candidates.score, informations(candidates.counts), policy, least)
        places = np.flatnonzero(scores > -np.inf).tolist()
        offered += [(float(scores[place]), candidates, place) for place in places]
    return sorted(offered, key=lambda offer: -round(offer[0], 12))


def _threshold(coding: Coding, split: Scored) -> float:
    return coding.cut(*split.gap)[1] if coding.ordered else 0.0


def _range(coding: Coding) -> float:
    """Return the width of a numeric domain; a categorical attribute has one split."""
    if coding.lower is None or coding.upper is None:
        return 0.0
    return float(coding.upper[-1] - coding.lower[0])


def grow_forest(
    evidence: Evidence, policy: Policy, target: str = "class", wanted: SysFor | None = None
) -> tuple[Tree, ...]:
    """Grow up to ``wanted.trees`` different trees, the policy's own tree first.

    There are fewer if there are not so many good splits at the root and its children.
    """
    wanted = SysFor() if wanted is None else wanted
    evidence = evidence.narrowed(lambda of: grown(of, policy, target))
    policy = evidence.bounded(policy)
    trees: list[Tree] = []
    known = Known(shared=True)
    for levels in _starts(evidence, policy, wanted):
        tree = grow(evidence, policy, target, levels, known)
        if not any(tree.same_as(other) for other in trees):
            trees.append(tree)
        if len(trees) >= wanted.trees:
            break
    return tuple(trees)


def _starts(evidence: Evidence, policy: Policy, wanted: SysFor) -> Iterator[list[Level]]:
    """Give the first levels of one tree after another, none of them twice."""
    root = Level(evidence.root())
    given = set()
    for below in (False, True) if policy.ratio else (False,):
        for levels in _starts_from(evidence, policy, wanted, root, below=below):
            key = tuple(_key(split) for level in levels for split in level.chosen)
            if key not in given:
                given.add(key)
                yield levels


def _key(split: Scored | None) -> tuple[int, bytes]:
    return (-1, b"") if split is None else (split.attribute, split.branch.tobytes())


def _starts_from(
    evidence: Evidence, policy: Policy, wanted: SysFor, root: Level, *, below: bool
) -> Iterator[list[Level]]:
    good = good_splits(root.frontier.candidates(0, policy), policy, wanted, below=below)
    if policy.max_depth == 0 or not good:
        yield [root._replace(chosen=[None])]
        return
    for split in good:
        yield [root._replace(chosen=[split])]
    for split in good:
        yield from _second(evidence, policy, wanted, root._replace(chosen=[split]), below=below)


def _second(
    evidence: Evidence, policy: Policy, wanted: SysFor, root: Level, *, below: bool
) -> Iterator[list[Level]]:
    """Give the starts of trees that share a root's split and differ at its children.

    There are ⌊Σ n g / Σ n⌋ of them, n being a child's records and g its good splits; tree x takes
    each child's good split x + 2, or its best if it has fewer.
    """
    level, keep = next_level(evidence, root, 0, policy)
    (split,) = root.chosen
    if level is None or split is None:
        return
    good = [
        good_splits(level.frontier.candidates(node, policy), policy, wanted, below=below)
        for node in range(level.frontier.nodes)
    ]
    rows = np.maximum(split.counts.sum(1), 0.0)
    numbers = np.array([len(splits) for splits in good])
    trees = int((rows[keep] * numbers).sum() / rows.sum() + TIE)
    for place in range(1, trees + 1):
        chosen = [
            (splits[place] if place < len(splits) else splits[0]) if splits else None
            for splits in good
        ]
        yield [root, level._replace(chosen=chosen)]


def votes(tree: Tree, voting: str) -> Floats:
    """Return what each node of a tree gives to each class, nodes × classes.

    ``credal``: the lower probabilities n_c / (n + 1) of Walley's imprecise Dirichlet model, so
    that a leaf of few records says little; ``majority``: one to its label.
    """
    if voting == "majority":
        single: Floats = np.eye(len(tree.classes))[tree.label]
        return single
    rows = np.maximum(tree.counts, 0.0).sum(1, keepdims=True)
    lower: Floats = tree.shares * rows / (rows + 1.0)
    return lower
