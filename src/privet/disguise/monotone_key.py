"""The key of a monotone disguise: the secret function of each attribute, piece by piece.

Whoever has the key turns disguised values back; it never leaves the owner, and stands in a file
of its own that nobody else may read.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import InputError
from privet.files.reading import cause, read_private, typed
from privet.files.sealed import Kind, seal
from privet.files.writing import new_private_file

if TYPE_CHECKING:
    from privet.coding import Floats

__all__ = ["AttributeKey", "Key", "Piece"]

_HINT = "restore the key from a copy."
_WHAT = "key of a monotone disguise"
KIND = Kind("privet monotone key", 2, InputError, what=_WHAT, unsealed=1, hint=_HINT)


@dataclass(frozen=True)
class Piece:
    """A function from (low, high] to what lies between ``start`` (at low) and ``stop`` (at high).

    It goes along a line bent by ``bend`` (a quadratic; -1 < bend < 1); or, if ``order`` is given,
    it puts the whole numbers of the piece in that order. ``least`` and ``most`` are the outermost
    values that occurred.
    """

    low: float
    high: float
    start: float
    stop: float
    bend: float = 0.0
    order: tuple[int, ...] = ()
    least: float = 0.0
    most: float = 0.0

    def encode(self, values: Floats) -> Floats:
        """Return the disguised values."""
        if self.order:
            places = np.asarray(self.order, np.float64)[(values - self.least).astype(np.int64)]
            return self.start + (places + 1) / (len(self.order) + 1) * (self.stop - self.start)
        share = (values - self.low) / (self.high - self.low)
        share = share + self.bend * share * (1.0 - share)
        return self.start + share * (self.stop - self.start)

    def decode(self, values: Floats) -> Floats:
        """Return the original values."""
        share = np.clip((values - self.start) / (self.stop - self.start), 0.0, 1.0)
        if self.order:
            places = np.rint(share * (len(self.order) + 1)).astype(np.int64) - 1
            back = np.argsort(self.order)[np.clip(places, 0, len(self.order) - 1)]
            return self.least + back.astype(np.float64)
        edge = 1.0 + self.bend
        share = (
            2.0 * share / (edge + np.sqrt(np.maximum(edge * edge - 4.0 * self.bend * share, 0.0)))
        )
        originals: Floats = self.low + share * (self.high - self.low)
        return originals


@dataclass(frozen=True)
class AttributeKey:
    """The function of an attribute: pieces in the order of original values.

    ``reversed`` says that the order between pieces is reversed.
    """

    name: str
    pieces: tuple[Piece, ...]
    reversed: bool = False
    integer: bool = False

    @property
    def sign(self) -> int:
        """1 if larger values become larger, -1 if smaller."""
        return -1 if self.reversed else 1

    def keeps_order(self, piece: int) -> bool:
        """Whether a piece goes the way of the whole."""
        part = self.pieces[piece]
        return not part.order and (part.stop > part.start) == (self.sign > 0)

    def encode(self, values: Floats) -> Floats:
        """Return the disguised values; NaN stays NaN."""
        edges = np.array([piece.high for piece in self.pieces[:-1]])
        return self._by_piece(values, np.searchsorted(edges, values, side="left"), encode=True)

    def places(self, values: Floats) -> Any:
        """Return the piece that each disguised value comes from; between two, the lower piece."""
        ends = np.array([max(piece.start, piece.stop) for piece in self.pieces])
        if self.reversed:
            behind = np.searchsorted(ends[::-1], values, side="left")
            return len(ends) - 1 - np.minimum(behind, len(ends) - 1)
        return np.minimum(np.searchsorted(ends, values, side="left"), len(ends) - 1)

    def decode(self, values: Floats) -> Floats:
        """Return the original values; whole numbers if the attribute has whole numbers."""
        originals = self._by_piece(values, self.places(values), encode=False)
        return np.rint(originals) if self.integer else originals

    def _by_piece(self, values: Floats, places: Any, *, encode: bool) -> Floats:
        """Work out all pieces without an order of their own together, the others one by one."""
        places = np.where(np.isnan(values), 0, places)
        names = ("low", "high", "start", "stop", "bend", "least")
        fields = np.array([[getattr(piece, name) for name in names] for piece in self.pieces])
        low, high, start, stop, bend, least = fields[places].T
        every = Piece(low, high, start, stop, bend, (), least)
        out = every.encode(values) if encode else every.decode(values)
        for place, piece in enumerate(self.pieces):
            if piece.order:
                chosen = (places == place) & ~np.isnan(values)
                out[chosen] = (piece.encode if encode else piece.decode)(values[chosen])
        return out

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and largest disguised value there can be."""
        ends = [end for piece in self.pieces for end in (piece.start, piece.stop)]
        return min(ends), max(ends)


@dataclass(frozen=True)
class Key:
    """The functions of all attributes: a secret."""

    attributes: tuple[AttributeKey, ...]

    def __repr__(self) -> str:
        return f"<Key of {len(self.attributes)} attributes>"

    def __getitem__(self, name: str) -> AttributeKey:
        return next(key for key in self.attributes if key.name == name)

    def __contains__(self, name: object) -> bool:
        return any(key.name == name for key in self.attributes)

    def write(self, path: str | Path) -> None:
        """Write a new file that only its owner may read."""
        form = {
            "format": KIND.mark,
            "version": KIND.version,
            "attributes": [asdict(a) for a in self.attributes],
        }
        try:
            new_private_file(Path(path), seal(form).decode())
        except OSError as error:
            message = f"The key cannot be written to {path}: {cause(error)}."
            raise InputError(message, hint="a key is never written over another file.") from None

    @classmethod
    def read(cls, path: str | Path) -> Key:
        """Read a key file; a file that others may read is refused."""
        form = KIND.opened(read_private(path, "key"), str(path))
        try:
            return cls(tuple(_attribute(key) for key in form["attributes"]))
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
            raise InputError(f"{path} is no key of a monotone disguise.") from None


_NUMBERS = ("low", "high", "start", "stop", "bend", "least", "most")


def _attribute(form: dict[str, Any]) -> AttributeKey:
    pieces = tuple(map(_piece, form["pieces"]))
    if not pieces:
        raise ValueError
    turned, integer = typed(form["reversed"], bool), typed(form["integer"], bool)
    return AttributeKey(typed(form["name"], str), pieces, turned, integer)


def _piece(form: dict[str, Any]) -> Piece:
    order = tuple(typed(place, int) for place in form["order"])
    numbers = {name: form[name] for name in _NUMBERS}
    if set(form) != {*numbers, "order"} or sorted(order) != list(range(len(order))):
        raise ValueError
    if any(type(number) not in (int, float) for number in numbers.values()):
        raise TypeError
    numbers = {name: float(number) for name, number in numbers.items()}
    if not (numbers["low"] <= numbers["high"] and -1 < numbers["bend"] < 1):
        raise ValueError
    return Piece(**numbers, order=order)
