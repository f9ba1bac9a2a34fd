"""The tree itself: files, boxes, and the way of records through it."""

import json
import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.coding import Coding
from privet.errors import PrivetWarning, TreeError
from privet.estimate.bins import learn_cells
from privet.estimate.routed import routed
from privet.grow import grow
from privet.schema import Attribute
from privet.split import Policy
from privet.table import MemoryTable
from privet.tree import Tree
from privet.tree.figures import border
from privet.tree.text import categories
from tests import twins
from tests.flips import flipped
from tests.strategies import seeds
from tests.tree.test_diagram import tree_of


def mixed(rng: np.random.Generator, rows: int) -> tuple[list[Coding], dict[str, Any], NDArray[Any]]:
    """Codings of every kind, codes of records, and the values that a tree reads."""
    bins = Attribute.numeric("bins", low=0, high=10, bins=7, missing="category")
    whole = Attribute.numeric("whole", low=-3, high=30, bins=9, integer=True)
    names = Attribute.categorical("names", ["a", "b", "c", "d"], missing="category")
    learned = rng.choice([1.0, 2.0, 7.0, 100.0, 101.0, 1e6], rows)
    raw: dict[str, Any] = {
        "bins": np.where(rng.random(rows) < 0.2, np.nan, rng.uniform(0, 10, rows)),
        "whole": rng.integers(-3, 31, rows).astype(np.float64),
        "names": rng.choice(np.array(["a", "b", "c", None], dtype=object), rows),
        "learned": learned,
    }
    codings = [bins.coding(), whole.coding(), names.coding(), learn_cells("learned", learned)]
    codes = {one.name: one.encode(raw[one.name]) for one in codings}
    values = np.column_stack(
        [raw["bins"], raw["whole"], codes["names"].astype(np.float64), raw["learned"]]
    )
    return codings, codes, values


