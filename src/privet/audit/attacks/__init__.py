"""Attacks, one file each. Importing this room registers them."""

from privet.audit.attacks import (
    averaging,
    guess,
    homogeneity,
    joint,
    linkage,
    poisoning,
    reading,
)
from privet.audit.attacks.base import ATTACKS, Attack, NotRun, Outcome, Trial, attack, run_attacks

__all__ = [
    "ATTACKS",
    "Attack",
    "NotRun",
    "Outcome",
    "Trial",
    "attack",
    "averaging",
    "guess",
    "homogeneity",
    "joint",
    "linkage",
    "poisoning",
    "reading",
    "run_attacks",
]
