import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from privet.errors import BugError, InputError
from privet.experiments import Lab, grid, mean
from tests.experiments.trials import failing, noted


def test_rows_are_settings_runs_and_results_in_the_order_of_the_grid() -> None:
    rows = Lab("toy", seed=1, jobs=1).run(noted, grid(x=[3, 1], y=["a"]), runs=2)
    assert [(row["x"], row["y"], row["run"], row["double"]) for row in rows] == [
        (3, "a", 0, 6),
        (3, "a", 1, 6),
        (1, "a", 0, 2),
        (1, "a", 1, 2),
    ]
    assert len({row["seed"] for row in rows}) == 4


def test_processes_give_what_one_process_gives() -> None:
    one = Lab("toy", seed=1, jobs=1).run(noted, grid(x=[1, 2, 3]))
    two = Lab("toy", seed=1, jobs=2).run(noted, grid(x=[1, 2, 3]))
    assert one == two
    assert {row["threads"] for row in two} == {1}


def test_threads_are_as_before_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVET_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    Lab("toy", seed=1, jobs=1).run(noted, grid(x=[1]))
    assert os.environ["PRIVET_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ


def test_seeds_depend_on_base_setting_and_run_but_not_on_what_is_alike() -> None:
    rows = Lab("toy", seed=1, jobs=1).run(noted, grid(x=[1, 2], y=[5]), alike=["x"])
    assert rows[0]["seed"] == rows[1]["seed"]
    other = Lab("toy", seed=2, jobs=1).run(noted, grid(x=[1], y=[5]), alike=["x"])
    assert other[0]["seed"] != rows[0]["seed"]
    free = Lab("toy", seed=1, jobs=1).run(noted, grid(x=[1], y=[5]))
    assert free[0]["seed"] != rows[0]["seed"]


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    lab = Lab("toy", jobs=1, cache=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        lab.run(failing, grid(x=[1, 2, 3]))
    (file,) = tmp_path.glob("*.jsonl")
    with file.open("a") as tail:
        tail.write('{"key": "torn')  # a process died while writing
    again = Lab("toy", jobs=1, cache=tmp_path)
    assert again.seed == lab.seed
    rows = again.run(failing, grid(x=[1, 3]))
    assert (again.runs, again.resumed) == (2, 1)
    assert [row["double"] for row in rows] == [2, 6]
    assert all(json.loads(line) for line in file.read_text().splitlines())


@pytest.mark.parametrize("change", [{"fresh": True}, {"version": 2}, {"seed": 5}, {"quick": True}])
def test_what_does_not_belong_is_forgotten(tmp_path: Path, change: dict[str, int]) -> None:
    Lab("toy", jobs=1, cache=tmp_path).run(noted, grid(x=[1]))
    lab = Lab("toy", jobs=1, cache=tmp_path, **change)  # type: ignore[arg-type]
    lab.run(noted, grid(x=[1]))
    assert lab.resumed == 0


def test_a_setting_twice_is_our_bug() -> None:
    with pytest.raises(BugError, match="twice"):
        Lab("toy", seed=1, jobs=1).run(noted, [{"x": 1}, {"x": 1}])


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(InputError, match="seed"):
        Lab("toy", seed=-1)


def test_the_command_gives_the_numbers_again() -> None:
    assert Lab("dxz", seed=4, quick=True).command == "privet reproduce dxz --quick --seed 4"
    lab = Lab("dxz", seed=4, repeats=3)
    assert lab.command == "privet reproduce dxz --runs 3 --seed 4"
    assert lab.times(5) == 3
    assert (Lab("dxz", quick=True).times(5), Lab("dxz").times(5)) == (2, 5)


def test_the_error_of_one_value_is_not_known() -> None:
    assert mean([4.0]) == (4.0, 0.0)


START = """
import sys
sys.path[:0] = sys.argv[2:]
from privet.experiments import Lab, grid
from tests.experiments.trials import sleeping
Lab("toy", seed=1, jobs=2).run(sleeping, grid(folder=[sys.argv[1]], x=[1, 2]))
"""


def _alive(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", START, str(tmp_path), str(root), str(root / "src")]
    with subprocess.Popen(command) as started:
        until = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        workers = [int(file.name) for file in tmp_path.iterdir()]
        started.kill()
    assert len(workers) == 2
    while any(map(_alive, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(_alive, workers))