def grown(
    seed: int, rows: int, policy: Policy, classes: int = 3
) -> tuple[Tree, dict[str, Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    codings, codes, values = mixed(rng, rows)
    labels = rng.integers(0, classes, rows).astype(np.uint8)
    labels[:classes] = np.arange(classes)[:rows]
    names = tuple(f"c{label}" for label in range(classes))
    table = MemoryTable({**codes, "class": labels})
    return grow(routed(table, codings, "class", names), policy), codes, values


trees = st.builds(
    grown,
    seeds,
    st.integers(3, 80),
    st.sampled_from([Policy.named("cart"), Policy.named("id3"), Policy(max_depth=3)]),
)


@given(trees)
def test_a_file_gives_the_tree_back(made: tuple[Tree, Any, NDArray[Any]]) -> None:
    tree, _, values = made
    again = Tree.from_dict(json.loads(tree.to_json()))
    assert again.same_as(tree)
    assert tree.same_as(again)
    assert again.to_json() == tree.to_json()
    np.testing.assert_array_equal(again.apply(values), tree.apply(values))
    np.testing.assert_array_equal(again.shares, tree.shares)
    assert str(again) == str(tree)


@given(trees)
def test_every_array_goes_with_its_node(made: tuple[Tree, Any, NDArray[Any]]) -> None:
    """Whatever arrays a tree has: children change places, and all that is known of them too."""
    tree, _, _ = made
    numbers = np.arange(tree.nodes, dtype=np.float64)
    tree = replace(tree, z=numbers + 1, gain=numbers + 2, errors=tree.counts + numbers[:, None])
    tree = tree.take(range(tree.nodes))  # leaves have no z and no gain
    order = [0]
    for node in order:
        order += reversed(tree.children(node))
    turned = tree.take(order)
    for field in fields(Tree):
        held, again = getattr(tree, field.name), getattr(turned, field.name)
        if isinstance(held, np.ndarray) and field.name not in ("parent", "child"):
            np.testing.assert_array_equal(again, held[order])
    assert [order[parent] for parent in turned.parent[1:]] == tree.parent[order[1:]].tolist()
    for new, old in enumerate(order):
        assert [order[kid] for kid in turned.children(new)] == list(tree.children(old))[::-1]
        assert turned.routes[new] is tree.routes[old]


@given(trees)
def test_a_branch_lists_only_categories_that_come_so_far(
    made: tuple[Tree, Any, NDArray[Any]],
) -> None:
    tree, _, _ = made
    for node in np.flatnonzero(np.isnan(tree.threshold) & (tree.child >= 0)).tolist():
        coding = tree.codings[tree.attribute[node]]
        come = np.flatnonzero(tree.boxes[node].mask(coding.name, coding.size)).tolist()
        listed = [categories(tree, kid) for kid in tree.children(node)]
        if all(listed):
            names = sorted(name for one in listed for name in one)
            reached = sorted(coding.label(code) for code in come)
            assert set(reached) <= set(names)
            if tree.branches[node] == 2:
                assert names == reached


@given(trees)
def test_thresholds_are_printed_between_the_values_they_tell_apart(
    made: tuple[Tree, Any, NDArray[Any]],
) -> None:
    tree, _, _ = made
    for node in np.flatnonzero(np.isfinite(tree.threshold)).tolist():
        below, above = tree.around[node]
        text = border(tree, node)
        assert len(text) <= 8
        assert below <= float(text) < above or below == above


@given(trees, st.sampled_from([0.17, 0.5, 0.83]))
def test_whole_numbers_take_the_same_branch_after_rounding(
    made: tuple[Tree, Any, NDArray[Any]], shift: float
) -> None:
    tree, _, values = made
    place = [coding.name for coding in tree.codings].index("whole")
    moved = np.where(tree.attribute == place, np.floor(tree.threshold) + shift, tree.threshold)
    tree = replace(tree, threshold=moved)
    rounded = tree.with_whole({"whole"})
    cuts = rounded.threshold[tree.attribute == place]
    np.testing.assert_array_equal(2 * cuts, np.floor(2 * cuts))
    np.testing.assert_array_equal(rounded.apply(values), tree.apply(values))


@given(trees)
def test_leaves_divide_the_space_of_codes(made: tuple[Tree, Any, NDArray[Any]]) -> None:
    """Any record of codes, seen or not, lies in just one leaf's box."""
    tree, _, _ = made
    rng = np.random.default_rng(0)
    codes = {one.name: rng.integers(0, one.size, 200) for one in tree.codings}
    inside = np.zeros(200, np.int64)
    for leaf in tree.leaves:
        box = tree.boxes[leaf]
        held = np.ones(200, np.bool_)
        for one in tree.codings:
            held &= box.mask(one.name, one.size)[codes[one.name]]
        inside += held
    assert (inside == 1).all()


@given(trees)
def test_values_and_codes_take_the_same_way(made: tuple[Tree, Any, NDArray[Any]]) -> None:
    tree, codes, values = made
    leaves = tree.apply(values)
    for leaf in tree.leaves:
        box = tree.boxes[leaf]
        held = np.ones(len(values), np.bool_)
        for one in tree.codings:
            held &= box.mask(one.name, one.size)[codes[one.name]]
        np.testing.assert_array_equal(held, leaves == leaf)
        # What a leaf says it holds is what comes to it.
        assert tree.counts[leaf].sum() == held.sum()


@given(trees)
def test_values_between_cells_obey_the_threshold(made: tuple[Tree, Any, NDArray[Any]]) -> None:
    """Also a number that no record had, just below and just above a threshold."""
    tree, _, values = made
    rng = np.random.default_rng(1)
    width = max((len(route) for route in tree.routes if route is not None), default=1)
    routes = np.zeros((tree.nodes, width), np.int16)
    for node, route in enumerate(tree.routes):
        if route is not None:
            routes[node, : len(route)] = route
    cuts = tree.threshold[np.isfinite(tree.threshold)]
    near = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), [0.0]])
    probes = values[rng.integers(0, len(values), 100)]
    for place in (0, 1, 3):
        probes[:, place] = rng.choice(near, 100)
    probes[rng.random(100) < 0.1, 2] = -1.0
    arrays = (tree.attribute, tree.threshold, tree.child, tree.heavy, routes)
    np.testing.assert_array_equal(tree.apply(probes), twins.descend(probes, *arrays))


