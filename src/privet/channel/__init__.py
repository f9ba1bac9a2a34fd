"""Channels: the known random changes of attributes, one file per kind."""

from privet.channel.band import Band
from privet.channel.base import Channel, Stated
from privet.channel.card import read_channel, register
from privet.channel.coarse import CoarseNoise
from privet.channel.flip import Flip
from privet.channel.gamma_diagonal import GammaDiagonal
from privet.channel.joint_gamma import JointGammaDiagonal
from privet.channel.matrix import WrittenMatrix
from privet.channel.noise import Noise

__all__ = [
    "Band",
    "Channel",
    "CoarseNoise",
    "Flip",
    "GammaDiagonal",
    "JointGammaDiagonal",
    "Noise",
    "Stated",
    "WrittenMatrix",
    "read_channel",
    "register",
]
