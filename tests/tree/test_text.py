"""The tree as text."""

import numpy as np

from privet.datasets import weather
from privet.estimate.routed import routed
from privet.estimators import TreeClassifier
from privet.grow import grow
from privet.schema import Attribute
from privet.split import Policy
from privet.table import MemoryTable
from privet.tree import Tree
from privet.tree.text import categories, condition, render
from tests.tree.test_diagram import tree_of

WEATHER = """\
Play: (14 records, 64 % Yes)
├─ Outlook = Sunny: (5 records, 60 % No)
│  ├─ Humidity = High: No  (3 records, 100 % No)
│  └─ Humidity = Normal: Yes  (2 records, 100 % Yes)
├─ Outlook = Overcast: Yes  (4 records, 100 % Yes)
└─ Outlook = Rain: (5 records, 60 % Yes)
   ├─ Wind = Strong: No  (2 records, 100 % No)
   └─ Wind = Weak: Yes  (3 records, 100 % Yes)"""

STUMP = """\
Play: (14 records, 64 % Yes)
├─ Outlook = Sunny: No  (5 records, 60 % No)  … 2 nodes below
├─ Outlook = Overcast: Yes  (4 records, 100 % Yes)
└─ Outlook = Rain: Yes  (5 records, 60 % Yes)  … 2 nodes below"""


def weather_tree(policy: str = "id3") -> Tree:
    schema, table = weather.schema(), weather.table()
    codings = [attribute.coding() for attribute in schema.inputs]
    coded = {name: schema[name].encode(table[name]) for name in schema.names}
    evidence = routed(MemoryTable(coded), codings, schema.target, schema.classes)
    return grow(evidence, Policy.named(policy), schema.target)


def test_the_weather_by_id3() -> None:
    """The whole tree of Fong's thesis."""
    tree = weather_tree()
    assert str(tree) == WEATHER
    assert tree.gain[0].round(4) == 0.2467


def test_only_so_deep() -> None:
    assert render(weather_tree(), max_depth=1) == STUMP
    assert (
        render(weather_tree(), max_depth=0) == "Play: Yes  (14 records, 64 % Yes)  … 7 nodes below"
    )
    assert render(weather_tree(), max_depth=9) == WEATHER


def test_sets_of_categories_and_numbers() -> None:
    lines = str(weather_tree("cart")).splitlines()
    assert lines[1] == "├─ Outlook in {Sunny, Rain}: (10 records, 50 % Yes)"
    assert lines[-1] == "└─ Outlook = Overcast: Yes  (4 records, 100 % Yes)"
    model = TreeClassifier().fit(np.array([[1.0], [2.0]]), ["a", "b"])
    assert str(model.tree_).splitlines()[1:] == [
        "├─ x0 <= 1.5: a  (1 records, 100 % a)",
        "└─ x0 > 1.5: b  (1 records, 100 % b)",
    ]


def test_missing_numbers() -> None:
    attribute = Attribute.numeric("age", low=0, high=10, bins=2, missing="category")
    codes = attribute.encode(np.array([1.0, 9.0, np.nan]))
    table = MemoryTable({"age": codes, "class": np.array([0, 0, 1], np.uint8)})
    tree = grow(routed(table, [attribute.coding()], "class", ("a", "b")), Policy())
    assert str(tree).splitlines()[1:] == [
        "├─ age is not missing: a  (2 records, 100 % a)",
        "└─ age is missing: b  (1 records, 100 % b)",
    ]


def test_a_tree_deeper_than_pythons_stack() -> None:
    numbers = np.arange(1100.0)
    tree = TreeClassifier().fit(numbers[:, None], numbers % 2).tree_
    assert tree.depth > 1000
    assert len(str(tree).splitlines()) == tree.nodes
    assert render(tree, max_depth=2).count("nodes below") == 1


def test_a_branch_that_nothing_can_take_says_what_would_have_to() -> None:
    """Category a alone goes right, and is then asked whether it is b."""
    tree = tree_of((0, 2, 0), (2, 2, 1))
    assert [categories(tree, node) for node in (1, 2, 3, 4)] == [["b", "c"], ["a"], ["a"], ["b"]]
    assert condition(tree, 1) == "k in {b, c}"
    assert condition(tree, 4) == "k = b"


def test_nothing_but_the_root() -> None:
    """All of the seven nodes below it are told."""
    assert render(weather_tree(), 0) == "Play: Yes  (14 records, 64 % Yes)  … 7 nodes below"
