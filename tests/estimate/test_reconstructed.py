"""The reconstructed data set: its counts, its values, its stamp, and learners that take it."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import privet as pv
from privet.channel import GammaDiagonal
from privet.estimate.distribution import estimation_error
from privet.estimate.reconstructed import stamp_of

SCHEMA = pv.datasets.schema("as-f1")


@pytest.fixture(scope="module")
def release() -> pv.Release:
    table = pv.datasets.load("as-f1", rows=20_000, seed=1)
    return pv.RandomSubstitution(gamma=8, bins=10, kind="gamma-diagonal", wave=0).disguise(
        table, SCHEMA, seed=2
    )


def test_columns_have_the_estimated_counts(release: pv.Release) -> None:
    made = pv.reconstruct_table(release)
    coding = release.codings["age"]
    assert coding is not None
    found = np.bincount(coding.encode(made["age"].to_numpy()), minlength=10)
    assert np.abs(found - pv.Distribution.of(release, "age").counts("rescale")).max() < 1
    assert made.column_names == release.schema.names
    assert made.num_rows == 20_000


def test_representatives_lie_in_their_cells(release: pv.Release) -> None:
    coding = release.codings["salary"]
    assert coding is not None
    assert coding.upper is not None
    tables = {
        word: pv.reconstruct_table(release, representative=word, seed=1)["salary"].to_numpy()
        for word in ("centre", "endpoint", "random")
    }
    codes = [coding.encode(numbers) for numbers in tables.values()]
    assert (codes[0] == codes[1]).all()
    assert (codes[0] == codes[2]).all()
    assert set(tables["endpoint"]) <= set(coding.upper)
    assert len(set(tables["centre"])) == 10
    assert len(set(tables["random"])) > 10_000
    again = pv.reconstruct_table(release, representative="random", seed=1)["salary"].to_numpy()
    assert (again == tables["random"]).all()


def test_whole_numbers_stay_whole(release: pv.Release) -> None:
    for word in ("endpoint", "random"):
        elevel = pv.reconstruct_table(release, representative=word)["elevel"].to_numpy()
        assert (elevel == np.floor(elevel)).all()


def test_the_stamp_survives_parquet(release: pv.Release, tmp_path: Path) -> None:
    made = pv.reconstruct_table(release, representative="endpoint")
    pq.write_table(made, tmp_path / "made.parquet")
    stamp = stamp_of(pq.read_schema(tmp_path / "made.parquet"))
    assert stamp is not None
    assert "No row is a record" in stamp["what"]
    assert stamp["method"] == "global"
    assert stamp["representative"] == "endpoint"
    assert set(stamp["columns"]) == {a.name for a in SCHEMA.inputs}
    assert "NOT PRIVATE" in stamp["note"]
    assert stamp_of(pv.datasets.load("weather")) is None


@pytest.mark.parametrize("learner", [DecisionTreeClassifier(min_samples_leaf=100), GaussianNB()])
def test_any_learner_takes_it(release: pv.Release, learner: Any) -> None:
    """F1 by cells of a tenth: the tree sees its borders, Gaussian naive Bayes its middle."""
    test = pv.datasets.load("as-f1", rows=4000, seed=3)
    names = [one.name for one in SCHEMA.inputs]
    scores = {}
    for method in ("global", "by-class"):
        made = pv.reconstruct_table(release, method=method)
        learner.fit(made.select(names).to_pandas(), made["group"].to_pylist())
        predicted = learner.predict(test.select(names).to_pandas())
        scores[method] = float((predicted == np.array(test["group"].to_pylist())).mean())
    assert scores["global"] > 0.75
    assert scores["by-class"] > scores["global"]


def test_noise_and_parts_drawn_at_random() -> None:
    table = pv.datasets.load("as-f1", rows=2000, seed=1)
    noisy = pv.AdditiveNoise(level=0.5).disguise(table, SCHEMA, seed=1)
    made = pv.reconstruct_table(noisy, method="by-class")
    low, high = SCHEMA["age"].range
    assert low <= made["age"].to_numpy().min() <= made["age"].to_numpy().max() <= high
    plain = pv.Plan({}, default=pv.Exact()).disguise(table, SCHEMA, seed=1)
    same = pv.reconstruct_table(plain)
    assert same.equals(plain.to_frame())


def test_what_it_refuses() -> None:
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    release = pv.RandomSubstitution(gamma=3, target=3).disguise(table, schema)
    with pytest.raises(pv.MethodError, match="'direct' that makes a table"):
        pv.reconstruct_table(release, method="direct")
    with pytest.raises(pv.MethodError, match="no representative 'mode'"):
        pv.reconstruct_table(release, representative="mode")
    with pytest.raises(pv.MethodError, match="class 'Play' is disguised"):
        pv.reconstruct_table(release, method="by-class")
    with pytest.raises(pv.MethodError, match="no disguised values"):
        pv.reconstruct_table(pv.Complement().disguise(table, schema))


@given(st.lists(st.integers(0, 40), min_size=2, max_size=8), st.floats(1.5, 50), st.integers(0, 99))
def test_the_norm_proves_an_error_that_is_there(counts: list[int], gamma: float, seed: int) -> None:
    """Lemma 1: ‖X̂‖₁ ≥ n, with equality if nothing is negative; E is no less than it proves."""
    truth = np.array(counts, np.float64)
    if not truth.sum():
        return
    channel = GammaDiagonal("x", len(counts), gamma)
    rng = np.random.default_rng(seed)
    words = rng.integers(0, channel.scale, int(truth.sum()), dtype=np.uint32)
    drawn = channel.draw(np.repeat(np.arange(len(counts)), counts).astype(np.uint8), words)
    seen = pv.Distribution(np.bincount(drawn, minlength=len(counts)).astype(np.float64), channel)
    assert seen.norm >= seen.rows - 1e-6
    assert seen.detected <= estimation_error(seen.counts("none"), truth) + 1e-9
    negative = -np.minimum(seen.counts("none"), 0).sum()
    assert seen.detected == pytest.approx(2 * negative / seen.rows, abs=1e-7)
