from dataclasses import replace
from pathlib import Path

from privet.release import Release
from privet.schema import Attribute, Schema
from privet.tree import Tree
from tests.cli.running import run, run_json


def test_a_tree(tree: Path) -> None:
    said = run("show", tree).stdout
    assert said == str(Tree.read(tree)) + "\n"
    assert len(run("show", tree, "--depth", 0).stdout.splitlines()) == 1
    assert run("show", tree, "--json").stdout == tree.read_text()


def test_a_release(release: Path) -> None:
    said = run("show", release).stdout
    assert "3,000 records, rows shuffled; all checksums hold" in said
    assert "salary" in said
    assert "numbers 20000 to 150000 in 14 cells; band, γ = " in said
    assert "2 categories: A, B (the class)" in said
    for sentence in Release.read(release).claim.sentences():
        assert sentence in said


def test_a_release_as_json(release: Path) -> None:
    form = run_json("show", release)
    assert form["rows"] == 3000
    assert form["claim"]["class_disclosed"]
    assert form["treatments"]["group"] == "exact"


def test_many_categories_are_cut_short(folder: Path) -> None:
    Path("t.csv").write_text("a,b\n" + "".join(f"v{i},{i % 2}\n" for i in range(9)) * 2)
    run("schema", "t.csv", "--target", "b", "-o", "t.toml")
    run("disguise", "t.csv", "--schema", "t.toml", "--gamma", 3, "--in-order", "-o", "t.release")
    said = run("show", "t.release").stdout
    assert "9 categories: v0, v1, v2, v3, v4, v5, …" in said
    assert "IN THE ORIGINAL ORDER" in said
    assert "learned from the data" in said


def test_hostile_names_do_not_reach_the_terminal(folder: Path) -> None:
    wild = "\x1b[2J\u202ewild"
    schema = Schema(
        [Attribute.categorical(wild, ["a", "b"]), Attribute.categorical("c", ["x", "y"])],
        target="c",
    )
    schema.write("wild.json")
    Path("wild.csv").write_text(f"{wild},c\na,x\nb,y\n")
    made = run("disguise", "wild.csv", "--schema", "wild.json", "--gamma", 3, "-o", "wild.release")
    shown = run("show", "wild.release")
    for said in (made.output, shown.output):
        assert "wild" in said
        assert "\x1b" not in said
        assert "\u202e" not in said


def test_neither_tree_nor_release(release: Path) -> None:
    assert "no file or folder none.json" in run("show", "none.json", code=2).stderr
    Path("other.json").write_text("{}")
    assert "no tree" in run("show", "other.json", code=2).stderr
    Path("empty").mkdir()
    assert "it is no release" in run("show", "empty", code=2).stderr
    run("show", release, "--depth", 2, code=2)


def test_a_tree_in_other_forms(tree: Path) -> None:
    held = Tree.read(tree)
    assert len(run("show", tree, "--rules").stdout.splitlines()) == len(held.leaves)
    assert run("show", tree, "--sql").stdout.startswith("CASE\nWHEN ")
    assert run("show", tree, "--dot").stdout.startswith("digraph ")
    assert "<svg" in run("show", tree, "--svg", "--leaves", 3).stdout
    run("show", tree, "--html", "--output", "tree.html")
    assert Path("tree.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    run("show", tree, "--html", "--output", "tree.html", code=2)
    run("show", tree, "--html", "--output", "tree.html", "--overwrite")
    run("show", tree, "--onnx", "--output", "tree.onnx")
    assert Path("tree.onnx").stat().st_size > 100


def test_forms_that_do_not_go_together(tree: Path, release: Path) -> None:
    for wrong in (
        ["--svg", "--json"],
        ["--sql", "--depth", 2],
        ["--sql", "--leaves", 3],
        ["--output", "x"],
        ["--output", "x.txt"],
        ["--onnx"],
    ):
        run("show", tree, *wrong, code=2)
    run("show", release, "--svg", code=2)
    run("show", release, "-o", "card.svg", code=2)


def test_the_ending_of_a_file_says_what_is_meant(tree: Path, release: Path) -> None:
    run("show", tree, "-o", "tree.svg")
    assert Path("tree.svg").read_text(encoding="utf-8").startswith("<svg")
    run("show", tree, "-o", "tree.sql")
    assert Path("tree.sql").read_text(encoding="utf-8").startswith("CASE")
    run("show", release, "-o", "card.html")
    page = Path("card.html").read_text(encoding="utf-8")
    assert "3,000 records" in page
    assert "kept or replaced by chance" in page
    assert page.strip() == run("show", release, "--html").stdout.strip()


def test_the_title_says_where_a_tree_comes_from(release: Path) -> None:
    run("mine", release, "--method", "joint", "-o", "mined.json")
    held = Tree.read("mined.json")
    assert held.source == release.name
    assert held.method
    page = run("show", "mined.json", "--html").stdout
    assert f"<h1>A decision tree for {held.target}, from 3,000 records</h1>" in page
    assert f"from {release.name} · method {held.method}" in page


def test_importances_and_another_tree(tree: Path) -> None:
    held = Tree.read(tree)
    said = run("show", tree, "--importances").stdout.splitlines()
    assert len(said) == len(held.codings)
    assert float(said[0].split("  ")[-1].split(" ± ")[0]) > 0
    alike = run("show", tree, "--beside", tree).stdout.splitlines()
    assert alike[1:] == ["Both predict the same class for every record."]
    replace(held, label=1 - held.label).write("other.json")
    form = run_json("show", tree, "--beside", "other.json")
    assert form["rules"] == []
    assert 0 < len(form["differences"]) <= len(held.leaves)
    assert {one["kind"] for one in form["changes"]} == {"label"}
    text = run("show", tree, "--beside", "other.json").stdout
    assert "0 of the " in text
    most = int(text.split("differ for at most ")[1].split(" of ")[0].replace(",", ""))
    assert 1_500 < most <= 3_000  # every disguise is another one
    assert "Rules only there:" in text
    run("show", tree, "--beside", tree, "--rules", code=2)


def test_a_name_that_is_not_there_gets_a_hint(folder: Path) -> None:
    said = run("show", "nofile.json", code=2).stderr
    assert "Error: There is no file or folder nofile.json." in said
    assert "Hint: show takes a tree (a .json file) or a release (a folder)." in said
    (folder / "tree.json").write_text("{}")
    (folder / "people.release").mkdir()
    assert "Hint: did you mean tree.json?" in run("show", "tre.json", code=2).stderr
    assert "Hint: did you mean people.release?" in run("show", "peple.release", code=2).stderr
    said = run("show", "quite-other", code=2).stderr
    assert "Hint: show takes a tree (a .json file) or a release (a folder); there are " in said
    assert "people.release, tree.json." in said
    assert "There is no file or folder" in run("show", "no/where.json", code=2).stderr
