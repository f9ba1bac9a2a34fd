"""Several parts as one: a record's part is drawn at random, so its channels are mixtures.

What is observed of a record is the part it is in and the code it has there. For each attribute that
is a code of its own, and the law from the release's cells to these codes is the mixture of the
parts' laws, each by its share of the records. An attribute that a part leaves out has one code
there, which tells nothing. Every method that reads one part so reads them all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.channel.kernel import Kernel
from privet.coding import code_type
from privet.errors import MethodError
from privet.table import Batch
from privet.table.chained import chained

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Coding, Floats, Ints
    from privet.release import Part, Release

__all__ = ["aligned", "in_own_cells", "law_of", "merged", "overlap"]

_BLUR = 2.0  # a condition number, relative: beyond it a part adds more error than records
_COARSE = 32  # codes of a part with cells of its own that are told apart: its records are few


def overlap(own: Coding, cells: Coding) -> Floats:
    """Return the share of each of the release's cells that lies in each cell of a part.

    Numbers are taken to lie evenly in a cell.

    >>> from privet.coding import Coding
    >>> overlap(Coding.cells("x", [0, 5], [5, 8]), Coding.cells("x", [0, 4], [4, 8]))
    array([[1.  , 0.25],
           [0.  , 0.75]])
    """
    if own.lower is None or own.upper is None or cells.lower is None or cells.upper is None:
        message = f"The parts of the release have other categories of {own.name!r}."
        raise MethodError(message)
    # A cell of whole numbers holds its ends: half a number more on either side.
    whole = 0.5 * float((cells.lower[1:] > cells.upper[:-1]).any())
    low = np.maximum(own.lower[:, None], cells.lower) - whole
    high = np.minimum(own.upper[:, None], cells.upper) + whole
    common = np.maximum(high - low, 0.0)
    inside = (own.lower[:, None] <= cells.lower) & (cells.lower <= own.upper[:, None])
    point = cells.upper - cells.lower + 2 * whole <= 0
    common = np.where(point[None, :], inside / np.maximum(inside.sum(axis=0), 1), common)
    shares = common / np.maximum(common.sum(axis=0), 1e-300)
    if not cells.missing:
        return np.asarray(shares, np.float64)
    wider = np.zeros((own.size, cells.size))
    wider[: own.known, : cells.known] = shares
    wider[-1, -1] = 1.0
    return wider


def law_of(release: Release, part: Part, name: str) -> Floats:
    """Return the law from the release's cells of an attribute to the codes of a part."""
    cells = release.codings[name]
    if cells is None:
        raise MethodError(f"Attribute {name!r} was released as numbers: it has no cells.")
    if name not in part.table.names:
        return np.ones((1, cells.size))
    channel = part.channel(name)
    own = part.codings.get(name)
    law = np.eye(cells.size if own is None else own.size)
    if channel is not None:
        law = channel.matrix() / channel.scale
    return law if own is None else law @ overlap(own, cells)


def merged(release: Release) -> Release:
    """Return the release with all its parts as one; itself if it has one part."""
    if len(release.parts) == 1:
        return release
    total = sum(part.table.rows for part in release.parts)
    channels: list[Channel] = []
    moves: list[dict[str, NDArray[Any]]] = [{} for _ in release.parts]
    for name in release.schema.names:
        mixed = _mixed(release, name, total)
        if mixed is not None:
            channel, tables = mixed
            channels.append(channel)
            for move, table in zip(moves, tables, strict=True):
                move[name] = table
    kept = [
        channel for channel in release.parts[0].channels if channel.attributes[0] not in moves[0]
    ]
    recoded = [
        _recoded(part, move, release.schema.names)
        for part, move in zip(release.parts, moves, strict=True)
    ]
    part = replace(release.parts[0], table=chained(recoded), channels=(*kept, *channels))
    return replace(release, parts=(part,), drawn=False)


def aligned(release: Release) -> Release:
    """Return the release with the cells of all parts expressed by its own, part by part.

    A part whose cells are too coarse to tell the release's own apart is left out: a first wave
    says little more of where its records lie, and it has few of them.
    """
    if not any(part.codings for part in release.parts):
        return release
    parts = []
    for part in release.parts:
        laws = {name: Kernel(name, law_of(release, part, name)) for name in part.codings}
        if not all(_tells_apart(release, law) for law in laws.values()):
            continue
        kept = [channel for channel in part.channels if channel.attributes[0] not in laws]
        parts.append(replace(part, channels=(*kept, *laws.values()), codings={}))
    return replace(release, parts=tuple(parts))


def in_own_cells(release: Release) -> tuple[tuple[Part, ...], float]:
    """Return the parts that are in the release's own cells, and by how many records all are more.

    What a first wave says of other cells is known only if numbers lie evenly in them; an error
    that covers may not rest on that. The other parts are a random sample of all records.
    """
    parts = tuple(part for part in release.parts if not part.codings)
    if not release.drawn or len(parts) == len(release.parts):
        return release.parts, 1.0
    return parts, release.rows / sum(part.table.rows for part in parts)


def _tells_apart(release: Release, law: Kernel) -> bool:
    """Whether counts inverted by a law are not much less certain than those of the first part."""
    outputs, cells = law.shares.shape
    if outputs < cells:  # its condition would be that of the cells it does tell apart
        return False
    own = release.parts[0].channel(law.attribute)
    usual = 1.0 if own is None else own.condition()
    return bool(np.linalg.cond(law.shares) <= _BLUR * usual)


def _mixed(release: Release, name: str, total: int) -> tuple[Kernel, list[NDArray[Any]]] | None:
    """Return an attribute's mixture, and the new code of each code of each part.

    None if the attribute went through the same channel in all parts.
    """
    first = release.parts[0].channel(name)
    alike = all(
        part.channel(name) == first and name not in part.codings and name in part.table.names
        for part in release.parts
    )
    if alike:
        return None
    if first is not None and len(first.attributes) > 1:
        message = f"The parts of the release disguise {name!r} together with different attributes."
        raise MethodError(message, hint="use method='direct'.")
    laws: list[tuple[float, Floats]] = []
    kinds: list[object] = []  # parts of one kind have one law, and share its codes
    starts: list[Ints] = []
    places = []
    before = 0
    for part in release.parts:
        share = part.table.rows / total
        here = name in part.table.names
        kind = (part.channel(name), part.codings.get(name)) if here else None
        if kind not in kinds:
            law = law_of(release, part, name)
            codes = np.arange(len(law))
            if name in part.codings and len(law) > _COARSE:
                codes = codes * _COARSE // len(law)
                law = np.add.reduceat(law, np.flatnonzero(np.diff(codes, prepend=-1)), axis=0)
            kinds.append(kind)
            starts.append(codes + before)
            laws.append((0.0, law))
            before += len(law)
        place = kinds.index(kind)
        laws[place] = (laws[place][0] + share, laws[place][1])
        places.append(place)
    narrow = code_type(before)
    return Kernel.mixture(name, laws), [starts[place].astype(narrow) for place in places]


def _recoded(part: Part, move: Mapping[str, NDArray[Any]], names: Sequence[str]) -> Any:
    """Return a part's table with its columns recoded, and those that it lacks put in."""

    def work(batch: Batch) -> Batch:
        columns = {}
        for name in names:
            column = batch.columns.get(name)
            if column is None:
                columns[name] = np.full(len(batch), move[name][0])
            else:
                columns[name] = move[name][column] if name in move else column
        return Batch(batch.start, columns)

    return part.table.map(work)
