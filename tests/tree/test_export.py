"""Exports say what predict says: SQL in SQLite and ONNX in onnxruntime, row by row."""

import sqlite3
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.coding import Coding
from privet.errors import TreeError
from privet.estimators import TreeClassifier
from privet.tree import Tree
from privet.tree.export import _listed, dot, rules, sql
from privet.tree.onnx import to_onnx
from tests.strategies import hostile, seeds
from tests.tree.test_diagram import tree_of

NUMBER, WHOLE, NAME, GAPPY, CODE = NAMES = ('a "b"', "it's", "é;--", "c\\d", "select")
SIGNS = ["'", '"', "x'; DROP TABLE t; --", "\\", "", "é", "a,b", "%"]


def grown(seed: int, policy: str, classes: list[Any], rows: int = 200) -> Tree:
    """A tree of numbers and categories of awkward names, some missing."""
    from privet.disguise import Exact, Plan
    from privet.schema import Attribute, Schema

    rng = np.random.default_rng(seed)
    schema = Schema(
        [
            Attribute.numeric(NUMBER, low=-1, high=1, bins=30, missing="category"),
            Attribute.numeric(WHOLE, low=-9, high=9, integer=True),
            Attribute.categorical(NAME, SIGNS),
            Attribute.categorical(GAPPY, ["p", "q", "r"], missing="category"),
            Attribute.categorical(CODE, [3, 1, 4]),
            Attribute.categorical("class", classes),
        ],
        target="class",
    )
    held = records(rng, rows, SIGNS)
    mixed = np.nan_to_num(held[NUMBER].to_numpy(zero_copy_only=False), nan=0.4) * 3
    mixed += held[WHOLE].to_numpy() / 9 + held[CODE].to_numpy() / 4
    mixed += np.array([SIGNS.index(v) % 3 for v in held[NAME].to_pylist()])
    mixed += np.array([v is None for v in held[GAPPY].to_pylist()])
    places = np.searchsorted(np.quantile(mixed, np.linspace(0, 1, len(classes) + 1)[1:-1]), mixed)
    held = held.append_column("class", pa.array([classes[p] for p in places]))
    return TreeClassifier(policy=policy).fit(Plan({}, default=Exact()).disguise(held, schema)).tree_


def records(rng: np.random.Generator, rows: int, names: list[str], *, codes: int = 5) -> pa.Table:
    number = rng.uniform(-1, 1, rows).round(2)
    return pa.table(
        {
            NUMBER: pa.array(number, mask=rng.random(rows) < 0.2),
            WHOLE: rng.integers(-9, 10, rows),
            NAME: pa.array(rng.choice(names, rows).tolist()),
            GAPPY: pa.array([("p", "q", "r", None)[k] for k in rng.integers(0, 4, rows)]),
            CODE: pa.array(rng.choice([3, 1, 4, 7][: codes - 2], rows)),
        }
    )


def predicted(tree: Tree, held: pa.Table) -> list[Any]:
    said: list[Any] = TreeClassifier.from_tree(tree).predict(held).tolist()
    return said


def in_sqlite(expression: str, held: pa.Table) -> list[Any]:
    base = sqlite3.connect(":memory:")
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in held.column_names)
    base.execute(f"CREATE TABLE t ({names})")
    marks = ", ".join("?" * len(held.column_names))
    rows = zip(*(held[name].to_pylist() for name in held.column_names), strict=True)
    base.executemany(f"INSERT INTO t VALUES ({marks})", rows)  # noqa: S608 - our own
    asked = f"SELECT {expression} FROM t ORDER BY rowid"  # noqa: S608 - what is tested
    said = [row[0] for row in base.execute(asked)]
    base.close()
    return said


policies = st.sampled_from(["cart", "id3", "c4.5"])
classes = st.sampled_from([["yes", "no"], ["'", '"', "é\n"], [5, -2, 0]])


@settings(max_examples=25)
@given(seeds, policies, classes)
def test_sql_is_predict_on_every_row(seed: int, policy: str, values: list[Any]) -> None:
    tree = grown(seed, policy, values)
    fresh = records(np.random.default_rng(seed + 1), 300, [*SIGNS, "never seen"], codes=6)
    assert in_sqlite(sql(tree), fresh) == predicted(tree, fresh)


