"""Releases: what an owner publishes. A folder of disguised data and the card that explains it."""

from privet.release.claim import Claim, Promise
from privet.release.release import Part, Release

__all__ = ["Claim", "Part", "Promise", "Release"]
