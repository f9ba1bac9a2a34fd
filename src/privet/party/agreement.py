"""Agreements: what the parties settle before any of them disguises a record.

One schema for all, who holds what, and how each disguises its share. An agreement is public: it
stands in full on every party's card, and the collector refuses files that were made by another.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.channel.joint_gamma import check_group
from privet.disguise.response import RandomizedResponse, group_warnings
from privet.errors import PlanError
from privet.files.reading import read_toml
from privet.release import Claim
from privet.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privet.disguise.recipe import Recipe

__all__ = ["Agreement", "Member"]

SPLITS = ("columns", "records")
_FIELDS = [field.name for field in dataclasses.fields(RandomizedResponse)]


@dataclass(frozen=True)
class Member:
    """One party: the attributes it holds, how it disguises them, and whether it sends the class."""

    attributes: tuple[str, ...]
    response: RandomizedResponse
    sends_class: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return the plain form, as in an agreement's file."""
        form: dict[str, Any] = {"attributes": list(self.attributes), "class": self.sends_class}
        for name in _FIELDS:
            value = getattr(self.response, name)
            if value is not None and value != {}:
                form[name] = json.loads(json.dumps(value))
        return form


@dataclass(frozen=True)
class Agreement:
    """What several parties do together.

    ``split`` is ``"columns"`` where they hold different attributes of the same records, and
    ``"records"`` where they hold the same attributes of different ones.

    >>> from privet.schema import Attribute
    >>> bits = [Attribute.categorical(name, [0, 1]) for name in ("smoker", "cough", "ill")]
    >>> agreed = Agreement.from_dict(
    ...     {
    ...         "parties": {
    ...             "clinic": {"groups": [["cough"]], "theta": 0.8},
    ...             "office": {"groups": [["smoker"]], "theta": 1},
    ...         }
    ...     },
    ...     Schema(bits, target="ill"),
    ... )
    >>> list(agreed.members)
    ['clinic', 'office']
    """

    schema: Schema
    members: Mapping[str, Member]
    split: str = "columns"

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            message = "The agreement's split must be 'columns' or 'records'."
            hint = "columns: other attributes of the same records; records: the other way round."
            raise PlanError(message, hint=hint)
        if not self.members:
            raise PlanError("The agreement names no party.", hint="[parties.clinic] in TOML.")
        if self.split == "columns":
            self._check_columns()
        for name in self.members:
            self.recipe(name)
        if self.split == "records":
            self._check_records()

    def _check_columns(self) -> None:
        holder: dict[str, str] = {}
        for party, member in self.members.items():
            for name in member.attributes:
                if name not in self.schema or name == self.schema.target:
                    message = f"Party {party!r} is to hold {name!r}, which is no attribute of the "
                    raise PlanError(message + f"schema; it has {', '.join(self._inputs)}.")
                if name in holder:
                    message = f"Attribute {name!r} is with two parties, {holder[name]!r} and "
                    raise PlanError(message + f"{party!r}.", hint="leave it to one of them.")
                holder[name] = party
        left = [name for name in self._inputs if name not in holder]
        if left:
            message = f"Attribute {left[0]!r} is with no party."
            raise PlanError(message, hint="give it to one, or leave it out of the schema.")
        if not any(member.sends_class for member in self.members.values()):
            message = f"No party sends the class {self.schema.target!r}: nothing could be learned."
            raise PlanError(message, hint="class = true for one party at least.")

    def _check_records(self) -> None:
        recipes = {party: self.recipe(party) for party in self.members}
        first, *others = recipes
        for party, member in self.members.items():
            if not member.sends_class:
                raise PlanError(f"Party {party!r} must send the class with its records.")
        for party in others:
            if _columns(recipes[party]) != _columns(recipes[first]):
                message = f"Parties {first!r} and {party!r} would release different columns."
                raise PlanError(message, hint="agree on the same cuts and bins.")

    @property
    def _inputs(self) -> list[str]:
        return [attribute.name for attribute in self.schema.inputs]

    def recipe(self, party: str) -> Recipe:
        """Return a party's work; its steps leave the class out if the party does not send it."""
        member = self.member(party)
        names = {*member.attributes, self.schema.target}
        own = self.schema.with_attributes(
            attribute for attribute in self.schema if attribute.name in names
        )
        try:
            recipe = member.response.plan(own).recipe(own)
        except PlanError as error:
            raise error.retold(f"Party {party!r}: {error.message}") from None
        if member.sends_class:
            return recipe
        steps = tuple(step for step in recipe.steps if step.name != self.schema.target)
        return dataclasses.replace(recipe, steps=steps)

    def member(self, party: str) -> Member:
        """Return what is agreed for a party."""
        if party not in self.members:
            message = f"The agreement has no party {party!r}; it has {', '.join(self.members)}."
            raise PlanError(message)
        return self.members[party]

    def claim(self, party: str) -> Claim:
        """Return what a party's records are promised; no data are needed."""
        recipe = self.recipe(party)
        target, learned = self.schema.target, self.schema.learned
        treatments = dict(recipe.treatments)
        if not self.member(party).sends_class:
            treatments[target] = "withheld"
        return Claim.of(
            treatments,
            [recipe.channels],
            columns=recipe.types,
            target=target,
            learned=learned,
            seeded=False,
        )

    def warnings(self, party: str) -> list[str]:
        """Say which of a party's groups have no ε, and what would."""
        member = self.member(party)
        names = {*member.attributes, self.schema.target}
        own = self.schema.with_attributes(
            attribute for attribute in self.schema if attribute.name in names
        )
        return group_warnings(member.response.plan(own).groups)

    # Files

    def to_dict(self) -> dict[str, Any]:
        """Return the plain form, schema included, as it stands on cards."""
        return {
            "schema": self.schema.with_attributes(self.schema).to_dict(),
            "split": self.split,
            "parties": {name: member.to_dict() for name, member in self.members.items()},
        }

    @cached_property
    def digest(self) -> str:
        """The checksum of the whole agreement."""
        text = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @classmethod
    def from_dict(cls, form: Mapping[str, Any], schema: Schema | None = None) -> Agreement:
        """Read a plain form; without a schema of its own it takes the schema given."""
        unknown = sorted(set(form) - {"schema", "split", "parties"})
        if unknown:
            message = f"The agreement has the unknown word {unknown[0]!r}; "
            raise PlanError(message + "known are split and parties.")
        parties = form.get("parties")
        if not isinstance(parties, dict) or not all(isinstance(p, dict) for p in parties.values()):
            message = "An agreement needs a table of parties."
            raise PlanError(message, hint='[parties.clinic] groups = [["cough"]] theta = 0.8.')
        agreed = Schema.from_dict(form["schema"]) if schema is None else schema
        split = form.get("split", "columns")
        every = tuple(attribute.name for attribute in agreed.inputs)
        members = {
            party: _member(party, dict(asked), every if split == "records" else None)
            for party, asked in parties.items()
        }
        return cls(agreed, members, split)

    @classmethod
    def read(cls, path: str | Path, schema: Schema) -> Agreement:
        """Read an agreement from a TOML file."""
        return cls.from_dict(read_toml(Path(path), "agreement", PlanError), schema)


def _member(party: str, asked: dict[str, Any], every: tuple[str, ...] | None) -> Member:
    where = f"Party {party!r}"
    known = {*_FIELDS, "attributes", "class"}
    unknown = sorted(set(asked) - known)
    if unknown:
        message = f"{where}: {unknown[0]!r} is not a known word; "
        raise PlanError(message + f"known are {', '.join(sorted(known))}.")
    sends = asked.pop("class", True)
    if not isinstance(sends, bool):
        raise PlanError(f"{where}: class must be true or false.")
    listed = asked.pop("attributes", None)
    groups = asked.get("groups")
    if listed is None and every is None:
        if not isinstance(groups, list):
            message = f"{where}: say which attributes it holds, by attributes or groups."
            raise PlanError(message, hint='groups = [["smoker", "cough"]].')
        listed = [name for group in groups for name in check_group(group, where)]
    attributes = every if listed is None else check_group(listed, where)
    return Member(attributes or (), RandomizedResponse(**asked), sends)


def _columns(recipe: Recipe) -> list[Any]:
    """Return what a recipe releases: names, and what their codes stand for."""
    return [
        (step.name, None if step.coding is None else step.coding.to_dict()) for step in recipe.steps
    ]
