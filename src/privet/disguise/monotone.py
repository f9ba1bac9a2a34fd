"""Monotone disguise: secret functions that keep a tree's shape (Bu and others; Fong §4.2.2).

Each numeric attribute is cut where the class changes between neighbouring values; each piece gets a
random function of its own, and the order between pieces is kept, or all of it reversed. A tree
splits between pieces, so it has the same shape, and the owner's key turns its thresholds back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.disguise.base import method
from privet.disguise.monotone_key import AttributeKey, Key, Piece
from privet.disguise.treatment import Exact
from privet.disguise.whole import WholeTable, whole
from privet.errors import PlanError
from privet.randomness import Randomness
from privet.release import Claim, Part, Release
from privet.schema import Attribute, Schema
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints

__all__ = ["Monotone", "breakpoints"]

KINDS = ("linear", "polynomial", "permutation")
MOST = 1000  # whole numbers of a piece that are permuted
_WORDS = 8  # drawn a piece
_EDGE = 1e-6  # of a range: by so much its lowest number lies inside its first piece
_BEND = 0.9  # of a polynomial piece, at most: below 1 it keeps rising


def breakpoints(values: Floats, labels: NDArray[Any]) -> Floats:
    """Return where the class changes between neighbouring values; a mixed value is its own piece.

    >>> breakpoints(np.array([17.0, 20, 23, 32, 43, 68]), np.array([1, 1, 1, 0, 1, 0]))
    array([27.5, 37.5, 55.5])
    """
    kinds, label = _kinds(values, labels)
    change = np.flatnonzero(label[1:] != label[:-1])
    return kinds[change] / 2 + kinds[change + 1] / 2


def _kinds(values: Floats, labels: NDArray[Any]) -> tuple[Floats, Ints]:
    """Return the distinct values and their classes; a mixed one has one of its own, below 0."""
    kinds, first = np.unique(values, return_inverse=True)
    low = np.full(len(kinds), np.iinfo(np.int64).max)
    high = np.full(len(kinds), -1)
    np.minimum.at(low, first, labels)
    np.maximum.at(high, first, labels)
    return kinds, np.where(low == high, low, -1 - np.arange(len(kinds)))


@method
@dataclass(frozen=True)
class Monotone(WholeTable):
    """Put numbers through a secret function that keeps their order, piece by piece.

    No formal guarantee: the order of values is plain, equal values stay equal, and a few known
    pairs or a sample of the same kind of people give most values away.

    Parameters
    ----------
    key
        The file for the owner's key, which must not exist yet.
    pieces
        Kinds of functions to choose from: ``linear``, ``polynomial``, and for whole numbers
        ``permutation``.
    anti
        Whether single pieces may be reversed. As with permutation, a tree that cuts *inside*
        such a piece (it gains nothing there, so only a tie or a least leaf size makes it) cannot
        be decoded.
    reverse
        Whether whole attributes may be reversed, each with an even chance.
    breaks
        Breakpoints of some attributes, by name, instead of those where the class changes.
    functions
        Functions of some attributes, by name: for each piece the slope and the intercept of a line,
        a·x + b. Their images must lie in the order of the pieces, or all in the opposite one; a
        piece may go against it only if all of its records have one class.

    Examples
    --------
    >>> import tempfile, privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = pv.Monotone(key=f"{folder}/owner.key").disguise(table, schema, seed=1)
    >>> release.rows
    300
    """

    method: ClassVar[str] = "monotone"

    key: str | Path | None = None
    pieces: tuple[str, ...] = ("linear", "polynomial")
    anti: bool = False
    reverse: bool = True
    breaks: Mapping[str, Sequence[float]] = field(default_factory=dict)
    functions: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict)

    def check(self, schema: Schema) -> None:
        """Validate settings for this schema.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> pv.Monotone(key="owner.key").check(schema)
        """
        unknown = [kind for kind in self.pieces if kind not in KINDS]
        if unknown or not self.pieces:
            raise PlanError(f"Monotone: pieces are some of {', '.join(KINDS)}.")
        for name in (*self.breaks, *self.functions):
            if name not in schema or name == schema.target:
                message = f"Monotone: there is no attribute {name!r} to cut; there are "
                raise PlanError(
                    message + f"{', '.join(attribute.name for attribute in schema.inputs)}."
                )
        for name, cuts in self.breaks.items():
            low, high = schema[name].range
            rising = all(low < high for low, high in pairwise(cuts))
            if not rising or not all(low < cut < high for cut in cuts):
                message = f"Monotone: the breakpoints of {name!r} must rise, inside its range "
                raise PlanError(message + f"from {low:g} to {high:g}.")
        for attribute in schema.inputs:
            if attribute.is_categorical:
                message = f"Attribute {attribute.name!r} is categorical: equal values would stay "
                message += "equal, and their frequencies give them away."
                raise PlanError(
                    message, hint="leave it out of the schema, or substitute it at random."
                )

    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise; no data are needed.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> pv.Monotone(key="owner.key").claim(schema)
        <Claim: no formal guarantee>
        """
        self.check(schema)
        return self.claimed(schema, self._treatments(schema), seeded=seeded)

    def _treatments(self, schema: Schema) -> dict[str, str]:
        return {
            name: Exact.method if name == schema.target else self.method for name in schema.names
        }

    def made(self, records: Any, schema: Schema, source: Randomness, *, shuffle: bool) -> Release:
        """Disguise records, write the key to its file and return the release.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
        >>> import tempfile
        >>> from privet.randomness import Randomness
        >>> with tempfile.TemporaryDirectory() as folder, Randomness.system() as source:
        ...     method = pv.Monotone(key=f"{folder}/people.key")
        ...     method.made(table, schema, source, shuffle=True).rows
        300
        """
        if self.key is None:
            message = "A monotone disguise needs a file for the owner's key."
            raise PlanError(message, hint="name one that is not there yet: key = 'people.key'.")
        if Path(self.key).exists():
            raise PlanError(f"The key file {self.key} exists already.", hint="choose another name.")
        release, key = self._encoded(records, schema, source, shuffle=shuffle)
        key.write(self.key)
        return release

    def encode(
        self,
        records: Any,
        schema: Schema,
        *,
        seed: int | str | bytes | None = None,
        shuffle: bool = True,
    ) -> tuple[Release, Key]:
        """Disguise records; return the release and the key, which is a secret.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
        >>> release, key = pv.Monotone().encode(table, schema)
        >>> release.rows
        300
        """
        with Randomness.of(seed) as source:
            return self._encoded(records, schema, source, shuffle=shuffle)

    def _encoded(
        self, records: Any, schema: Schema, source: Randomness, *, shuffle: bool
    ) -> tuple[Release, Key]:
        self.check(schema)
        raw = whole(records, schema)
        target = schema[schema.target].encode(raw[schema.target])
        keys, attributes, made = [], [], {}
        for place, attribute in enumerate(schema):
            if attribute.name == schema.target:
                attributes.append(attribute)
                made[attribute.name] = target
                continue
            numbers = attribute.numbers(raw[attribute.name])
            key = self._key(attribute, numbers, target, source, place)
            low, high = key.range
            missing = attribute.missing
            attributes.append(
                Attribute.numeric(attribute.name, low=low, high=high, missing=missing)
            )
            made[attribute.name] = np.clip(key.encode(numbers), low, high)
            keys.append(key)
        table = MemoryTable(made)
        if shuffle:
            table = table.take(source.permutation(0, table.rows).astype(np.int64))
        released = schema.with_attributes(attributes)
        codings = {a.name: a.coding() if a.is_categorical else None for a in released}
        release = Release(
            released,
            codings,
            (Part(table, ()),),
            self._treatments(schema),
            seeded=source.is_seeded,
            shuffled=shuffle,
        )
        return release, Key(tuple(keys))

    def _key(
        self,
        attribute: Attribute,
        numbers: Floats,
        labels: NDArray[Any],
        source: Randomness,
        stream: int,
    ) -> AttributeKey:
        """Draw the function of an attribute."""
        known = ~np.isnan(numbers)
        numbers, labels = numbers[known], labels[known]
        low, high = attribute.range
        if not len(numbers) or low == high:
            return AttributeKey(attribute.name, (Piece(low - 1, high, low - 1, high),))
        kinds, label = _kinds(numbers, labels)
        cuts = np.array(self.breaks.get(attribute.name, breakpoints(numbers, labels)), np.float64)
        borders = np.concatenate([[low - 0.5 * (high - low)], cuts, [high]])
        firsts = np.searchsorted(kinds, borders, "right")
        if attribute.name in self.functions:
            return self._given(attribute, borders, firsts, kinds, label)
        draws = source.words(stream, 0, _WORDS * (len(borders) + 1)) / 2.0**32
        draws = draws.reshape(-1, _WORDS)
        turned = bool(self.reverse and attribute.missing == "error" and draws[-1, 0] < 0.5)
        scale = (high - low) * (0.5 + 1.5 * float(draws[-1, 1]))
        pieces, at = [], (float(draws[-1, 2]) - 0.5) * scale
        for number in range(len(borders) - 1):
            begin, end = float(borders[number]), float(borders[number + 1])
            first, last = firsts[number], firsts[number + 1] - 1
            extremes = (float(kinds[first]), float(kinds[last])) if first <= last else (end, end)
            length = (end - begin) / (high - low) * scale * (0.5 + 1.5 * float(draws[number, 0]))
            image = (at, at + length)
            at += length * (1.05 + 0.5 * float(draws[number, 1]))
            inside = label[first : last + 1]
            pure = first > last or bool(inside[0] >= 0 and (inside == inside[0]).all())
            pieces.append(
                self._piece(attribute, (begin, end), image, extremes, draws[number, 2:], pure=pure)
            )
        if turned:
            pieces = [_turned(piece, at) for piece in pieces]
        return AttributeKey(attribute.name, tuple(pieces), turned, attribute.integer)

    def _given(
        self, attribute: Attribute, borders: Floats, firsts: Ints, kinds: Floats, label: Ints
    ) -> AttributeKey:
        """Return the function that the owner chose, if it keeps a tree's shape."""
        lines = [tuple(map(float, line)) for line in self.functions[attribute.name]]
        if len(lines) != len(borders) - 1 or any(len(line) != 2 or not line[0] for line in lines):
            message = f"Monotone: {attribute.name!r} has {len(borders) - 1} pieces; each needs a "
            raise PlanError(message + "slope other than 0, and an intercept.")
        low, high = attribute.range
        borders = np.concatenate([[low - _EDGE * (high - low)], borders[1:]])
        pieces = []
        for number, (slope, intercept) in enumerate(lines):
            begin, end = float(borders[number]), float(borders[number + 1])
            first, last = firsts[number], firsts[number + 1] - 1
            extremes = (float(kinds[first]), float(kinds[last])) if first <= last else (end, end)
            start, stop = slope * begin + intercept, slope * end + intercept
            pieces.append(Piece(begin, end, start, stop, 0.0, (), *extremes))
        images = [(min(piece.start, piece.stop), max(piece.start, piece.stop)) for piece in pieces]
        turned = len(images) > 1 and images[1][0] < images[0][0]
        turned = turned or (len(images) == 1 and lines[0][0] < 0)
        ordered = images[::-1] if turned else images
        if any(lower[1] > upper[0] for lower, upper in pairwise(ordered)):
            message = (
                f"Monotone: the functions of {attribute.name!r} do not keep the order between "
            )
            raise PlanError(message + "pieces.", hint="their images must rise, or all fall.")
        key = AttributeKey(attribute.name, tuple(pieces), turned, attribute.integer)
        for number in range(len(pieces)):
            inside = label[firsts[number] : firsts[number + 1]]
            pure = not len(inside) or (inside[0] >= 0 and bool((inside == inside[0]).all()))
            if not pure and not key.keeps_order(number):
                message = f"Monotone: piece {number + 1} of {attribute.name!r} has records of "
                message += "several classes, so its function must go the way of the whole."
                raise PlanError(message, hint="give its slope the other sign, or cut it further.")
        return key

    def _piece(
        self,
        attribute: Attribute,
        borders: tuple[float, float],
        image: tuple[float, float],
        extremes: tuple[float, float],
        draws: Floats,
        *,
        pure: bool,
    ) -> Piece:
        low, high = borders
        start, stop = image
        least, most = extremes
        kinds = [kind for kind in self.pieces if kind != "permutation"]
        if "permutation" in self.pieces and attribute.integer and pure and 1 < most - least < MOST:
            kinds.append("permutation")
        kind = kinds[int(draws[0] * len(kinds))] if kinds else "linear"
        if kind == "permutation":
            size = int(most - least) + 1
            with Randomness.seeded(
                draws.tobytes()
            ) as source:  # from secret words: as secret as they
                order = tuple(source.permutation(0, size).tolist())
            return Piece(low, high, start, stop, 0.0, order, least, most)
        if self.anti and pure and draws[1] < 0.5:
            start, stop = stop, start
        bend = _BEND * (2.0 * float(draws[2]) - 1.0) if kind == "polynomial" else 0.0
        return Piece(low, high, start, stop, bend, (), least, most)


def _turned(piece: Piece, top: float) -> Piece:
    """Return a piece with its image reversed within the whole image."""
    return replace(piece, start=top - piece.start, stop=top - piece.stop)
