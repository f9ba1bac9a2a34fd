"""Criteria: how impure class counts are, one file per kind in ``split/criteria``.

Impurities are totals over records, so that the gain of a split is the parent's less the
children's. They work on estimated counts too: a negative count is taken as zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from privet.errors import MethodError

if TYPE_CHECKING:
    from collections.abc import Callable

    from privet.coding import Floats

__all__ = ["Criterion", "criterion", "criterion_names"]


@dataclass(frozen=True)
class Criterion:
    """How impure class counts are, and how fast that changes.

    ``impurity`` takes counts (… × classes) to totals over records, ``slope`` to the derivative by
    each count. ``search`` is the compiled twin: ``kernels.search_by`` of the criterion's term per
    class and of what makes a total of the terms' sum; None for a criterion that is no such sum.
    """

    impurity: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    search: Callable[..., Any] | None


@cache
def criterion_names() -> tuple[str, ...]:
    """Return the names of all criteria: those of the files in ``split/criteria``."""
    from privet.split import criteria

    return tuple(sorted(module.name for module in iter_modules(criteria.__path__)))


@cache
def criterion(name: str) -> Criterion:
    """Return the criterion of a name: the ``CRITERION`` of its file.

    >>> import numpy as np
    >>> round(float(criterion("entropy").impurity(np.array([9.0, 5.0]))) / 14, 4)
    0.9403
    """
    if name not in (names := criterion_names()):
        message = f"There is no criterion {name!r}; there are {', '.join(map(repr, names))}."
        raise MethodError(message)
    kind: Criterion = import_module(f"privet.split.criteria.{name}").CRITERION
    return kind
