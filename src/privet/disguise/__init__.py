"""Disguises: the owner's side. A plan says what happens to each attribute; a method plans all."""

from privet.disguise.base import Disguise
from privet.disguise.binary import Binary
from privet.disguise.cgadp import CGADP
from privet.disguise.classes import cut_class
from privet.disguise.complement import Complement
from privet.disguise.egadp import EGADP
from privet.disguise.forest_framework import ForestFramework
from privet.disguise.framework import Framework
from privet.disguise.gadp import GADP
from privet.disguise.group import FlipGroup, Group, JointGroup
from privet.disguise.kanonymity import KAnonymity
from privet.disguise.monotone import Monotone
from privet.disguise.noise import AdditiveNoise
from privet.disguise.plan import Plan
from privet.disguise.planfile import plan_from_dict
from privet.disguise.random_noise import RandomNoise
from privet.disguise.response import RandomizedResponse
from privet.disguise.subsets import RandomSubsets
from privet.disguise.substitution import RandomSubstitution
from privet.disguise.treatment import Exact, Substitution, Treatment, ValueClass, Withheld
from privet.disguise.unrelated import UnrelatedQuestion

__all__ = [
    "CGADP",
    "EGADP",
    "GADP",
    "AdditiveNoise",
    "Binary",
    "Complement",
    "Disguise",
    "Exact",
    "FlipGroup",
    "ForestFramework",
    "Framework",
    "Group",
    "JointGroup",
    "KAnonymity",
    "Monotone",
    "Plan",
    "RandomNoise",
    "RandomSubsets",
    "RandomSubstitution",
    "RandomizedResponse",
    "Substitution",
    "Treatment",
    "UnrelatedQuestion",
    "ValueClass",
    "Withheld",
    "cut_class",
    "plan_from_dict",
]
