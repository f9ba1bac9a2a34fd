"""The plain form of a tree, as in its JSON files: written, read, and checked when it is read."""

from __future__ import annotations

from typing import Any

import numpy as np

from privet.coding import Coding
from privet.errors import TreeError
from privet.files.sealed import Kind
from privet.tree.tree import Tree

__all__ = ["KIND", "form_of", "tree_of"]

MAX_DEPTH = 1000  # tests on a path: text and SQL of a tree grow with the square of its depth
KIND = Kind(
    "privet-tree",
    2,
    TreeError,
    what="tree",
    unsealed=1,
    hint="mine it again: privet mine --output tree.json writes a tree.",
)
_ORIGIN = ("method", "source")  # what a file may say of where the tree comes from


def form_of(tree: Tree) -> dict[str, Any]:
    """Return a plain form: the version, the attributes, and one entry per node."""
    nodes = []
    for node in range(tree.nodes):
        entry: dict[str, Any] = {
            "counts": tree.counts[node].tolist(),
            "errors": [_finite(error) for error in tree.errors[node]],
            "size_error": _finite(tree.size_errors[node]),
            "label": int(tree.label[node]),
        }
        if tree.chances is not None:
            entry["shares"] = tree.chances[node].tolist()
        if tree.share_errors is not None:
            entry["share_error"] = _finite(tree.share_errors[node])
        if tree.needed is not None:
            entry["records_needed"] = _finite(tree.needed[node])
        route = tree.routes[node]
        if route is not None:
            coding = tree.codings[tree.attribute[node]]
            entry["attribute"] = coding.name
            entry["gain"] = float(tree.gain[node])
            entry["z"] = _finite(tree.z[node])
            entry["children"] = list(tree.children(node))
            entry["branch_of_code"] = route.tolist()
            if coding.ordered:
                entry["threshold"] = _finite(tree.threshold[node])
                entry["between"] = [_finite(value) for value in tree.around[node]]
        nodes.append(entry)
    form = {
        "format": KIND.mark,
        "version": KIND.unsealed,
        "target": tree.target,
        "classes": list(tree.classes),
        "attributes": [coding.to_dict() for coding in tree.codings],
        "nodes": nodes,
    } | {name: said for name in _ORIGIN if (said := getattr(tree, name))}
    if tree.weight is not None:
        form["importances"] = [[_finite(number) for number in pair] for pair in tree.weight]
    return form


def tree_of(form: dict[str, Any]) -> Tree:
    """Read what ``form_of`` wrote."""
    if not isinstance(form, dict) or form.get("format") != KIND.mark:
        message = "This is not a tree of privet's."
        raise TreeError(message, hint="privet mine --output tree.json writes one.")
    version = form.get("version")
    if type(version) is not int or not 1 <= version <= KIND.version:
        message = f"The tree is not of version 1 to {KIND.version}, which this privet reads."
        raise TreeError(message, hint="upgrade privet.")
    try:
        tree = _from_nodes(form)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        message = f"The tree's form is damaged ({type(error).__name__})."
        raise TreeError(message, hint="mine it again.") from None
    if tree.depth > MAX_DEPTH:
        raise TreeError(f"The tree is {tree.depth:,} tests deep; at most {MAX_DEPTH:,} are read.")
    return tree


def _from_nodes(form: dict[str, Any]) -> Tree:
    codings = tuple(Coding.from_dict(entry) for entry in form["attributes"])
    places = {coding.name: place for place, coding in enumerate(codings)}
    classes = tuple(form["classes"])
    nodes = form["nodes"]
    size = len(nodes)
    _check_names(form["target"], form["classes"], [coding.name for coding in codings])
    parent = np.full(size, -1)
    for node, entry in enumerate(nodes):
        for kid in entry.get("children", []):
            if not node < kid < size or parent[kid] >= 0:
                raise ValueError
            parent[kid] = node
    if not size or (parent[1:] < 0).any():
        raise ValueError
    kids = [entry.get("children", []) for entry in nodes]
    if any(below != list(range(below[0], below[0] + len(below))) for below in kids if below):
        raise ValueError
    routes = tuple(
        np.array(entry["branch_of_code"], np.int16) if "attribute" in entry else None
        for entry in nodes
    )
    attribute = np.array([places[e["attribute"]] if "attribute" in e else -1 for e in nodes])
    for node, route in enumerate(routes):
        if route is not None and (
            len(route) != codings[attribute[node]].size
            or route.min() < 0
            or route.max() >= len(kids[node])
        ):
            raise ValueError
    if any(bool(below) != (route is not None) for below, route in zip(kids, routes, strict=True)):
        raise ValueError
    between = [entry.get("between", ["nan", "nan"]) for entry in nodes]
    tree = Tree(
        codings=codings,
        classes=classes,
        target=form["target"],
        parent=parent,
        attribute=attribute,
        child=np.array([below[0] if below else -1 for below in kids]),
        branches=np.array([len(below) for below in kids]),
        threshold=np.array([float(entry.get("threshold", "nan")) for entry in nodes]),
        around=np.array([[float(value) for value in pair] for pair in between]),
        routes=routes,
        counts=np.array([entry["counts"] for entry in nodes], np.float64),
        errors=np.array([[_number(error) for error in entry["errors"]] for entry in nodes]),
        label=np.array([entry["label"] for entry in nodes], np.int64),
        gain=np.array([entry.get("gain", 0.0) for entry in nodes], np.float64),
        z=np.array([_number(entry.get("z", 0.0)) for entry in nodes]),
        size_errors=np.array([_number(entry.get("size_error")) for entry in nodes]),
        **_measures(form, size),
    )
    _check_arrays(tree)
    return tree


