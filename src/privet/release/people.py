"""Who is protected: a record, or a person of several records."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.errors import ReleaseError
from privet.release.claim import PRIORS, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PER_RECORD", "People"]

PER_RECORD = (
    "These promises are for a record. Of a person with several records more is told: their ε add "
    "up."
)


@dataclass(frozen=True)
class People:
    """The most records that a person has: declared, kept to by leaving some out, or counted.

    What the release tells of a person is the sum over so many records. A number that was
    ``counted`` is itself a fact about the records.

    >>> People(3).sentence(2.08, 16.6)
    'A person has up to 3 records, and what is told of them adds up: ε = 6.24 for an attribute...'
    """

    rows: int
    counted: bool = False
    left_out: int = field(default=0, compare=False)  # for the owner; the card does not say it

    def sentence(self, attribute: float, record: float) -> str:
        """Say what is promised to a person, by the worst ε of an attribute and that of a record."""
        said = (
            f"A person has up to {self.rows:,} records, and what is told of them adds up: "
            f"ε = {self.rows * attribute:.2f} for an attribute (a guess of 5 % about one of them "
            f"rises to {_risen(self.rows * attribute)} at most from it), "
            f"{self.rows * record:.2f} for all disguised attributes."
        )
        if self.rows == 1:
            said = "A person has one record: what is promised for a record is promised to a person."
        if self.counted:
            said += " So many were counted in the records, which is itself a fact about them."
        return said

    def to_dict(self) -> dict[str, Any]:
        """Return what stands on the card."""
        return {"rows_per_person": self.rows, "counted": self.counted}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> People:
        """Read what ``to_dict`` wrote."""
        rows, counted = form["rows_per_person"], form["counted"]
        if type(rows) is not int or rows < 1 or not isinstance(counted, bool) or len(form) != 2:
            raise ReleaseError("what it says of people does not fit together.")
        return cls(rows, counted)


def _risen(epsilon: float) -> str:
    """Say what a guess of 5 % rises to at most: its odds are multiplied by e^ε."""
    prior = PRIORS[1]
    against = float((1 - prior) / prior) * math.exp(-epsilon)
    return percent(Fraction(1 / (1 + against)))
