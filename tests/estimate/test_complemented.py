"""What a complemented release tells of a tree is exact."""

from dataclasses import replace

import numpy as np
import pytest

from privet.disguise import Complement, Exact, Plan
from privet.estimate.complemented import _real_rows
from privet.estimators import TreeClassifier
from privet.schema import Attribute, Schema

NAMES = ("smoker", "cough", "ill")
SCHEMA = Schema([Attribute.categorical(name, ["0", "1", "2"]) for name in NAMES], target="ill")


@pytest.mark.parametrize("seed", [1, 2])
def test_the_accuracy_of_a_tree_has_no_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    held = {name: rng.integers(0, 3, 300).astype(str) for name in NAMES}
    held["ill"] = np.where(rng.random(300) < 0.6, held["cough"], held["ill"])
    records = {name: column[:150] for name, column in held.items()}
    others = {name: column[150:] for name, column in held.items()}
    model = TreeClassifier(max_depth=2).fit(Complement().disguise(records, SCHEMA))
    plain = TreeClassifier(max_depth=2).fit(Plan({}, default=Exact()).disguise(records, SCHEMA))
    assert np.array_equal(model.tree_.counts, plain.tree_.counts)
    found = model.accuracy(Complement().disguise(others, SCHEMA))
    assert found.value == pytest.approx(model.score(others), abs=1e-12)
    assert found.error == found.cut == 0.0


def test_a_table_with_every_record_that_can_be_leaves_nothing_but_counts_of_none() -> None:
    """As many of each record as there are copies: nothing is stored, and nothing is told apart."""
    schema = Schema(
        [Attribute.categorical(name, ["0", "1"]) for name in ("a", "ill")], target="ill"
    )
    held = {"a": ["0", "0", "1", "1"] * 3, "ill": ["0", "1"] * 6}
    release = Complement().disguise(held, schema, seed=1)
    emptied = tuple(replace(part, table=part.table.slice(0, 0)) for part in release.parts)
    table, weight = _real_rows(replace(release, parts=emptied))
    assert weight.tolist() == [0]
    assert table.rows == 1
    assert set(table.columns) == {"a", "ill"}
    assert all(column.tolist() == [0] for column in table.columns.values())
