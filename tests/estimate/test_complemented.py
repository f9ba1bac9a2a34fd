"""What a complemented release tells of a tree is exact."""

import numpy as np
import pytest

from privet.disguise import Complement, Exact, Plan
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
