"""Classes that plan files know by a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["known_in"]

Kind = TypeVar("Kind", bound="type[Any]")


def known_in(kinds: dict[str, Any]) -> Callable[[Kind], Kind]:
    """Return a decorator that adds a class to ``kinds`` by its ``method``, the word for it.

    >>> kinds = {}
    >>> @known_in(kinds)
    ... class Exact:
    ...     method = "exact"
    >>> list(kinds)
    ['exact']
    """

    def add(kind: Kind) -> Kind:
        kinds[kind.method] = kind
        return kind

    return add
