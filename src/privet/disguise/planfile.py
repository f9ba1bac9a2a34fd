"""Plans in TOML: what happens to each attribute, or one method for the whole table."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from privet.disguise.base import METHODS, Disguise
from privet.disguise.group import GROUPS, Group
from privet.disguise.plan import Plan
from privet.disguise.treatment import TREATMENTS, Treatment
from privet.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["plan_from_dict", "read_plan"]

Kind = TypeVar("Kind", Disguise, Treatment, Group)


def read_plan(path: str | Path) -> Disguise:
    """Read a plan file."""
    file = Path(path)
    try:
        form = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"The plan {file} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise PlanError(f"The plan {file} is not valid TOML: {error}.") from None
    return plan_from_dict(form)


def plan_from_dict(form: Mapping[str, Any]) -> Disguise:
    """Return the disguise that a plan's plain form asks for.

    >>> plan_from_dict({"method": "random-substitution", "gamma": 5}).gamma
    5
    >>> plan_from_dict({"default": "withheld", "attributes": {"age": "exact"}}).default
    Withheld()
    """
    if "method" in form:
        return _made(dict(form), METHODS, "The plan")
    unknown = sorted(set(form) - {"attributes", "default", "groups"})
    if unknown:
        message = f"The plan has the unknown word {unknown[0]!r}; "
        raise PlanError(message + "known are method, or attributes, default and groups.")
    attributes, groups = form.get("attributes", {}), form.get("groups", [])
    said = attributes or groups or "default" in form
    if not isinstance(attributes, dict) or not isinstance(groups, list) or not said:
        hint = 'method = "random-substitution", or a table [attributes].'
        raise PlanError("A plan needs a method, or a table of attributes.", hint=hint)
    treatments = {
        name: _treatment(asked, f"Attribute {name!r}") for name, asked in attributes.items()
    }
    default = form.get("default")
    made = [_group(asked, f"Group {place}") for place, asked in enumerate(groups, 1)]
    return Plan(
        treatments, None if default is None else _treatment(default, "default"), tuple(made)
    )


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
    kind = kinds.get(form["method"]) if isinstance(form["method"], str) else None
    if kind is None:
        raise PlanError(f"{where}: the method is unknown; known are {', '.join(sorted(kinds))}.")
    known = [one.name for one in dataclasses.fields(kind)]  # type: ignore[arg-type]
    unknown = sorted(set(options) - set(known))
    if unknown:
        message = f"{where}: {kind.method!r} does not take {unknown[0]!r}; "
        raise PlanError(message + f"it takes {', '.join(known) or 'no options'}.")
    return kind(**options)
