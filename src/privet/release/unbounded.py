"""Noise without a bound: tables that look plain and promise nothing, with what was done to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from privet.errors import ReleaseError
from privet.schema import Attribute

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privet.release.release import Release
    from privet.schema import Schema

__all__ = ["TREATMENT", "UnboundedNoise"]

Setting: TypeAlias = "float | int | str | bool | tuple[str, ...] | None"

TREATMENT = "unbounded-noise"  # of every attribute that such a method changes
_RULES = (
    "Every record stays in its leaf of the trees that the noise was fitted to: whoever grows the "
    "same trees from the release knows for certain which interval a true number lies in, and which "
    "category it is where a tree tests it."
)
_REGRESSION = (
    "Whoever knows a person's plain attributes can find the row, and predict the numbers as well "
    "as a regression on them does."
)
_SAID: dict[str, tuple[str, ...]] = {
    "forest-framework": (
        (
            "Numbers have noise, categories and the class are dealt anew among records of the same "
            "leaves of {n_trees} trees."
        ),
        _RULES,
    ),
    "framework": (
        (
            "Numbers have noise, categories are changed to similar ones with probability {change}, "
            "the class is dealt anew among records of the same leaf of one tree."
        ),
        _RULES,
    ),
    "random-noise": (
        (
            "Numbers have uniform noise of up to {noise} of their range to either side, categories "
            "and the class are changed to any other with probability {change}. Noise that goes so "
            "far and no further gives an interval away for certain."
        ),
    ),
    "gadp": (
        (
            "Confidential numbers are drawn anew round their regression on all else, with "
            "proximity {proximity}; all other attributes are plain."
        ),
        _REGRESSION,
    ),
    "egadp": (
        (
            "Confidential numbers are drawn anew round their regression on all else, with "
            "proximity {proximity}, so that means and covariances are exactly those of the "
            "originals; all other attributes are plain."
        ),
        _REGRESSION,
    ),
    "cgadp": (
        (
            "Confidential numbers are drawn anew by a normal copula with all else, with proximity "
            "{proximity}, from the originals' own distributions, the smallest and the largest "
            "number included; all other attributes are plain."
        ),
        _REGRESSION,
    ),
}


@dataclass(frozen=True)
class UnboundedNoise:
    """Which method made a table, and with which settings: enough to do the same to other records.

    ``declared`` has the owner's declarations of attributes whose released domain is another one.
    It protects by nothing that could be proved: there is no formal guarantee.
    """

    method: str
    settings: Mapping[str, Setting]
    declared: Mapping[str, Attribute] = field(default_factory=dict)

    def original_schema(self, schema: Schema) -> Schema:
        """Return the owner's schema, from that of the release."""
        return schema.with_attributes(self.declared.get(one.name, one) for one in schema)

    def verify(self, release: Release) -> None:
        """Nothing of such noise can be checked on the records: any table is possible."""

    def notes(self) -> tuple[str, ...]:
        """Say what was done and what it gives away."""
        held = {name: "" if value is None else value for name, value in self.settings.items()}
        return tuple(sentence.format(**held) for sentence in _SAID[self.method])

    def to_json(self) -> dict[str, Any]:
        """Return what the card says."""
        settings = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.settings.items()
        }
        declared = {name: one.to_dict() for name, one in self.declared.items()}
        return {"method": self.method, "settings": settings, "declared": declared}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> UnboundedNoise:
        """Read what ``to_json`` wrote."""
        method, settings = form["method"], form["settings"]
        if set(form) != {"method", "settings", "declared"} or method not in _SAID:
            raise ReleaseError("its noise is of no kind that is known.", hint="upgrade privet.")
        held = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in settings.items()
        }
        declared = {name: Attribute.from_dict(name, one) for name, one in form["declared"].items()}
        noise = cls(method, held, declared)
        noise.notes()  # a setting that the sentences need and that is not there is an error
        return noise
