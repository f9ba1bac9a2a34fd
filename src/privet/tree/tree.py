"""The tree: an immutable structure of arrays that can be read, stored and used.

Nodes are numbered level by level, the root is 0, and the children of a node are neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import Box, Coding, Value
from privet.errors import TreeError
from privet.files.reading import cause
from privet.files.sealed import seal
from privet.files.writing import new_file

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints

__all__ = ["Tree"]

AT_LEAVES = {  # what arrays hold where nothing is tested
    "attribute": -1,
    "branches": 0,
    "threshold": np.nan,
    "around": np.nan,
    "gain": 0.0,
    "z": 0.0,
}


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree over coded attributes.

    Arrays have one entry per node. ``attribute`` is -1 at a leaf; ``child`` the first child, or -1.
    At a test of numbers ``threshold`` is the largest value that takes the first branch and
    ``around`` holds the two values it lies between; elsewhere they are NaN. ``routes[i]`` is the
    branch of each code; where a threshold lies inside a cell, that of its centre. ``counts`` are
    (estimated) class counts, ``errors`` their standard errors and ``size_errors`` that of a node's
    number of records; ``label`` is the class a leaf predicts, which an uncertain leaf takes from
    its parent. ``gain`` is what a test gains per record, and ``z`` by how many standard errors
    (infinite where counts are exact); both are 0 at a leaf. An error or a z that nobody knows is
    NaN. ``method`` says how counts were corrected and ``source`` what they were counted in, where
    that is known.

    Where counts were measured again after growing (``privet.estimate.measured``), the tree has four
    arrays more: ``chances``, the class probabilities as they were learned; ``share_errors``, the
    standard error of the share of the predicted class; ``needed``, how many records a release like
    this one needs for a node's size to be known (0 where it is, NaN where no number would do); and
    ``weight``, the importance of each attribute and its standard error. An error that covers what
    cells cannot tell is half the 95 % interval over 1.96.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
    >>> tree.codings[tree.attribute[0]].name, tree.depth, len(tree.leaves)
    ('Outlook', 2, 5)
    """

    codings: tuple[Coding, ...]
    classes: tuple[Value, ...]
    target: str
    parent: Ints
    attribute: Ints
    child: Ints
    branches: Ints
    threshold: Floats
    around: Floats
    routes: tuple[NDArray[np.int16] | None, ...]
    counts: Floats
    errors: Floats
    label: Ints
    gain: Floats
    z: Floats
    size_errors: Floats
    method: str = ""
    source: str = ""
    chances: Floats | None = None
    share_errors: Floats | None = None
    needed: Floats | None = None
    weight: Floats | None = None  # attributes × 2

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.attribute)

    @cached_property
    def leaves(self) -> Ints:
        """The numbers of the leaves."""
        return np.flatnonzero(self.child < 0)

    @cached_property
    def depths(self) -> Ints:
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
        """Return the numbers of a node's children.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> list(tree.children(0))
        [1, 2, 3]
        """
        first = int(self.child[node])
        return range(first, first + int(self.branches[node])) if first >= 0 else range(0)

    @cached_property
    def heavy(self) -> Ints:
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
        """Class probabilities of each node: its counts with negatives as zero, made to sum to 1.

        Where an uncertain leaf took its parent's label, it takes its parent's probabilities too.
        """
        if self.chances is not None:
            return self.chances
        counts = np.maximum(self.counts, 0.0)
        total = counts.sum(1, keepdims=True)
        shares: Floats = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
        for node in range(self.nodes):
            if total[node] <= 0 or not _leads(shares[node], self.label[node]):
                parent = self.parent[node]
                if parent >= 0 and _leads(shares[parent], self.label[node]):
                    shares[node] = shares[parent]
                else:
                    shares[node] = np.eye(len(self.classes))[self.label[node]]
        return shares

    def apply(self, values: Floats) -> Ints:
        """Return the leaf of each record: numbers as they are, categories as codes, or -1.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> tree.apply(np.zeros((1, len(tree.codings)))).tolist()[0] in tree.leaves
        True
        """
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

    def recoded(self, codings: Sequence[Coding]) -> Tree:
        """Return the tree over other codings of its categories, each of which has a code here.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> tree.recoded(tree.codings).same_as(tree)
        True
        """
        routes = list(self.routes)
        for place, (own, other) in enumerate(zip(self.codings, codings, strict=True)):
            if own is other or own.ordered:
                continue
            codes = own.codes_of(other)
            for node in np.flatnonzero(self.attribute == place).tolist():
                route = routes[node]
                if codes is None or route is None:
                    message = f"The tree cannot tell the categories of {own.name!r} apart so."
                    raise TreeError(message)
                routes[node] = route[codes]
        return replace(self, codings=tuple(codings), routes=tuple(routes))

    @cached_property
    def plain(self) -> Tree:
        """The tree over the original values behind merged categories, node for node the same.

        This is what people and databases read: their records are not merged.
        """
        codings = tuple(coding.plain for coding in self.codings)
        pairs = zip(codings, self.codings, strict=True)
        return self if all(merged is other for merged, other in pairs) else self.recoded(codings)

    def take(self, nodes: Sequence[int] | Ints) -> Tree:
        """Return the tree of some nodes in a new order, every array with them.

        Parents come before their children, and children of one node are neighbours; either all of
        them are taken or none, and a test without its children becomes a leaf.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> tree.take([0]).depth
        0
        """
        order = np.asarray(nodes, np.int64)
        number = np.full(self.nodes + 1, -1)  # the last is the root's parent
        number[order] = np.arange(len(order))
        parent = number[self.parent[order]]
        child = np.full(len(order), -1)
        child[parent[:0:-1]] = np.arange(len(order) - 1, 0, -1)  # the first is written last
        leaves = child < 0
        taken: dict[str, Any] = {}
        for field in fields(self):
            values = getattr(self, field.name)
            if isinstance(values, np.ndarray) and field.name != "weight":
                taken[field.name] = values[order]
                if field.name in AT_LEAVES:
                    taken[field.name][leaves] = AT_LEAVES[field.name]
        pairs = zip(order.tolist(), leaves.tolist(), strict=True)
        taken["routes"] = tuple(None if leaf else self.routes[node] for node, leaf in pairs)
        if len(order) < self.nodes:  # importances are of all tests
            taken["weight"] = None
        return replace(self, **taken | {"parent": parent, "child": child})

    def with_whole(self, names: Collection[str]) -> Tree:
        """Return the tree with whole or half thresholds for attributes of whole numbers.

        Every whole number takes the same branch as before; a cell goes where its centre goes.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> tree.with_whole(["age"]).same_as(tree)
        True
        """
        threshold, around, routes = self.threshold.copy(), self.around.copy(), list(self.routes)
        for node in np.flatnonzero(np.isfinite(threshold)).tolist():
            coding = self.codings[self.attribute[node]]
            cut = threshold[node]
            if coding.name in names and 2 * cut != np.floor(2 * cut):
                cut = threshold[node] = np.floor(cut) + 0.5
                around[node] = min(around[node, 0], cut), max(around[node, 1], cut)
                routes[node] = (~(coding.decode(np.arange(coding.size)) <= cut)).astype(np.int16)
        return replace(self, threshold=threshold, around=around, routes=tuple(routes))

    def unmeasured(self) -> Tree:
        """Return the tree without errors: its counts are estimates, and how good nobody knows.

        The number of all records is known whatever the method.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> bool(np.isnan(tree.unmeasured().errors).all())
        True
        """
        sizes = np.where(np.arange(self.nodes) == 0, 0.0, np.nan)
        z = np.where(self.child < 0, 0.0, np.nan)
        needed = np.where(np.arange(self.nodes) == 0, 0.0, np.nan)
        errors = np.full(self.errors.shape, np.nan)
        return replace(self, errors=errors, size_errors=sizes, z=z, needed=needed)

    def same_as(self, other: Tree) -> bool:
        """Whether another tree has the same tests and labels, node for node.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> tree.same_as(tree.take([0]))
        False
        """
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
        """Return a plain form: the version, the attributes, and one entry per node.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> tree.to_dict()["classes"]
        ['Yes', 'No']
        """
        from privet.tree.form import form_of

        return form_of(self)

    def to_json(self) -> str:
        """Return the tree as JSON text, with a checksum: what stands in a file.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> "privet-tree" in tree.to_json()
        True
        """
        from privet.tree.form import KIND

        return seal(self.to_dict() | {"version": KIND.version}).decode()

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Tree:
        """Read what ``to_dict`` wrote.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> pv.Tree.from_dict(tree.to_dict()).same_as(tree)
        True
        """
        from privet.tree.form import tree_of

        return tree_of(form)

    def write(self, path: str | Path) -> None:
        """Write the tree to a JSON file.

        >>> import tempfile, privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> tree = pv.TreeClassifier(policy="id3").fit(release).tree_
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tree.write(f"{folder}/tree.json")
        """
        try:
            with new_file(Path(path)) as made:
                made.write_text(self.to_json(), encoding="utf-8")
        except OSError as error:
            raise TreeError(f"The tree cannot be written to {path}: {cause(error)}.") from None

    @classmethod
    def read(cls, path: str | Path) -> Tree:
        """Read a JSON file; without a checksum, from an earlier privet, with a warning.

        >>> import privet as pv
        >>> pv.Tree.read("no-such.json")
        Traceback (most recent call last):
        privet.errors.TreeError: ...
        """
        from privet.tree.form import KIND

        form = KIND.read(path)
        try:
            return cls.from_dict(form)
        except TreeError as error:
            raise error.placed(path) from None

    def __str__(self) -> str:
        from privet.tree.text import render

        return render(self)

    def __repr__(self) -> str:
        leaves = len(self.leaves)
        tests = self.nodes - leaves
        about = f"{tests} tests, {leaves} leaves, depth {self.depth}" if tests else "a single leaf"
        return f"<Tree for {self.target!r}: {about}>"

    def _repr_html_(self) -> str:
        from privet.tree.draw import notebook

        return notebook(self)


def _leads(shares: Floats, label: int) -> bool:
    """Whether no other class has more, rounding apart."""
    return bool(shares[label] >= shares.max() - 1e-12)
