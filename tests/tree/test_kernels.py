"""The compiled walk against its plain twin."""

import numpy as np
from hypothesis import given, settings

from privet.tree.kernels import descend
from tests import twins
from tests.strategies import seeds


@settings(max_examples=60)
@given(seeds)
def test_descend(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # A tree of random tests: numbers at attribute 0 and 1, categories at 2.
    attribute, threshold, child, routes = [-1], [np.nan], [-1], [np.zeros(4, np.int16)]
    for node in range(8):
        if node >= len(attribute) or rng.random() < 0.2:
            continue
        tested = int(rng.integers(3))
        branches = 2 if tested < 2 else int(rng.integers(2, 5))
        attribute[node], child[node] = tested, len(attribute)
        if tested < 2:
            threshold[node] = float(rng.choice([-1.0, 0.0, 0.5, np.inf]))
        else:
            routes[node] = rng.integers(0, branches, 4).astype(np.int16)
        for _ in range(branches):
            attribute.append(-1)
            threshold.append(np.nan)
            child.append(-1)
            routes.append(np.zeros(4, np.int16))
    heavy = np.array([first + 1 if first >= 0 else -1 for first in child])
    numbers = rng.choice([-2.0, -1.0, 0.0, 0.25, 0.5, 7.0, np.nan, np.inf], (50, 2))
    values = np.column_stack([numbers, rng.integers(-1, 4, 50)])
    arrays = (np.array(attribute), np.array(threshold), np.array(child), heavy, np.array(routes))
    out = np.empty(50, np.int64)
    descend(values, *arrays, out)
    np.testing.assert_array_equal(out, twins.descend(values, *arrays))
