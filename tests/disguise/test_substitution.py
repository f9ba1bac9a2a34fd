"""RandomSubstitution stores what it is given and substitutes all but the class."""

from typing import Any

import pytest

from privet.disguise import Exact, RandomSubstitution, Substitution
from tests.disguise.people import SCHEMA, people


def test_arguments_are_stored_untouched() -> None:
    wish: Any = RandomSubstitution(gamma=-1, bins="many")  # type: ignore[arg-type]
    assert (wish.gamma, wish.bins, wish.target) == (-1, "many", None)


def test_every_attribute_but_the_class_is_substituted() -> None:
    plan = RandomSubstitution(gamma=8).plan(SCHEMA)
    assert plan.treatment("age", SCHEMA) == Substitution(8)
    assert plan.treatment("risk", SCHEMA) == Exact()
    release = RandomSubstitution(gamma=8, bins=4).disguise(people(100), SCHEMA)
    sizes = {channel.attributes[0]: channel.inputs[0] for channel in release.parts[0].channels}
    assert sizes == {"age": 4, "kids": 4, "car": 3, "rent": 4}
    assert float(release.claim["age"].gamma or 0) == pytest.approx(8, abs=1e-6)
    assert release.claim["age"].gamma <= 8  # type: ignore[operator]
