"""Parties: several owners, each disguising at home, and the collector who joins what they send."""

from privet.party.agreement import Agreement, Member
from privet.party.bayes import party_terms
from privet.party.collector import commitment, draw_collector, new_number
from privet.party.disguise import disguise_party
from privet.party.folder import PartyRelease
from privet.party.join import Joined, Mismatch, join
from privet.party.secret import new_secret, read_secret

__all__ = [
    "Agreement",
    "Joined",
    "Member",
    "Mismatch",
    "PartyRelease",
    "commitment",
    "disguise_party",
    "draw_collector",
    "join",
    "new_number",
    "new_secret",
    "party_terms",
    "read_secret",
]
