"""The worlds an attack is run on: disguised, plain (the control), and independent (the null).

The rows of a release are shuffled, so nobody can say which row is whose. Where an attack needs true
pairs, the audit disguises the owner's records once more through the card's own channels: the pairs
are not those of the release but have the same law.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privet.audit.notions import is_readable
from privet.audit.true_pairs import Pairs, pairs_of
from privet.channel import Noise
from privet.channel.base import MAX_CELLS
from privet.estimate.bins import learn_cells
from privet.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privet.audit.original import Original
    from privet.channel import Channel
    from privet.coding import Floats, Ints
    from privet.release import Part, Release

    Codes = NDArray[Any]

__all__ = ["MOST_RELEASES", "RELEASES", "Case", "Group", "World", "worst_part"]

RELEASES = 10  # of the same records that are averaged, unless told otherwise
MOST_RELEASES = 100

Kind = Literal["disguised", "plain", "independent"]


@dataclass(frozen=True)
class Group:
    """Attributes that went through one channel together, or an attribute that is plain."""

    names: tuple[str, ...]
    size: int
    channel: Channel | None

    @property
    def about(self) -> str:
        """The group's name in reports."""
        return " × ".join(self.names)


@dataclass(frozen=True)
class Case:
    """A release under attack.

    ``truth`` has the joint codes of each group's originals: the owner's own (``real``), or, for
    a miner, ones drawn from shares estimated from the release, each group by itself. ``agreed``
    names the attributes that are plain on purpose. ``collected`` are the records of a complement,
    by cell of its universe: the owner's, or those that the two tables give back. ``releases`` is
    how many of the same records ``averaging`` combines.
    """

    release: Release
    part: Part
    truth: Mapping[str, Codes]
    groups: tuple[Group, ...]
    source: Randomness
    rng: np.random.Generator
    real: bool
    agreed: frozenset[str]
    streams: count[int] = field(default_factory=lambda: count(1))
    sample: Mapping[str, Codes] = field(default_factory=dict)
    collected: Ints | None = None
    releases: int = RELEASES

    @classmethod
    def of(
        cls,
        release: Release,
        original: Original | None,
        source: Randomness,
        agreed: frozenset[str],
        releases: int = RELEASES,
    ) -> Case:
        """Return the case of a release, with the owner's records or without."""
        rng = generator(source)
        part = worst_part(release)
        if original is None:
            groups, truth = _synthetic(release, part, rng)
        else:
            groups, truth = _grouped(release, part, original)
        real = original is not None
        sample = original.sample if original is not None and not original.skipped else {}
        collected = None
        if release.universe is not None:
            collected = np.maximum(release.universe.collected(release.parts), 0)
            if original is not None and original.collected is not None:
                collected = original.collected
        return cls(
            release,
            part,
            truth,
            groups,
            source,
            rng,
            real,
            agreed,
            sample=sample,
            collected=collected,
            releases=releases,
        )

    @property
    def rows(self) -> int:
        """The number of originals at hand."""
        return len(next(iter(self.truth.values()))) if self.truth else 0

    @property
    def hidden(self) -> tuple[Group, ...]:
        """The groups that went through a channel whose matrix can be written out."""
        return tuple(
            group
            for group in self.groups
            if group.channel is not None and group.size * group.channel.output_size <= MAX_CELLS
        )

    @property
    def open(self) -> tuple[Group, ...]:
        """The groups that are plain."""
        return tuple(group for group in self.groups if group.channel is None)

    @cached_property
    def pairs(self) -> Pairs | None:
        """The originals beside what a whole-table method makes of them, row for row.

        The card tells the method and its settings; rows of the release itself are shuffled.
        """
        return pairs_of(self.release, self.sample, self.fresh())

    def fresh(self) -> Randomness:
        """Return a source of words that nothing else is drawn from."""
        return Randomness.seeded(self.source.words(next(self.streams), 0, 8).tobytes())

    def shares(self, group: Group) -> Floats:
        """Return how common each value of a group is among the originals at hand."""
        return np.bincount(self.truth[group.about], minlength=group.size) / self.rows

    def world(self, kind: Kind) -> World:
        """Return one of the three worlds."""
        return World(self, kind)


