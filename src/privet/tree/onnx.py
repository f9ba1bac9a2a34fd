"""The tree as an ONNX model: raw columns in, classes and probabilities out. The door to onnx.

Every attribute that is tested is an input of its name, records × 1: numbers as doubles (NaN is
missing), categories as text or whole numbers. A test of categories becomes a column of branch
numbers, so that the model's own tree only compares numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import TreeError

if TYPE_CHECKING:
    from privet.coding import Coding
    from privet.tree.tree import Tree

__all__ = ["to_onnx"]

_OUTPUTS = ("label", "probabilities")
_ML, _MAIN, _IR = 3, 18, 9  # versions of the operators' sets and of the form


def to_onnx(tree: Tree) -> Any:
    """Return an ``onnx.ModelProto`` whose outputs are ``label`` and ``probabilities``.

    A missing category, where missing is one, is the empty text. Needs the extra ``onnx``.
    """
    try:
        from onnx import TensorProto, checker, helper
    except ImportError:
        message = "Writing ONNX needs the package onnx."
        raise TreeError(message, hint="pip install '.[onnx]' in the privet folder.") from None
    tree = tree.plain
    prefix = "privet"
    names = [coding.name for coding in tree.codings]
    if "" in names:
        raise TreeError("An attribute has no name, and an ONNX input must have one.")
    if set(names) & set(_OUTPUTS):
        message = f"An attribute is named like an output of the model ({', '.join(_OUTPUTS)})."
        raise TreeError(message, hint="rename it in the schema.")
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    builder = _Builder(tree, prefix)
    builder.build()
    places = sorted({int(a) for a in tree.attribute if a >= 0} or {0})
    inputs = [
        helper.make_tensor_value_info(
            tree.codings[place].name, _type(tree.codings[place], TensorProto), [None, 1]
        )
        for place in places
    ]
    text = _texts(tree.classes, tree.target)
    outputs = [
        helper.make_tensor_value_info(
            "label", TensorProto.STRING if text else TensorProto.INT64, [None]
        ),
        helper.make_tensor_value_info(
            "probabilities", TensorProto.FLOAT, [None, len(tree.classes)]
        ),
    ]
    graph = helper.make_graph(builder.nodes(helper, TensorProto), "privet", inputs, outputs)
    sets = [helper.make_opsetid("", _MAIN), helper.make_opsetid("ai.onnx.ml", _ML)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=_IR, producer_name="privet")
    checker.check_model(model)
    return model


def _texts(values: tuple[Any, ...], name: str) -> bool:
    """Whether all values are text; whole numbers are the only other thing ONNX can match."""
    if all(isinstance(value, str) for value in values):
        return True
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return False
    message = f"ONNX needs the categories of {name!r} to be all text or all whole numbers."
    raise TreeError(message)


def _type(coding: Coding, types: Any) -> int:
    if coding.values is None:
        return int(types.DOUBLE)
    return int(types.STRING if _texts(coding.values, coding.name) else types.INT64)


class _Builder:
    """Writes the tree as comparisons of columns: a chain of them where a test has many branches."""

    def __init__(self, tree: Tree, prefix: str) -> None:
        self.tree = tree
        self.prefix = prefix
        self.columns: list[tuple[int, int]] = []  # (attribute, node): node -1 is the number itself
        self.feature: list[int] = []
        self.value: list[float] = []
        self.true: list[int] = []
        self.false: list[int] = []
        self.leaf: list[tuple[int, int]] = []  # (number here, leaf)

    def build(self) -> None:
        """Number the comparisons; a child's place is filled in when it is written."""
        tree = self.tree
        waiting: list[tuple[int, list[int] | None, int]] = [(0, None, 0)]
        while waiting:
            node, slot, at = waiting.pop()
            if slot is not None:
                slot[at] = len(self.feature)
            kids = tree.children(node)
            if not kids:
                if node == 0:  # a single leaf: runtimes want a comparison before it
                    self.true[self._compare(0, 0.0)] = 1
                    self.false[0] = 2
                    self.leaf.append((self._compare(0, 0.0), node))
                self.leaf.append((self._compare(0, 0.0), node))
                continue
            numeric = not np.isnan(tree.threshold[node])
            column = self._column(int(tree.attribute[node]), -1 if numeric else node)
            for branch, kid in enumerate(kids[:-1]):
                limit = float(tree.threshold[node]) if numeric else branch + 0.5
                here = self._compare(column, limit)
                waiting.append((kid, self.true, here))
                self.false[here] = here + 1  # the next link of the chain, or the last child
            waiting.append((kids[-1], self.false, here))

    def _column(self, attribute: int, node: int) -> int:
        if (attribute, node) not in self.columns:
            self.columns.append((attribute, node))
        return self.columns.index((attribute, node))

    def _compare(self, column: int, limit: float) -> int:
        self.feature.append(column)
        self.value.append(limit)
        self.true.append(0)
        self.false.append(0)
        return len(self.feature) - 1

    def nodes(self, helper: Any, types: Any) -> list[Any]:
        """Return the graph's operators: columns, side by side, then the tree."""
        if not self.columns:  # a single leaf still wants a column
            self.columns = [(0, -1 if self.tree.codings[0].ordered else 0)]
        made, names = [], []
        for place, (attribute, node) in enumerate(self.columns):
            coding = self.tree.codings[attribute]
            if node < 0:
                names.append(coding.name)
                continue
            branch, wide = f"{self.prefix}_branch{place}", f"{self.prefix}_column{place}"
            made.append(self._encoder(helper, coding, node, branch))
            made.append(helper.make_node("Cast", [branch], [wide], to=types.DOUBLE))
            names.append(wide)
        joined = f"{self.prefix}_columns"
        made.append(helper.make_node("Concat", names, [joined], axis=1))
        return [*made, *self._ensemble(helper, types, joined)]

    def _encoder(self, helper: Any, coding: Coding, node: int, output: str) -> Any:
        route, values = self.tree.routes[node], coding.values or ()
        text = _texts(values, coding.name)
        branches = np.zeros(coding.size) if route is None else route.astype(np.float64)
        keys: list[Any] = list(values)
        if coding.missing and text and "" not in keys:
            keys.append("")
        heavy = 0.0 if route is None else float(self.tree.heavy[node] - self.tree.child[node])
        kinds = {"keys_strings" if text else "keys_int64s": keys}
        return helper.make_node(
            "LabelEncoder",
            [coding.name],
            [output],
            domain="ai.onnx.ml",
            values_floats=branches[: len(keys)].tolist(),
            default_float=heavy,
            **kinds,
        )

    def _ensemble(self, helper: Any, types: Any, joined: str) -> list[Any]:
        """Return the operators that find each record's leaf and look its class and shares up.

        A classifier's own choice between equal shares is nobody's promise; a look-up is exact.
        """
        tree, size = self.tree, len(self.feature)
        leaves = [place for place, _ in self.leaf]
        modes = ["LEAF" if place in set(leaves) else "BRANCH_LEQ" for place in range(size)]
        reached, place, flat = (f"{self.prefix}_{name}" for name in ("leaf", "place", "flat"))
        weights = [float(number) for number in range(len(leaves))]
        find = helper.make_node(
            "TreeEnsembleRegressor",
            [joined],
            [reached],
            domain="ai.onnx.ml",
            n_targets=1,
            nodes_treeids=[0] * size,
            nodes_nodeids=list(range(size)),
            nodes_featureids=self.feature,
            nodes_modes=modes,
            nodes_values_as_tensor=helper.make_tensor("values", types.DOUBLE, [size], self.value),
            nodes_truenodeids=self.true,
            nodes_falsenodeids=self.false,
            target_treeids=[0] * len(leaves),
            target_nodeids=leaves,
            target_ids=[0] * len(leaves),
            target_weights_as_tensor=helper.make_tensor(
                "weights", types.DOUBLE, [len(leaves)], weights
            ),
        )
        nodes = [node for _, node in self.leaf]
        text = _texts(tree.classes, tree.target)
        named: list[Any] = [tree.classes[tree.label[node]] for node in nodes]
        if text:
            named = [str(name).encode() for name in named]
        tables = {
            "label": (types.STRING if text else types.INT64, [len(nodes)], named),
            "probabilities": (
                types.FLOAT,
                [len(nodes), len(tree.classes)],
                tree.shares[nodes].ravel().tolist(),
            ),
        }
        made = [
            find,
            helper.make_node("Cast", [reached], [place], to=types.INT64),
            helper.make_node("Squeeze", [place, f"{flat}_axis"], [flat]),
        ]
        axis = helper.make_tensor("axis", types.INT64, [1], [1])
        made.insert(0, helper.make_node("Constant", [], [f"{flat}_axis"], value=axis))
        for output, (kind, shape, values) in tables.items():
            tensor = helper.make_tensor(output, kind, shape, values)
            made.insert(
                0, helper.make_node("Constant", [], [f"{self.prefix}_{output}"], value=tensor)
            )
            made.append(
                helper.make_node("Gather", [f"{self.prefix}_{output}", flat], [output], axis=0)
            )
        return made
