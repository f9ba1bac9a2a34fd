"""Channels: the known random changes of attributes, one file a kind."""

from privet.channel.base import Channel, read_channel, register
from privet.channel.gamma_diagonal import GammaDiagonal

__all__ = ["Channel", "GammaDiagonal", "read_channel", "register"]
