"""Mining a release: from its evidence to a tree, without scikit-learn."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from privet.compiled import single_products
from privet.errors import DataError, MethodError
from privet.estimate.accuracy import accuracy
from privet.estimate.contest import APART, lead_of
from privet.estimate.measured import measured
from privet.estimate.methods import evidence_of
from privet.grow import grow
from privet.tree.prune import is_chance, is_worth_telling, prune_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from privet.estimate.base import Evidence
    from privet.estimate.contest import Lead
    from privet.estimate.methods import Chosen
    from privet.release import Release
    from privet.split import Policy
    from privet.tree import Tree

    Grower = Callable[[Evidence, Policy, str], tuple[Tree, ...]]

__all__ = ["Mined", "mine"]

# Pruning where nobody chose a policy: C4.5's confidence, and less for larger trees, so that about
# as many subtrees stay by chance however many there are to try. On ten tables of 600 to 32,561
# records no fixed confidence from 0.25 to 0.001 did better by more than half a point; on Adult 49
# leaves are left of 4,663 and the accuracy on its test records rises from 80.9 to 86.2 %.
CONFIDENCE, BY_CHANCE = 0.25, 10

# What `auto` compares with the method that the card suggests, which is the best one on average
# (random worlds: python -m benchmarks worlds): by how many standard errors another must lead.
RIVALS = ("naive", "direct")
SURE = 2.0
LEAST, ENOUGH = 100, 100_000  # records of a part, and in all, that methods are compared on


class Mined(NamedTuple):
    """What was mined: one tree or several, by which method, and why."""

    trees: tuple[Tree, ...]
    method: str
    reason: str

    @property
    def tree(self) -> Tree:
        """The tree, or the first of several."""
        return self.trees[0]


def _of_all(tree: Tree, release: Release) -> Tree:
    """Return a tree with counts of all records, where a first wave's were left out."""
    more = release.rows / tree.counts[0].sum() if release.drawn else 1.0
    if abs(more - 1.0) < 1e-9:
        return tree
    errors, sizes = more * tree.errors, more * tree.size_errors
    return replace(tree, counts=more * tree.counts, errors=errors, size_errors=sizes)


def _with_errors(
    trees: tuple[Tree, ...], chosen: Chosen, release: Release, policy: Policy
) -> tuple[Tree, ...]:
    """Return trees with errors that cover; those of a forest only if growing brought them."""
    if len(trees) == 1:
        least_z = chosen.evidence.least_z
        return (measured(trees[0], release, policy.criterion, least_z=least_z),)
    return trees if chosen.measured else tuple(tree.unmeasured() for tree in trees)


def _one(evidence: Evidence, policy: Policy, target: str) -> tuple[Tree, ...]:
    return (grow(evidence, policy, target),)


def mine(
    release: Release,
    policy: Policy,
    method: str = "auto",
    *,
    any_leaf: bool = False,
    prune: bool = False,
    grower: Grower = _one,
) -> Mined:
    """Learn from a release what is right about its originals.

    Leaves are as large as the method asks for, unless ``any_leaf`` leaves it to the policy. With
    ``prune`` a tree whose splits the evidence does not test is pruned by errors, so that it can be
    read and generalises, also if the policy does not prune.
    ``grower`` makes the trees of some evidence.

    >>> from privet import datasets
    >>> from privet.disguise import Exact, Plan
    >>> from privet.split import Policy
    >>> table, schema = datasets.load("weather"), datasets.schema("weather")
    >>> mine(Plan({}, default=Exact()).disguise(table, schema), Policy.named("id3")).tree.depth
    2
    """
    target = release.schema.target
    if len(release.schema.classes) < 2:
        raise DataError(f"The class {target!r} has a single value: nothing to learn.")
    grown = _Growing(policy, any_leaf=any_leaf, prune=prune)
    chosen = evidence_of(release, method)
    if method == "auto":
        chosen = _contest(release, chosen, grown)
    trees = grown.trees(chosen, target, grower)
    whole = {attribute.name for attribute in release.schema.inputs if attribute.integer}
    trees = tuple(tree.with_whole(whole) for tree in trees)
    trees = tuple(_of_all(tree, release) for tree in trees)
    trees = _with_errors(trees, chosen, release, policy)
    fitted = chosen.method == "joint" and not chosen.evidence.tests_splits
    if prune and fitted and len(trees) == 1 and is_chance(trees[0]):
        trees = (trees[0].take([0]),)
    plain = all(part.channel(target) is None for part in release.parts)
    if plain and (trees[0].counts[0] > 0.5).sum() < 2:  # whole records, up to rounding
        message = f"The records are all of one class of {target!r}; "
        message += "at least two classes are needed."
        raise DataError(message, hint="a tree has nothing to tell apart here.")
    trees = tuple(replace(tree, method=chosen.method) for tree in trees)
    return Mined(trees, chosen.method, chosen.reason)


