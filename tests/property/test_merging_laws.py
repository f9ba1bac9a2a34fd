"""Merged categories: a tree of a release takes plain records, whatever was merged and by whom.

Every treatment, group and method that plan files know is tried on a categorical attribute of text,
one of numbers and one that may be missing. A new one is tried by itself; only if it cannot be made
without settings, it must be listed here.
"""

import json
import re
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

import privet as pv
from privet.coding import Coding
from privet.disguise.base import METHODS
from privet.disguise.binary import Binary
from privet.disguise.group import GROUPS, FlipGroup, JointGroup
from privet.disguise.treatment import TREATMENTS
from privet.errors import InputError, PlanError, PrivetWarning, SchemaError, TreeError
from privet.frames import columns
from privet.party import Agreement, disguise_party, join
from privet.tree import Tree
from privet.tree.draw import page, svg
from privet.tree.export import dot, rules, sql
from privet.tree.onnx import to_onnx
from tests.tree.test_export import in_sqlite

TRADES = ["shop", "ship", "mine", "farm"]
CODES = [30, 10, 40, 20]
ROADS = ["lane", "street", "alley"]
SCHEMA = pv.Schema(
    [
        pv.Attribute.categorical("trade", TRADES),
        pv.Attribute.categorical("code", CODES),
        pv.Attribute.categorical("road", ROADS, missing="category"),
        pv.Attribute.numeric("age", low=0, high=100, bins=4),
        pv.Attribute.categorical("rich", ["no", "yes"]),
    ],
    target="rich",
)
ROWS = 2_000
GROUPED = {
    "trade": pv.ValueClass(groups={"sea": ["ship", "farm"], "land": ["shop", "mine"]}),
    "code": pv.ValueClass(groups={"low": [10, 20], "40": [40, 30]}),
    "road": pv.ValueClass(groups={"wide": ["street"], "narrow": ["lane", "alley"]}),
}


def people(seed: int = 1) -> pa.Table:
    """Records whose class follows from the three attributes that may be merged."""
    rng = np.random.default_rng(seed)
    trade, code = rng.integers(0, 4, (2, ROWS))
    road = rng.integers(0, 4, ROWS)
    rich = np.isin(trade, [0, 1]) ^ (np.isin(code, [1, 3]) & np.isin(road, [2, 3]))
    rich ^= rng.random(ROWS) < 0.05
    return pa.table(
        {
            "trade": np.array(TRADES)[trade],
            "code": np.array(CODES)[code],
            "road": pa.array([[*ROADS, None][place] for place in road]),
            "age": rng.uniform(0, 100, ROWS),
            "rich": np.array(["no", "yes"])[rich.astype(int)],
        }
    )


# What cannot be made without settings, or does nothing to categories so.
LISTED: dict[str, Callable[[], Any]] = {
    "value-class": lambda: pv.Plan(GROUPED, default=pv.Exact()),
    "binary": lambda: pv.Plan(
        {
            "trade": Binary(["ship", "mine"]),
            "code": Binary([10, 20]),
            "road": Binary(["missing", "lane"]),
        },
        default=pv.Exact(),
    ),
    "flip": lambda: pv.Plan(
        {}, pv.Exact(), [FlipGroup(["trade", "code"], 0.9), FlipGroup(["road"], 0.85)]
    ),
    "joint-substitution": lambda: pv.Plan({}, pv.Exact(), [JointGroup(["trade", "code"], 50)]),
    "randomized-response": lambda: pv.RandomizedResponse(
        [["trade"], ["code"], ["road", "age"]], theta=0.9
    ),
}
MERGING = {"value-class", "binary", "flip", "randomized-response", "k-anonymity"}
NUMBERS_ONLY = {"additive-noise", "monotone"}


def _coarse() -> Any:
    """A k-anonymity that must merge: of each rare combination there is one."""
    groups = {"low": [10, 20], "high": [30, 40]}
    trade = {"town": ["shop", "mine"], "out": ["ship", "farm"]}
    hierarchies = {"trade": {"steps": [trade, "all"]}, "code": {"steps": [groups, "all"]}}
    settings: dict[str, Any] = {"quasi": ["trade", "code", "road"], "order": ["trade", "code"]}
    return pv.KAnonymity(k=75, suppress=0, hierarchies=hierarchies, **settings)


LISTED["k-anonymity"] = _coarse


def made(word: str) -> Any:
    """The disguise of a word of plan files: as listed, or with no settings."""
    if word in LISTED:
        return LISTED[word]()
    if word in METHODS:
        return METHODS[word]()
    kind: Any = TREATMENTS[word]
    return pv.Plan({name: kind() for name in ("trade", "code", "road")}, default=pv.Exact())


