"""Trees as files: nodes that make a tree are read, and no others."""

from dataclasses import replace
from typing import Any

import numpy as np
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
    "an error just below zero": small([1, 2], [], [], errors=[-1e-9, 0.0]),
    "an error of a size below zero": small([1, 2], [], [], size_error=-1e-9),
    "an error of a size without end": small([1, 2], [], [], size_error="inf"),
    "a label that is one too large": small([1, 2], [], [], label=2),
    "children with a gap": small([1, 3], [], [], []),
    "a threshold of categories": small([1, 2], [], [], threshold=0.5),
    "a share of a little more than one": small([1, 2], [], [], shares=[1.001, 0.0]),
    "records that are needed without end": small([1, 2], [], [], records_needed="inf"),
    "labels in a list": small([1, 2], [], [], label=[1]),
    "gains in a list": small([1, 2], [], [], gain=[0.1]),
    "an attribute that is no text": small([1, 2], [], []) | {"attributes": [{"name": 5}]},
    "nothing at all": small(),
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


def test_what_was_not_measured_at_every_node_is_not_taken() -> None:
    held = small([1, 2], [], [], share_error=0.5, records_needed=0.5, size_error=0.5)
    for node in held["nodes"][:2]:
        node["shares"] = [0.0, 1.0]
    tree = Tree.from_dict(held)
    assert tree.chances is None
    assert tree.share_errors is not None
    assert tree.needed is not None
    assert tree.share_errors.tolist() == tree.needed.tolist() == tree.size_errors.tolist()
    assert tree.needed.tolist() == [0.5] * 3
    held["nodes"][2]["shares"] = [0.25, 0.75]
    assert Tree.from_dict(held).shares.tolist() == [[0, 1], [0, 1], [0.25, 0.75]]
    del held["nodes"][0]["share_error"]
    assert Tree.from_dict(held).share_errors is None
    assert Tree.from_dict(held).needed is not None
    assert Tree.from_dict(small([])).size_errors.tolist() == pytest.approx([np.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("version", "read"), [(0, False), (1, True), (2, True), (3, False), (True, False), (1.0, False)]
)
def test_versions(version: object, read: bool) -> None:
    held = small([1, 2], [], []) | {"version": version}
    if read:
        assert Tree.from_dict(held).nodes == 3
    else:
        with pytest.raises(TreeError, match="version 1 to 2"):
            Tree.from_dict(held)


def test_a_form_says_what_its_tree_knows() -> None:
    """Numbers without end are text, what nobody knows is null; leaves say nothing of tests."""
    held = small([1, 2], [], [], errors=[0.5, None], size_error=None)
    held["nodes"][0]["z"] = "inf"
    tree = Tree.from_dict(held)
    assert tree.z.tolist() == [np.inf, 0.0, 0.0]
    assert tree.gain.tolist() == [0.1, 0.0, 0.0]
    assert tree.branches.tolist() == [2, 0, 0]
    assert tree.child.tolist() == [1, -1, -1]
    first, second, _ = tree.to_dict()["nodes"]
    assert first["z"] == "inf"
    assert first["errors"] == second["errors"] == [0.5, None]
    assert first["size_error"] is None
    assert first["children"] == [1, 2]
    assert "threshold" not in first
    assert set(second) == {"counts", "errors", "size_error", "label"}
    assert tree.to_dict()["version"] == 1
    below = replace(tree, z=np.array([-np.inf, 0.0, 0.0])).to_dict()["nodes"][0]
    assert below["z"] == "-inf"
    some = np.array([0.0, 2.0, np.nan])
    more = replace(tree, share_errors=some, needed=2 * some).to_dict()["nodes"]
    assert [node["share_error"] for node in more] == [0.0, 2.0, None]
    assert [node["records_needed"] for node in more] == [0.0, 4.0, None]
