"""Additive noise from the shell: disguise, mine, show, score."""

from pathlib import Path

from privet.release import Release
from tests.cli.running import run, run_json


def test_noise_from_the_shell(table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "--method", "additive-noise")
    said = run(*common, "--set", "level=0.5", "-o", "n.release").stdout
    assert "no finite ε" in said
    assert "Warning" in said
    assert Release.read("n.release").claim.noisy[0] == "salary"
    form = run_json("mine", "n.release", "--method", "by-class", "-o", "tree.json")
    assert form["method"] == "by-class"
    assert "additive-noise" in run("show", "n.release").stdout
    assert run_json("score", "tree.json", table)["accuracy"] > 0.6


def test_a_plan_with_noise(table: Path) -> None:
    Path("plan.toml").write_text(
        'default = "withheld"\n[attributes]\n'
        'age = { method = "additive-noise", kind = "gaussian", sigma = 8 }\n'
    )
    run("disguise", table, "--schema", "f2.toml", "--plan", "plan.toml", "-o", "n.release")
    assert Release.read("n.release").treatments["age"] == "additive-noise"


def test_categories_want_a_setting(folder: Path) -> None:
    run("generate", "weather", "-o", "w.csv")
    words = ("schema", "w.csv", "--target", "Play", "-o", "w.toml")
    run(*words)
    noise = ("disguise", "w.csv", "--schema", "w.toml", "--method", "additive-noise")
    said = run(*noise, "--set", "level=0.5", "-o", str(folder / "w.release"), code=2).stderr
    assert "Hint: --set categorical=withheld, --set categorical=exact, or --set" in said


def test_mistakes_about_noise(table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "--method", "additive-noise")
    for setting, word in (("level=0", "level"), ("confidence=1", "confidence"), ("size=3", "size")):
        said = run(*common, "--set", setting, "-o", "n.release", code=2).stderr
        assert word in said
        assert not Path("n.release").exists()
    run(*common, "--set", "level=1", "-o", "n.release")
    said = run("mine", "n.release", "--method", "direct", code=2).stderr
    assert "cannot be inverted" in said
