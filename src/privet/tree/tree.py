"""The tree: an immutable structure of arrays that can be read, stored and used.

Nodes are numbered level by level, the root is 0, and the children of a node are neighbours.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import Box, Coding, Value
from privet.errors import TreeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats

__all__ = ["Tree"]

VERSION = 1


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree over coded attributes.

    Arrays have one entry a node. ``attribute`` is -1 at a leaf; ``child`` the first child, or -1.
    At a test of numbers ``threshold`` is the largest value that takes the first branch and
    ``around`` holds the two values it lies between; elsewhere they are NaN. ``routes[i]`` is the
    branch of each code; where a threshold lies inside a cell, that of its centre. ``counts`` are
    (estimated) class counts and ``errors`` their standard errors; ``label`` is the class a leaf
    predicts, which an uncertain leaf takes from its parent.
    ``gain`` is what a test gains a record, and ``z`` by how many standard errors (infinite where
    counts are exact); both are 0 at a leaf.
    """

    codings: tuple[Coding, ...]
    classes: tuple[Value, ...]
    target: str
    parent: NDArray[np.int64]
    attribute: NDArray[np.int64]
    child: NDArray[np.int64]
    branches: NDArray[np.int64]
    threshold: Floats
    around: Floats
    routes: tuple[NDArray[np.int16] | None, ...]
    counts: Floats
    errors: Floats
    label: NDArray[np.int64]
    gain: Floats
    z: Floats

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.attribute)

    @cached_property
    def leaves(self) -> NDArray[np.int64]:
        """The numbers of the leaves."""
        return np.flatnonzero(self.child < 0)

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """Each node's distance from the root."""
        depths = np.zeros(self.nodes, np.int64)
        for node in range(1, self.nodes):
            depths[node] = depths[self.parent[node]] + 1
        return depths

    @property
    def depth(self) -> int:
        """The largest number of tests on a path."""
        return int(self.depths.max())

    def children(self, node: int) -> range:
        """Return the numbers of a node's children."""
        first = int(self.child[node])
        return range(first, first + int(self.branches[node])) if first >= 0 else range(0)

    @cached_property
    def heavy(self) -> NDArray[np.int64]:
        """Each node's child with most records: where a category goes that the tree never saw."""
        rows = self.counts.sum(1)
        return np.array(
            [
                max(self.children(node), key=lambda kid: (rows[kid], -kid), default=-1)
                for node in range(self.nodes)
            ],
            np.int64,
        )

    @cached_property
    def boxes(self) -> list[Box]:
        """Each node's path, as a box of codes."""
        boxes = [Box()]
        for node in range(1, self.nodes):
            parent = int(self.parent[node])
            route = self.routes[parent]
            if route is None:
                message = f"Node {parent} has children but no test."
                raise TreeError(message)
            name = self.codings[self.attribute[parent]].name
            boxes.append(boxes[parent].narrowed(name, route == node - self.child[parent]))
        return boxes

    @cached_property
    def shares(self) -> Floats:
        """Class probabilities of each node: its counts with negatives as zero, made to sum to one.

        Where an uncertain leaf took its parent's label, it takes its parent's probabilities too.
        """
        held = np.maximum(self.counts, 0.0)
        total = held.sum(1, keepdims=True)
        shares: Floats = np.divide(held, total, out=np.zeros_like(held), where=total > 0)
        for node in range(self.nodes):
            if total[node] <= 0 or shares[node].argmax() != self.label[node]:
                parent = self.parent[node]
                if parent >= 0 and shares[parent].argmax() == self.label[node]:
                    shares[node] = shares[parent]
                else:
                    shares[node] = np.eye(len(self.classes))[self.label[node]]
        return shares

    def apply(self, values: Floats) -> NDArray[np.int64]:
        """Return the leaf of each record: numbers as they are, categories as codes, or -1."""
        from privet.compiled import in_threads
        from privet.tree.kernels import descend

        width = max((len(route) for route in self.routes if route is not None), default=1)
        routes = np.zeros((self.nodes, width), np.int16)
        for node, route in enumerate(self.routes):
            if route is not None:
                routes[node, : len(route)] = route
        out = np.empty(len(values), np.int64)
        arrays = (self.attribute, self.threshold, self.child, self.heavy, routes)

        def walk(start: int) -> None:
            rows = slice(start, start + (1 << 16))
            descend(values[rows], *arrays, out[rows])

        for _ in in_threads(walk, range(0, len(values), 1 << 16)):
            pass
        return out

    def same_as(self, other: Tree) -> bool:
        """Whether another tree has the same tests and labels, node for node."""
        return (
            np.array_equal(self.attribute, other.attribute)
            and np.array_equal(self.child, other.child)
            and np.array_equal(self.threshold, other.threshold, equal_nan=True)
            and np.array_equal(self.label, other.label)
            and self.classes == other.classes
            and all(
                a is b if a is None or b is None else np.array_equal(a, b)
                for a, b in zip(self.routes, other.routes, strict=True)
            )
        )

    # Files

    def to_dict(self) -> dict[str, Any]:
        """Return a plain form: the version, the attributes, and one entry a node."""
        nodes = []
        for node in range(self.nodes):
            entry: dict[str, Any] = {
                "counts": self.counts[node].tolist(),
                "errors": self.errors[node].tolist(),
                "label": int(self.label[node]),
            }
            route = self.routes[node]
            if route is not None:
                coding = self.codings[self.attribute[node]]
                entry["attribute"] = coding.name
                entry["gain"] = float(self.gain[node])
                entry["z"] = _finite(self.z[node])
                entry["children"] = list(self.children(node))
                entry["branch_of_code"] = route.tolist()
                if coding.ordered:
                    entry["threshold"] = _finite(self.threshold[node])
                    entry["between"] = [_finite(value) for value in self.around[node]]
            nodes.append(entry)
        return {
            "format": "privet-tree",
            "version": VERSION,
            "target": self.target,
            "classes": list(self.classes),
            "attributes": [coding.to_json() for coding in self.codings],
            "nodes": nodes,
        }

    def to_json(self) -> str:
        """Return the tree as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Tree:
        """Read what ``to_dict`` wrote."""
        if not isinstance(form, dict) or form.get("format") != "privet-tree":
            message = "This is not a tree of privet's."
            raise TreeError(message, hint="privet mine --output tree.json writes one.")
        version = form.get("version")
        if not isinstance(version, int) or version > VERSION:
            message = f"The tree is of version {version}; this privet reads up to {VERSION}."
            raise TreeError(message, hint="upgrade privet.")
        try:
            return cls._from_nodes(form)
        except (
            KeyError,
            TypeError,
            ValueError,
            IndexError,
            AttributeError,
            OverflowError,
        ) as error:
            message = f"The tree's form is damaged ({type(error).__name__})."
            raise TreeError(message, hint="mine it again.") from None

    @classmethod
    def _from_nodes(cls, form: dict[str, Any]) -> Tree:
        codings = tuple(Coding.from_json(entry) for entry in form["attributes"])
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
        if any(held != list(range(held[0], held[0] + len(held))) for held in kids if held):
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
        if any(bool(held) != (route is not None) for held, route in zip(kids, routes, strict=True)):
            raise ValueError
        between = [entry.get("between", ["nan", "nan"]) for entry in nodes]
        tree = cls(
            codings=codings,
            classes=classes,
            target=form["target"],
            parent=parent,
            attribute=attribute,
            child=np.array([held[0] if held else -1 for held in kids]),
            branches=np.array([len(held) for held in kids]),
            threshold=np.array([float(entry.get("threshold", "nan")) for entry in nodes]),
            around=np.array([[float(value) for value in pair] for pair in between]),
            routes=routes,
            counts=np.array([entry["counts"] for entry in nodes], np.float64),
            errors=np.array([entry["errors"] for entry in nodes], np.float64),
            label=np.array([entry["label"] for entry in nodes], np.int64),
            gain=np.array([entry.get("gain", 0.0) for entry in nodes], np.float64),
            z=np.array([float(entry.get("z", 0.0)) for entry in nodes]),
        )
        tree._check_arrays()
        return tree

    def _check_arrays(self) -> None:
        """Raise ValueError where arrays that were read do not make a tree that can be used."""
        shape = (self.nodes, len(self.classes))
        if self.counts.shape != shape or self.errors.shape != shape:
            raise ValueError
        if not (np.isfinite(self.counts).all() and np.isfinite(self.errors).all()):
            raise ValueError
        if not ((self.label >= 0) & (self.label < len(self.classes))).all():
            raise ValueError
        for node, route in enumerate(self.routes):
            coding = self.codings[self.attribute[node]]
            ordered = route is not None and coding.ordered
            if ordered == bool(np.isnan(self.threshold[node])):
                raise ValueError
            if route is not None and ordered:
                # A cell goes where its end goes, or its centre if it is cut; missing to the right.
                cut = self.threshold[node]
                ends = np.append(coding.upper > cut, [True] * coding.missing)
                centres = ~(coding.decode(np.arange(coding.size)) <= cut)
                same = np.array_equal(route, ends) or np.array_equal(route, centres)
                if self.branches[node] != 2 or not same:
                    raise ValueError

    def write(self, path: str | Path) -> None:
        """Write the tree to a JSON file."""
        try:
            Path(path).write_text(self.to_json(), encoding="utf-8")
        except OSError as error:
            message = f"The tree cannot be written to {path}: {error.strerror}."
            raise TreeError(message) from None

    @classmethod
    def read(cls, path: str | Path) -> Tree:
        """Read a JSON file."""
        try:
            form = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            message = f"The tree {path} cannot be read: {error.strerror}."
            raise TreeError(message) from None
        except ValueError:
            message = f"{path} is not JSON."
            raise TreeError(message, hint="privet mine --output tree.json writes a tree.") from None
        return cls.from_dict(form)

    def __str__(self) -> str:
        from privet.tree.text import render

        return render(self)

    def _repr_html_(self) -> str:
        from privet.tree.draw import notebook

        return notebook(self)


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


def _finite(value: float) -> float | str:
    """Return a number as JSON can hold it: infinity as text."""
    return float(value) if np.isfinite(value) else str(float(value))