@given(trees)
def test_shares_and_labels_agree(made: tuple[Tree, Any, NDArray[Any]]) -> None:
    tree, _, _ = made
    np.testing.assert_allclose(tree.shares.sum(1), 1.0)
    np.testing.assert_array_equal(tree.shares.argmax(1), tree.label)
    assert tree.depth == int(tree.depths.max())
    for node in range(tree.nodes):
        kids = tree.children(node)
        assert all(tree.parent[kid] == node for kid in kids)
        if kids:
            np.testing.assert_allclose(tree.counts[list(kids)].sum(0), tree.counts[node])
            assert tree.heavy[node] in kids
            assert tree.counts[tree.heavy[node]].sum() == tree.counts[list(kids)].sum(1).max()


def test_thresholds_lie_between_the_values_they_tell() -> None:
    tree, _, _ = grown(5, 80, Policy.named("cart"))
    for node in np.flatnonzero(~np.isnan(tree.threshold)):
        low, high = tree.around[node]
        assert low <= tree.threshold[node] <= high


def test_a_long_table_takes_the_same_way() -> None:
    """More records than one thread takes at a time."""
    tree, _, values = grown(6, 80, Policy.named("cart"))
    many = np.tile(values, (2000, 1))
    np.testing.assert_array_equal(tree.apply(many), np.tile(tree.apply(values), 2000))


# Damaged files


def form() -> dict[str, Any]:
    return grown(1, 40, Policy.named("cart"))[0].to_dict()


def ordered_node(held: dict[str, Any]) -> dict[str, Any]:
    node: dict[str, Any] = next(node for node in held["nodes"] if "threshold" in node)
    return node


