from pathlib import Path

import numpy as np
import pytest

from privet.errors import MethodError
from privet.release import Release
from privet.tree import Tree
from tests.cli.running import run, run_json


def test_a_tree_is_printed_with_method_and_reason(release: Path) -> None:
    joint = ("--method", "joint")
    said = run("mine", release, *joint, "--test-fraction", 0.3, "-o", "tree.json").stdout
    assert said.startswith("group: (2,100")
    assert "Method joint: you asked for it" in said
    (told,) = [line for line in said.splitlines() if "Accuracy about the originals" in line]
    assert "±" in told
    assert "on which side of a threshold inside them" in said
    assert Tree.read("tree.json").target == "group"


def test_json(release: Path) -> None:
    form = run_json("mine", release, "--test-fraction", 0.3, "-o", "tree.json")
    assert form["method"] in ("joint", "direct", "naive")
    assert 0.5 < form["accuracy"]["value"] < 1.2
    assert form["accuracy"]["error"] > 0
    assert "tree" not in form
    tree = Tree.from_dict(run_json("mine", release)["tree"])
    assert tree.nodes == form["nodes"] or tree.nodes > 1


def test_a_plain_table_by_schema_and_by_target(table: Path) -> None:
    declared = run_json("mine", table, "--schema", "f2.toml", "--max-depth", 4)
    learned = run("mine", table, "--target", "group", "--max-depth", 4)
    assert declared["method"] == "plain"
    assert "learned from the table" in learned.stderr
    assert "Method plain: the records are not disguised." in learned.stdout
    assert declared["depth"] == 4


def test_a_plain_table_has_no_error_of_disguise(table: Path) -> None:
    form = run_json("mine", table, "--schema", "f2.toml", "--test-fraction", 0.3)
    assert form["accuracy"]["error"] == 0
    assert form["accuracy"]["value"] > 0.7  # greedy growing misses F2 on some draws


def test_another_class_than_the_schemas(folder: Path) -> None:
    run("generate", "weather", "-o", "weather.csv", "--schema", "weather.toml")
    form = run_json("mine", "weather.csv", "--schema", "weather.toml", "--target", "Wind")
    assert form["tree"]["target"] == "Wind"


def test_noise_says_to_leave_out_the_test_fraction(folder: Path) -> None:
    run("generate", "as-f2", "--rows", 300, "-o", "f2.csv", "--schema", "f2.toml")
    made = ("--method", "additive-noise", "--set", "categorical=withheld")
    run("disguise", "f2.csv", "--schema", "f2.toml", *made, "-o", "noisy.release")
    said = run("mine", "noisy.release", "--test-fraction", 0.3, code=2).stderr
    assert "plain records, or leave out --test-fraction." in said
    assert "were read" not in run("mine", "noisy.release", "--max-depth", 1).stdout


def test_options_reach_the_policy(folder: Path) -> None:
    run("generate", "weather", "-o", "weather.csv", "--schema", "weather.toml")
    common = ("mine", "weather.csv", "--schema", "weather.toml")
    assert run_json(*common, "--policy", "id3")["leaves"] == 5
    assert run_json(*common, "--policy", "id3", "--max-depth", 1)["leaves"] == 3
    assert run_json(*common, "--policy", "id3", "--min-samples-leaf", 14)["leaves"] == 1
    assert run_json(*common, "--policy", "id3", "--min-samples-leaf", 0.6)["leaves"] == 1
    # Nine of the fourteen days are Yes: 64 %.
    assert run_json(*common, "--policy", "id3", "--max-purity", 0.64)["leaves"] == 1
    assert run_json(*common, "--policy", "id3", "--max-purity", 0.65)["leaves"] == 5


def test_methods(release: Path) -> None:
    assert run_json("mine", release, "--method", "naive", "--max-depth", 3)["method"] == "naive"
    assert "'nave' is not one of" in run("mine", release, "--method", "nave", code=2).stderr
    assert "'carte' is not one of" in run("mine", release, "--policy", "carte", code=2).stderr


def test_a_seeded_release_is_called_so(table: Path) -> None:
    run("disguise", table, "--schema", "f2.toml", "--gamma", 8, "--seed", 1, "-o", "s.release")
    assert "NOT PRIVATE" in run("mine", "s.release").stdout


def test_outputs_are_not_overwritten(release: Path, tree: Path) -> None:
    assert "exists already" in run("mine", release, "-o", tree, code=2).stderr
    run("mine", release, "-o", tree, "--overwrite")


def test_what_does_not_go_together(release: Path, table: Path) -> None:
    assert "brings its own schema" in run("mine", release, "--schema", table, code=2).stderr
    assert "--target NAME" in run("mine", table, code=2).stderr
    run("mine", release, "--test-fraction", 1, code=2)
    assert "There is no file" in run("mine", "none.csv", code=2).stderr
    assert "There is no file or folder none.release" in run("mine", "none.release", code=2).stderr


@pytest.mark.parametrize("fraction", [0.2, 0.5])
def test_the_tree_grows_on_the_rest(release: Path, fraction: float) -> None:
    form = run_json("mine", release, "--test-fraction", fraction)
    assert form["rows"] == round((1 - fraction) * Release.read(release).rows)
    rows = sum(form["tree"]["nodes"][0]["counts"])
    assert rows == pytest.approx((1 - fraction) * Release.read(release).rows)


def test_the_tree_is_written_and_printed_before_its_accuracy_can_fail(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise MethodError("No accuracy today.")

    monkeypatch.setattr("privet.estimate.accuracy.accuracy", failing)
    ended = run("mine", release, "--test-fraction", 0.3, "-o", "tree.json", code=2)
    assert "from 2,100 records" in ended.stdout
    assert Tree.read("tree.json").target == "group"


def test_noise_tells_before_growing_that_it_cannot_be_tested_on(table: Path) -> None:
    noise = ("--method", "additive-noise", "--set", "level=0.5")
    run("disguise", table, "--schema", "f2.toml", *noise, "-o", "noise.release")
    ended = run("mine", "noise.release", "--test-fraction", 0.3, "-o", "noise.json", code=2)
    assert "cannot be inverted" in ended.stderr
    assert not Path("noise.json").exists()


def test_a_tree_of_chance_is_pruned_unless_a_policy_says_otherwise(tmp_path: Path) -> None:
    generator = np.random.default_rng(8)
    coin = tmp_path / "coin.csv"
    lines = (f"{a:.4f},{b:.4f},{'ab'[int(c < 0.5)]}" for a, b, c in generator.random((800, 3)))
    coin.write_text("\n".join(["x,y,side", *lines]))
    assert run_json("mine", coin, "--target", "side")["leaves"] == 1
    assert run_json("mine", coin, "--target", "side", "--policy", "cart")["leaves"] > 100
