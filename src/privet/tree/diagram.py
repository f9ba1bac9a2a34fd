"""What trees elect together, attribute by attribute: a decision diagram of their vote.

Trees ask their attributes in orders of their own, so that their leaves intersect in very many ways.
Asked in one order, most ways come to the same: what counts of the answers so far is which leaves
can still be reached, and what the trees that are settled have voted. States that agree in this are
one, and a state ends where the trees that are left cannot turn the vote any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.errors import MethodError
from privet.tree.export import path_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats, Ints, Mask
    from privet.tree.tree import Tree

__all__ = ["Diagram", "Level", "Lump", "TooManyCasesError", "Voters"]

MOST_STEPS = 100_000  # of states by answers: a record is weighed along each
MOST_ANSWERS = 4_096  # of one group of attributes
LEAD = 1e-9  # of votes that decides: shares are rounded to 12 digits before they are compared
BLOCK = 1_000  # states looked at together, so that their leaves fit into a cache

Route = tuple[int, ...]  # which branch each test of one attribute sends a value to


class TooManyCasesError(MethodError):
    """A vote hangs on too many combinations of answers to be measured."""


class Lump(NamedTuple):
    """Codes that no test tells apart, and the ways their values can go.

    There are several where thresholds cut the cell: it then stands alone.
    """

    mask: Mask
    routes: tuple[Route, ...]


class Level(NamedTuple):
    """One group of attributes asked: ``lumps`` of each, and where each state goes by each answer.

    Answers are the combinations of lumps, the last attribute's fastest. ``goes`` is
    states × answers: a state of the next level, or −1 − e for the end ``e``.
    """

    lumps: tuple[tuple[Lump, ...], ...]
    goes: Ints


class Diagram(NamedTuple):
    """Levels from the ``starts`` on, and which classes are possible at each end."""

    starts: Ints
    levels: tuple[Level, ...]
    ends: Mask


class _States(NamedTuple):
    """Leaves that can still be reached in trees that are open, and the votes of the others."""

    alive: Mask
    votes: Floats


@dataclass(frozen=True)
class Voters:
    """Trees with the same codings, and what each node of each gives to each class."""

    trees: Sequence[Tree]
    votes: Sequence[Floats]

    @cached_property
    def tested(self) -> tuple[int, ...]:
        """The attributes that some tree asks for."""
        return tuple(sorted({int(a) for tree in self.trees for a in tree.attribute if a >= 0}))

    @property
    def leaves(self) -> int:
        """How many leaves all trees have."""
        return len(self._given)

    @cached_property
    def _starts(self) -> Ints:
        return np.cumsum([0, *(len(tree.leaves) for tree in self.trees)])[:-1]

    @cached_property
    def _given(self) -> Floats:
        """The votes of all leaves, leaves × classes."""
        pairs = zip(self.trees, self.votes, strict=True)
        return np.concatenate([votes[tree.leaves] for tree, votes in pairs])

    @cached_property
    def _tests(self) -> dict[int, list[tuple[int, int]]]:
        """The tests of each attribute, as trees and nodes."""
        tests: dict[int, list[tuple[int, int]]] = {place: [] for place in self.tested}
        for number, tree in enumerate(self.trees):
            for node in np.flatnonzero(tree.attribute >= 0).tolist():
                tests[int(tree.attribute[node])].append((number, node))
        return tests

    @cached_property
    def _needed(self) -> dict[int, Ints]:
        """Which branch each leaf needs of each test of an attribute; −1 if it does not care."""
        column = {pair: at for tests in self._tests.values() for at, pair in enumerate(tests)}
        needed = {
            place: np.full((len(self._given), len(tests)), -1)
            for place, tests in self._tests.items()
        }
        for number, tree in enumerate(self.trees):
            for leaf, end in enumerate(tree.leaves.tolist(), int(self._starts[number])):
                for parent, node in pairwise(path_to(tree, end)):
                    branch = node - int(tree.child[parent])
                    needed[int(tree.attribute[parent])][leaf, column[number, parent]] = branch
        return needed

    def lumps(self, place: int, *, whole: bool) -> tuple[Lump, ...]:
        """Return the codes of an attribute by where tests send them.

        ``whole`` takes cells whole, on the side that the tests' routes say; otherwise a cell that
        thresholds cut has a way for each of its pieces.
        """
        coding, tests = self.trees[0].codings[place], self._tests[place]
        routes = np.array([self.trees[tree].routes[node] for tree, node in tests])
        cuts = np.array([self.trees[tree].threshold[node] for tree, node in tests])
        ways: dict[tuple[Route, ...], list[int]] = {}
        for code in range(coding.size):
            ordinary = tuple(routes[:, code].tolist())
            inside = np.zeros(len(tests), np.bool_)
            if coding.lower is not None and coding.upper is not None and code < coding.known:
                inside = (coding.lower[code] < cuts) & (cuts < coding.upper[code])
            every: tuple[Route, ...] = (ordinary,)
            if not whole and inside.any():
                levels = [-np.inf, *np.unique(cuts[inside])]
                pieces = [np.where(inside, cuts <= low, routes[:, code]) for low in levels]
                every = tuple(tuple(map(int, piece)) for piece in pieces)
            ways.setdefault(every, []).append(code)
        return tuple(
            Lump(np.isin(np.arange(coding.size), codes), routes) for routes, codes in ways.items()
        )

    def taking(self, place: int, route: Route) -> Mask:
        """Return which leaves of all trees a value with such a route can come to."""
        needed = self._needed[place]
        return np.asarray(((needed < 0) | (needed == np.array(route))).all(1))

    def follow(self, begin: Mask, groups: Sequence[Sequence[int]], *, whole: bool) -> Diagram:
        """Return the diagram of groups of attributes, asked in this order.

        ``begin`` marks, for each start, the leaves that can be reached when nothing is asked yet.
        """
        nothing = np.zeros((len(begin), self._given.shape[1]))
        states, goes = self._settled(_States(begin, nothing))
        ends = _Ends(self._given.shape[1])
        sets: dict[tuple[int, ...], int] = {}
        starts = ends.numbered([(at,) for at in goes.tolist()], sets)
        levels, steps = [], 0
        for group in groups:
            lumps = tuple(self.lumps(place, whole=whole) for place in group)
            answers = list(product(*lumps))
            ways = [list(product(*(lump.routes for lump in answer))) for answer in answers]
            distinct = list(dict.fromkeys(way for every in ways for way in every))
            steps += len(states.alive) * len(distinct) + len(sets) * len(answers)
            if steps > MOST_STEPS or len(answers) > MOST_ANSWERS:
                message = "The forest has too many trees and leaves: their vote hangs on more than "
                message += f"{MOST_STEPS:,} steps."
                raise TooManyCasesError(message)
            kids, states = self._asked(states, group, distinct)
            column = {way: at for at, way in enumerate(distinct)}
            columns = [[column[way] for way in every] for every in ways]
            below: dict[tuple[int, ...], int] = {}
            gone = [
                ends.numbered([_union(members, kids, chosen) for chosen in columns], below)
                for members in sets
            ]
            levels.append(Level(lumps, np.array(gone, np.int64).reshape(len(sets), len(answers))))
            sets = below
        return Diagram(np.array(starts), tuple(levels), ends.marks())

    def _asked(
        self, states: _States, group: Sequence[int], ways: Sequence[tuple[Route, ...]]
    ) -> tuple[Ints, _States]:
        """Return where states go by each way, and the states of the next level."""
        leaves = self._given.shape[0]
        taken = np.ones((len(ways), leaves), np.bool_)
        for at, way in enumerate(ways):
            for place, route in zip(group, way, strict=True):
                taken[at] &= self.taking(place, route)
        alive = (states.alive[:, None] & taken).reshape(-1, leaves)
        after, goes = self._settled(_States(alive, np.repeat(states.votes, len(ways), 0)))
        return goes.reshape(len(states.alive), len(ways)), after

    def _settled(self, states: _States) -> tuple[_States, Ints]:
        """Return the states that are open, each once, and which of them, or −1 − class, each is."""
        goes = np.empty(len(states.alive), np.int64)
        if not len(goes):
            return states, goes
        left: list[_States] = []
        places: list[Ints] = []
        for begin in range(0, len(goes), BLOCK):
            piece = slice(begin, begin + BLOCK)
            block = _States(states.alive[piece].copy(), states.votes[piece].copy())
            labels = self._decided(block)
            goes[piece] = np.where(labels >= 0, -1 - labels, 0)
            still = labels < 0
            left.append(_States(block.alive[still], block.votes[still]))
            places.append(begin + np.flatnonzero(still))
        alive = np.concatenate([block.alive for block in left])
        votes = np.concatenate([block.votes for block in left])
        if not len(alive):
            return _States(alive, votes), goes
        # Votes that differ by the order of their addition only are the same.
        keys = np.concatenate([np.packbits(alive, 1), np.round(votes, 9).view(np.uint8)], axis=1)
        flat = np.ascontiguousarray(keys).view(f"V{keys.shape[1]}").ravel()
        _, first, inverse = np.unique(flat, return_index=True, return_inverse=True)
        goes[np.concatenate(places)] = inverse
        return _States(alive[first], votes[first]), goes

    def _decided(self, block: _States) -> Ints:
        """Settle trees whose leaves vote alike, in place; return the class elected, or −1."""
        alive, votes = block
        masked = alive[:, :, None]
        least = np.minimum.reduceat(np.where(masked, self._given, np.inf), self._starts, 1)
        most = np.maximum.reduceat(np.where(masked, self._given, -np.inf), self._starts, 1)
        is_open = np.logical_or.reduceat(alive, self._starts, 1)
        alike = is_open & (least >= most).all(2)
        votes += np.where(alike[:, :, None], least, 0.0).sum(1)
        sizes = np.diff([*self._starts, alive.shape[1]])
        alive &= ~np.repeat(alike, sizes, 1)
        waiting = is_open & ~alike
        winner = (votes + np.where(waiting[:, :, None], most, 0.0).sum(1)).argmax(1)
        rows = np.arange(len(alive))
        leads = self._given[:, winner].T[:, :, None] - self._given
        lead = np.minimum.reduceat(np.where(alive[:, :, None], leads, np.inf), self._starts, 1)
        ahead = votes[rows, winner][:, None] - votes
        ahead += np.where(waiting[:, :, None], lead, 0.0).sum(1)
        ahead[rows, winner] = np.inf
        whole = votes.sum(1, keepdims=True)
        shares = np.round(np.divide(votes, whole, out=votes.copy(), where=whole > 0), 12)
        done = np.logical_not(waiting.any(axis=1))
        sure = ahead.min(axis=1) > LEAD
        labels: Ints = np.where(done, shares.argmax(1), np.where(sure, winner, np.int64(-1)))
        return labels


class _Ends:
    """The sets of classes that are possible at ends, numbered as they are met."""

    def __init__(self, classes: int) -> None:
        self._classes = classes
        self._known: dict[tuple[int, ...], int] = {}

    def numbered(
        self, reached: Sequence[tuple[int, ...]], below: dict[tuple[int, ...], int]
    ) -> list[int]:
        """Number sets of states: those that are open in ``below``, which grows, others as ends."""
        numbers = []
        for members in reached:
            if members[-1] < 0:
                numbers.append(-1 - self._known.setdefault(members, len(self._known)))
                continue
            numbers.append(below.setdefault(members, len(below)))
        return numbers

    def marks(self) -> Mask:
        """Return the classes of each end, ends × classes."""
        marks = np.zeros((len(self._known), self._classes), np.bool_)
        for members, at in self._known.items():
            marks[at, [-1 - member for member in members]] = True
        return marks


def _union(members: tuple[int, ...], kids: Ints, ways: Sequence[int]) -> tuple[int, ...]:
    """Return where the members of a set can go by any of these ways; ends stay."""
    if len(members) == 1 and len(ways) == 1:
        return (int(kids[members[0], ways[0]]),)
    reached = {member for member in members if member < 0}
    for member in members:
        if member >= 0:
            reached |= set(kids[member, ways].tolist())
    return tuple(sorted(reached))