@dataclass(frozen=True)
class World:
    """Originals, what is released for each, and the law the attacker believes."""

    case: Case
    kind: Kind

    @cached_property
    def _moved(self) -> Ints:
        """Whose record is released in the place of each: another's, in the independent world."""
        return self.case.rng.permutation(self.case.rows)

    def draw(self, group: Group, rows: Ints | None = None) -> Codes:
        """Return fresh released codes of a group for some rows, or all."""
        wanted = np.arange(self.case.rows) if rows is None else rows
        if self.kind == "independent":
            wanted = self._moved[wanted]
        codes = self.case.truth[group.about][wanted]
        if self.kind == "plain" or group.channel is None:
            return codes
        return group.channel.disguise(codes, self.case.source, next(self.case.streams))

    @cached_property
    def pairs(self) -> Pairs | None:
        """Originals and what stands in their rows under a whole-table method, in this world."""
        pairs = self.case.pairs
        if pairs is None or self.kind == "disguised":
            return pairs
        if self.kind == "plain":
            return pairs.plain()
        return pairs.moved(self.case.rng.permutation(pairs.true.rows))

    def law(self, group: Group) -> Floats:
        """Return the law the attacker believes, outputs × inputs, columns summing to 1."""
        if self.kind == "plain" or group.channel is None:
            return np.eye(group.size)
        return group.channel.matrix() / group.channel.scale


def generator(source: Randomness) -> np.random.Generator:
    """Return a generator for choices that need no secrecy, from the same source as the words."""
    return np.random.default_rng(source.shuffle_words(0, 0, 8))


def worst_part(release: Release) -> Part:
    """Return the part whose records are the least protected: a promise is that of the worst."""

    def exposure(part: Part) -> tuple[int, float, bool]:
        covered = {name for channel in part.channels for name in channel.attributes}
        epsilon = sum(channel.epsilon() for channel in part.channels)
        # Parts of a plan differ in the last digits; that with the release's own cells is read best.
        return len(set(part.table.names) - covered), round(epsilon, 6), not part.codings

    return max(release.parts, key=exposure)


def _grouped(
    release: Release, part: Part, original: Original
) -> tuple[tuple[Group, ...], dict[str, Codes]]:
    groups: list[Group] = []
    truth: dict[str, Codes] = {}
    done: set[str] = set()
    for name in release.schema.names:
        if name not in part.table.names:
            continue
        channel = part.channel(name)
        names = (name,) if channel is None else channel.attributes
        if name in done or any(each in original.skipped for each in names):
            continue
        done.update(names)
        if channel is not None:
            group = Group(names, channel.input_size, channel)
            joined = channel.join(original.sample)
            truth[group.about] = channel.codes(joined) if isinstance(channel, Noise) else joined
        elif is_readable(release.treatments.get(name, "exact")):
            coding = release.codings[name]
            column = original.sample[name]
            if coding is None:  # exact numbers: told apart as finely as a miner would
                coding = learn_cells(name, column, missing=bool(np.isnan(column).any()))
                column = coding.encode(column)
            group = Group(names, coding.size, None)
            truth[group.about] = column
        else:
            continue  # neither a channel nor plain: for attacks that know the method
        groups.append(group)
    return tuple(groups), truth


SYNTHETIC = 20_000  # records drawn for a miner


def _synthetic(
    release: Release, part: Part, rng: np.random.Generator
) -> tuple[tuple[Group, ...], dict[str, Codes]]:
    """Draw originals of each disguised group from its estimated shares; plain groups stay out."""
    from privet.audit.fidelity import estimated_shares

    groups = tuple(
        Group(channel.attributes, channel.input_size, channel)
        for channel in part.channels
        if channel.numbers or channel.input_size * channel.output_size <= MAX_CELLS
    )
    truth: dict[str, Codes] = {}
    if all(each.sign > 0 for each in release.parts) and part.table.rows:
        for group in groups:
            if group.channel is not None:
                shares = estimated_shares(part, group.channel)
                truth[group.about] = rng.choice(group.size, SYNTHETIC, p=shares)
    return groups, truth
