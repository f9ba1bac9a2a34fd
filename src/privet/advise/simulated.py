"""What a tree will be worth: made-up records with the schema's domains, disguised and mined.

The private data are not there to look at, so stand-ins are: values equally common within each
domain, and a class that a small random tree of tests decides. Real tables have more, or less, to
find; what carries over is how accuracy moves with γ and N.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.mining import mine
from privet.records import read_by
from privet.schema import Schema
from privet.split import Policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Mask
    from privet.disguise import Plan
    from privet.schema import Attribute

__all__ = ["LARGEST", "simulated_accuracy", "stand_in"]

LARGEST = 20_000  # records that are simulated; with more a tree gets no worse
TESTED = 2_000


def stand_in(schema: Schema, rows: int, seed: int) -> dict[str, Any]:
    """Return made-up records whose class a random tree of three tests decides.

    The same seed gives the same tests, whatever the number of rows.
    """
    rng = np.random.default_rng([seed, 0])
    first, *others = _tests(schema.inputs, rng)
    labels = rng.permutation(len(schema.classes))[:2]
    draw = np.random.default_rng([seed, rows])
    columns = {attribute.name: _values(attribute, draw, rows) for attribute in schema.inputs}
    side = first(columns)
    inner = np.where(side, others[0](columns), others[-1](columns))
    apart = side ^ inner
    if apart.all() or not apart.any():  # tests of a single attribute may undo each other
        apart = side
    classes = np.array(schema.classes, dtype=object)
    return {**columns, schema.target: classes[labels[apart.astype(np.int64)]]}


def _values(attribute: Attribute, rng: np.random.Generator, rows: int) -> NDArray[Any]:
    if attribute.values is not None:
        return np.array(attribute.values, dtype=object)[
            rng.integers(0, len(attribute.values), rows)
        ]
    low, high = attribute.range
    if attribute.integer:
        return rng.integers(int(low), int(high) + 1, rows)
    return rng.uniform(low, high, rows)


class _Test:
    """A question about an attribute that about half the values answer with yes."""

    def __init__(self, attribute: Attribute, rng: np.random.Generator) -> None:
        self.name = attribute.name
        self.cut: float | None = None
        self.members: tuple[Any, ...] = ()
        if attribute.values is None:
            low, high = attribute.range
            self.cut = low + (high - low) * rng.uniform(0.35, 0.65)
        else:
            half = max(1, len(attribute.values) // 2)
            order = rng.permutation(len(attribute.values))[:half]
            self.members = tuple(attribute.values[place] for place in order)

    def __call__(self, columns: dict[str, NDArray[Any]]) -> Mask:
        column = columns[self.name]
        if self.cut is not None:
            return np.asarray(column > self.cut, np.bool_)
        return np.isin(column, np.array(self.members, dtype=object))


def _tests(attributes: Sequence[Attribute], rng: np.random.Generator) -> list[_Test]:
    """Return three tests, of attributes as different as there are."""
    order = rng.permutation(len(attributes))
    chosen = [attributes[order[place % len(order)]] for place in range(3)]
    return [_Test(attribute, rng) for attribute in chosen]


def simulated_accuracy(
    plan: Plan, schema: Schema, records: int, seeds: Sequence[int], method: str = "auto"
) -> list[float]:
    """Return the accuracy of a tree mined from stand-ins disguised by a plan, for each seed.

    Made-up records have no people behind them: the schema's ``unit`` is not asked for.
    """
    schema = Schema(schema.attributes, target=schema.target)
    accuracies = []
    for seed in seeds:
        train = stand_in(schema, min(records, LARGEST), seed)
        release = plan.disguise(train, schema, seed=seed)
        tree = mine(release, Policy.named("cart"), method, prune=True).tree
        test = stand_in(schema, TESTED, seed)
        leaves = tree.apply(read_by(tree.codings, test))
        predicted = np.array(tree.classes, dtype=object)[tree.label[leaves]]
        accuracies.append(float(np.mean(predicted == test[schema.target])))
    return accuracies