@settings(max_examples=15)
@given(seeds, policies, classes)
def test_onnx_is_predict_on_every_row(seed: int, policy: str, values: list[Any]) -> None:
    ort = pytest.importorskip("onnxruntime", reason="MISSING: package onnxruntime")
    tree = grown(seed, policy, values)
    names = [*(name for name in SIGNS if name), "never seen"]
    fresh = records(np.random.default_rng(seed + 1), 300, names, codes=6)
    session = ort.InferenceSession(to_onnx(tree).SerializeToString())
    fed = {}
    for one in session.get_inputs():
        column = fresh[one.name]
        if one.type == "tensor(string)":
            fed[one.name] = np.array([value or "" for value in column.to_pylist()], object)[:, None]
        else:
            kind = np.float64 if one.type == "tensor(double)" else np.int64
            fed[one.name] = column.to_numpy(zero_copy_only=False).astype(kind)[:, None]
    label, shares = session.run(["label", "probabilities"], fed)
    assert label.tolist() == predicted(tree, fresh)
    model = TreeClassifier.from_tree(tree)
    np.testing.assert_allclose(shares, model.predict_proba(fresh), atol=1e-6)


def test_sql_of_a_very_deep_tree() -> None:
    X = np.arange(120.0)[:, None]
    model = TreeClassifier().fit(X, np.arange(120) % 2)
    assert model.tree_.depth > 60
    assert in_sqlite(sql(model.tree_), pa.table({"x0": X[:, 0]})) == model.predict(X).tolist()


def test_a_single_leaf() -> None:
    ort = pytest.importorskip("onnxruntime", reason="MISSING: package onnxruntime")
    X = pa.table({"a": ["x", "x", "x"]})
    tree = TreeClassifier().fit(X, ["u", "u", "v"]).tree_
    assert sql(tree) == "'u'"
    assert rules(tree) == ["Always: class is u (2 of 3 records)."]
    session = ort.InferenceSession(to_onnx(tree).SerializeToString())
    (label,) = session.run(["label"], {"a": np.array([["x"], ["z"]], object)})
    assert label.tolist() == ["u", "u"]


