"""What was spent of a data set: an entry for each release, and the budget they must keep to."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from privet.files.reading import typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privet.release import Claim

__all__ = ["Account", "Entry", "amount"]

ROUNDING = 1e-4  # ε that one part in 2³² can make, with as many cells as codes have room for


@dataclass(frozen=True)
class Entry:
    """What a release costs.

    ``epsilon`` has the ε of each attribute, or group of attributes, that is disguised: that of a
    person, if the claim says how many ``rows`` a person has, else of a record. ``plain`` are the
    attributes that can be read off it. ``unbounded`` says that it discloses more than these tell:
    something in it has neither an ε nor is plain, or nothing has an ε at all.
    """

    time: str
    release: str
    epsilon: Mapping[tuple[str, ...], float]
    plain: tuple[str, ...]
    unbounded: bool
    seeded: bool
    rows: int = field(default=1, compare=False)  # of a person: already in ε, and in no file

    @classmethod
    def of(cls, claim: Claim, release: str) -> Entry:
        """Return what a release that keeps a claim costs, as of now."""
        rows = 1 if claim.people is None else claim.people.rows
        return cls(
            datetime.now(UTC).isoformat(timespec="seconds"),
            release,
            {promise.attributes: rows * promise.epsilon for promise in claim.disguised},
            claim.disclosed,
            not claim.formal or not claim.disguised or bool(claim.turned or claim.noisy),
            claim.seeded,
            rows,
        )

    @property
    def total(self) -> float:
        """The sum of ε over the disguised attributes."""
        return math.fsum(self.epsilon.values())

    def covers(self, other: Entry) -> bool:
        """Whether another entry costs the same, for the same attributes, up to rounding.

        How many cells numbers are cut into may follow from the number of records, and γ is rounded
        to whole parts of 2³², by less the fewer the cells are.
        """
        near = ROUNDING * max(self.rows, other.rows)
        return (
            list(self.epsilon) == list(other.epsilon)
            and all(abs(value - other.epsilon[n]) < near for n, value in self.epsilon.items())
            and (self.plain, self.unbounded) == (other.plain, other.unbounded)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as it stands in the file."""
        epsilon = [
            {"attributes": list(names), "epsilon": value} for names, value in self.epsilon.items()
        ]
        form = {"time": self.time, "release": self.release, "disguised": epsilon}
        told = {"plain": list(self.plain), "unbounded": self.unbounded, "seeded": self.seeded}
        return form | told

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Entry:
        """Read what ``to_dict`` wrote."""
        epsilon = {
            tuple(typed(name, str) for name in typed(entry["attributes"], list)): amount(
                entry["epsilon"]
            )
            for entry in typed(form["disguised"], list)
        }
        entry = cls(
            typed(form["time"], str),
            typed(form["release"], str),
            epsilon,
            tuple(typed(name, str) for name in typed(form["plain"], list)),
            typed(form["unbounded"], bool),
            typed(form["seeded"], bool),
        )
        if entry.to_dict() != form:
            raise ValueError
        return entry


@dataclass(frozen=True)
class Account:
    """What was spent of a data set, release by release, and what may be.

    ``budget`` is the most that ε may sum to; None if nobody set a budget.
    """

    budget: float | None = None
    entries: tuple[Entry, ...] = ()

    @property
    def epsilon(self) -> float:
        """The ε of disguised attributes, summed over attributes and releases."""
        return math.fsum(value for entry in self.entries for value in entry.epsilon.values())

    @property
    def left(self) -> float:
        """What is left of the budget; infinite if there is none."""
        return math.inf if self.budget is None else max(0.0, self.budget - self.epsilon)

    @property
    def by_attribute(self) -> dict[tuple[str, ...], float]:
        """The ε of each attribute, or group disguised together, summed over releases."""
        groups = dict.fromkeys(names for entry in self.entries for names in entry.epsilon)
        return {
            names: math.fsum(entry.epsilon.get(names, 0.0) for entry in self.entries)
            for names in groups
        }

    @property
    def plain(self) -> tuple[str, ...]:
        """The attributes that some release shows as they are."""
        return tuple(dict.fromkeys(name for entry in self.entries for name in entry.plain))

    @property
    def unbounded(self) -> int:
        """How many releases disclose more than their ε tells."""
        return sum(entry.unbounded for entry in self.entries)

    def to_dict(self) -> dict[str, Any]:
        """Return the account as it stands in the file."""
        return {"budget": self.budget, "releases": [entry.to_dict() for entry in self.entries]}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Account:
        """Read what ``to_dict`` wrote."""
        budget = None if form["budget"] is None else amount(form["budget"])
        entries = tuple(Entry.from_dict(entry) for entry in typed(form["releases"], list))
        account = cls(budget, entries)
        if account.to_dict() != form:
            raise ValueError
        return account


def amount(value: Any) -> float:
    """Return a sum of ε; anything but a number of at least 0 is an error."""
    if not (math.isfinite(typed(value, float)) and value >= 0):
        raise ValueError
    return float(value)
