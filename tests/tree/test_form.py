"""Trees as files: nodes that make a tree are read, and no others."""

from typing import Any

import pytest

from privet.coding import Coding
from privet.errors import TreeError
from privet.tree import Tree
from tests.tree.test_tree import form


def small(*children: list[int], **more: Any) -> dict[str, Any]:
    """A form that is right in all but what is asked for: the children of each of its nodes."""
    nodes: list[dict[str, Any]] = []
    for kids in children:
        node: dict[str, Any] = {"counts": [1.0, 2.0], "errors": [0.0, 0.0], "label": 1}
        if kids:
            node |= {"attribute": "a", "gain": 0.1, "z": 1.0, "branch_of_code": [0, 1]}
            node |= {"children": kids}
        nodes.append(node | more)
    attributes = [Coding.categories("a", ["u", "v"]).to_dict()]
    return form() | {"classes": ["p", "q"], "attributes": attributes, "nodes": nodes}


WRONG: dict[str, dict[str, Any]] = {
    "a child of two parents": small([1, 2], [2, 3], [], []),
    "a node without a parent": small([1, 2], [], [], []),
    "a second root": small([], []),
    "a root that is its own child": small([0, 1], []),
    "a child that is the node itself": small([1, 2], [1, 2], []),
    "three values around a threshold": small([1, 2], [], [], between=["nan"] * 3),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_nodes_that_make_no_tree_are_not_read(wrong: dict[str, Any]) -> None:
    with pytest.raises(TreeError, match="damaged"):
        Tree.from_dict(wrong)


def test_the_same_nodes_in_order_are_read() -> None:
    tree = Tree.from_dict(small([1, 2], [3, 4], [], [], []))
    assert tree.parent.tolist() == [-1, 0, 0, 1, 1]
    assert tree.attribute.tolist() == [0, 0, -1, -1, -1]
    assert Tree.from_dict(small([])).nodes == 1
    wrong = small([1, 2], [], [])
    wrong["nodes"][0]["branch_of_code"] = [0, 2]
    with pytest.raises(TreeError, match="damaged"):
        Tree.from_dict(wrong)


@pytest.mark.parametrize(
    ("threshold", "route", "fits"),
    [
        (3.0, [0, 1, 1, 1], True),  # by where cells end
        (3.0, [0, 0, 1, 1], True),  # by their centres, 0.5, 2.5 and 6.5
        (2.5, [0, 0, 1, 1], True),  # a centre that is the threshold goes left
        (4.0, [0, 0, 1, 1], True),  # as an end does
        (3.0, [1, 1, 1, 1], False),
        (1.0, [1, 1, 1, 1], False),
        (3.0, [0, 0, 0, 1], False),
        (3.0, [0, 0, 1, 0], False),  # what is missing goes right
        (3.0, [0, 1, 1, 0], False),
        (3.0, [1, 1, 0, 0], False),
    ],
)
def test_cells_go_where_the_threshold_sends_them(
    threshold: float, route: list[int], fits: bool
) -> None:
    held = small([1, 2], [], [])
    held["attributes"] = [Coding.cells("a", [0, 1, 4], [1, 4, 9], missing=True).to_dict()]
    held["nodes"][0] |= {"threshold": threshold, "branch_of_code": route}
    if fits:
        assert Tree.from_dict(held).threshold[0] == threshold
    else:
        with pytest.raises(TreeError, match="damaged"):
            Tree.from_dict(held)