def released(word: str, table: pa.Table) -> pv.Release | None:
    """Its release in the originals' order, or None if it is not for categories."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            release: pv.Release = made(word).disguise(table, SCHEMA, seed=1, shuffle=False)
        except PlanError:
            assert word in NUMBERS_ONLY
            return None
    return release


def by_hand(word: str, table: pa.Table, release: pv.Release) -> pa.Table:
    """The plain records as the owner's side merges them, code by code."""
    if word == "k-anonymity":  # nothing else was done to them
        frame: pa.Table = release.to_frame()
        return frame
    held = {}
    for step in made(word).plan(SCHEMA).recipe(SCHEMA).steps:
        codes = step.treatment.encode(step.attribute, step.coding, columns(table)[step.name])
        if step.coding is None or step.coding.ordered:
            held[step.name] = table[step.name]
        else:
            held[step.name] = pa.array(step.coding.decode(codes), from_pandas=True)
    return pa.table(held)


def merged(release: pv.Release) -> list[str]:
    return [
        attribute.name
        for attribute in release.schema
        if attribute.values != SCHEMA[attribute.name].values
    ]


@pytest.mark.parametrize("word", sorted({*METHODS, *TREATMENTS, *GROUPS} - {"withheld"}))
def test_plain_records_score_as_merged_by_hand(word: str, tmp_path: Path) -> None:
    table, fresh = people(1), people(2)
    release = released(word, table)
    names = [] if release is None else merged(release)
    assert names or word not in MERGING
    if release is None or not names:
        return
    release.write(tmp_path / "a.release")
    read = pv.Release.read(tmp_path / "a.release")  # what was merged stands on the card
    for name in names:
        coding = read.codings[name]
        assert coding is not None
        plain = [value for group in coding.members or () for value in group if value is not None]
        assert sorted(plain) == sorted(SCHEMA[name].values or ())
    for policy in ("cart", "id3"):
        model = pv.TreeClassifier(policy=policy, min_samples_leaf=20).fit(read)
        assert set(names) & {model.tree_.codings[a].name for a in model.tree_.attribute if a >= 0}
        kept = fresh if word != "k-anonymity" else table
        hand = by_hand(word, kept, read)
        assert hand[names[0]].to_pylist() != kept[names[0]].to_pylist()
        assert model.score(kept) == model.score(hand)
        assert model.predict(kept).tolist() == model.predict(hand).tolist()
        _check_exports(Tree.from_dict(json.loads(model.tree_.to_json())), kept, model)


def _check_exports(tree: Tree, table: pa.Table, model: Any) -> None:
    """SQL, ONNX, the page and sentences all speak of plain records."""
    ort = pytest.importorskip("onnxruntime", reason="MISSING: package onnxruntime")
    said = model.predict(table).tolist()
    assert pv.TreeClassifier.from_tree(tree).predict(table).tolist() == said
    assert in_sqlite(sql(tree), table) == said
    session = ort.InferenceSession(to_onnx(tree).SerializeToString())
    kinds = {"tensor(string)": object, "tensor(int64)": np.int64, "tensor(double)": np.float64}
    fed = {
        argument.name: np.array(
            [v if v is not None else "" for v in table[argument.name].to_pylist()]
        )
        .astype(kinds[argument.type])
        .reshape(-1, 1)
        for argument in session.get_inputs()
    }
    assert session.run(["label"], fed)[0].tolist() == said
    for text in (str(tree), *rules(tree), dot(tree), page(tree), svg(tree)):
        shown = re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL)
        assert "|" not in shown
        assert "narrow" not in shown
    first = table.slice(0, 1)
    (steps,) = model.explain(first)
    assert steps[-1].label == said[0]
    assert not any("|" in step.condition for step in steps)
    form = page(tree).split("const tree = ")[1].split(";\n")[0]
    walk = json.loads(form)
    row = {name: first[name][0].as_py() for name in first.column_names}
    assert _walked(walk, row) == steps[-1].node


def _walked(walk: dict[str, Any], row: dict[str, Any]) -> int:
    """What the page's script does."""
    at = 0
    while "child" in walk["nodes"][at]:
        node = walk["nodes"][at]
        name = walk["names"][str(node["a"])]
        if node["at"] is not None:
            at = node["child"] + (0 if row[name] <= float(node["at"]) else 1)
            continue
        values = walk["values"][str(node["a"])]
        code = len(values) if row[name] is None else values.index(str(row[name]))
        at = node["child"] + node["route"][code]
    return at


