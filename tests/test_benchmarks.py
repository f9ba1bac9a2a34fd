"""What benchmarks share: slips in claims are found, and tables of one's own can be measured."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import trials
from benchmarks.claims import KINDS, bound
from privet.channel.card import KINDS as CHANNELS
from privet.errors import SchemaError
from privet.experiments import Seeds
from privet.randomness import Randomness
from privet.schema import Attribute, Schema


def test_every_kind_of_channel_with_an_epsilon_is_checked() -> None:
    assert set(KINDS) == {name for name, kind in CHANNELS.items() if not kind.numbers}


@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_holds_and_a_slip_is_found(kind: str) -> None:
    claimed, slipped = KINDS[kind](np.random.default_rng(7), 4.0)
    with Randomness.system() as source:
        honest = bound(claimed, claimed, source, 0, 300_000, 1e-6)
        planted = bound(claimed, slipped, source, 1, 300_000, 1e-6)
    assert honest <= claimed.epsilon() < planted


def test_an_own_table_is_divided_and_asks_for_its_schema(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    rows = [f"{number},{number % 2},{'no' if number < 40 else 'yes'}" for number in range(90)]
    file.write_text("\n".join(["age,sex,ill", *rows]))
    with pytest.raises(SchemaError, match="no schema"):
        trials.is_there(str(file))
    attributes = [
        Attribute.numeric("age", low=0, high=100),
        Attribute.categorical("sex", ["0", "1"]),
        Attribute.categorical("ill", ["no", "yes"]),
    ]
    Schema(attributes, target="ill").write(tmp_path / "people.toml")
    assert trials.is_there(str(file))
    train, test = trials.train_and_test(str(file), 10, Seeds(3, "a key"))
    assert (train.num_rows, test.num_rows) == (60, 30)
    assert sorted([*train["age"].to_pylist(), *test["age"].to_pylist()]) == list(range(90))
    assert {*train["sex"].to_pylist()} == {"0", "1"}
    assert trials.schema_of(str(file), Seeds(3, "a key")).target == "ill"
    assert trials.plain_accuracy("ill", train, test) > 0.9
