"""Parts of releases whose estimates can be worked out by linear algebra alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.channel import Channel, GammaDiagonal
from privet.coding import Box, Coding
from privet.estimate.weighted import WeightedEvidence, WeightedFrontier
from privet.release import Part
from privet.table import MemoryTable
from tests.strategies import coding, seeds

Floats = NDArray[np.float64]
CLASSES = ("no", "yes", "so")


@dataclass(frozen=True, eq=False)
class Joint(Channel):
    """Any matrix over the joint codes of two attributes."""

    kind: ClassVar[str] = "test-joint"
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    whole: NDArray[np.int64]

    @property
    def attributes(self) -> tuple[str, ...]:
        return self.names

    @property
    def inputs(self) -> tuple[int, ...]:
        return self.sizes

    @property
    def outputs(self) -> tuple[int, ...]:
        return self.sizes

    @property
    def scale(self) -> int:
        return int(self.whole[:, 0].sum())

    def _draw(self, codes: Any, words: Any, out: Any) -> int:
        raise NotImplementedError

    def _matrix(self) -> NDArray[np.int64]:
        return self.whole

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "Joint":
        raise NotImplementedError


def joint(rng: np.random.Generator, names: tuple[str, ...], sizes: tuple[int, ...]) -> Joint:
    """A joint channel that keeps a record with about half the probability."""
    size = int(np.prod(sizes))
    whole = rng.integers(1, 40, (size, size))
    np.fill_diagonal(whole, 0)
    np.fill_diagonal(whole, 2**16 - whole.sum(0))
    return Joint(names, sizes, whole)


@dataclass(frozen=True)
class World:
    """A part of a release, and all one has to know to work its estimates out by hand."""

    codings: tuple[Coding, ...]
    channels: tuple[Channel, ...]
    columns: dict[str, NDArray[Any]]

    @property
    def part(self) -> Part:
        return Part(MemoryTable(self.columns), self.channels)

    def evidence(self) -> WeightedEvidence:
        return WeightedEvidence([self.part], self.codings, "class", CLASSES)

    def inverse(self, names: tuple[str, ...]) -> tuple[Floats, NDArray[Any]]:
        """The inverse matrix of a group and its joint codes, by linear algebra alone."""
        channel = self.part.channel(names[0])
        sizes = [len(CLASSES) if name == "class" else self.coding(name).size for name in names]
        codes = np.ravel_multi_index([self.columns[name].astype(int) for name in names], sizes)
        if channel is None:
            return np.eye(int(np.prod(sizes))), codes
        inverse = np.linalg.inv(channel.matrix() / channel.scale)
        return inverse.astype(np.float64), codes

    def coding(self, name: str) -> Coding:
        return next(one for one in self.codings if one.name == name)

    def groups(self) -> list[tuple[str, ...]]:
        held = [
            channel.attributes for channel in self.channels if "class" not in channel.attributes
        ]
        grouped = {name for names in held for name in names}
        return [*held, *((one.name,) for one in self.codings if one.name not in grouped)]

    def weights(self, box: Box, name: str) -> Floats:
        """Records × values × classes: each record's weight in each cell of an attribute's table."""
        rows = len(self.columns["class"])
        whole = np.ones((rows, 1))
        for names in self.groups():
            inverse, codes = self.inverse(names)
            sizes = [self.coding(one).size for one in names]
            events = [
                product(
                    *(
                        [value] if one == name else range(size)
                        for one, size in zip(names, sizes, strict=True)
                    )
                )
                for value in (range(self.coding(name).size) if name in names else [-1])
            ]
            table = np.zeros((len(events), inverse.shape[1]))
            for value, event in enumerate(events):
                for cell in event:
                    masks = zip(names, cell, sizes, strict=True)
                    if all(box.mask(one, size)[code] for one, code, size in masks):
                        table[value] += inverse[np.ravel_multi_index(cell, sizes)]
            whole = whole * table[:, codes].T
        inverse, codes = self.inverse(("class",))
        weights: Floats = whole[:, :, None] * inverse[:, codes].T[:, None, :]
        return weights


def channel_for(
    rng: np.random.Generator, name: str, size: int, *, chance: float = 0.7
) -> list[Channel]:
    if size < 2 or rng.random() > chance:
        return []
    return [GammaDiagonal(name, size, float(rng.uniform(1.5, 20)))]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Exact and disguised attributes, now and then two of them jointly, the class too."""
    rng = np.random.default_rng(draw(seeds))
    sizes = draw(st.lists(st.integers(1, 5), min_size=2, max_size=4))
    rows = draw(st.integers(1, 40))
    codings = tuple(
        coding(f"x{place}", size, ordered=bool(rng.integers(2))) for place, size in enumerate(sizes)
    )
    together = draw(st.booleans())
    channels: list[Channel] = []
    if together:
        channels.append(joint(rng, ("x0", "x1"), (sizes[0], sizes[1])))
    for place, size in enumerate(sizes):
        if place > 1 or not together:
            channels += channel_for(rng, f"x{place}", size)
    channels += channel_for(rng, "class", len(CLASSES), chance=0.4)
    columns = {one.name: rng.integers(0, one.size, rows).astype(np.uint8) for one in codings}
    columns["class"] = rng.integers(0, len(CLASSES), rows).astype(np.uint8)
    return World(codings, tuple(channels), columns)


def random_boxes(world: World, rng: np.random.Generator, number: int) -> list[Box]:
    """Boxes with a condition, or none, on each attribute; never an empty one."""
    boxes = []
    for _ in range(number):
        box = Box()
        for one in world.codings:
            if rng.random() < 0.6:
                mask = rng.random(one.size) < 0.6
                mask[rng.integers(one.size)] = True
                box = box.narrowed(one.name, mask)
        boxes.append(box)
    return boxes


def frontier(evidence: WeightedEvidence, boxes: list[Box]) -> WeightedFrontier:
    return WeightedFrontier(evidence, boxes)


def original(rng: np.random.Generator, rows: int) -> dict[str, NDArray[Any]]:
    return {
        "x0": rng.integers(0, 4, rows).astype(np.uint8),
        "x1": rng.integers(0, 3, rows).astype(np.uint8),
        "class": rng.integers(0, 3, rows).astype(np.uint8),
    }


def disguised(
    rng: np.random.Generator,
    records: dict[str, NDArray[Any]],
    gammas: tuple[float, float],
    label: float | None,
) -> World:
    """Draw from the matrices with NumPy alone."""
    codings = (coding("x0", 4, ordered=True), coding("x1", 3, ordered=False))
    channels = [GammaDiagonal("x0", 4, gammas[0]), GammaDiagonal("x1", 3, gammas[1])]
    if label is not None:
        channels.append(GammaDiagonal("class", 3, label))
    columns = dict(records)
    for channel in channels:
        shares = channel.matrix() / channel.scale
        codes = columns[channel.attribute]
        uniform = rng.random(len(codes))
        columns[channel.attribute] = (
            (uniform[:, None] > np.cumsum(shares, axis=0).T[codes]).sum(1).astype(np.uint8)
        )
    return World(codings, tuple(channels), columns)
