"""A table as people have them: dates, ids, gaps, a misspelling, comma decimals, Latin-1."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import DataError
from privet.schema import Attribute, Files, Format, Schema
from privet.schema.draft import Draft
from privet.table.csv import sniffed
from privet.table.looks import read_table
from privet.table.source import Source
from tests.cli.running import run, run_json

ROWS = 400
DAYS = "days since 1970-01-01"


def messy() -> str:
    lines = ["Name;geboren;PLZ;Größe;Gewerbe;Raucher;krank"]
    for row in range(ROWS):
        trade = "Gärtner" if row % 3 else "Bäcker"
        trade = "Gartner" if row == 17 else trade
        smoker = "NA" if row % 50 == 7 else ("ja" if row % 2 else "nein")
        cells = [
            f"Person {row}",
            f"{1950 + row % 50}-03-{1 + row % 28:02}",
            f"0{1230 + row % 7}",
            f"1,{50 + row % 45:02}",
            trade,
            smoker,
            "ja" if row % 5 == 0 else "nein",
        ]
        lines.append(";".join(cells))
    return "\n".join(lines) + "\n"


@pytest.fixture
def people(folder: Path) -> Path:
    path = folder / "people.csv"
    path.write_bytes(messy().encode("latin-1"))
    return path


def test_what_is_sniffed(people: Path) -> None:
    written = sniffed(people, Format())
    assert (written.delimiter, written.decimal, written.encoding) == (";", ",", "cp1252")
    assert sniffed(people, Format(encoding="latin-1", decimal=".")).decimal == "."


def test_a_draft_of_it(people: Path) -> None:
    said = run("schema", people, "--target", "krank", "-o", "people.toml")
    schema = Schema.read("people.toml")
    assert schema.withheld == ("Name",)
    assert schema.names == ["geboren", "PLZ", "Größe", "Gewerbe", "Raucher", "krank"]
    assert (schema["Größe"].low, schema["Größe"].high) == (1.5, 1.94)
    assert schema["PLZ"].values is not None
    assert schema["PLZ"].values[0] == "01230"
    assert schema["Raucher"].values == ("ja", "nein")
    assert schema["Raucher"].missing == "category"
    born = schema["geboren"]
    assert (born.unit, born.integer) == (DAYS, True)
    first = dt.date(1950, 3, 1) - dt.date(1970, 1, 1)
    assert born.low == first.days
    assert "semicolons between columns, decimal commas, encoding cp1252" in said.stderr
    assert "'Name' is withheld: no two records have the same value" in said.stderr
    assert f"'geboren' is read as numbers, in {DAYS}" in said.stderr
    assert "'PLZ' is read as text: its numbers have leading zeros" in said.stderr
    assert "'Gewerbe': 1 rare spelling" in said.stderr
    draft = Path("people.toml").read_text()
    assert "# Is 'Gartner' a misspelling? It is in 1 of 400 records; 'Gärtner' in" in draft
    assert "Person" not in draft + said.stderr
    assert "Gartner" not in said.stderr


def test_it_is_disguised_mined_and_scored(people: Path) -> None:
    run("schema", people, "--target", "krank", "-o", "people.toml")
    assert "400 records" in run("schema", "--check", "people.toml", people).stdout
    said = run("disguise", people, "--schema", "people.toml", "--gamma", 8, "-o", "p.release")
    assert "semicolons" in said.stderr
    assert "Left out" not in said.stderr  # Name is withheld on purpose
    card = Path("p.release/card.json").read_text()
    assert "Name" not in card
    assert "Person" not in card
    run("mine", people, "--schema", "people.toml", "-o", "tree.json")
    run("predict", "tree.json", people, "-o", "p.csv")
    assert run_json("score", "tree.json", people)["rows"] == ROWS
    learned = run("mine", people, "--target", "krank")
    assert "'Name' is left out: no two records" in learned.stderr


def test_options_and_the_schema_decide(folder: Path) -> None:
    table = folder / "t.csv"
    table.write_bytes("a:b\n1,5:x\n2,5:y\n-:x\n".encode("utf-16"))
    words = ("--delimiter", ":", "--decimal", ",", "--missing", "-", "--encoding", "utf-16")
    run("schema", table, "--target", "b", *words, "-o", "t.toml")
    schema = Schema.read("t.toml")
    assert schema["a"].high == 2.5
    assert schema["a"].missing == "category"
    assert schema.format == Format(":", ",", "utf-16", ("-",))
    assert "3 records" in run("schema", "--check", "t.toml", table).stdout
    for wrong in (("--decimal", "x"), ("--delimiter", "ab"), ("--encoding", "klingon")):
        run("schema", table, "--target", "b", *wrong, code=2)


def test_what_the_schema_does_not_name_is_told(folder: Path) -> None:
    Path("t.csv").write_text("a,b,c,d\n" + "1,x,2,3\n2,y,3,4\n" * 20)
    Path("t.toml").write_text(
        'target = "b"\nwithheld = ["d"]\n[attributes.a]\nlow = 1\nhigh = 2\n'
        '[attributes.b]\nvalues = ["x", "y"]\n'
    )
    said = run("disguise", "t.csv", "--schema", "t.toml", "--gamma", 8, "-o", "r")
    assert "Left out, because the schema does not name them: c." in said.stderr


def test_dates_of_parquet_frames_and_csv_are_the_same_numbers(folder: Path) -> None:
    days = [dt.date(2024, 1, day) for day in range(1, 21)]
    noon = [dt.datetime(2024, 1, day, 12) for day in range(1, 21)]  # noqa: DTZ001
    pq.write_table(pa.table({"day": days, "at": noon}), "t.parquet")
    lines = [f"{day.day}.{day.month}.{day.year},{at}" for day, at in zip(days, noon, strict=True)]
    Path("t.csv").write_text("day,at\n" + "\n".join(lines) + "\n")
    wide = [Attribute.numeric(name, low=0, high=1e6) for name in ("day", "at")]
    for path in ("t.parquet", "t.csv"):
        (batch,) = Source(path, wide).batches()
        assert batch.columns["day"][0] == 19723
        assert batch.columns["at"][0] == 19723.5
    draft = Draft.of(read_table(Files(Path("t.csv"))).append_column("c", [["x", "y"] * 10]), "c")
    assert [attribute.unit for attribute in draft.schema] == [DAYS, DAYS, None]


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("visitor", [f"v{row}" for row in range(10)], "no two records"),
        ("row", list(range(100, 140)), "numbers the records"),
        ("patientId", [row * 37 % 1009 for row in range(200)], "numbers the records"),
        ("street", [f"s{row % 30}" for row in range(40)], "30 values in 40 records"),
        ("age", [20 + row * 7 % 50 for row in range(40)], ""),
        ("income", [row * 1.5 for row in range(40)], ""),
        ("trade", ["smith", "baker"] * 20, ""),
        ("first name", ["Ada", "Bo"] * 20, ""),
    ],
)
def test_what_looks_like_an_identifier(name: str, values: list[object], reason: str) -> None:
    table = {
        name: values,
        "other": [0, 1] * (len(values) // 2),
        "c": ["x", "y"] * (len(values) // 2),
    }
    draft = Draft.of(table, "c")
    assert draft.schema.withheld == ((name,) if reason else ())
    assert reason in draft.withheld.get(name, "")


@pytest.mark.parametrize(
    ("counts", "asked"),
    [
        ({"private": 13_000, "privte": 80}, ["privte"]),
        ({"Shop": 50, "shop ": 40}, ["shop "]),
        ({"grade 1": 1000, "grade 2": 10}, []),
        ({"north": 1000, "south": 20}, []),
        ({"husband": 1000, "wife": 20}, []),
        ({"smith": 100, "smiht": 60}, []),
    ],
)
def test_rare_spellings_are_asked_about(counts: dict[str, int], asked: list[str]) -> None:
    values = [value for value, count in counts.items() for _ in range(count)]
    table = {"trade": values, "c": ["x", "y"] * (len(values) // 2)}
    questions = Draft.of(table, "c").questions.get("trade", "")
    assert [value for value in counts if f"Is {value!r} a" in questions] == asked


SECRETS = ("66", "Male", "16.69", "Smith-Jones")


def without_header(path: Path) -> None:
    path.write_text("0,66,Male,16.69,Smith-Jones\n1,67,Male,16.70,Smith\n")


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_file_without_a_header_shows_no_record(folder: Path, more: tuple[str, ...]) -> None:
    good = Path("good.csv")
    good.write_text("age,sex\n20,Male\n30,Female\n" * 1)
    Path("s.toml").write_text(
        'target = "sex"\n[attributes.age]\nlow = 0\nhigh = 99\ninteger = true\nbins = 3\n'
        '[attributes.sex]\nvalues = ["Male", "Female"]\n'
    )
    Path("p.toml").write_text(
        'split = "records"\n[parties.a]\nattributes = ["age"]\ntheta = 0.8\n'
        '[parties.b]\nattributes = ["age"]\ntheta = 0.8\n'
    )
    run("mine", good, "--schema", "s.toml", "-o", "tree.json")
    run("disguise", good, "--schema", "s.toml", "--gamma", 8, "-o", "r")
    run("store", "create", "s.db", "--schema", "s.toml")
    without_header(Path("t.csv"))
    commands = [
        ("disguise", "t.csv", "--schema", "s.toml", "--gamma", 8, "-o", "x"),
        ("mine", "t.csv", "--schema", "s.toml"),
        ("mine", "t.csv", "--target", "sex"),
        ("schema", "t.csv", "--target", "sex"),
        ("schema", "--check", "s.toml", "t.csv"),
        ("score", "tree.json", "t.csv"),
        ("predict", "tree.json", "t.csv", "-o", "y.csv"),
        ("store", "add", "s.db", "t.csv"),
        ("store", "plan", "t.csv", "--schema", "s.toml"),
        ("party", "disguise", "t.csv", "--plan", "p.toml", "--schema", "s.toml", "--party", "a",
         "-o", "y"),
        ("audit", "r", "--original", "t.csv"),
    ]  # fmt: skip
    for command in commands:
        said = run(*command, *more, code=2)
        assert "no column" in said.stderr, command
        assert "5 columns" in said.stderr, command
        assert not any(secret in said.stderr + said.stdout for secret in SECRETS), command
        if more:
            json.loads(said.stderr)


def test_two_columns_of_one_name_are_told_by_their_places(folder: Path) -> None:
    Path("t.csv").write_text("Male,66,Male\nFemale,2,x\n")
    said = run("schema", "t.csv", "--target", "66", code=2).stderr
    assert "columns 1 and 3" in said
    assert "Male" not in said


def test_names_that_differ_a_little_are_hinted_at(folder: Path) -> None:
    Path("t.csv").write_text("Age Group,c\n1,x\n")
    with pytest.raises(DataError, match=r"no column 'age_group'.*capitals, spaces or signs"):
        list(Source("t.csv", [Attribute.numeric("age_group", low=0, high=9)]).batches())


def test_a_header_in_another_encoding_than_was_said(folder: Path) -> None:
    Path("t.csv").write_bytes("âge,play\n1,yes\n".encode("latin-1"))
    said = run("schema", "t.csv", "--target", "play", "--encoding", "utf-8", code=2).stderr
    assert "not in the encoding it was read in" in said
    assert "--encoding latin-1" in said


def test_late_bytes_of_another_encoding(folder: Path) -> None:
    rows = ["a,c", *["1,x"] * 400_000, "2,Bäcker"]
    Path("t.csv").write_bytes("\n".join(rows).encode("latin-1"))
    assert sniffed(Path("t.csv"), Format()).encoding == "cp1252"
    values = [Attribute.categorical("c", ["x", "Bäcker"])]
    assert sum(batch.rows for batch in Source("t.csv", values).batches()) == 400_001
    with pytest.raises(DataError, match="encoding"):
        list(Source(Files(Path("t.csv"), Format(encoding="utf-8")), values).batches())


def test_marks_of_missing_values(folder: Path) -> None:
    Path("t.csv").write_text('a,b,c\n1,?,x\n?,NA,x\nNULL,"",y\n3,Oslo,y\n')
    ask = [
        Attribute.numeric("a", low=0, high=9, missing="category"),
        Attribute.categorical("b", ["Oslo", "NA"], missing="category"),
    ]
    (batch,) = Source("t.csv", ask).batches()
    texts: Any = batch.columns["b"]
    assert [value != value for value in batch.columns["a"].tolist()] == [False, True, True, False]  # noqa: PLR0124 - NaN
    assert texts.to_pylist() == [None, "NA", None, "Oslo"]  # NA is declared


def incomes(row: int) -> str:
    return f"{1 + row % 9}.{100 + row},{row % 90 + 10}"


def test_thousands_separators_are_told(folder: Path) -> None:
    lines = ["income;age;ill"]
    lines += [f"{incomes(row)};{20 + row % 50};{'ja' if row % 3 else 'nein'}" for row in range(60)]
    table = folder / "people.csv"
    table.write_text("\n".join(lines) + "\n")
    assert sniffed(table, Format()).decimal == ","
    said = run("schema", table, "--target", "ill", "-o", "people.toml").stderr
    assert "'income' is withheld: its numbers have thousands separators, which are not read" in said
    assert "'income': write numbers without thousands separators" in said
    declared = [
        Attribute.numeric("income", low=0, high=10_000),
        Attribute.categorical("ill", ["ja", "nein"]),
    ]
    Schema(declared, target="ill").write("hand.toml")
    for more in ((), ("--decimal", ",")):
        said = run("schema", "--check", "hand.toml", table, *more, code=2).stderr
        assert "thousands separators are not read" in said
        assert "--decimal" not in said
        assert "1.100,10" not in said
    (folder / "few.csv").write_text("\n".join(line.rpartition(";")[0] for line in lines) + "\n")
    said = run("schema", "few.csv", "--target", "age", code=2).stderr
    assert "thousands separators" in said


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["6,472.11", "12", "1,000,000.5", "-3,000.0", "7.5"], True),
        (["6.472,11", "12", "9,5", "7.000", "1.000.000"], True),
        (["6'472.11", "12", "9.5", "7'000", "1'000"], True),
        (["6 472,11", "12", "9 123,5", "7,5", "1 000,0"], True),
        (["192.168.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.3", "8.8.8.8"], False),
        (["301 123 456", "301 123 457", "301 123 458", "301 123 459", "301 123 460"], False),
        (["6.472,11", "none", "9,5", "7.000", "1.000.000"], False),
    ],
)
def test_what_looks_like_thousands(values: list[str], told: bool) -> None:
    frame = {"x": values, "y": [1, 2, 1, 2, 1], "z": ["a", "b", "a", "b", "a"]}
    draft = Draft.of(pa.table(frame), "z")
    assert ("thousands" in draft.withheld["x"]) == told


def test_signs_of_currencies_are_told(folder: Path) -> None:
    lines = [
        f"{1 + row % 9}.{row:03},50 €;{'ja' if row % 3 else 'nein'};{row % 4}" for row in range(60)
    ]
    Path("pay.csv").write_text("Gehalt;voll;kinder\n" + "\n".join(lines), encoding="utf-8")
    said = run("schema", "pay.csv", "--target", "voll", "-o", "pay.toml").stderr
    assert "'Gehalt' is withheld: its numbers have currency signs or %, which are not read" in said
    assert "'Gehalt': write numbers without currency signs" in said
    Path("pay.toml").write_text(
        'target = "voll"\n[attributes.Gehalt]\nlow = 0\nhigh = 99999\n'
        '[attributes.voll]\nvalues = ["ja", "nein"]\n'
    )
    said = run("schema", "--check", "pay.toml", "pay.csv", code=2).stderr
    assert "currency signs and % are not read" in said
    assert "€" not in said


def test_moments_with_a_zone_are_times(folder: Path) -> None:
    """The offset of each is taken into account: what is counted are moments."""
    hours = ["2024-03-31T01:00:00+01:00", "2024-03-31T03:00:00+0200", "2024-03-31T00:30:00Z"]
    lines = [f"{hours[row % 3]},{'a' if row % 2 else 'b'}" for row in range(60)]
    Path("log.csv").write_text("at,state\n" + "\n".join(lines), encoding="utf-8")
    run("schema", "log.csv", "--target", "state", "-o", "log.toml")
    at = Schema.read("log.toml")["at"]
    assert at.unit == DAYS
    assert at.range == pytest.approx((19813, 19813 + 1 / 24))
    assert "60 records" in run("schema", "--check", "log.toml", "log.csv").stdout
    run("disguise", "log.csv", "--schema", "log.toml", "--gamma", "8", "-o", "log.release")


def test_columns_that_cannot_be_declared_are_withheld(folder: Path) -> None:
    rows = 60
    table = {
        "visits": [[1, 2]] * rows,
        "empty": pa.nulls(rows),
        "gap": pa.nulls(rows, pa.float64()),
    }
    table |= {"age": list(range(30)) * 2, "ill": ["yes", "no"] * 30}
    pq.write_table(pa.table(table), "odd.parquet")
    said = run("schema", "odd.parquet", "--target", "ill", "-o", "odd.toml").stderr
    assert "'visits' is withheld: its values are neither text nor numbers" in said
    assert "'empty' is withheld: it has no value." in said
    assert "'gap' is withheld: it has no value." in said
    assert Schema.read("odd.toml").names == ["age", "ill"]
    run("schema", "odd.parquet", "--target", "visits", code=2)
    run("disguise", "odd.parquet", "--schema", "odd.toml", "--gamma", "8", "-o", "odd.release")


def test_a_class_of_one_value_is_told(folder: Path) -> None:
    Path("one.csv").write_text("age,ill\n" + "31,no\n40,no\n" * 20, encoding="utf-8")
    said = run("schema", "one.csv", "--target", "ill", "-o", "one.toml")
    assert "The class 'ill' has a single value: nothing can be learned of it." in said.stderr
    assert "the class 'ill' of 1 value." in said.stdout


def test_a_column_of_one_value_is_withheld(folder: Path) -> None:
    """There is nothing to put in its place, and the next step would fail."""
    lines = [f"{row % 7},7,2.5,Main,{'yes' if row % 2 else 'no'}" for row in range(60)]
    Path("loans.csv").write_text("days,k,fee,branch,late\n" + "\n".join(lines), encoding="utf-8")
    said = run("schema", "loans.csv", "--target", "late", "-o", "loans.toml").stderr
    for name in ("k", "fee", "branch"):
        assert f"{name!r} is withheld: it has a single value, which tells no records apart." in said
    run("disguise", "loans.csv", "--schema", "loans.toml", "--gamma", "8", "-o", "l.release")
    Path("one.csv").write_text("age,town,late\n31,Ghent,no\n", encoding="utf-8")
    said = run("schema", "one.csv", "--target", "late", code=2).stderr
    assert "No column can be used beside the class 'late': 'age': it has a single value" in said


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([f"{row / 7:.2f}" for row in range(57)] + ["k.A."] * 3, True),
        ([f"{row % 6}" for row in range(57)] + ["k.A."] * 3, True),
        ([f"{row / 7:.2f}" for row in range(59)] + ["Meier"], False),  # of one record: no word
        ([f"{row / 7:.2f}" for row in range(56)] + ["a", "a", "b", "b"], False),
        ([f"0{row}" for row in range(57)] + ["k.A."] * 3, False),
    ],
)
def test_numbers_beside_one_repeated_text_are_told(values: list[str], told: bool) -> None:
    frame = {"x": values, "y": [1, 2] * 30, "z": ["a", "b"] * 30}
    said = " ".join(Draft.of(pa.table(frame), "z").remarks())
    asked = "it looks like a number except for one repeated text; if that means missing, use "
    assert (f"{asked}--missing TEXT" in said) == told
    assert "k.A." not in said


def test_what_was_sniffed_is_told_beside_what_was_said(folder: Path) -> None:
    lines = ["a;b;c", *(f"{row},5;{row % 5};{'ja' if row % 3 else 'nein'}" for row in range(60))]
    (folder / "t.csv").write_text("\n".join([*lines, "k.A.;1;ja"]) + "\n")
    said = run("schema", "t.csv", "--target", "c", "--missing", "k.A.").stderr
    assert "t.csv: semicolons between columns, decimal commas." in said


def test_values_of_another_type_are_counted_and_placed_not_shown(folder: Path) -> None:
    rows = [
        ["7", "1.5", "ja"],
        ["8", '"2034,33"', "nein"],
        ["9", "1.5", "ja"],
        ["9", '"1,5"', "ja"],
    ]
    (folder / "t.csv").write_text("\n".join(["a,fee,b", *map(",".join, rows)]) + "\n")
    declared = [Attribute.numeric(name, low=0, high=5000) for name in ("a", "fee")]
    Schema([*declared, Attribute.categorical("b", ["ja", "nein"])], target="b").write("t.toml")
    said = run("schema", "--check", "t.toml", "t.csv", code=2).stderr
    assert "The column 'fee' has 2 values that are not of its declared type, a number" in said
    assert "(first in row 1 of t.csv)" in said
    assert "--decimal" in said
    assert "'a'" not in said
    assert "2034" not in said
