"""Pictures, texts and exports of a few trees, as they were when last looked at."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from privet import datasets
from privet.disguise import Exact, Plan
from privet.estimators import TreeClassifier
from privet.mining import mine
from privet.split import Policy
from privet.tree import Tree
from privet.tree.beside import beside
from privet.tree.draw import _flow, _outline, _walk, _words, figure, page, svg
from privet.tree.export import dot, rules, sql
from privet.tree.graft import grafted
from privet.tree.layout import laid_out
from privet.tree.onnx import to_onnx
from privet.tree.prune import (
    is_worth_telling,
    more_errors,
    prune_errors,
    prune_leaves,
    prune_unsure,
    worth_their_cost,
)
from privet.tree.text import render
from privet.tree.understand import compare, importances, needs, steps, untold
from tests.golden import golden
from tests.releases import release
from tests.tree.test_draw import staircase
from tests.tree.test_export import SIGNS, grown


def _weather() -> Tree:
    table, schema = datasets.load("weather"), datasets.schema("weather")
    return TreeClassifier(policy="id3").fit(Plan({}, default=Exact()).disguise(table, schema)).tree_


def _estimated(method: str) -> Tree:
    return mine(release("substitution", 3_000), Policy.named("c4.5"), method).tree


TREES: dict[str, Callable[[], Tree]] = {
    "weather": _weather,
    "staircase": lambda: staircase(6, 3),
    "many": lambda: staircase(11, 10),
    "odd": lambda: grown(4, "c4.5", [*SIGNS[:3], "z"]),
    "deep": lambda: grown(5, "cart", [0, 1], 600),
    "one": lambda: staircase(3).take([0]),
    "estimated": lambda: _estimated("direct"),
    "joint": lambda: _estimated("joint"),
    "unknown": lambda: _estimated("direct").unmeasured(),
}


@cache
def tree_of(kind: str) -> Tree:
    return TREES[kind]()


def records(tree: Tree) -> Any:
    """Codes and numbers that reach many leaves."""
    rng = np.random.default_rng(1)
    columns = [
        np.linspace(-2, 12, 24) * (1 if one.edges is None else float(np.ptp(one.edges) or 1) / 10)
        if one.ordered
        else rng.integers(-1, one.size, 24).astype(float)
        for one in tree.codings
    ]
    return np.column_stack(columns)


@pytest.mark.parametrize("kind", TREES)
def test_a_picture_is_the_same_again(kind: str) -> None:
    tree = tree_of(kind)
    for leaves in (3, 40):
        picture = laid_out(tree.plain, leaves, 5 if leaves == 3 else None)
        lines = [picture.line(card) for card in picture.cards if card.parent >= 0]
        size = [picture.wide, picture.tall, picture.lefts, picture.widths, picture.height]
        cards = picture.cards[:12]
        golden("pictures", f"{kind} {leaves}", [cards, lines, size, svg(tree, leaves)])
    words = _words(tree.plain)
    flow = [_flow(words["classes"], wide, 30.0) for wide in (150, 420)]
    golden("pictures", f"{kind} page", [figure(tree), page(tree), words, flow])
    golden("pictures", f"{kind} walk", [_outline(tree.plain)[:20], _walk(tree.plain)])


@pytest.mark.parametrize("kind", TREES)
def test_texts_and_exports_are_the_same_again(kind: str) -> None:
    tree = tree_of(kind)
    said = [render(tree), render(tree, 1), rules(tree), dot(tree), sql(tree)]
    golden("trees", f"{kind} said", said)
    golden("trees", f"{kind} form", [tree.to_dict(), tree.heavy, tree.depths, tree.shares])
    told = [importances(tree), needs(tree), untold(tree)]
    walked = [steps(tree, row) for row in records(tree)[:6]]
    golden("trees", f"{kind} understood", [told, walked, tree.apply(records(tree))])
    if tree.nodes > 1:
        model = to_onnx(tree)
        parts = [
            {one.name: [list(one.ints), list(one.floats), one.i, one.s] for one in node.attribute}
            for node in model.graph.node
        ]
        golden("trees", f"{kind} onnx", parts)


@pytest.mark.parametrize("kind", TREES)
def test_trees_are_pruned_the_same_again(kind: str) -> None:
    tree = tree_of(kind)
    cut = {
        **{f"unsure {least}": prune_unsure(tree, least) for least in (1.0, 4.0, 12.0)},
        **{f"leaves {most}": prune_leaves(tree, most) for most in (1, 2, 3, 5)},
        **{f"errors {level}": prune_errors(tree, level) for level in (0.01, 0.25, 0.5)},
    }
    found: dict[str, Any] = {name: one.counts for name, one in cut.items()}
    found["cost"] = [worth_their_cost(tree, cost) for cost in (0.5, 3.0, 20.0)]
    golden("trees", f"{kind} pruned", [found, bool(is_worth_telling(tree))])


def test_more_errors_are_the_same_again() -> None:
    rows, errors = np.meshgrid([0.0, 1.0, 2.5, 6.0, 30.0, 400.0], [0.0, 0.5, 1.0, 2.0, 6.0, 25.0])
    kept = errors <= rows
    levels = (0.001, 0.1, 0.25, 0.5)
    golden("trees", "more errors", [more_errors(rows[kept], errors[kept], one) for one in levels])


@pytest.mark.parametrize("kind", ["deep", "cut", "shorter", "estimated", "staircase", "weather"])
def test_trees_are_compared_the_same_again(kind: str) -> None:
    first, second = {
        "deep": lambda: (tree_of("deep"), grown(6, "cart", [0, 1], 600)),
        "cut": lambda: (prune_leaves(tree_of("deep"), 4), prune_leaves(tree_of("deep"), 9)),
        "shorter": lambda: (grown(7, "c4.5", [0, 1], 90), grown(8, "c4.5", [0, 1], 90)),
        "estimated": lambda: (tree_of("estimated"), tree_of("joint")),
        "staircase": lambda: (staircase(6, 2), staircase(5, 2)),
        "weather": lambda: (tree_of("weather"), prune_leaves(tree_of("weather"), 3)),
    }[kind]()
    found = beside(first, second)
    golden("trees", f"{kind} beside", [found, compare(first, second), compare(second, first)])


def test_a_forest_as_one_tree_is_the_same_again() -> None:
    trees = [tree_of(kind) for kind in ("estimated", "joint")]
    trees.append(prune_leaves(trees[1], 5))
    votes = [tree.shares for tree in trees]
    golden("trees", "forest", grafted(trees, votes).to_dict())
