"""Every bad input of the chain, through the command line.

Exit code 2, a message that names the place, a JSON form of it, no traceback, nothing half-written
that loads, and never the record's value.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import PrivetError
from privet.release import Release
from tests.cli.running import left_over, run

SCHEMA = """\
target = "play"

[attributes.age]
low = 0
high = 120
integer = true

[attributes.city]
values = ["Oslo", "Rome"]

[attributes.play]
values = ["yes", "no"]
"""
GOOD: dict[str, list[Any]] = {
    "age": [20, 31, 44, 59, 62, 70] * 5,
    "city": ["Oslo", "Rome", "Rome", "Oslo", "Oslo", "Rome"] * 5,
    "play": ["yes", "no", "no", "yes", "yes", "no"] * 5,
}
TEXT, NUMBER = "Xanadu7341", "7341"  # planted values, which no message may tell

Columns = Mapping[str, Sequence[Any]]


def with_value(column: str, value: Any) -> dict[str, list[Any]]:
    """Return the good table with one value changed, in row 3."""
    held = {name: list(values) for name, values in GOOD.items()}
    held[column][3] = value
    return held


def csv(columns: Columns, names: Sequence[str] | None = None) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        lines = [",".join(names or columns)]
        lines += [
            ",".join("" if value is None else str(value) for value in row)
            for row in zip(*columns.values(), strict=True)
        ]
        path.write_text("\n".join(lines) + "\n")

    return write


def parquet(columns: Columns, names: Sequence[str] | None = None) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        arrays = [pa.array(column) for column in columns.values()]
        pq.write_table(pa.Table.from_arrays(arrays, names=list(names or columns)), path)

    return write


def text(content: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(content)

    return write


EMPTY: Columns = {"age": pa.array([], pa.int64()), "city": pa.array([], pa.string()),
                  "play": pa.array([], pa.string())}  # fmt: skip
TWICE = ["age", "city", "city"]

# name: (file, how it is written, what the message says)
TABLES: dict[str, tuple[str, Callable[[Path], None], list[str]]] = {
    "unknown category": (
        "t.csv", csv(with_value("city", TEXT)), ["'city'", "row 3", "'Oslo', 'Rome'", "t.csv"]),
    "unknown category, Parquet": (
        "t.parquet", parquet(with_value("city", TEXT)), ["'city'", "row 3", "'Oslo', 'Rome'"]),
    "unknown class": ("t.csv", csv(with_value("play", TEXT)), ["'play'", "row 3", "'yes', 'no'"]),
    "above the range": ("t.csv", csv(with_value("age", NUMBER)), ["'age'", "row 3", "0 to 120"]),
    "below the range": (
        "t.parquet", parquet(with_value("age", -7341)), ["'age'", "row 3", "0 to 120"]),
    "not whole": ("t.csv", csv(with_value("age", "73.41")), ["'age'", "not whole", "row 3"]),
    "infinite": ("t.csv", csv(with_value("age", "inf")), ["'age'", "row 3", "0 to 120"]),
    "missing number": ("t.csv", csv(with_value("age", None)), ["'age'", "missing", "row 3"]),
    "missing category": ("t.csv", csv(with_value("city", None)), ["'city'", "missing", "row 3"]),
    "missing class": ("t.parquet", parquet(with_value("play", None)), ["'play'", "missing"]),
    "NaN": ("t.csv", csv(with_value("age", "NaN")), ["'age'", "missing", "row 3"]),
    "NaN, Parquet": (
        "t.parquet",
        parquet({**GOOD, "age": [20.0, float("nan"), *[30.0] * 28]}),
        ["'age'", "missing", "row 1"]),
    "duplicate column": ("t.csv", csv(GOOD, TWICE), ["t.csv", "two columns"]),
    "duplicate column, Parquet": (
        "t.parquet", parquet(GOOD, TWICE), ["t.parquet", "two columns"]),
    "absent column": (
        "t.csv", csv(GOOD, ["age", "town", "play"]), ["no column 'city'", "3 columns"]),
    "absent column, Parquet": (
        "t.parquet", parquet(GOOD, ["age", "city", "game"]), ["no column 'play'"]),
    "no rows": ("t.csv", csv(EMPTY), ["t.csv", "no rows"]),
    "no rows, Parquet": ("t.parquet", parquet(EMPTY), ["t.parquet", "no rows"]),
    "no bytes": ("t.csv", text(""), ["t.csv is empty"]),
    "text among numbers": ("t.csv", csv(with_value("age", TEXT)), ["t.csv", "type", "age"]),
    "text for numbers, Parquet": (
        "t.parquet", parquet({**GOOD, "age": [TEXT] * 30}), ["'age'", "does not hold numbers"]),
    "numbers for text, Parquet": (
        "t.parquet", parquet({**GOOD, "city": [7341] * 30}), ["'city'", "outside its domain"]),
    "ragged rows": (
        "t.csv", text(f"age,city,play\n20,Oslo,yes\n{NUMBER},{TEXT}\n"), ["t.csv", "well-formed"]),
    "not Parquet": ("t.parquet", text(TEXT * 50), ["t.parquet", "no Parquet file"]),
    "unknown kind of file": ("t.xls", text(TEXT), ["t.xls", "neither .parquet nor .csv"]),
    "no file": ("t.csv", lambda _: None, ["no file or folder"]),
}  # fmt: skip


def refused(folder: Path, *arguments: object, says: Sequence[str] = ()) -> None:
    """Run a command that must fail, as text and as JSON, and leave nothing behind."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    plain = run(*arguments, code=2)
    form = run(*arguments, "--json", code=2)
    error = json.loads(form.stderr)
    assert plain.stderr.startswith("Error: ")
    assert error["error"] in plain.stderr
    assert plain.stdout == form.stdout == ""
    for part in says:
        assert part in plain.stderr
    for said in (plain.stderr, form.stderr):
        assert TEXT not in said
        assert NUMBER not in said
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("command", ["disguise", "mine", "check"])
def test_tables(folder: Path, name: str, command: str) -> None:
    file, write, says = TABLES[name]
    Path("s.toml").write_text(SCHEMA)
    write(Path(file))
    arguments: dict[str, list[object]] = {
        "disguise": ["disguise", file, "--schema", "s.toml", "--gamma", 8, "-o", "t.release"],
        "mine": ["mine", file, "--schema", "s.toml", "-o", "tree.json"],
        "check": ["schema", "--check", "s.toml", file],
    }
    refused(folder, *arguments[command], says=says)


