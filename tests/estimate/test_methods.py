"""Which evidence is taken of a release, and why."""

from dataclasses import replace

import numpy as np
import pytest

from privet.channel import GammaDiagonal
from privet.coding import Coding
from privet.errors import DataError, MethodError
from privet.estimate import methods
from privet.estimate.methods import codings_of, evidence_of
from privet.estimate.routed import SortedEvidence
from privet.estimate.weighted import WeightedEvidence
from privet.release import Part, Release
from privet.schema import Attribute, Schema
from privet.table import MemoryTable

SCHEMA = Schema(
    [
        Attribute.categorical("t", ["a", "b", "c"]),
        Attribute.numeric("n", low=0, high=10),
        Attribute.categorical("y", ["no", "yes"]),
    ],
    target="y",
)


def release(*, disguised: bool, rows: int = 12) -> Release:
    rng = np.random.default_rng(0)
    table = MemoryTable(
        {
            "t": rng.integers(0, 3, rows).astype(np.uint8),
            "n": rng.choice([1.0, 2.0, 7.5], rows),
            "y": rng.integers(0, 2, rows).astype(np.uint8),
        }
    )
    codings: dict[str, Coding | None] = {
        "t": SCHEMA["t"].coding(),
        "n": None,
        "y": SCHEMA["y"].coding(),
    }
    channels = (GammaDiagonal("t", 3, 4.0),) if disguised else ()
    return Release(SCHEMA, codings, (Part(table, channels),))


def test_auto_looks_at_the_card() -> None:
    plain = evidence_of(release(disguised=False))
    assert plain.method == "naive"
    assert isinstance(plain.evidence, SortedEvidence)
    assert "no correction" in plain.reason
    corrected = evidence_of(release(disguised=True))
    assert corrected.method == "direct"
    assert isinstance(corrected.evidence, WeightedEvidence)
    assert "without bias" in corrected.reason


def test_a_method_by_name() -> None:
    chosen = evidence_of(release(disguised=True), "naive")
    assert isinstance(chosen.evidence, SortedEvidence)
    assert chosen.reason == "you asked for it"
    assert isinstance(evidence_of(release(disguised=False), "direct").evidence, WeightedEvidence)
    with pytest.raises(MethodError, match="no method 'magic'; there are 'auto', 'naive'"):
        evidence_of(release(disguised=True), "magic")


def test_no_records() -> None:
    with pytest.raises(DataError, match="no records"):
        evidence_of(release(disguised=True, rows=0))


def test_naive_takes_one_part() -> None:
    held = release(disguised=True)
    several = replace(held, parts=(held.parts[0], held.parts[0]))
    with pytest.raises(MethodError, match="one part"):
        evidence_of(several, "naive")
    assert evidence_of(several).method == "direct"


def test_cells_of_exact_numbers_are_learned() -> None:
    categories, numbers = codings_of(release(disguised=True))
    assert categories.values == ("a", "b", "c")
    assert numbers.decode(np.arange(numbers.size)).tolist() == [1.0, 2.0, 7.5]


def test_very_long_columns_are_sampled_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step-th row of the whole table, wherever batches begin."""
    monkeypatch.setattr(methods, "SAMPLE", 4)
    monkeypatch.setattr("privet.table.memory.BATCH_ROWS", 7)
    table = MemoryTable({"n": np.arange(100.0)})
    found = methods._numbers([table], ["n"])
    assert found["n"].tolist() == np.arange(0.0, 100.0, 6).tolist()


@pytest.mark.parametrize(("most", "method"), [(3, "joint"), (4, "joint"), (2, "direct")])
def test_joint_tables_are_fitted_up_to_so_many_values(
    monkeypatch: pytest.MonkeyPatch, most: int, method: str
) -> None:
    """The attribute 't' has three; a number that was not cut has too many."""
    whole = release(disguised=True)
    assert evidence_of(whole).method == "direct"
    names = ["t", "y"]
    schema = Schema([SCHEMA[name] for name in names], target="y")
    columns = whole.parts[0].table.collect(12).columns
    table = MemoryTable({name: columns[name] for name in names})
    codings = {name: whole.codings[name] for name in names}
    small = Release(schema, codings, (replace(whole.parts[0], table=table),))
    monkeypatch.setattr(methods, "MOST_VALUES", most)
    assert evidence_of(small).method == method