def test_rules_draw_the_tests_of_a_path_together() -> None:
    X = np.arange(40.0)[:, None]
    y = np.isin(np.arange(40) // 10, [0, 2])
    said = rules(TreeClassifier().fit(X, y).tree_)
    assert "If x0 is over 9.5 and at most 19.5, then class is False (10 of 10 records)." in said
    assert len(said) == 4


def test_rules_name_missing_values() -> None:
    tree = grown(3, "cart", ["yes", "no"])
    told = " ".join(rules(tree))
    assert "or missing" in told
    assert len(rules(tree)) == len(tree.leaves)


def test_rules_say_what_a_long_list_leaves_out() -> None:
    coding = Coding.categories("car", [f"c{number}" for number in range(20)])
    mask = np.ones(20, np.bool_)
    mask[[3, 7]] = False
    assert _listed(coding, mask) == "none of c3, c7"
    assert _listed(coding, ~mask) == "c3 or c7"
    mask[:] = np.arange(20) < 10  # no shorter by what it leaves out
    assert _listed(coding, mask) == "c0, c1, c2, c3, c4, c5, c6, c7 or 2 more"


def test_a_sign_that_sql_cannot_hold() -> None:
    X = pa.table({"a": ["x\0", "y", "x\0", "y"]})
    tree = TreeClassifier().fit(X, ["u", "v", "u", "v"]).tree_
    with pytest.raises(TreeError, match="NUL"):
        sql(tree)


def test_onnx_wants_categories_of_one_kind() -> None:
    X = pa.table({"a": [1.5, 2.5, 1.5, 2.5]})
    tree = TreeClassifier().fit(X, [True, False, True, False]).tree_
    with pytest.raises(TreeError, match="whole numbers"):
        to_onnx(tree)


@given(hostile, hostile)
def test_dot_is_one_graph_whatever_the_names(name: str, value: str) -> None:
    X = pa.table({name: ["p", value + "q", "p", value + "q"]})
    text = dot(TreeClassifier().fit(X, ["u", "v", "u", "v"]).tree_)
    for line in text.splitlines()[1:-1]:
        plain = line.replace("\\\\", "").replace('\\"', "")
        assert plain.count('"') % 2 == 0
        assert line.endswith(";")
    assert text.count("->") - text.count('->"') >= 2
    assert "\x1b" not in text


def test_a_number_over_a_border_is_not_missing_where_that_was_asked() -> None:
    said = rules(tree_of((0, 0, np.inf), (1, 0, 2.0)))
    assert [text.split(",")[0] for text in said] == [
        "If x is missing",
        "If x is at most 2",
        "If x is over 2",
    ]
    plain = rules(tree_of((0, 0, 2.0)))
    assert [text.split(",")[0] for text in plain] == [
        "If x is at most 2",
        "If x is over 2 or missing",
    ]
    whole = rules(tree_of((0, 0, np.inf)))
    assert [text.split(",")[0] for text in whole] == ["If x is not missing", "If x is missing"]
    narrow = rules(tree_of((0, 1, 2.0), (1, 1, 1.0), (3, 1, 0.5), (2, 1, 2.5)))
    assert [text.split(",")[0] for text in narrow] == [
        "If z is over 1 and at most 2",
        "If z is at most 0.5",
        "If z is over 0.5 and at most 1",
        "If z is over 2 and at most 2.5",
        "If z is over 2.5",
    ]


def test_a_branch_that_no_code_takes_is_no_case() -> None:
    """All three categories go left: a tree that was read from elsewhere may be so."""
    assert sql(tree_of((0, 2, 9))) == "'p'"
    tree = replace(tree_of((0, 2, 1)), label=np.array([0, 0, 1]))
    assert sql(replace(tree, counts=tree.counts * [[2], [2], [1]])) == (
        """CASE\nWHEN "k" IN ('b') THEN 'q'\nELSE 'p' END"""
    )
    assert sql(replace(tree, counts=tree.counts * [[3], [1], [2]])) == (
        """CASE\nWHEN "k" IN ('a', 'c') THEN 'p'\nELSE 'q' END"""
    )


def attributes_of(model: Any, kind: str) -> dict[str, Any]:
    (node,) = (node for node in model.graph.node if node.op_type == kind)
    return {one.name: list(one.ints) or list(one.floats) or one.f for one in node.attribute}


def test_onnx_sends_an_unknown_category_where_most_records_go() -> None:
    tree = replace(tree_of((0, 2, 1)), label=np.array([0, 0, 1]))
    for factors, heavy in (([[3], [2], [1]], 0.0), ([[3], [1], [2]], 1.0)):
        encoder = attributes_of(
            to_onnx(replace(tree, counts=tree.counts * factors)), "LabelEncoder"
        )
        assert encoder["default_float"] == heavy
        assert encoder["values_floats"] == [0.0, 1.0, 0.0]


def test_onnx_of_a_single_leaf_compares_once() -> None:
    """Runtimes want a comparison: of the first column, with a leaf on either side."""
    found = attributes_of(to_onnx(tree_of()), "TreeEnsembleRegressor")
    assert found["nodes_featureids"] == [0, 0, 0]
    assert found["nodes_truenodeids"] == [1, 0, 0]
    assert found["nodes_falsenodeids"] == [2, 0, 0]
    assert found["target_nodeids"] == [1, 2]


@pytest.mark.parametrize(
    ("taken", "size", "said"),
    [
        (1, 9, "0"),
        (2, 9, "0 or 1"),
        (3, 9, "0, 1 or 2"),
        (8, 9, "0, 1, 2, 3, 4, 5, 6 or 7"),  # as many as are named
        (9, 10, "none of 9"),
        (10, 12, "none of 10, 11"),
        (9, 18, "0, 1, 2, 3, 4, 5, 6, 7 or 1 more"),  # half of them
        (10, 19, "none of 10, 11, 12, 13, 14, 15, 16, 17, 1 more"),
    ],
)
def test_lists_of_categories(taken: int, size: int, said: str) -> None:
    coding = Coding.categories("k", [str(code) for code in range(size)])
    assert _listed(coding, np.arange(size) < taken) == said


def test_dot_cuts_a_long_edge_and_takes_counts_below_zero_for_none() -> None:
    tree = replace(tree_of((0, 2, 1)), label=np.array([0, 0, 1]))
    names = Coding.categories("k", ["a" * 39, "b", "c" * 39])
    counts = np.array([[3.0, -1, 0], [2, 0, 0], [0, 1, -5]])
    text = dot(replace(tree, codings=(*tree.codings[:2], names), counts=counts))
    assert f'n0 -> n1 [label="k in {{{"a" * 39}, {"c" * 12}…"]' in text
    assert 'n0 -> n2 [label="k = b"]' in text
    assert 'n0 [label="k\\n3 records, 100 % p"]' in text
    assert 'n2 [label="q\\n1 records, 100 % q", style=filled]' in text
