"""Probability terms of parties that hold different columns: naive Bayes without a join (ZCM §7).

Each party tells P(value | class) of its own attributes, estimated from its own disguised records:
terms disclose no more than those records would. The collector puts the terms side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.errors import MethodError
from privet.estimate.bayes import terms_of
from privet.release import Part, Release

if TYPE_CHECKING:
    from privet.estimate.bayes import Terms
    from privet.party.folder import PartyRelease

__all__ = ["own_release", "party_terms"]


def own_release(sent: PartyRelease) -> Release:
    """Return a party's disguised records as an ordinary release of its own columns."""
    recipe = sent.agreement.recipe(sent.party)
    return recipe.release(
        [Part(sent.table, recipe.channels)], seeded=sent.seeded, shuffled=sent.keys is None
    )


def party_terms(sent: PartyRelease, smoothing: float = 1.0) -> Terms:
    """Return the terms of a party's own attributes, for ``NaiveBayesClassifier.from_terms``.

    The class must be among what the party sends. Where parties hold the same columns of different
    records, join them instead.
    """
    if not sent.sends_class:
        target = sent.agreement.schema.target
        message = f"Party {sent.party!r} does not send the class {target!r}: its columns have no "
        raise MethodError(message + "terms.", hint="class = true in the agreement.")
    if sent.agreement.split == "records":
        message = "Terms of different columns are put side by side; these parties hold the same."
        raise MethodError(message, hint="join their records, and fit the joined release.")
    return terms_of(own_release(sent), smoothing)