PREDICTED = {name: case for name, case in TABLES.items() if not name.startswith(
    ("unknown c", "above", "below", "not whole", "missing", "NaN"))}  # fmt: skip


@pytest.mark.parametrize("name", PREDICTED)
def test_tables_that_a_tree_cannot_read(folder: Path, name: str) -> None:
    file, write, _ = PREDICTED[name]
    Path("s.toml").write_text(SCHEMA)
    csv(GOOD)(Path("good.csv"))
    run("mine", "good.csv", "--schema", "s.toml", "-o", "tree.json")
    write(Path(file))
    if "numbers for text" not in name and name != "absent column, Parquet":
        refused(folder, "predict", "tree.json", file, "-o", "p.csv", says=[file])
    if "numbers for text" not in name:
        refused(folder, "score", "tree.json", file, says=[file])


def test_one_class_only(folder: Path) -> None:
    Path("s.toml").write_text(SCHEMA)
    csv({**GOOD, "play": ["yes"] * 30})(Path("t.csv"))
    run("disguise", "t.csv", "--schema", "s.toml", "--gamma", 8, "-o", "t.release")
    for source in (["t.release"], ["t.csv", "--schema", "s.toml"]):
        refused(folder, "mine", *source, "-o", "tree.json", says=["one class", "'play'"])


@pytest.mark.parametrize("gamma", ["1", "0.5", "0", "-3", "nan", "inf"])
def test_gamma(folder: Path, gamma: str) -> None:
    Path("s.toml").write_text(SCHEMA)
    csv(GOOD)(Path("t.csv"))
    common = ("disguise", "t.csv", "--schema", "s.toml", "-o", "t.release")
    says = ["gamma", "above 1", "Hint:"]
    refused(folder, *common, "--gamma", gamma, says=says)
    Path("plan.toml").write_text(f'method = "random-substitution"\ngamma = {gamma}\n')
    refused(folder, *common, "--plan", "plan.toml", says=says)