class _Growing(NamedTuple):
    """How trees are grown from the evidence that was taken."""

    policy: Policy
    any_leaf: bool
    prune: bool

    def trees(self, chosen: Chosen, target: str, grower: Grower = _one) -> tuple[Tree, ...]:
        """Return the trees of some evidence."""
        policy = self.policy.counted(chosen.rows)
        evidence = chosen.evidence.with_leaves(0.0 if self.any_leaf else chosen.leaf)
        with single_products():
            trees = grower(evidence, policy, target)
        if self.prune and policy.confidence is None and not evidence.tests_splits:
            trees = tuple(_pruned(tree) for tree in trees)
        return trees


def _contest(release: Release, chosen: Chosen, growing: _Growing) -> Chosen:
    """Return the evidence whose tree is right most often about records it did not grow on.

    Methods grow on one half of some records and are judged by the other, each beside the one that
    the card suggests, which stays unless another is surely ahead. Thresholds inside cells are worth
    something that cells do not show: half of what they may be worth is taken off a rival's lead.
    """
    halves = None if not _may_contest(release) else _halves(release)
    if halves is None:
        return chosen
    first, second = halves
    leads: dict[str, Lead] = {}
    try:
        own = growing.trees(evidence_of(first, chosen.method), release.schema.target)[0]
        unseen = accuracy(own, second).cut / 2
        for method in RIVALS:
            if method != chosen.method:
                with suppress(MethodError):
                    rival = growing.trees(evidence_of(first, method), release.schema.target)[0]
                    leads[method] = lead_of(rival, own, second)
    except MethodError:
        return chosen
    if not leads:
        return chosen
    sure = {method: lead.surely(unseen) for method, lead in leads.items()}
    best = max(sure, key=lambda method: sure[method])
    where = f"{second.rows:,} held-out records"
    if sure[best] <= SURE:
        told = ", ".join(_told(method, lead) for method, lead in leads.items())
        return chosen._replace(reason=f"{chosen.reason}. On {where} {told}")
    reason = f"on {where} it was right {leads[best]} more often than {chosen.method}"
    others = [_told(method, lead) for method, lead in leads.items() if method != best]
    reason += f" ({', '.join(others)} than {chosen.method})" if others else ""
    return evidence_of(release, best)._replace(reason=reason)


def _told(method: str, lead: Lead) -> str:
    """Say by how much a method leads; only the error where that is all there is to say."""
    if lead.error > APART and abs(lead.surely()) < SURE:
        return f"{method} could not be told apart (± {100 * lead.error:.0f} points)"
    if max(abs(lead.value), lead.error) < 0.0005:  # what is printed would be 0.0 ± 0.0
        return f"{method} was equal"
    return f"{method} was {lead} {'better' if lead.value > 0 else 'worse'}"


def _may_contest(release: Release) -> bool:
    """Whether disguised records can tell how often a tree is right, and can be kept apart."""
    if release.universe is not None or release.unbounded is not None:
        return False
    channels = [channel for part in release.parts for channel in part.channels]
    inverted = not any(channel.numbers for channel in channels)
    chance = any(channel.entropy() > 0 for channel in channels if not channel.numbers)
    alike = all(part.sign == 1 and part.table.rows >= LEAST for part in release.parts)
    return chance and inverted and alike and release.shuffled


def _halves(release: Release) -> tuple[Release, Release] | None:
    """Return two halves of the records, or of as many as are enough; rows are shuffled."""
    if release.rows > ENOUGH:
        release, _ = release.split(ENOUGH / release.rows)
    return release.split(0.5)


def _pruned(tree: Tree) -> Tree:
    if not is_worth_telling(tree):
        return tree.take([0])
    return prune_errors(tree, min(CONFIDENCE, BY_CHANCE / len(tree.leaves)))
