"""Plans in TOML: what happens to each attribute, or one method for the whole table."""

from __future__ import annotations

import dataclasses
import math
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from privet.disguise.base import METHODS, Disguise
from privet.disguise.group import GROUPS, Group
from privet.disguise.plan import Plan
from privet.disguise.treatment import TREATMENTS, Treatment
from privet.errors import PlanError
from privet.files.reading import read_toml
from privet.schema.attribute import toml_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["plan_from_dict", "plan_to_toml", "read_plan"]

Kind = TypeVar("Kind", Disguise, Treatment, Group)
_OTHER_NAMES = {"random-substitution": "substitution"}


def read_plan(path: str | Path) -> Disguise:
    """Read a plan file."""
    return plan_from_dict(read_toml(Path(path), "plan", PlanError))


def plan_from_dict(form: Mapping[str, Any]) -> Disguise:
    """Return the disguise that a plan's plain form asks for.

    >>> plan_from_dict({"method": "substitution", "gamma": 5}).gamma
    5
    >>> plan_from_dict({"default": "withheld", "attributes": {"age": "exact"}}).default
    Withheld()
    """
    if "method" in form:
        return _made(dict(form), METHODS, "The plan")
    unknown = sorted(set(form) - {"attributes", "default", "groups", "wave", "tuned_on_records"})
    if unknown:
        message = f"The plan has the unknown word {unknown[0]!r}; "
        raise PlanError(
            message + "known are method, or attributes, default, groups, wave and tuned_on_records."
        )
    tuned = form.get("tuned_on_records", False)
    if not isinstance(tuned, bool):
        raise PlanError("The plan's tuned_on_records must be true or false.")
    attributes, groups = form.get("attributes", {}), form.get("groups", [])
    said = attributes or groups or "default" in form
    if not isinstance(attributes, dict) or not isinstance(groups, list) or not said:
        hint = 'method = "substitution", or a table [attributes].'
        raise PlanError("A plan needs a method, or a table of attributes.", hint=hint)
    treatments = {
        name: _treatment(asked, f"Attribute {name!r}") for name, asked in attributes.items()
    }
    default = form.get("default")
    made = [_group(asked, f"Group {place}") for place, asked in enumerate(groups, 1)]
    return Plan(
        treatments,
        None if default is None else _treatment(default, "default"),
        tuple(made),
        form.get("wave", "auto"),
        tuned,
    )


def plan_to_toml(plan: Plan) -> str:
    """Return a plan as the TOML that ``read_plan`` reads.

    >>> from privet.disguise import Exact, Substitution
    >>> print(plan_to_toml(Plan({"age": Substitution(8, bins=12)}, default=Exact())))
    default = "exact"
    <BLANKLINE>
    [attributes]
    "age" = { method = "substitution", gamma = 8, bins = 12 }
    <BLANKLINE>
    """
    lines = [] if plan.default is None else [f"default = {_written(plan.default)}"]
    lines += [] if plan.wave == "auto" else [f"wave = {toml_of(plan.wave or 0)}"]
    lines += ["tuned_on_records = true"] if plan.tuned else []
    if plan.groups:
        lines += [f"groups = [{', '.join(map(_written, plan.groups))}]"]
    if plan.treatments:
        lines += ["", "[attributes]"]
        for name, treatment in plan.treatments.items():
            lines.append(f"{toml_of(name)} = {_written(treatment)}")
    return "\n".join(lines).lstrip("\n") + "\n"


def _written(part: Treatment | Group) -> str:
    """Return a treatment or a group in TOML: its word, and what differs from its defaults."""
    words: dict[str, Any] = {"method": part.method}
    for field in dataclasses.fields(part):  # type: ignore[arg-type]
        value = getattr(part, field.name)
        if value != field.default:
            words[field.name] = _plain(value)
    alone = len(words) == 1 and isinstance(part, Treatment)
    return toml_of(part.method if alone else words)


def _plain(value: Any) -> Any:
    """Return a setting as TOML has it: an exact fraction as the nearest number not above it."""
    if isinstance(value, Fraction):
        near = float(value)
        return int(value) if value.denominator == 1 else _not_above(near, value)
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return list(value) if isinstance(value, tuple) else value


def _not_above(near: float, value: Fraction) -> float:
    return near if Fraction(near) <= value else math.nextafter(near, 0.0)


def _group(asked: object, where: str) -> Group:
    if not isinstance(asked, dict) or "method" not in asked or "attributes" not in asked:
        message = f"{where}: a table with a method and attributes is expected."
        hint = '{ method = "joint-substitution", attributes = ["smoker", "cough"], gamma = 8 }.'
        raise PlanError(message, hint=hint)
    return _made(asked, GROUPS, where)


def _treatment(asked: object, where: str) -> Treatment:
    if isinstance(asked, str):
        asked = {"method": asked}
    if not isinstance(asked, dict) or "method" not in asked:
        message = f"{where}: a word or a table with a method is expected."
        raise PlanError(message, hint='"exact", or { method = "substitution", gamma = 8 }.')
    return _made(asked, TREATMENTS, where)


def _made(form: dict[str, Any], kinds: Mapping[str, type[Kind]], where: str) -> Kind:
    """Make what ``method`` names from the other words."""
    options = {key: value for key, value in form.items() if key != "method"}
    word = form["method"]
    kind = kinds.get(_OTHER_NAMES.get(word, word)) if isinstance(word, str) else None
    if kind is None:
        asked = form["method"]
        near = get_close_matches(str(asked), kinds, n=1)
        raise PlanError(
            f"{where}: the method {asked!r} is unknown; known are {', '.join(sorted(kinds))}.",
            hint=f"did you mean {near[0]!r}?" if near else "",
        )
    known = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    unknown = sorted(set(options) - set(known))
    if unknown:
        message = f"{where}: {kind.method!r} does not take {unknown[0]!r}; "
        raise PlanError(message + f"it takes {', '.join(known) or 'no options'}.")
    return kind(**options)
