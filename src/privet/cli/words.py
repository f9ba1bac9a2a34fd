"""The words that options take, beside the library's own lists: so that help and mistakes are quick.

A test compares each with the list it stands for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ATTACKS", "DISGUISES", "METHODS", "PICKS", "POLICIES", "listed"]

OLD_NAMES = ("random-substitution",)  # of disguises: taken, but no longer told


class _Words(click.Choice[str]):
    """Words of a list, and old names for some of them."""

    def __init__(self, words: Sequence[str], also: Sequence[str] = ()) -> None:
        super().__init__(words)
        self.also = also

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a word of the list, or an old name."""
        return value if value in self.also else super().convert(value, param, ctx)


def listed(words: click.Choice[str]) -> str:
    """Return the words of a list for a help text, which wraps them."""
    return ", ".join(map(str, words.choices))


POLICIES = click.Choice(["cart", "id3", "c4.5", "credal"])
METHODS = click.Choice(["auto", "naive", "global", "by-class", "local", "direct", "joint"])
DISGUISES = _Words(
    [
        "additive-noise",
        "cgadp",
        "complement",
        "egadp",
        "forest-framework",
        "framework",
        "gadp",
        "k-anonymity",
        "monotone",
        "random-noise",
        "randomized-response",
        "subsets",
        "substitution",
    ],
    OLD_NAMES,
)
PICKS = click.Choice(["first", "random", "most-frequent", "dummy"])
ATTACKS = click.Choice(
    [
        "guess",
        "averaging",
        "homogeneity",
        "background",
        "rebuild",
        "leak",
        "one-row-each",
        "moments",
        "joint",
        "known-value",
        "opposite",
        "collusion",
        "nearest",
        "intervals",
        "linkage",
        "noise-guess",
        "noise-spectral",
        "noise-pca",
        "noise-recovery",
        "breach-edge",
        "breach-posterior",
        "one-table",
        "rank",
        "between",
        "poisoning",
        "read",
        "place",
        "regression",
        "substitution-spectral",
        "substitution-pca",
    ]
)