def test_one_value_domain(folder: Path) -> None:
    Path("s.toml").write_text(SCHEMA.replace('"Oslo", "Rome"', '"Oslo"'))
    csv({**GOOD, "city": ["Oslo"] * 30})(Path("t.csv"))
    common = ("disguise", "t.csv", "--schema", "s.toml", "-o", "t.release", "--gamma", 8)
    refused(folder, *common, says=["'city'", "single value", "Hint:"])


SCHEMAS = {
    "not TOML": ("target = ", ["s.toml", "not valid TOML"]),
    "unknown class": (SCHEMA.replace('"play"', '"game"', 1), ["'game'", "age, city, play"]),
    "low above high": (SCHEMA.replace("low = 0", "low = 200"), ["'age'", "low is above high"]),
    "no values": (SCHEMA.replace('"Oslo", "Rome"', ""), ["'city'", "empty"]),
    "unknown word": (SCHEMA.replace("high", "hihg"), ["'age'", "'hihg'", "known are"]),
    "value twice": (SCHEMA.replace("Rome", "Oslo"), ["'city'", "twice"]),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas(folder: Path, name: str) -> None:
    content, says = SCHEMAS[name]
    Path("s.toml").write_text(content)
    csv(GOOD)(Path("t.csv"))
    refused(folder, "schema", "--check", "s.toml", says=says)
    common = ("disguise", "t.csv", "--schema", "s.toml", "-o", "t.release", "--gamma", 8)
    refused(folder, *common, says=says)


PLANS = {
    "not TOML": ("method = ", "not valid TOML"),
    "unknown method": ('method = "magic"', "the method 'magic' is unknown"),
    "unknown option": ('method = "random-substitution"\ngama = 8', "does not take 'gama'"),
    "unknown attribute": ('default = "exact"\n[attributes]\nsize = "exact"', "'size'"),
    "silent attribute": ('[attributes]\nage = "exact"', "does not say what happens"),
    "class withheld": ('default = "exact"\n[attributes]\nplay = "withheld"', "the class 'play'"),
}


@pytest.mark.parametrize("name", PLANS)
def test_plans(folder: Path, name: str) -> None:
    content, says = PLANS[name]
    Path("plan.toml").write_text(content)
    Path("s.toml").write_text(SCHEMA)
    csv(GOOD)(Path("t.csv"))
    common = ("disguise", "t.csv", "--schema", "s.toml", "-o", "t.release")
    refused(folder, *common, "--plan", "plan.toml", says=[says])


PART, CARD = Path("t.release/part-0.parquet"), Path("t.release/card.json")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def newer() -> None:
    form = json.loads(CARD.read_text())
    form["version"] = 99
    CARD.write_text(json.dumps(form, indent=1) + "\n")


DAMAGE: dict[str, tuple[Callable[[], object], list[str]]] = {
    "part cut short": (lambda: cut(PART), [str(PART), "cut short"]),
    "part altered": (lambda: flip(PART), [str(PART), "altered"]),
    "part gone": (PART.unlink, ["t.release", "part-0.parquet"]),
    "card cut short": (lambda: cut(CARD), [str(CARD), "cut short"]),
    "card altered": (lambda: flip(CARD), [str(CARD), "altered"]),
    "card gone": (CARD.unlink, ["t.release", "no card.json"]),
    "card of a newer version": (newer, [str(CARD), "version 99", "upgrade privet"]),
    "a file too many": (lambda: Path("t.release/x").write_text(""), ["t.release", "not list: x"]),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_releases(folder: Path, name: str) -> None:
    Path("s.toml").write_text(SCHEMA)
    csv(GOOD)(Path("t.csv"))
    run("disguise", "t.csv", "--schema", "s.toml", "--gamma", 8, "-o", "t.release")
    run("mine", "t.csv", "--schema", "s.toml", "-o", "tree.json")
    damage, says = DAMAGE[name]
    damage()
    refused(folder, "show", "t.release", says=says)
    refused(folder, "mine", "t.release", "-o", "new.json", says=says)
    refused(folder, "score", "tree.json", "t.release", says=says)


TREES: dict[str, tuple[Callable[[str], str], str]] = {
    "cut short": (lambda content: content[: len(content) // 2], "tree.json"),
    "newer": (lambda content: content.replace('"version": 2', '"version": 99'), "version 99"),
    "not a tree": (lambda _: "[]", "no tree"),
    "damaged": (lambda content: content.replace('"counts"', '"caunts"', 1), "altered"),
    "not text": (lambda _: "\x00\x00", "tree.json"),
}


@pytest.mark.parametrize("name", TREES)
def test_trees(folder: Path, name: str) -> None:
    Path("s.toml").write_text(SCHEMA)
    csv(GOOD)(Path("t.csv"))
    run("mine", "t.csv", "--schema", "s.toml", "-o", "tree.json")
    damage, says = TREES[name]
    Path("tree.json").write_text(damage(Path("tree.json").read_text()))
    refused(folder, "show", "tree.json", says=[says])
    refused(folder, "predict", "tree.json", "t.csv", "-o", "p.csv", says=[says])
    refused(folder, "score", "tree.json", "t.csv", says=[says])


def test_a_tree_and_a_release_of_another_class(folder: Path) -> None:
    Path("s.toml").write_text(SCHEMA)
    csv(GOOD)(Path("t.csv"))
    run("mine", "t.csv", "--schema", "s.toml", "--target", "city", "-o", "tree.json")
    run("disguise", "t.csv", "--schema", "s.toml", "--gamma", 8, "-o", "t.release")
    refused(folder, "score", "tree.json", "t.release", says=["class", "'city'"])


def test_places_that_cannot_be_written(folder: Path) -> None:
    Path("s.toml").write_text(SCHEMA)
    csv(GOOD)(Path("t.csv"))
    Path("file").write_text("in the way")
    run("mine", "t.csv", "--schema", "s.toml", "-o", "tree.json")
    common = ("disguise", "t.csv", "--schema", "s.toml", "--gamma", 8)
    refused(folder, *common, "-o", "file/t.release", says=["file/t.release"])
    refused(folder, *common, "-o", "file", says=["file"])
    for path in ("file/x", "none/x"):
        refused(folder, "mine", "t.csv", "--schema", "s.toml", "-o", path, says=[path])
        refused(folder, "generate", "as-f2", "-o", f"{path}.csv", says=[path])
        refused(folder, "predict", "tree.json", "t.csv", "-o", f"{path}.csv", says=[path])
        refused(folder, "schema", "t.csv", "--target", "play", "-o", f"{path}.toml", says=[path])


def test_a_failed_disguise_keeps_the_old_release(folder: Path) -> None:
    Path("s.toml").write_text(SCHEMA)
    csv(GOOD)(Path("t.csv"))
    common = ("--schema", "s.toml", "--gamma", 8, "-o", "t.release", "--overwrite")
    run("disguise", "t.csv", *common)
    csv(with_value("city", TEXT))(Path("t.csv"))
    refused(folder, "disguise", "t.csv", *common, says=["'city'"])
    assert Release.read("t.release").rows == 30
    assert left_over(folder) == []


DRAFTED = ["duplicate column", "duplicate column, Parquet", "absent column, Parquet", "no rows",
           "no rows, Parquet", "no bytes", "ragged rows", "not Parquet", "unknown kind of file",
           "no file"]  # fmt: skip


@pytest.mark.parametrize("name", DRAFTED)
def test_tables_that_no_schema_can_be_learned_from(folder: Path, name: str) -> None:
    file, write, _ = TABLES[name]
    write(Path(file))
    refused(folder, "schema", file, "--target", "play", "-o", "s.toml")


def test_every_error_is_one_the_user_can_mend() -> None:
    """The hint stands apart in JSON, so a message must end where its hint begins."""
    error = PrivetError("What is wrong.", hint="what to do.")
    assert str(error) == "What is wrong. Hint: what to do."
