"""Two trees side by side: which rules they share, and for which records they say different things.

Trees of different shape can agree, and trees that share their root can disagree: what counts is
what they predict. So both are walked at once, and every region of records where the predictions
differ is described by its tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.tree.export import phrases, rule
from privet.tree.figures import border

if TYPE_CHECKING:
    from privet.coding import Coding
    from privet.tree.tree import Tree

__all__ = ["Beside", "Difference", "beside"]


@dataclass(frozen=True)
class Difference:
    """A region of records where two trees predict different classes.

    ``most`` is how many records it can hold at most: a region lies in a leaf of each tree.
    """

    where: str
    first: str
    second: str
    most: float


@dataclass(frozen=True)
class Beside:
    """What two trees share and where they differ.

    ``rules`` are in both, word for word; ``only_first`` and ``only_second`` in one.
    ``differences`` come with the largest first.
    """

    rules: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    differences: tuple[Difference, ...]
    most: float  # records, at most, of which the trees say different things
    rows: float


class _Range(NamedTuple):
    """Numbers over ``low`` and at most ``high``, both as the trees print them, too."""

    low: float = -math.inf
    high: float = math.inf
    missing: bool = True
    over: str = ""
    at_most: str = ""

    def bounds(self) -> list[str]:
        """Say the finite bounds."""
        over, at_most = self.over, self.at_most
        if over == at_most:  # the borders of two trees, closer than either prints
            over, at_most = f"{self.low:.10g}", f"{self.high:.10g}"
        said = [f"over {over}"] * math.isfinite(self.low)
        return said + [f"at most {at_most}"] * math.isfinite(self.high)


@dataclass(frozen=True)
class _Region:
    """Records that pass some tests: sets of categories, and half-open ranges of numbers."""

    names: dict[str, frozenset[str]] = field(default_factory=dict)
    ranges: dict[str, _Range] = field(default_factory=dict)

    def step(self, tree: Tree, kid: int) -> _Region | None:
        """Return the part of the region that takes a branch; None if nothing can be in it."""
        parent = int(tree.parent[kid])
        coding = tree.codings[tree.attribute[parent]]
        if coding.ordered:
            known = self.ranges.get(coding.name, _Range())
            cut = float(tree.threshold[parent])
            said = border(tree, parent) if math.isfinite(cut) else ""
            if kid == tree.child[parent]:
                known = known._replace(missing=False)
                known = known._replace(high=cut, at_most=said) if cut < known.high else known
            elif cut > known.low:
                known = known._replace(low=cut, over=said)
            if known.low >= known.high and not known.missing:
                return None
            return _Region(self.names, self.ranges | {coding.name: known})
        route = tree.routes[parent]
        codes = [] if route is None else np.flatnonzero(route == kid - tree.child[parent]).tolist()
        taken = frozenset(coding.label(code) for code in codes)
        both = taken & self.names.get(coding.name, taken)
        return _Region(self.names | {coding.name: both}, self.ranges) if both else None

    def text(self, codings: dict[str, Coding]) -> str:
        """Say the region's tests, attribute by attribute."""
        said = []
        for name, numbers in self.ranges.items():
            bounds = numbers.bounds()
            if numbers.low >= numbers.high or numbers.low == math.inf:
                said.append(f"{name} is missing")
            elif bounds:
                said.append(f"{name} is {' and '.join(bounds)}")
            elif not numbers.missing:
                said.append(f"{name} is not missing")
        for name, values in self.names.items():
            if len(values) < codings[name].size:
                listed = sorted(values)
                more = f" or {len(listed) - 6} more" * (len(listed) > 6)
                said.append(f"{name} is {' or '.join(listed[:6])}{more}")
        return " and ".join(said) or "everywhere"


def beside(first: Tree, second: Tree) -> Beside:
    """Return what two trees of the same class share and where their predictions differ.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    >>> whole = pv.TreeClassifier(policy="id3").fit(release).tree_
    >>> short = pv.TreeClassifier(policy="id3", max_depth=1).fit(release).tree_
    >>> seen = beside(whole, short)
    >>> len(seen.rules), [node.where for node in seen.differences]
    (1, ['Outlook is Sunny and Humidity is Normal', 'Outlook is Rain and Wind is Strong'])
    """
    first, second = first.plain, second.plain
    own, others = (
        {phrases(tree, int(leaf)): int(leaf) for leaf in tree.leaves} for tree in (first, second)
    )
    differences = _differences(first, second)
    rows = np.maximum(first.counts, 0.0).sum(1)
    inside: dict[int, float] = {}
    for leaf, difference in differences:
        inside[leaf] = min(inside.get(leaf, 0.0) + difference.most, float(rows[leaf]))
    return Beside(
        rules=tuple(rule(first, own[key]) for key in own if key in others),
        only_first=tuple(rule(first, own[key]) for key in own if key not in others),
        only_second=tuple(rule(second, others[key]) for key in others if key not in own),
        differences=tuple(
            sorted(
                (difference for _, difference in differences),
                key=lambda difference: -difference.most,
            )
        ),
        most=sum(inside.values()),
        rows=float(rows[0]),
    )


def _differences(first: Tree, second: Tree) -> list[tuple[int, Difference]]:
    sizes = [np.maximum(tree.counts, 0.0).sum(1) for tree in (first, second)]
    codings = {coding.name: coding for tree in (second, first) for coding in tree.codings}
    differences = []
    waiting = [(0, 0, _Region())]
    while waiting:
        node, other, region = waiting.pop()
        if first.child[node] >= 0:
            for kid in reversed(first.children(node)):
                part = region.step(first, kid)
                if part is not None:
                    waiting.append((kid, other, part))
        elif second.child[other] >= 0:
            for kid in reversed(second.children(other)):
                part = region.step(second, kid)
                if part is not None:
                    waiting.append((node, kid, part))
        else:
            labels = first.classes[first.label[node]], second.classes[second.label[other]]
            most = float(min(sizes[0][node], sizes[1][other]))
            if labels[0] != labels[1] and most > 0:
                said = Difference(region.text(codings), str(labels[0]), str(labels[1]), most)
                differences.append((node, said))
    return differences
