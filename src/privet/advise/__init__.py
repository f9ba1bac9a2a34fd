"""Advice to owners before they disguise anything: which γ, channel and N, and what they cost.

Nothing here looks at private data. What an attribute's channel does follows from its matrix; what a
tree will be worth is simulated on made-up records with the schema's domains.
"""

from __future__ import annotations

from privet.advise.advice import Advice, advise
from privet.advise.expected import Expected, expected

__all__ = ["Advice", "Expected", "advise", "expected"]
