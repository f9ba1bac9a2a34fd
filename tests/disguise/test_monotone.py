"""Monotone disguise: the thesis' table, trees that decode to the same partition, and the key."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import datasets
from privet.audit import audit
from privet.disguise import Exact, Monotone, Plan, plan_from_dict
from privet.disguise.decode import decode_tree
from privet.disguise.monotone import breakpoints
from privet.disguise.monotone_key import AttributeKey, Key, Piece
from privet.errors import InputError, PlanError, PrivetWarning, TreeError
from privet.estimators import TreeClassifier
from privet.files.sealed import seal
from privet.schema import Attribute, Schema
from privet.tree import Tree
from tests.flips import flipped
from tests.golden import golden

AGES = np.array([17.0, 20, 23, 32, 43, 68])
RISKS = np.array(["High", "High", "High", "Low", "High", "Low"])
# f: x + 5, 1.5x, 2x + 3, 2.5x − 20 between the breakpoints.
THESIS = AttributeKey(
    "age",
    (
        Piece(0, 27.5, 5, 32.5, least=17, most=23),
        Piece(27.5, 37.5, 41.25, 56.25, least=32, most=32),
        Piece(37.5, 55.5, 78, 114, least=43, most=43),
        Piece(55.5, 100, 118.75, 230, least=68, most=68),
    ),
)
SCHEMA = Schema(
    [
        Attribute.numeric("age", low=0, high=100, integer=True),
        Attribute.numeric("pay", low=-50, high=50),
        Attribute.categorical("risk", ["High", "Low"]),
    ],
    target="risk",
)


def people(rows: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    age, pay = rng.integers(0, 101, rows), np.round(rng.uniform(-50, 50, rows), 2)
    wrong = rng.random(rows) < 0.2
    risk = np.where(((age > 40) & (pay < 10)) ^ wrong, "High", "Low")
    return {"age": age, "pay": pay, "risk": risk}


def test_the_thesis_table_to_the_record() -> None:
    labels = (RISKS == "Low").astype(np.int64)
    assert breakpoints(AGES, labels).tolist() == [27.5, 37.5, 55.5]
    assert THESIS.encode(AGES).tolist() == [22, 25, 28, 48, 89, 150]
    assert THESIS.decode(THESIS.encode(AGES)) == pytest.approx(AGES)


def test_a_mixed_value_is_its_own_piece() -> None:
    values, labels = np.array([1.0, 2, 2, 3, 4]), np.array([0, 0, 1, 1, 1])
    assert breakpoints(values, labels).tolist() == [1.5, 2.5]


def test_a_threshold_between_pieces_decodes_to_the_thesis_breakpoint() -> None:
    release = {"age": THESIS.encode(AGES), "risk": RISKS}
    model = TreeClassifier().fit({"age": release["age"]}, RISKS)
    decoded = decode_tree(model.tree_, Key((THESIS,)))
    plain = TreeClassifier().fit({"age": AGES}, RISKS)
    assert decoded.same_as(plain.tree_) or np.array_equal(
        decoded.threshold, plain.tree_.threshold, equal_nan=True
    )


@settings(max_examples=30)
@given(
    st.integers(5, 300),
    st.integers(0, 10**6),
    st.booleans(),
    st.sampled_from([("linear",), ("polynomial",), ("linear", "polynomial")]),
    st.sampled_from(["cart", "id3"]),
)
def test_a_tree_decodes_to_the_same_partition(
    rows: int, seed: int, reverse: bool, pieces: tuple[str, ...], policy: str
) -> None:
    raw = people(rows, seed)
    if len(set(raw["risk"])) < 2:
        return
    method = Monotone(pieces=pieces, reverse=reverse)
    release, key = method.encode(raw, SCHEMA, seed=seed, shuffle=False)
    release.verify()
    model = TreeClassifier(policy=policy).fit(release)
    decoded = Tree.from_dict(decode_tree(model.tree_, key).to_dict())
    table = release.parts[0].table.collect(rows)
    disguised = np.stack([table.columns["age"], table.columns["pay"]], axis=1)
    plain = np.stack([raw["age"], raw["pay"]], axis=1).astype(np.float64)
    there, back = model.tree_.apply(disguised), decoded.apply(plain)
    assert len(set(zip(there, back, strict=True))) == len(set(there)) == len(set(back))
    assert np.array_equal(model.tree_.label[there], decoded.label[back])
    for tree in (model.tree_, decoded):  # counts are exact: every test is sure, and no leaf tests
        assert (np.isinf(tree.z) == (tree.child >= 0)).all()
    assert sorted(decoded.gain) == sorted(model.tree_.gain)
    if not reverse:  # reversed, ties fall to the other end
        grown = TreeClassifier(policy=policy).fit(Plan({}, default=Exact()).disguise(raw, SCHEMA))
        assert np.array_equal(decoded.attribute, grown.tree_.attribute)
        assert np.allclose(decoded.threshold, grown.tree_.threshold, equal_nan=True)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.booleans())
def test_values_come_back_and_pieces_keep_their_order(seed: int, anti: bool) -> None:
    raw = people(120, seed)
    kinds = ("linear", "polynomial", "permutation")
    release, key = Monotone(pieces=kinds, anti=anti).encode(raw, SCHEMA, seed=seed, shuffle=False)
    table = release.parts[0].table.collect(120)
    for name in ("age", "pay"):
        secret = key[name]
        values = raw[name].astype(np.float64)
        assert np.allclose(secret.decode(table.columns[name]), values, atol=1e-6)
        ends = np.array([sorted((piece.start, piece.stop)) for piece in secret.pieces])
        ends = ends[::-1] if secret.reversed else ends
        assert (ends[1:, 0] > ends[:-1, 1]).all()


def test_turned_pieces_decode_between_but_not_inside() -> None:
    turned = AttributeKey(
        "age",
        (Piece(0, 27.5, 32.5, 5, least=17, most=23), *THESIS.pieces[1:]),
    )
    model = TreeClassifier(max_depth=1).fit({"age": turned.encode(AGES)}, RISKS)
    assert decode_tree(model.tree_, Key((turned,))).threshold[0] == pytest.approx((23 + 32) / 2)
    inside = TreeClassifier().fit(
        {"age": turned.encode(AGES[:3])}, np.array(["High", "Low", "Low"])
    )
    with pytest.raises(TreeError, match="inside a piece"):
        decode_tree(inside.tree_, Key((turned,)))


def test_the_key_is_a_file_of_its_own_that_nobody_else_may_read(tmp_path: Path) -> None:
    path = tmp_path / "people.key"
    release = Monotone(key=path).disguise(people(50, 1), SCHEMA, to=tmp_path / "r")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in sorted((tmp_path / "r").iterdir())] == [
        "card.json",
        "part-0.parquet",
    ]
    key = Key.read(path)
    assert decode_tree(TreeClassifier().fit(release).tree_, key).nodes > 1
    assert "0." not in repr(key)
    path.chmod(0o644)
    with pytest.raises(InputError, match="can be read by others"):
        Key.read(path)
    with pytest.raises(PlanError, match="exists already"):
        Monotone(key=path).disguise(people(50, 1), SCHEMA)
    with pytest.raises(InputError, match="cannot be written"):
        key.write(path)
    (tmp_path / "other").write_text("{}")
    (tmp_path / "other").chmod(0o600)
    with pytest.raises(InputError, match="no key"):
        Key.read(tmp_path / "other")


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(PlanError, match="categorical: equal values would stay equal"):
        Monotone(key="k").claim(datasets.schema("weather"))
    with pytest.raises(PlanError, match="needs a file"):
        Monotone().disguise(people(9, 1), SCHEMA)
    with pytest.raises(PlanError, match="some of linear"):
        Monotone(pieces=("cubic",)).encode(people(9, 1), SCHEMA)
    with pytest.raises(TreeError, match="no function"):
        decode_tree(TreeClassifier().fit({"x": AGES}, RISKS).tree_, Key((THESIS,)))


def test_missing_values_stay_missing() -> None:
    schema = Schema(
        [
            Attribute.numeric("age", low=0, high=100, missing="category"),
            Attribute.categorical("risk", ["High", "Low"]),
        ],
        target="risk",
    )
    raw = {"age": np.append(AGES, np.nan), "risk": np.append(RISKS, "High")}
    release, key = Monotone().encode(raw, schema, shuffle=False)
    release.verify()
    assert np.isnan(release.parts[0].table.collect(7).columns["age"][-1])
    model = TreeClassifier("cart").fit(release)
    decoded = decode_tree(model.tree_, key)
    leaves = decoded.apply(raw["age"][:, None])
    assert [decoded.classes[decoded.label[leaf]] for leaf in leaves] == raw["risk"].tolist()


def test_attacks_by_rank_and_by_known_pairs() -> None:
    raw = people(4000, 5)
    release = Monotone().encode(raw, SCHEMA, seed=5)[0]
    asked = audit(release, raw, attacks=["rank", "between"], trees=False, seed=1)
    outcomes = {(outcome.attack, outcome.about): outcome for outcome in asked.attacks}
    for attack in ("rank", "between"):
        one = outcomes[attack, "pay"]
        assert one.low > (0.9 if attack == "rank" else 0.7)
        assert one.control == 1.0
        assert one.null is not None
        assert one.blind < 0.2 > one.null


def test_every_flipped_bit_of_a_key_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "people.key"
    Monotone(key=path).disguise(people(50, 1), SCHEMA)
    for bad in flipped(path.read_bytes()):
        path.write_bytes(bad)
        with pytest.raises(InputError, match=r"people\.key"):
            Key.read(path)


def test_a_key_from_before_checksums_is_taken_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "people.key"
    Monotone(key=path).disguise(people(50, 1), SCHEMA)
    key = Key.read(path)
    old = json.loads(path.read_bytes()) | {"version": 1}
    del old["checksum"]
    path.write_text(json.dumps(old))
    with pytest.warns(PrivetWarning, match=r"people\.key has no checksum"):
        assert Key.read(path) == key


LIES: list[dict[str, object]] = [
    {"low": "1"},
    {"low": True},
    {"bend": 2.0},
    {"order": [0, 0]},
    {"order": [[0]]},
    {"order": 3},
    {"low": 1e300},
    {"more": 1},
]


@pytest.mark.parametrize("lie", LIES)
def test_a_key_that_makes_no_sense_is_refused(tmp_path: Path, lie: dict[str, object]) -> None:
    path = tmp_path / "people.key"
    Monotone(key=path).disguise(people(50, 1), SCHEMA)
    form = json.loads(path.read_bytes())
    del form["checksum"]
    form["attributes"][0]["pieces"][0] |= lie
    path.write_bytes(seal(form))
    with pytest.raises(InputError, match=r"people\.key is no key"):
        Key.read(path)


RISK = Schema(
    [
        Attribute.numeric("age", low=10, high=90),
        Attribute.categorical("risk", ["High", "Low"]),
    ],
    target="risk",
)
LINES = [(1, 5), (1.5, 0), (2, 3), (2.5, -20)]  # Fong §4.2.2


def test_breakpoints_and_functions_of_the_thesis() -> None:
    cuts = {"age": [27.5, 37.5, 55.5]}
    method = Monotone(breaks=cuts, functions={"age": LINES})
    release, key = method.encode({"age": AGES, "risk": RISKS}, RISK, shuffle=False)
    shown = release.parts[0].table.collect(6).columns["age"]
    assert shown.tolist() == pytest.approx([22, 25, 28, 48, 89, 150])
    assert key["age"].decode(shown) == pytest.approx(AGES)
    by_class = Monotone(functions={"age": LINES})  # the same breakpoints, where the class changes
    again, _ = by_class.encode({"age": AGES, "risk": RISKS}, RISK, shuffle=False)
    assert again.parts[0].table.collect(6).columns["age"] == pytest.approx(shown)
    asked = plan_from_dict({"method": "monotone", "breaks": cuts, "functions": {"age": LINES}})
    assert asked == method


@pytest.mark.parametrize("turned", [False, True])
def test_own_breakpoints_keep_the_tree(turned: bool) -> None:
    raw = people(2000, 3)
    sign = -1 if turned else 1
    low, high = SCHEMA["pay"].range
    middle = (low + high) / 2
    method = Monotone(
        breaks={"pay": [middle]},
        functions={"pay": [(sign * 2.0, 0.0), (sign * 3.0, -sign * middle)]},
        reverse=False,
    )
    release, key = method.encode(raw, SCHEMA, seed=1)
    assert key["pay"].reversed == turned
    inputs = {name: raw[name] for name in raw if name != SCHEMA.target}
    plain = TreeClassifier(max_depth=4).fit(inputs, raw[SCHEMA.target])
    decoded = TreeClassifier.from_tree(
        decode_tree(TreeClassifier("cart", max_depth=4).fit(release).tree_, key)
    )
    assert (decoded.predict(inputs) == plain.predict(inputs)).mean() > 0.99


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"breaks": {"size": [1]}}, "no attribute 'size'"),
        ({"breaks": {"age": [40, 30]}}, "must rise"),
        ({"breaks": {"age": [40, 40]}}, "must rise"),
        ({"breaks": {"age": [5]}}, "from 10 to 90"),
        ({"functions": {"age": LINES[:2]}}, "has 4 pieces"),
        ({"functions": {"age": [(1, 0), (0, 0), (1, 0), (1, 0)]}}, "slope other than 0"),
        ({"functions": {"age": [(1, 0), (1, -60), (1, 0), (1, 0)]}}, "order between"),
        ({"breaks": {"age": [50]}, "functions": {"age": [(-1, 0), (1, 0)]}}, "several classes"),
        ({"breaks": {"age": [30]}, "functions": {"age": [(1, 0), (-1, 200)]}}, "piece 2 of 'age'"),
        (
            {"breaks": {"age": [30, 50]}, "functions": {"age": [(1, 0), (-1, 90), (1, 50)]}},
            "piece 2 of 'age'",
        ),
        ({"breaks": {"age": [30]}, "functions": {"age": [(1, 0), (1, -1)]}}, "order between"),
        (  # falling, but the first two overlap
            {"breaks": {"age": [30, 50]}, "functions": {"age": [(-1, 99), (-1, 105), (-1, 80)]}},
            "order between",
        ),
        ({"functions": {"age": [(1, 0, 0), *LINES[1:]]}}, "slope other than 0"),
        ({"breaks": {"age": [10]}}, "from 10 to 90"),
        ({"breaks": {"age": [90]}}, "from 10 to 90"),
        ({"breaks": {"risk": [50]}}, "no attribute 'risk'"),
    ],
)
def test_functions_that_do_not_keep_a_tree(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        Monotone(**settings).encode({"age": AGES, "risk": RISKS}, RISK)


@pytest.mark.parametrize(
    ("cuts", "lines"),
    [
        ([30], [(-1, 39), (1, 0)]),  # the first piece has one class, so it may go against the rest
        ([30, 37.5, 55.5], [(1, 0), (-1, 80), (-1, 110), (-1, 200)]),
        ([30], [(1, 0), (1, 0)]),  # images that meet are in order
        ([], [(-2, 0)]),  # all of it reversed
        ([60, 80], [(1, 0), (-1, 200), (-1, 300)]),  # nobody is above 80
    ],
)
def test_a_piece_of_one_class_may_go_against_the_order(
    cuts: list[float], lines: list[tuple[float, float]]
) -> None:
    method = Monotone(breaks={"age": cuts}, functions={"age": lines})
    release, key = method.encode({"age": AGES, "risk": RISKS}, RISK, shuffle=False)
    shown = release.parts[0].table.collect(6).columns["age"]
    places = np.searchsorted(cuts, AGES)
    expected = [lines[at][0] * age + lines[at][1] for at, age in zip(places, AGES, strict=True)]
    assert shown == pytest.approx(expected)
    assert key["age"].decode(shown) == pytest.approx(AGES)
    ends = [*cuts, 90.0]
    for at, piece in enumerate(key["age"].pieces):
        inside = AGES[places == at] if (places == at).any() else [ends[at]]
        assert (piece.least, piece.most) == (min(inside), max(inside))
    assert key["age"].reversed == (len(lines) == 1)


def test_a_bent_piece_by_hand() -> None:
    piece = Piece(10, 20, 100, 300, bend=0.5)
    assert piece.encode(np.array([10.0, 12.5, 15, 20])).tolist() == [100, 168.75, 225, 300]
    assert piece.decode(np.array([100.0, 168.75, 225, 300])) == pytest.approx([10, 12.5, 15, 20])
    assert piece.decode(np.array([0.0, 900])).tolist() == [10, 20]  # beyond its image: its ends
    falling = Piece(10, 20, 300, 100, bend=-0.5)
    assert falling.encode(np.array([12.5])).tolist() == [268.75]
    assert falling.decode(np.array([268.75])) == pytest.approx([12.5])


def test_a_permuted_piece_by_hand() -> None:
    piece = Piece(0.5, 4, 10, 50, order=(2, 0, 1), least=1, most=3)
    shown = piece.encode(np.array([1.0, 2, 3]))
    assert shown.tolist() == [40, 20, 30]
    assert piece.decode(shown).tolist() == [1, 2, 3]
    assert piece.decode(np.array([10.0, 24, 50, 0, 90])).tolist() == [2, 2, 1, 2, 1]
    longer = Piece(0.5, 9, -7, 0, order=(3, 1, 4, 0, 5, 2), least=2, most=7)
    assert longer.decode(longer.encode(np.arange(2.0, 8))).tolist() == [2, 3, 4, 5, 6, 7]


def test_pieces_of_an_attribute_by_hand() -> None:
    rising = (Piece(0, 1, 10, 20), Piece(1, 2, 30, 35), Piece(2, 3, 49, 40))
    key = AttributeKey("x", rising)
    assert key.sign == 1
    assert key.range == (10, 49)
    assert [key.keeps_order(number) for number in range(3)] == [True, True, False]
    assert key.places(np.array([0.0, 20, 20.5, 35, 36, 49, 60])).tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert key.encode(np.array([0.5, 1, 1.5, 2.5, np.nan]))[:4].tolist() == [15, 20, 32.5, 44.5]
    assert np.isnan(key.encode(np.array([np.nan]))).all()
    falling = (Piece(0, 1, 49, 40), Piece(1, 2, 30, 35), Piece(2, 3, 20, 10))
    key = AttributeKey("x", falling, reversed=True)
    assert key.sign == -1
    assert [key.keeps_order(number) for number in range(3)] == [True, False, True]
    assert key.places(np.array([0.0, 20, 20.5, 35, 36, 49, 60])).tolist() == [2, 2, 1, 1, 0, 0, 0]
    permuted = AttributeKey("x", (Piece(0, 3, 0, 4, order=(1, 2, 0), least=1),), integer=True)
    assert not permuted.keeps_order(0)
    assert permuted.encode(np.array([1.0, np.nan, 3]))[[0, 2]].tolist() == [2, 1]
    assert permuted.decode(np.array([2.0, 1])).tolist() == [1, 3]
    halves = AttributeKey("x", (Piece(0, 10, 0, 1),), integer=True)
    assert halves.decode(np.array([0.26, 0.24])).tolist() == [3, 2]


def test_defaults_of_keys_and_methods() -> None:
    key = AttributeKey("x", (Piece(0, 1, 5, 6),))
    assert (key.reversed, key.integer) == (False, False)
    assert (key.pieces[0].bend, key.pieces[0].least, key.pieces[0].most) == (0, 0, 0)
    assert (Monotone().anti, Monotone().reverse) == (False, True)
    other = AttributeKey("y", (Piece(0, 1, 7, 8),))
    both = Key((key, other))
    assert both["y"] is other
    assert "z" not in both
    assert "x" in both
    assert not Monotone(key="k").claim(SCHEMA).seeded
    assert Monotone(key="k").claim(SCHEMA, seeded=True).seeded


@pytest.mark.parametrize("bounds", [(5, 5), (3, 9)])
def test_a_number_that_nobody_has_or_all_have_stays(bounds: tuple[int, int]) -> None:
    low, high = bounds
    age = Attribute.numeric("age", low=low, high=high, missing="category")
    schema = Schema([age, *RISK.inputs[1:], RISK["risk"]], target="risk")
    ages = np.full(4, 5.0 if low == high else np.nan)
    raw = {"age": ages, "risk": np.array(["High", "Low", "Low", "High"])}
    release, key = Monotone().encode(raw, schema, shuffle=False)
    assert np.array_equal(release.parts[0].table.collect(4).columns["age"], ages, equal_nan=True)
    assert key["age"].range == (low - 1, high)
    assert key["age"].decode(np.array([low - 0.5, high])).tolist() == [low - 0.5, high]


PERMUTED = Schema(
    [
        Attribute.numeric("age", low=10, high=1_200, integer=True),
        Attribute.numeric("pay", low=10, high=90),
        Attribute.categorical("risk", ["High", "Low"]),
    ],
    target="risk",
)


@pytest.mark.parametrize(
    ("ages", "permuted"),
    [
        ([20, 22], True),
        ([20, 21], False),  # two neighbours are not worth an order
        ([100, 1_099], True),
        ([100, 1_100], False),  # too many
    ],
)
def test_whole_numbers_of_one_class_are_permuted(ages: list[int], permuted: bool) -> None:
    raw = {"age": np.array(ages), "pay": np.array([20.0, 30]), "risk": np.array(["Low", "Low"])}
    only = Monotone(pieces=("permutation",))
    _, key = only.encode(raw, PERMUTED, seed=3, shuffle=False)
    piece = key["age"].pieces[0]
    assert (piece.least, piece.most) == tuple(ages)
    assert len(piece.order) == (ages[1] - ages[0] + 1 if permuted else 0)
    assert sorted(piece.order) == list(range(len(piece.order)))
    assert piece.bend == 0
    assert not key["pay"].pieces[0].order
    mixed = {**raw, "age": np.array([*ages, *ages]), "pay": np.array([20.0, 30, 20, 30])}
    mixed["risk"] = np.array(["Low", "Low", "High", "High"])
    _, key = Monotone(pieces=("permutation",), breaks={"age": []}).encode(mixed, PERMUTED, seed=3)
    assert not key["age"].pieces[0].order  # its records are of several classes


def test_pieces_that_may_go_against_the_order_have_one_class() -> None:
    raw = people(60, 4)
    cuts = {"age": [20.0, 60.5], "pay": [-45.0, 0.0]}
    for seed in range(12):
        _, key = Monotone(anti=True, breaks=cuts).encode(raw, SCHEMA, seed=seed)
        for name, borders in cuts.items():
            place = np.searchsorted(borders, raw[name])
            for number in range(3):
                one = len(set(raw["risk"][place == number])) < 2
                assert one or key[name].keeps_order(number)


@pytest.mark.parametrize("missing", ["error", "category"])
def test_every_kind_of_key_is_the_same_again(missing: Any) -> None:
    schema = Schema(
        [
            Attribute.numeric("age", low=10, high=90, integer=True, missing=missing),
            Attribute.numeric("pay", low=-5, high=400),
            Attribute.categorical("risk", ["High", "Low", "None"]),
        ],
        target="risk",
    )
    rng = np.random.default_rng(8)
    age = rng.integers(10, 91, 300)
    risk = np.array(["High", "Low", "None"])[np.searchsorted([30, 60], age)]
    raw: dict[str, Any] = {"age": age, "pay": np.round(rng.uniform(-5, 400, 300), 1), "risk": risk}
    if missing == "category":
        raw["age"] = np.where(np.arange(300) % 9 == 0, np.nan, age)
    kinds = ("linear", "polynomial", "permutation")
    found = []
    for seed in range(6):
        for anti in (False, True):
            method = Monotone(pieces=kinds, anti=anti, breaks={"pay": [-4.99, 50, 399.95]})
            release, key = method.encode(raw, schema, seed=seed, shuffle=seed % 2 == 0)
            shown = release.parts[0].table.collect(300).columns
            places = [one.places(shown[one.name]) for one in key.attributes]
            found.append(
                [key.attributes, shown, places, [a.decode(shown[a.name]) for a in key.attributes]]
            )
    golden("settings", f"monotone pieces, missing {missing}", found)


@pytest.mark.parametrize(
    "lie",
    [
        {"bend": -1.0},
        {"bend": 1.0},
        {"low": 91.0, "high": 90.0},
        {"order": [1]},
        {"start": "0"},
        {"most": None},
    ],
)
def test_borders_of_what_a_key_may_say(tmp_path: Path, lie: dict[str, object]) -> None:
    path = tmp_path / "people.key"
    Key((AttributeKey("age", (Piece(10, 90, 0, 1),)),)).write(path)
    form = json.loads(path.read_bytes())
    del form["checksum"]
    for truth in ({"bend": 0.99}, {"bend": -0.99}, {"low": 90.0}, {"order": [1, 0]}, {"low": 3}):
        good = json.loads(json.dumps(form))
        good["attributes"][0]["pieces"][0] |= truth
        path.write_bytes(seal(good))
        assert Key.read(path)["age"].pieces[0] != Piece(10, 90, 0, 1)
    form["attributes"][0]["pieces"][0] |= lie
    path.write_bytes(seal(form))
    with pytest.raises(InputError, match=r"people\.key is no key"):
        Key.read(path)


def test_a_key_of_no_pieces_is_none(tmp_path: Path) -> None:
    path = tmp_path / "people.key"
    Key((AttributeKey("age", ()),)).write(path)
    with pytest.raises(InputError, match="no key"):
        Key.read(path)


def grown(seed: int, missing: Any = "error", **settings: Any) -> tuple[Tree, Key, dict[str, Any]]:
    """A deep tree of a disguised table, its key, and the originals."""
    schema = SCHEMA.with_attributes(
        [Attribute.numeric("age", low=0, high=100, missing=missing), SCHEMA["pay"], SCHEMA["risk"]]
    )
    raw = people(300, seed)
    if missing == "category":
        gone = np.arange(300) % 4 == 0
        raw["age"] = np.where(gone, np.nan, raw["age"].astype(np.float64))
        raw["risk"] = np.where(gone & (raw["pay"] > -20), "Low", raw["risk"])
    release, key = Monotone(**settings).encode(raw, schema, seed=seed)
    return TreeClassifier("cart", max_depth=7).fit(release).tree_, key, raw


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_lies_around_a_threshold_is_turned_back(seed: int) -> None:
    """Deep in a tree these are not the outermost values of their pieces."""
    tree, key, _ = grown(seed)
    decoded = decode_tree(tree, key)
    expected = [
        (name, *sorted(key[name].decode(tree.around[node])))
        for node in np.flatnonzero(tree.attribute >= 0)
        for name in [tree.codings[tree.attribute[node]].name]
    ]
    inner = np.flatnonzero(decoded.attribute >= 0)
    found = [(decoded.codings[decoded.attribute[n]].name, *decoded.around[n]) for n in inner]
    assert len(inner) > 10
    for one, other in zip(sorted(found), sorted(expected), strict=True):
        assert one[0] == other[0]
        assert one[1:] == pytest.approx(other[1:])
    assert decoded.threshold[inner] == pytest.approx(decoded.around[inner].mean(axis=1))
    assert {key[name].reversed for name in ("age", "pay")} <= {True, False}


@pytest.mark.parametrize("missing", ["error", "category"])
def test_cells_of_a_decoded_tree_go_where_numbers_go(missing: Any) -> None:
    apart = 0
    for seed in range(1, 4):
        tree, key, raw = grown(seed, missing)
        decoded = decode_tree(tree, key)
        for node in np.flatnonzero(decoded.attribute >= 0):
            coding, route = decoded.codings[decoded.attribute[node]], decoded.routes[node]
            assert route is not None
            values = np.asarray(raw[coding.name], np.float64)
            known = ~np.isnan(values)
            codes = coding.encode(values)
            cut = decoded.threshold[node]
            if np.isfinite(cut):
                assert np.array_equal(route[codes[known]], values[known] > cut)
            else:
                apart += 1
                assert not route[codes[known]].any()
            if coding.missing:
                assert route[coding.known] == 1
            assert coding.lower is not None
            assert coding.upper is not None
            pieces = key[coding.name].pieces
            assert (coding.lower[0], coding.upper[-1]) == (pieces[0].low, pieces[-1].high)
    assert bool(apart) == (missing == "category")


def test_pieces_that_go_against_the_order_end_where_their_values_end() -> None:
    """Whichever of the two pieces beside a threshold is reversed, and both."""
    for against in ([0], [1], [0, 1], [2], [1, 2], [0, 1, 2, 3]):
        borders = [10, 27.5, 37.5, 55.5, 90]
        pieces = []
        for n, (low, high) in enumerate(pairwise(borders)):
            ends = (100.0 * n, 100.0 * n + 50)
            start, stop = reversed(ends) if n in against else ends
            inside = AGES[(low < AGES) & (high >= AGES)]
            pieces.append(Piece(low, high, start, stop, 0.0, (), inside.min(), inside.max()))
        key = AttributeKey("age", tuple(pieces))
        model = TreeClassifier().fit({"age": key.encode(AGES)}, RISKS)
        decoded = decode_tree(model.tree_, Key((key,)))
        assert sorted(decoded.threshold[decoded.attribute >= 0]) == pytest.approx(
            [27.5, 37.5, 55.5]
        )


def test_the_lowest_number_lies_a_millionth_of_the_range_inside_a_given_piece() -> None:
    method = Monotone(breaks={"age": []}, functions={"age": [(2, 1)]})
    _, key = method.encode({"age": AGES, "risk": RISKS}, RISK)
    (piece,) = key["age"].pieces
    assert piece.low == pytest.approx(10 - 80e-6, abs=1e-9)
    assert (piece.start, piece.stop) == pytest.approx((2 * piece.low + 1, 181))
