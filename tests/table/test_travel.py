"""What travels to workers and back, without a cluster."""

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import BugError, DataError
from privet.estimate.weighing_kernels import weigh
from privet.randomness import Randomness
from privet.table import Batch
from privet.table.spark import SparkTable
from privet.table.travel import PLACE, Arriving, from_bytes, guarded, to_bytes, told


def arrived(table: Arriving, *batches: pa.RecordBatch) -> list[Batch]:
    return [row for _, rows in table.arrived(0, iter(batches)) for row in rows]


def test_a_frame_with_fewer_rows_than_numbered() -> None:
    batch = pa.record_batch({"a": [1, 2]})
    with pytest.raises(DataError, match="fewer rows than when they were numbered"):
        arrived(Arriving([3], batch.slice(0, 1), {}), batch)


@pytest.mark.parametrize("places", [[1, 1], [4, 2], [2, 2, 3]])
def test_numbers_of_rows_must_all_be_different(
    places: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.table.travel.ARRIVING_ROWS", 1)  # over batches too
    held = pa.record_batch({"a": places, PLACE: pa.array(places)})
    parts = [held.slice(place, 1) for place in range(len(places))]
    for batches in ([held], parts):
        with pytest.raises(DataError, match="has a number twice"):
            arrived(Arriving([len(places)], held.slice(0, 1), {}), *batches)
    fine = pa.record_batch({"a": [7, 8], PLACE: pa.array([-5, 9])})
    (batch,) = arrived(Arriving([2], fine.slice(0, 1), {"a": np.dtype(np.uint8)}), fine)
    assert batch.columns["a"].tolist() == [7, 8]
    assert batch.columns["a"].dtype == np.uint8


def failing(error: Exception) -> Any:
    def work(_: Any) -> Iterator[Any]:
        raise error
        yield

    with pytest.raises(Exception, match="privet-told") as caught:
        list(guarded(work)(iter([])))
    assert caught.value.__suppress_context__
    return caught.value


def test_what_a_worker_tells_survives_any_text() -> None:
    said = failing(OSError(28, "No space left on device", "/a/b"))
    message = told(f"Job aborted\n  {said!r}\n at java")
    assert isinstance(message, OSError)
    assert (message.errno, message.filename) == (28, "/a/b")
    message = told(str(failing(DataError("It is short.", hint="mend it."))))
    assert isinstance(message, DataError)
    assert (str(message), message.hint) == ("It is short. Hint: mend it.", "mend it.")
    assert told("Job aborted") is None


def test_an_error_that_is_not_ours_brings_no_value_along() -> None:
    found = told(str(failing(ValueError("the secret 31"))))
    assert isinstance(found, BugError)
    assert "ValueError at test_travel.py" in str(found)
    assert "secret" not in str(found)


def test_batches_travel_as_they_are() -> None:
    columns = {
        "a": np.array([1, 2], np.uint8),
        "b": np.array([0.5, np.nan]),
        "c": pa.array(["x", "y"]),
    }
    batch = from_bytes(7, to_bytes(Batch(7, columns)))
    assert batch.start == 7
    assert batch.columns["a"].dtype == np.uint8
    np.testing.assert_array_equal(batch.columns["b"], columns["b"])
    assert pa.array(batch.columns["c"]).to_pylist() == ["x", "y"]


def test_a_kernel_travels_as_its_name() -> None:
    sent = pickle.dumps(weigh)
    assert pickle.loads(sent) is weigh  # noqa: S301 - our own
    assert len(sent) < 200


def test_a_key_travels_only_when_it_is_told_to() -> None:
    with Randomness.seeded(5) as source:
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(source)
        carried = source.carried()
        words = source.words(3, 10, 4)
    assert repr(carried) == "<Carried randomness>"
    with pickle.loads(pickle.dumps(carried)).opened() as again:  # noqa: S301 - our own
        np.testing.assert_array_equal(again.words(3, 10, 4), words)
        assert again.is_seeded


def test_a_table_on_a_cluster_travels_as_its_names_and_length() -> None:
    local = Arriving([2], pa.record_batch({"a": [1]}), {})
    absent = pickle.loads(pickle.dumps(SparkTable(None, local)))  # type: ignore[arg-type]  # noqa: S301
    assert (absent.names, absent.rows) == (["a"], 2)
    for ask in (absent.shards, lambda: absent.map(None), lambda: absent.slice(0, 1)):
        with pytest.raises(BugError, match="asked for the table"):
            ask()
