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

__all__ = ["UnboundedNoise"]

Setting: TypeAlias = "float | int | str | bool | tuple[str, ...] | None"

MOST, LONGEST = 8, 1000  # sentences of a card, and letters of a sentence


@dataclass(frozen=True)
class UnboundedNoise:
    """Which method made a table, and with which settings: enough to do the same to other records.

    ``said`` are the method's sentences about what was done and what it discloses. ``declared``
    has the owner's declarations of attributes whose released domain is another. It protects by
    nothing that could be proved: there is no formal guarantee.
    """

    method: str
    settings: Mapping[str, Setting]
    said: tuple[str, ...]
    declared: Mapping[str, Attribute] = field(default_factory=dict)

    def original_schema(self, schema: Schema) -> Schema:
        """Return the owner's schema, from that of the release."""
        return schema.with_attributes(
            self.declared.get(attribute.name, attribute) for attribute in schema
        )

    def verify(self, release: Release) -> None:
        """Nothing of such noise can be checked on the records: any table is possible."""

    def notes(self) -> tuple[str, ...]:
        """Say what was done and what it discloses."""
        return self.said

    def to_dict(self) -> dict[str, Any]:
        """Return what the card says."""
        settings = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.settings.items()
        }
        declared = {name: attribute.to_dict() for name, attribute in self.declared.items()}
        form = {"method": self.method, "settings": settings, "said": list(self.said)}
        return {**form, "declared": declared}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> UnboundedNoise:
        """Read what ``to_dict`` wrote."""
        method, settings, said = form["method"], form["settings"], form["said"]
        if set(form) != {"method", "settings", "said", "declared"} or not _told(said):
            raise ReleaseError("its noise is not told as it should be.", hint="upgrade privet.")
        noises = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in settings.items()
        }
        declared = {
            name: Attribute.from_dict(name, attribute)
            for name, attribute in form["declared"].items()
        }
        return cls(method, noises, tuple(said), declared)


def _told(said: object) -> bool:
    """Whether these are a few sentences, each on one line."""
    return (
        isinstance(said, list)
        and 0 < len(said) <= MOST
        and all(isinstance(sentence, str) and sentence.isprintable() for sentence in said)
        and all(0 < len(sentence) <= LONGEST for sentence in said)
    )
