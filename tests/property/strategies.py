"""What Hypothesis may try: channels, schemas, records."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from privet.channel import GammaDiagonal
from privet.disguise import AdditiveNoise, Exact, Plan, Substitution, ValueClass, Withheld
from privet.disguise.treatment import Treatment
from privet.errors import PlanError
from privet.schema import Attribute, Schema

gammas = st.one_of(
    st.integers(2, 100),
    st.floats(1.01, 1e6),
    st.fractions(Fraction(11, 10), 50, max_denominator=1000),
)


@st.composite
def channels(draw: st.DrawFn, max_size: int = 300) -> GammaDiagonal:
    """A γ-diagonal channel of any sensible size, γ and width."""
    size, bits = draw(st.integers(2, max_size)), draw(st.sampled_from([32, 32, 24, 16]))
    try:
        return GammaDiagonal("a", size, draw(gammas), bits)
    except PlanError:
        assume(condition=False)
        raise


@st.composite
def attributes(draw: st.DrawFn, name: str) -> Attribute:
    """A categorical or numeric attribute with at least two values."""
    if draw(st.booleans()):
        values = draw(st.lists(st.text(max_size=4), min_size=2, max_size=6, unique=True))
        return Attribute.categorical(name, values)
    integer = draw(st.booleans())
    low = draw(st.integers(-50, 50))
    high = low + draw(st.integers(1, 100))
    bins = draw(st.integers(2, 12))
    return Attribute.numeric(name, low=low, high=high, bins=bins, integer=integer)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """One to four attributes and a class."""
    inputs = [draw(attributes(f"x{i}")) for i in range(draw(st.integers(1, 4)))]
    return Schema([*inputs, Attribute.categorical("y", ["no", "yes", "so"])], target="y")


@st.composite
def plans(draw: st.DrawFn, schema: Schema) -> Plan:
    """A plan that fits the schema and keeps one attribute at least."""
    kinds: list[Treatment] = [Exact(), Withheld(), Substitution(3), Substitution(20.5)]
    treatments: dict[str, Treatment] = {}
    for place, attribute in enumerate(schema):
        allowed = [
            kind for kind in kinds if kind != Withheld() or (0 < place < len(schema.names) - 1)
        ]
        if not attribute.is_categorical:
            allowed += [ValueClass(bins=3), AdditiveNoise("gaussian", level=0.5, steps=64)]
        treatments[attribute.name] = draw(st.sampled_from(allowed))
    return Plan(treatments)


def records(schema: Schema, rows: int, seed: int) -> dict[str, Any]:
    """Rows drawn from the domains of a schema."""
    rng = np.random.default_rng(seed)
    made: dict[str, Any] = {}
    for attribute in schema:
        if attribute.values is not None:
            places = rng.integers(0, len(attribute.values), rows)
            made[attribute.name] = [attribute.values[place] for place in places]
        else:
            low, high = attribute.range
            numbers = rng.uniform(low, high, rows)
            made[attribute.name] = np.floor(numbers) if attribute.integer else numbers
    return made
