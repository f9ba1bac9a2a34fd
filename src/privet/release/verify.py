"""Checks of a release: that what it says belongs together, and that its records keep to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.channel.noise import Noise
from privet.errors import ReleaseError
from privet.release.release import released_size
from privet.release.treatments import COMPLEMENT, UNBOUNDED, WITHHELD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privet.channel import Channel
    from privet.coding import Coding
    from privet.release.release import Part, Release
    from privet.schema import Schema

__all__ = ["check", "verify"]


def check(release: Release) -> None:
    """Check that schema, parts, channels and treatments of a release belong together."""
    _check_treatments(release)
    for part in release.parts:
        names = set(part.table.names)
        if not names <= set(release.column_names) or (release.lacking(part) and not release.drawn):
            message = "The columns of a part are not those of the schema."
            raise ReleaseError(message)
        for channel in part.channels:
            if not names.issuperset(channel.attributes):
                message = f"The channel of {channel.attributes[0]!r} is of no use in its part."
                raise ReleaseError(message)
            _check_channel(channel, release.codings_of(part))
            if isinstance(channel, Noise):
                _check_range(channel, release.schema)


def _check_treatments(release: Release) -> None:
    """Check that the names of what was done fit what is there."""
    kinds = {COMPLEMENT: release.universe, UNBOUNDED: release.unbounded}
    for name, word in release.treatments.items():
        if (word == WITHHELD) == (name in release.schema):
            there = "is there" if word == WITHHELD else "is not there"
            message = f"Attribute {name!r} is called {word!r}, but {there}."
            raise ReleaseError(message, hint="do not rely on this release; ask the owner.")
        if word in kinds and kinds[word] is None:
            message = f"Attribute {name!r} is called {word!r}, of which nothing else is said."
            raise ReleaseError(message, hint="do not rely on this release; ask the owner.")


def _check_channel(channel: Channel, codings: Mapping[str, Coding | None]) -> None:
    for name, size in zip(channel.attributes, channel.inputs, strict=True):
        coding = codings.get(name)
        fits = coding is not None and coding.size == size
        if channel.numbers:
            fits = name in codings and coding is None
        if not fits:
            message = f"The channel of {name!r} does not fit the column's codes."
            raise ReleaseError(message)


def _check_range(noise: Noise, schema: Schema) -> None:
    if (noise.low, noise.high) != schema[noise.attribute].range:
        message = f"The noise of {noise.attribute!r} does not fit the attribute's range."
        raise ReleaseError(message)


def verify(release: Release) -> None:
    """Check that every code and number of a release lies in its domain, and what else it says."""
    for number, part in enumerate(release.parts):
        if part.table.rows:
            _verify_part(number, part, release)
    for promise in (release.universe, release.anonymity, release.unbounded):
        if promise is not None:
            promise.verify(release)


def _verify_part(number: int, part: Part, release: Release) -> None:
    """Count the cells outside their domain, column by column, in one pass."""
    sizes = {
        name: None if coding is None else released_size(part, name, coding)
        for name, coding in release.codings_of(part).items()
        if name in part.table.names
    }
    if release.universe is not None:
        sizes = dict(zip(release.universe.columns, release.universe.stored, strict=True))

    def outside(batch: Any) -> tuple[Any, ...]:
        return (
            np.array(
                [
                    _outside(batch.columns[name], size, release.schema, name, part)
                    for name, size in sizes.items()
                ],
                np.int64,
            ),
        )

    (wrong,) = part.table.count(outside, "verifying")
    for name, count in zip(sizes, wrong, strict=True):
        if count:
            message = f"Part {number} of the release has {int(count):,} values of {name!r} outside "
            message += "its domain."
            raise ReleaseError(message, hint="ask the owner for the release again.")


def _outside(column: Any, size: int | None, schema: Schema, name: str, part: Part) -> int:
    if size is not None:
        return 0 if len(column) == 0 or int(column.max()) < size else int((column >= size).sum())
    channel = part.channel(name)
    if isinstance(channel, Noise):
        return channel.outside(column)
    attribute = schema[name]
    low, high = attribute.range
    inside = (column >= low) & (column <= high)
    if attribute.missing == "category":
        inside |= np.isnan(column)
    return int(len(column) - inside.sum())