def test_the_example_that_found_it() -> None:
    """Class = trade in {shop, ship} with 5 % noise: the released cut is the truth."""
    rng = np.random.default_rng(1)
    trade = rng.integers(0, 4, 4_000)
    table = {
        "trade": np.array(TRADES)[trade],
        "age": rng.uniform(0, 100, 4_000),
        "rich": np.array(["no", "yes"])[((trade < 2) ^ (rng.random(4_000) < 0.05)).astype(int)],
    }
    schema = pv.Schema([SCHEMA["trade"], SCHEMA["age"], SCHEMA["rich"]], target="rich")
    response = pv.RandomizedResponse([["trade"], ["age"]], theta=0.9)
    with pytest.warns(PrivetWarning, match="Nobody chose where to cut trade"):
        release = response.disguise(table, schema, seed=1)
    model = pv.TreeClassifier().fit(release)
    assert model.score(table) > 0.93
    with pytest.warns(PrivetWarning, match="learned from"):
        assert model.accuracy(release).value == pytest.approx(model.score(table), abs=0.05)


def test_a_joined_release_takes_plain_records() -> None:
    table = people()
    schema = SCHEMA.with_attributes(attribute for attribute in SCHEMA if attribute.name != "road")
    frame = {name: table[name].to_numpy() for name in schema.names}
    frame["person"] = np.array([f"p{row}" for row in range(ROWS)])
    parties = {"a": {"groups": [["trade"], ["age"]], "theta": 0.95, "class": False}}
    parties["b"] = {"groups": [["code"]], "theta": 0.95}
    agreement = Agreement.from_dict({"parties": parties}, schema)
    sent = [
        disguise_party(frame, agreement, party, id="person", secret=bytes(range(32)), seed=party)
        for party in ("a", "b")
    ]
    release = join(sent).release
    model = pv.TreeClassifier().fit(release)
    hand = pv.RandomizedResponse([["trade"], ["age"], ["code"]], theta=0.9).cut(frame, schema)
    hand = hand.set_column(hand.column_names.index("age"), "age", pa.array(frame["age"]))
    assert model.score(table) == model.score(hand) > 0.6


def test_a_tree_is_scored_on_releases_that_merge_less() -> None:
    """Merged, finer and plain test releases of the same records say the same."""
    table = people()
    cut = pv.Plan({"trade": GROUPED["trade"]}, default=pv.Exact())
    model = pv.TreeClassifier(min_samples_leaf=20).fit(cut.disguise(table, SCHEMA))
    plain = pv.Plan({}, default=pv.Exact()).disguise(table, SCHEMA)
    assert model.accuracy(plain).value == model.accuracy(cut.disguise(table, SCHEMA)).value
    fine = clone(model).fit(plain)
    with pytest.raises(TreeError, match="codes 'trade' otherwise"):
        fine.accuracy(cut.disguise(table, SCHEMA))


def test_members_are_checked() -> None:
    sky = pv.Attribute.categorical("sky", ["a", "b"], members=[["x", None], ["b", "z"]])
    schema = pv.Schema([sky, SCHEMA["rich"]], target="rich")
    assert pv.Schema.from_dict(schema.to_dict()) == schema
    assert pv.Schema.from_dict(tomllib.loads(schema.to_toml())) == schema
    assert sky.encode(pa.array(["x", "z", None, "a", "b"])).tolist() == [0, 1, 0, 0, 1]
    for members in ([["x"]], [["x"], []], [["x"], ["x"]], [["b"], ["x"]], [["x"], [["y"]]], 3):
        with pytest.raises((SchemaError, TypeError)):
            pv.Attribute.from_dict("sky", {"values": ["a", "b"], "members": members})
    with pytest.raises(SchemaError, match="members must be a list"):
        pv.Attribute.from_dict("sky", {"values": ["a"], "members": [["x"]], "missing_in": 1})
    with pytest.raises(SchemaError, match="named like an original of another"):
        pv.Plan(
            {"trade": pv.ValueClass(groups={"shop": ["ship"], "ship": ["shop", "mine", "farm"]})},
            default=pv.Exact(),
        ).disguise(people(), SCHEMA)


def test_what_was_merged_twice_is_known_to_the_end() -> None:
    trade = SCHEMA["trade"].merged({"a": ["shop", "ship"], "b": ["mine"], "c": ["farm"]})
    coarse = pv.ValueClass(groups={"left": ["a", "c"], "right": ["b"]}).released(trade)
    assert coarse.members == (("shop", "ship", "farm"), ("mine",))
    codes = coarse.coding().codes_of(trade.coding())
    assert codes is not None
    assert codes.tolist() == [0, 1, 0]
    assert trade.coding().codes_of(coarse.coding()) is None
    assert Coding.from_dict(coarse.coding().to_dict()).places == coarse.coding().places


def test_nothing_is_predicted_of_released_records() -> None:
    release = pv.Plan({}, default=pv.Exact()).disguise(people(), SCHEMA)
    for model in (pv.TreeClassifier(max_depth=2), pv.ForestClassifier(n_estimators=2)):
        model.fit(release)
        for ask in (model.predict, model.predict_proba, model.apply, model.explain):
            with pytest.raises(InputError, match="disguised"):
                ask(release)
