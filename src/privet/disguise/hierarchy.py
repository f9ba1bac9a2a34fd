"""Generalisation hierarchies: step by step coarser domains of an attribute, in TOML.

```toml
[Outlook]
steps = [{ Sunny = ["Sunny"], Dark = ["Overcast", "Rain"] }, "all"]

[age]
bins = [12, 6, 1]
```

A step groups the values of the step before; ``"all"`` makes one group of them. Numbers get fewer
and fewer bins, each made of whole ones of the step before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disguise.treatment import Exact, Treatment, ValueClass
from privet.errors import PlanError
from privet.files.reading import read_toml

if TYPE_CHECKING:
    from privet.coding import Value
    from privet.schema import Attribute, Schema

__all__ = ["Hierarchies", "ladders"]

Hierarchies = str | Path | Mapping[str, Any]
ALL = "All"


def ladders(given: Hierarchies, schema: Schema) -> dict[str, list[Treatment]]:
    """Return each attribute's treatments, from the finest to the coarsest.

    An attribute that the hierarchies do not name has a single step, which joins all its values.
    """
    form = _read(given) if isinstance(given, str | Path) else given
    for name in form:
        if name not in schema:
            message = f"The hierarchies name {name!r}, which the schema does not have; "
            raise PlanError(message + f"it has {', '.join(schema.names)}.")
    return {attribute.name: _ladder(attribute, form.get(attribute.name)) for attribute in schema}


def _read(path: str | Path) -> dict[str, Any]:
    return read_toml(Path(path), "file of hierarchies", PlanError)


def _ladder(attribute: Attribute, form: Any) -> list[Treatment]:
    word = "steps" if attribute.is_categorical else "bins"
    if form is None:
        form = {word: ["all"] if attribute.is_categorical else [1]}
    if not isinstance(form, Mapping) or list(form) != [word] or not isinstance(form[word], list):
        message = f"Attribute {attribute.name!r}: a hierarchy is a list of {word}."
        hint = '{ steps = ["all"] } for categories, { bins = [10, 5, 1] } for numbers.'
        raise PlanError(message, hint=hint)
    if attribute.is_categorical:
        return _groups(attribute, form[word])
    return _bins(attribute, form[word])


def _groups(attribute: Attribute, steps: list[Any]) -> list[Treatment]:
    where = f"Attribute {attribute.name!r}"
    treatments: list[Treatment] = [Exact()]
    before: dict[Any, list[Value]] = {value: [value] for value in attribute.values or ()}
    for number, asked in enumerate(steps, 1):
        step = {ALL: list(before)} if asked == "all" else asked
        if not isinstance(step, Mapping):
            raise PlanError(f'{where}: step {number} must be groups of values, or "all".')
        listed = [value for group in step.values() for value in group]
        if sorted(map(repr, listed)) != sorted(map(repr, before)):
            message = f"{where}: step {number} must group every value of the step before just once."
            raise PlanError(message)
        before = {name: [v for g in group for v in before[g]] for name, group in step.items()}
        treatments.append(ValueClass(groups=before))
    return treatments


def _bins(attribute: Attribute, steps: list[Any]) -> list[Treatment]:
    treatments = [ValueClass()]
    edges = attribute.coding().edges
    for number, asked in enumerate(steps, 1):
        step = ValueClass(bins=asked)
        coarser = step.released(attribute).coding().edges
        # The last edge is infinite where a number may be missing: it lies nowhere in the range.
        finer, ends = edges[np.isfinite(edges)], coarser[np.isfinite(coarser)]
        near = np.abs(finer[None, :] - ends[:, None]).min(1, initial=np.inf)
        width = np.ptp(attribute.range)
        if len(coarser) > len(edges) or (near > 1e-9 * width).any():
            message = (
                f"Attribute {attribute.name!r}: the bins of step {number} are not made of whole "
            )
            raise PlanError(
                message + "ones of the step before.", hint="let each number divide the last."
            )
        edges = coarser
        treatments.append(step)
    return list(treatments)
