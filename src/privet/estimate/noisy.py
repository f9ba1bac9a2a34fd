"""Noisy numbers as coded columns: what lets every method that counts codes mine additive noise.

A release holds noisy numbers. Cut to intervals they are codes, and the channel from the original's
cells to those intervals is a small matrix: the release as others see it has both.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privet.channel import CoarseNoise, Noise
from privet.estimate.reconstruction import cells_of
from privet.table import Batch

if TYPE_CHECKING:
    from privet.coding import Coding
    from privet.release import Part, Release

__all__ = ["coarse_channel", "coded", "has_noise"]


def has_noise(release: Release) -> bool:
    """Whether any attribute was released with noise."""
    return any(isinstance(channel, Noise) for part in release.parts for channel in part.channels)


def coarse_channel(release: Release, noise: Noise, cells: int, *, fine: float = 1.0) -> CoarseNoise:
    """Return the channel from about ``cells`` cells of an attribute to observed intervals.

    An attribute declared with ``bins`` of its own keeps them.
    """
    attribute = release.schema[noise.attribute]
    coding: Coding = cells_of(noise, attribute.bins or cells)
    return CoarseNoise.of(noise, coding, fine=fine)


def coded(release: Release, cells: int, *, fine: float = 1.0) -> Release:
    """Return the release with its noisy numbers cut to intervals, and the channels for that."""
    parts = tuple(_coded(release, part, cells, fine) for part in release.parts)
    codings = dict(release.codings)
    for part in parts:
        for channel in part.channels:
            if isinstance(channel, CoarseNoise):
                codings[channel.noise.attribute] = channel.coding
    return replace(release, parts=parts, codings=codings)


def _coded(release: Release, part: Part, cells: int, fine: float) -> Part:
    made = {
        channel.attribute: coarse_channel(release, channel, cells, fine=fine)
        for channel in part.channels
        if isinstance(channel, Noise)
    }

    def work(batch: Batch) -> Batch:
        columns = dict(batch.columns)
        for name, channel in made.items():
            columns[name] = channel.observed(np.asarray(columns[name], np.float64))
        return Batch(batch.start, columns)

    channels = tuple(made.get(channel.attributes[0], channel) for channel in part.channels)
    return replace(part, table=part.table.map(work), channels=channels)