DAMAGE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no nodes": lambda held: held.update(nodes=[]),
    "nodes that are numbers": lambda held: held.update(nodes=[1, 2]),
    "nodes that are no list": lambda held: held.update(nodes=5),
    "no attributes": lambda held: held.pop("attributes"),
    "attributes that are text": lambda held: held.update(attributes=["x"]),
    "an attribute twice": lambda held: held["attributes"].append(held["attributes"][0]),
    "a label too large": lambda held: held["nodes"][-1].update(label=3),
    "a label below zero": lambda held: held["nodes"][-1].update(label=-1),
    "no threshold": lambda held: ordered_node(held).pop("threshold"),
    "a threshold that is none": lambda held: ordered_node(held).update(threshold="nan"),
    "a threshold elsewhere": lambda held: ordered_node(held).update(threshold=-1e9),
    "a threshold that is text": lambda held: ordered_node(held).update(threshold="low"),
    "children without a test": lambda held: held["nodes"][0].pop("attribute"),
    "a test without children": lambda held: held["nodes"][0].pop("children"),
    "a child too far": lambda held: held["nodes"][0].update(children=[1, 9999]),
    "a child that is its own parent": lambda held: held["nodes"][0].update(children=[0, 1]),
    "a child of two nodes": lambda held: held["nodes"][-1].update(children=[1, 2]),
    "children that are no neighbours": lambda held: held["nodes"][0].update(children=[2, 1]),
    "errors too short": lambda held: [node.update(errors=[0.0]) for node in held["nodes"]],
    "an error of a count below zero": lambda held: held["nodes"][0].update(errors=[-1.0, 0, 0]),
    "an error of a size without end": lambda held: held["nodes"][0].update(size_error="inf"),
    "a branch below zero": lambda held: held["nodes"][0]["branch_of_code"].__setitem__(0, -1),
    "a branch too far": lambda held: held["nodes"][0]["branch_of_code"].__setitem__(0, 2),
    "a code without a branch": lambda held: held["nodes"][0]["branch_of_code"].pop(),
    "classes that are none": lambda held: held.update(classes=[]),
    "a target that is no text": lambda held: held.update(target=5),
    "a method that is no text": lambda held: held.update(method=5),
    "counts too short": lambda held: [node.update(counts=[1.0]) for node in held["nodes"]],
    "counts that are no numbers": lambda held: held["nodes"][0].update(counts=["a", "b", "c"]),
    "counts without end": lambda held: held["nodes"][0].update(counts=[float("inf"), 1, 1]),
    "branches too large": lambda held: ordered_node(held).update(branch_of_code=[70000]),
    "an unknown attribute": lambda held: held["nodes"][0].update(attribute="other"),
    "classes that are text": lambda held: held.update(classes="abc"),
    "a class twice": lambda held: held.update(classes=["a", "a", "b"]),
    "a class too few": lambda held: held.update(classes=["a", "b"]),
    "no target": lambda held: held.pop("target"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_tree_is_not_read(damage: Callable[[dict[str, Any]], Any]) -> None:
    held = form()
    damage(held)
    with pytest.raises(TreeError, match="damaged"):
        Tree.from_dict(held)


MEASURED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a share above one": lambda held: held["nodes"][0].update(shares=[1.2, 0.0, 0.0]),
    "a share below zero": lambda held: held["nodes"][0].update(shares=[-0.1, 0.6, 0.5]),
    "a share too few": lambda held: [node.update(shares=[0.5, 0.5]) for node in held["nodes"]],
    "an error below zero": lambda held: held["nodes"][0].update(share_error=-0.1),
    "an error without end": lambda held: held["nodes"][0].update(share_error="inf"),
    "records below zero": lambda held: held["nodes"][-1].update(records_needed=-1.0),
    "a weight too few": lambda held: held["importances"].pop(),
    "a weight without an error": lambda held: [pair.pop() for pair in held["importances"]],
    "a weight without end": lambda held: held["importances"].__setitem__(0, ["inf", 0.0]),
}


@pytest.mark.parametrize("damage", [None, *MEASURED.values()], ids=["none", *MEASURED])
def test_what_was_measured_is_checked(damage: Callable[[dict[str, Any]], Any] | None) -> None:
    held = form()
    for node in held["nodes"]:
        node.update(shares=[0.0, 1.0, 0.0], share_error=0.0, records_needed=None)
    held["importances"] = [[0.5, 0.1] for _ in held["attributes"]]
    if damage is None:
        assert Tree.from_dict(held).weight is not None
        return
    damage(held)
    with pytest.raises(TreeError, match="damaged"):
        Tree.from_dict(held)


@settings(max_examples=60)
@given(st.data())
def test_no_damage_gets_past_a_tree_error(data: st.DataObject) -> None:
    """Any one value replaced by nonsense: a TreeError, or a tree that can still be used."""
    held = form()
    place: Any = held
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            break
        place = inner
    place[key] = data.draw(
        st.sampled_from([None, -1, 7, 1e9, "x", [], {}, [1], float("nan"), True, 10**30])
    )
    try:
        tree = Tree.from_dict(held)
    except TreeError:
        return
    values = np.array([[1.0, 2.0, 0.0, 3.0], [np.nan, 30.0, -1.0, 1e9]])
    assert (tree.shares[tree.apply(values)] >= 0).all()
    assert len(str(tree)) > 0
    assert len(tree.boxes) == tree.nodes


def test_a_newer_tree_is_not_read() -> None:
    with pytest.raises(TreeError, match="version 1 to 2"):
        Tree.from_dict(form() | {"version": 3})


def test_other_files_are_not_trees(tmp_path: Path) -> None:
    for text in ("[]", "{}", '{"format": "privet-card"}', "not json", "3"):
        path = tmp_path / "tree.json"
        path.write_text(text)
        with pytest.raises(TreeError):
            Tree.read(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TreeError):
        Tree.read(path)
    with pytest.raises(TreeError, match="cannot be read"):
        Tree.read(tmp_path / "absent.json")
    with pytest.raises(TreeError, match="cannot be written"):
        grown(1, 10, Policy())[0].write(tmp_path / "no" / "folder.json")


