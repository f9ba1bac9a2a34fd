"""Disguises: the owner's side. A plan says what happens to each attribute; a method plans all."""

from privet.disguise.base import Disguise
from privet.disguise.plan import Plan
from privet.disguise.planfile import plan_from_dict
from privet.disguise.substitution import RandomSubstitution
from privet.disguise.treatment import Exact, Substitution, Treatment, ValueClass, Withheld

__all__ = [
    "Disguise",
    "Exact",
    "Plan",
    "RandomSubstitution",
    "Substitution",
    "Treatment",
    "ValueClass",
    "Withheld",
    "plan_from_dict",
]