def _check_arrays(tree: Tree) -> None:
    """Raise ValueError where arrays that were read do not make a tree that can be used."""
    shape = (tree.nodes, len(tree.classes))
    if tree.counts.shape != shape or tree.errors.shape != shape:
        raise ValueError
    single = (tree.label, tree.gain, tree.z, tree.threshold, tree.size_errors)
    if tree.around.shape != (tree.nodes, 2) or any(a.shape != shape[:1] for a in single):
        raise ValueError
    if not (np.isfinite(tree.counts).all() and np.isfinite(tree.gain).all()):
        raise ValueError
    if any((np.isinf(errors) | (errors < 0)).any() for errors in (tree.errors, tree.size_errors)):
        raise ValueError
    if not ((tree.label >= 0) & (tree.label < len(tree.classes))).all():
        raise ValueError
    _check_measures(tree, shape)
    for node, route in enumerate(tree.routes):
        coding = tree.codings[tree.attribute[node]]
        ordered = route is not None and coding.ordered
        if ordered == bool(np.isnan(tree.threshold[node])):
            raise ValueError
        if route is not None and ordered:
            # A cell goes where its end goes, or its centre if it is cut; missing to the right.
            cut = tree.threshold[node]
            ends = np.append(coding.upper > cut, [True] * coding.missing)
            centres = ~(coding.decode(np.arange(coding.size)) <= cut)
            same = np.array_equal(route, ends) or np.array_equal(route, centres)
            if tree.branches[node] != 2 or not same:
                raise ValueError


def _check_measures(tree: Tree, shape: tuple[int, int]) -> None:
    """Raise ValueError where what was measured after growing is not of the tree's shape."""
    if tree.chances is not None and (
        tree.chances.shape != shape or not ((tree.chances >= 0) & (tree.chances <= 1)).all()
    ):
        raise ValueError
    for measure in (tree.share_errors, tree.needed):
        if measure is not None and (np.isinf(measure) | (measure < 0)).any():
            raise ValueError
    if tree.weight is not None and (
        tree.weight.shape != (len(tree.codings), 2) or np.isinf(tree.weight).any()
    ):
        raise ValueError


def _check_names(target: object, classes: object, attributes: list[Any]) -> None:
    """Raise ValueError unless the class, its values and the attributes have names of their own."""
    if not isinstance(target, str) or not isinstance(classes, list):
        raise TypeError
    if len(set(classes)) < len(classes) or not classes:
        raise ValueError
    if not all(isinstance(name, str) for name in attributes):
        raise ValueError
    if len(set(attributes)) < len(attributes):
        raise ValueError


def _text(form: object) -> str:
    if not isinstance(form, str):
        raise TypeError
    return form


def _measures(form: dict[str, Any], size: int) -> dict[str, Any]:
    """Read where the tree is from, and what was measured where the form has it for every node."""
    nodes = form["nodes"]
    measures: dict[str, Any] = {name: _text(form.get(name, "")) for name in _ORIGIN}
    if sum("shares" in entry for entry in nodes) == size:
        measures["chances"] = np.array([entry["shares"] for entry in nodes], np.float64)
    for name, key in (("share_errors", "share_error"), ("needed", "records_needed")):
        if sum(key in entry for entry in nodes) == size:
            measures[name] = np.array([_number(entry[key]) for entry in nodes])
    if "importances" in form:
        pairs = [[_number(number) for number in pair] for pair in form["importances"]]
        measures["weight"] = np.array(pairs, np.float64)
    return measures


def _finite(value: float) -> float | str | None:
    """Return a number as JSON can hold it: infinity as text, an unknown number as null."""
    if np.isnan(value):
        return None
    return float(value) if np.isfinite(value) else str(float(value))


def _number(form: float | str | None) -> float:
    """Read what ``_finite`` wrote."""
    return np.nan if form is None else float(form)