def test_written_and_read(tmp_path: Path) -> None:
    tree, _, _ = grown(2, 50, Policy.named("id3"))
    tree.write(tmp_path / "tree.json")
    assert Tree.read(tmp_path / "tree.json").same_as(tree)


def test_same_as_sees_every_difference() -> None:
    tree, _, _ = grown(3, 60, Policy.named("cart"))
    held = json.loads(tree.to_json())
    assert Tree.from_dict(held).same_as(tree)
    held["nodes"][-1]["label"] = (held["nodes"][-1]["label"] + 1) % 3
    assert not Tree.from_dict(held).same_as(tree)
    assert not grown(4, 60, Policy.named("cart"))[0].same_as(tree)
    assert not grown(3, 60, Policy(max_depth=1))[0].same_as(tree)


def test_every_flipped_bit_of_a_file_is_noticed_and_the_file_named(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    Tree.from_dict(form()).write(path)
    for bad in flipped(path.read_bytes()):
        path.write_bytes(bad)
        with pytest.raises(TreeError, match=r"tree\.json"):
            Tree.read(path)


def test_a_tree_from_before_checksums_is_taken_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(form()), encoding="utf-8")
    with pytest.warns(PrivetWarning, match=r"tree\.json has no checksum"):
        assert Tree.read(path).same_as(Tree.from_dict(form()))


@pytest.mark.parametrize("text", ["1e999", "NaN"])
def test_an_infinite_gain_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tree.json"
    plain = json.dumps(form())
    path.write_text(re.sub(r'"gain": [0-9.e-]+', f'"gain": {text}', plain), encoding="utf-8")
    with pytest.raises(TreeError, match=r"tree\.json"):
        Tree.read(path)
    wrong = form()
    next(node for node in wrong["nodes"] if "gain" in node)["gain"] = float(text)
    with pytest.raises(TreeError, match="damaged"):
        Tree.from_dict(wrong)


def test_a_chain_that_is_too_deep_is_refused_at_once() -> None:
    """Its text would take minutes and gigabytes."""
    leaf: dict[str, Any] = {"counts": [1.0], "errors": [0.0], "label": 0}
    nodes = [dict(leaf) for _ in range(20_001)]
    test = {"attribute": "a", "gain": 0.1, "z": 1.0, "branch_of_code": [0, 1]}
    for node in range(0, 20_000, 2):
        nodes[node] |= test | {"children": [node + 1, node + 2]}
    attributes = [Coding.categories("a", ["u", "v"]).to_dict()]
    held = form() | {"classes": ["p"], "attributes": attributes, "nodes": nodes}
    with pytest.raises(TreeError, match="10,000 tests deep; at most 1,000"):
        Tree.from_dict(held)
    Tree.from_dict(held | {"nodes": [*nodes[:2000], leaf]})


def test_a_cell_whose_centre_is_a_whole_threshold_goes_left() -> None:
    from tests.tree.test_draw import staircase

    tree = staircase(2)
    coding = Coding.cells(tree.codings[0].name, [0, 1, 4], [1, 4, 9])
    route = np.array([0, 0, 1], np.int16)
    threshold = np.where(np.isfinite(tree.threshold), 2.2, np.nan)
    odd = replace(tree, codings=(coding,), threshold=threshold, routes=(route, None, None))
    rounded = odd.with_whole({coding.name})
    assert rounded.threshold[0] == 2.5
    assert rounded.routes[0] is not None
    assert rounded.routes[0].tolist() == [0, 0, 1]


