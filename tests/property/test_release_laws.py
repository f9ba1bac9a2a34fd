"""Laws of releases, for any schema, plan and records."""

import json
import math
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.release import Release
from tests.property.strategies import plans, records, schemas


@settings(max_examples=40)
@given(st.data(), st.integers(1, 60))
def test_a_release_comes_back_from_its_folder(data: st.DataObject, rows: int) -> None:
    schema = data.draw(schemas())
    plan = data.draw(plans(schema))
    made = plan.disguise(records(schema, rows, 1), schema, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        made.write(Path(folder) / "r")
        back = Release.read(Path(folder) / "r")
        assert (back.schema, back.claim, back.rows) == (made.schema, made.claim, rows)
        table = back.parts[0].table.collect(rows)
        for name, column in made.parts[0].table.collect(rows).columns.items():
            assert np.array_equal(table.columns[name], column)
        for name, coding in back.codings.items():
            # What a miner codes plain records by is the released attribute's own coding.
            if coding is not None:
                assert coding.to_dict() == back.schema[name].coding().to_dict()


@settings(max_examples=25)
@given(st.data(), st.integers(1, 60))
def test_a_card_knows_nothing_of_the_records(data: st.DataObject, rows: int) -> None:
    schema = data.draw(schemas())
    plan = data.draw(plans(schema))
    texts = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in (1, 2):
            path = Path(folder) / str(seed)
            plan.disguise(records(schema, rows, seed), schema).write(path)
            card = json.loads((path / "card.json").read_text())
            text = (path / "card.json").read_text()
            for checksum in (card["checksum"], card["parts"][0]["sha256"]):
                text = text.replace(checksum, "")
            texts.append(text)
    assert texts[0] == texts[1]


@given(st.data())
def test_a_claim_is_the_largest_log_ratio_of_the_matrices(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    plan = data.draw(plans(schema))
    claim = plan.claim(schema)
    total = 0.0
    for channel in plan.recipe(schema).channels:
        rows = channel.matrix().tolist()
        if channel.numbers:  # noise: zeros beside others in a row
            assert any(max(row) > 0 == min(row) for row in rows)
            assert claim[channel.attributes[0]].epsilon == math.inf
            continue
        worst = max(math.log(max(row)) - math.log(min(row)) for row in rows)
        said = claim[channel.attributes[0]].epsilon
        # Chances are rounded to words so that they differ by γ at most.
        assert worst <= said + 1e-12
        assert math.isclose(said, worst, rel_tol=1e-6)
        total += worst
    assert math.isclose(claim.disguised_epsilon, total, rel_tol=1e-6, abs_tol=1e-12)
    unbound = ("exact", "value-class", "additive-noise")
    plain = [p for p in claim.promises if p.treatment in unbound]
    assert (claim.epsilon == math.inf) == bool(plain)
