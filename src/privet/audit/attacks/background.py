"""Background knowledge: someone who can rule one class out looks at who else is alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.attacks.homogeneity import has_plain, shown_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import Case, World

__all__ = ["background"]


def _applies(case: Case) -> str:
    few = len(case.release.schema.classes) < 3
    return has_plain(case) or (
        "there are two classes: who rules one out, knows the other" if few else ""
    )


@attack("background", applies=_applies)
def background(world: World) -> Iterator[Trial]:
    """Know the class from what is plain, one class being ruled out.

    Needs: the plain attributes of a person, one class that is not theirs, and the release.
    Remedy: disguise the class, or coarsen until every group has several classes (l-diversity).

    Guess the commonest class of rows that are alike, but one.

    Which wrong class a person can be known not to have is drawn evenly for each; so is it for
    the blind guess.
    """
    scene = shown_groups(world)
    if scene is None:
        return
    label, alike, table = scene
    classes = table.shape[1]
    ruled = (label + world.case.rng.integers(1, classes, len(label))) % classes
    shares = np.bincount(label, minlength=classes) / len(label)
    rows = np.arange(len(label))
    left = table[alike.member] + shares / 2  # a group with no other class says nothing
    left[rows, ruled] = -1.0
    apart = np.broadcast_to(shares, left.shape).copy()
    apart[rows, ruled] = -1.0
    hits = int((left.argmax(axis=1) == label).sum())
    blind = float((apart.argmax(axis=1) == label).mean())
    yield Trial.counted(world.case.release.schema.target, hits, len(label), blind)