def test_shares_by_hand() -> None:
    """A leaf whose label does not lead took it from its parent, and its probabilities with it."""
    tree = tree_of((0, 2, 1), (2, 0, 2.0))
    counts = [[6.0, 4, 0], [-1, 3, 1], [6, 1, -2], [0, 0, 0], [3, 3, 0]]
    labels = np.array([0, 1, 0, 0, 1])
    shares = replace(tree, counts=np.array(counts), label=labels).shares
    right = [6 / 7, 1 / 7, 0.0]
    expected = [[0.6, 0.4, 0.0], [0.0, 0.75, 0.25], right, right, [0.5, 0.5, 0.0]]
    np.testing.assert_allclose(shares, expected)
    taken = replace(tree, counts=np.array(counts), label=np.array([0, 0, 2, 2, 0])).shares
    # Nobody says 2: the root does not, so its child is sure of it, and what is below takes that.
    third = [0.0, 0.0, 1.0]
    expected = [expected[0], expected[0], third, third, expected[4]]
    np.testing.assert_allclose(taken, expected)
    root = replace(tree.take([0]), counts=np.zeros((1, 3)), label=np.array([1]))
    np.testing.assert_array_equal(root.shares, [[0, 1, 0]])
    known = replace(tree, chances=np.full((5, 3), 1 / 3))
    assert known.shares is known.chances


def test_the_heaviest_child_is_the_first_of_equal_ones() -> None:
    tree = tree_of((0, 2, 1), (2, 0, 2.0))
    rows = np.array([9.0, 3, 6, 3, 3])
    assert replace(tree, counts=rows[:, None] * np.ones(3)).heavy.tolist() == [2, -1, 3, -1, -1]
    assert tree.heavy.tolist() == [1, -1, 3, -1, -1]


def test_what_is_not_measured_is_not_known() -> None:
    tree = tree_of((0, 2, 1)).unmeasured()
    assert np.isnan(tree.errors).all()
    np.testing.assert_array_equal(tree.size_errors, [0, np.nan, np.nan])
    np.testing.assert_array_equal(tree.z, [np.nan, 0, 0])
    np.testing.assert_array_equal(tree.needed, [0, np.nan, np.nan])


def test_importances_stay_with_a_whole_tree_only() -> None:
    tree = replace(tree_of((0, 2, 1), (2, 0, 2.0)), weight=np.ones((3, 2)))
    assert tree.take([0, 1, 2, 3, 4]).weight is not None
    cut = tree.take([0, 1, 2])
    assert cut.weight is None
    assert cut.attribute.tolist() == [2, -1, -1]
    assert cut.child.tolist() == [1, -1, -1]
    assert cut.parent.tolist() == [-1, 0, 0]
    assert cut.branches.tolist() == [2, 0, 0]
    assert cut.depth == 1
    assert repr(cut) == "<Tree for 'y': 1 tests, 2 leaves, depth 1>"
    assert repr(cut.take([0])) == "<Tree for 'y': a single leaf>"


@pytest.mark.parametrize(
    ("cut", "whole", "route"),
    [
        (
            1.3,
            1.5,
            [0, 0, 1, 1, 1],
        ),  # cells 0 to 1, …, 3 to 4, and missing; a cell goes by its centre
        (1.5, 1.5, [0, 0, 1, 1, 1]),
        (2.0, 2.0, [0, 0, 1, 1, 1]),
        (2.6, 2.5, [0, 0, 0, 1, 1]),
        (np.inf, np.inf, [0, 0, 0, 0, 1]),
    ],
)
def test_borders_of_whole_numbers(cut: float, whole: float, route: list[int]) -> None:
    tree = replace(tree_of((0, 0, cut)), around=np.array([[1.4, 2.2], [np.nan] * 2, [np.nan] * 2]))
    rounded = tree.with_whole({"x"})
    assert rounded.threshold[0] == whole
    assert rounded.routes[0] is not None
    assert rounded.routes[0].tolist() == route
    moved = whole != cut
    around = [min(1.4, whole), max(2.2, whole)] if moved else [1.4, 2.2]
    assert rounded.around[0].tolist() == around
    assert tree.with_whole({"z"}).threshold[0] == cut
