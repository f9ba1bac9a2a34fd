"""Targets of fuzzing that are raw tables, in CSV and Parquet."""

import gzip
import os
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

import privet as pv
from privet.files.format import Format
from privet.schema import Attribute, Schema
from privet.table import csv, looks, parquet, source
from tests.audit.test_every_disguise import ASKED, people
from tests.fuzz.target import Target, put, target, written

TABLE = [
    *ASKED["substitution"].schema,
    Attribute.categorical("kids", [0, 1, 2]),
    Attribute.categorical("tame", [True, False]),
]


def _read_raw(path: Path, made: pv.Files | Path) -> object:
    """Every way in which a raw table is read."""
    errors = []
    every = source.Source(made, TABLE)
    for work in (
        lambda: [_encoded(batch) for batch in every.batches()],
        lambda: Schema.infer(looks.read_table(pv.Files.of(made)), target="grade"),
        every.row_bound,
        lambda: every.rows_up_to(3),
        lambda: source.column_names(path, every.format),
    ):
        try:
            work()
        except pv.PrivetError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return path


def _encoded(batch: Any) -> list[Any]:
    return [attribute.encode(batch.columns[attribute.name]) for attribute in TABLE]


def _keyed(place: Path, named: Any, name: str) -> Path:
    """A file in folders that are named ``key=value``, as far as such names can be."""
    for key, value in named.items() if isinstance(named, dict) else ():
        place = place / quote(f"{key}={value}"[:60], safe="=%", errors="replace")
    place.mkdir(parents=True, exist_ok=True)
    return place / name


KEYED = {"flag": "nay", "age": 23, "kids": 2, "tame": "true"}


NAMES = ("t.csv", "t.csv.gz", "t.tsv", "t.parquet")
ODD = ("link to nowhere", "pipe", "link to itself", "folder", "links back up")


def _read_odd(place: Path, kind: str, data: bytes, asked: Format) -> object:
    """Read a folder with a good file, and with something that has a file's name only."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    written(place / "a.csv", data)
    path = place / "b.csv"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        (place / "b=1").mkdir()
        (place / "b=1" / "t.csv").symlink_to(place)
    elif kind == "links back up":  # every folder seems to hold two more
        for number in range(2):
            (place / f"b={number}").symlink_to(place)
    else:
        path.symlink_to("nowhere" if kind == "link to nowhere" else "b.csv")
    return _read_raw(path, pv.Files(place, asked))


def _hostile(first: dict[str, Any], commas: dict[str, Any], few: list[Any]) -> list[Any]:
    """Files that are wrong in ways which chance seldom finds."""
    doubled = [[*row, row[0]] for row in first["rows"]]
    bare = [first["rows"][0], []]
    refused: list[Any] = [{**first, "rows": held} for held in (doubled, bare[:1], bare)]
    grouped = put(commas, "1,234,567", "rows", 1, 1)
    refused += [put(grouped, ".", "told", "decimal"), {**first, "more": few}]
    refused += [{**first, "name": "t.parquet"}]
    return refused + [{**first, "odd": kind} for kind in ODD]


@target
def csvs(place: Path) -> Target:
    """CSV files, packed or not, in named folders, told nothing about or how they are written."""
    rows = ["age,pay,job,flag,grade,kids,tame"]
    rows += ["23,1.5,axolotl,nay,alder,0,true", "45,99.5,bittern,yea,birch,1,false"]
    rows += ["80,100000,cormorant,nay,cedar,2,true", "18,0,axolotl,yea,alder,0,false"]
    text = "\n".join(rows)
    blobs = [text.encode(), text.replace(",", ";").encode("latin-1"), text.encode("utf-16")]
    blobs += [(rows[0] + "\n" + "\n".join(rows[1:] * 30)).replace(",", "\t").encode()]
    packed = gzip.compress(text.encode(), mtime=0)
    blobs += [packed, packed[:40], b"age,pay\n1,\n2,\n", ("é" * 9 + text).encode("cp1252")]
    forms: list[Any] = [
        {"rows": [row.split(",") for row in rows], "delimiter": ",", "ending": "\n"}
    ]
    looks_of = [
        "day,truth,code,date,part,when",
        *["2024-02-29,true,007,29.2.2024,3;5,1.2.2024 10:00"] * 4,
    ]
    wide = [[*row.split(","), *look.split(",")] for row, look in zip(rows, looks_of, strict=True)]
    forms += [{"rows": wide, "delimiter": ",", "ending": "\r\n"}]
    told = {"delimiter": ";", "decimal": ".", "encoding": "latin-1", "missing": ["?", "-"]}
    forms += [{**forms[0], "delimiter": ";", "told": told}, {**forms[0], "folders": KEYED}]
    few = [[row.split(",")[place] for place in (1, 2, 4)] for row in rows]
    forms += [{**forms[3], "rows": few}, {**forms[3], "rows": few, "packed": True}]
    forms += [{**forms[0], "more": forms[0]["rows"]}, {**forms[0], "rows": forms[0]["rows"][:3]}]
    commas = [rows[0].split(","), *(row.replace(".", "·").split(",") for row in rows[1:])]
    commas = [[value.replace("·", ",") for value in row] for row in commas]
    forms += [{**forms[0], "rows": commas, "delimiter": ";", "told": {**told, "decimal": ","}}]
    refused = _hostile(forms[0], forms[-1], few)

    def raw(data: bytes) -> object:
        packed = data.startswith(b"\x1f\x8b")
        path = written(place / ("t.csv.gz" if packed else "t.csv"), data)
        return _read_raw(path, path)

    def form(one: Any) -> object:
        if not isinstance(one, dict) or not isinstance(one.get("rows"), list):
            return None
        told = one.get("told")
        asked = Format.from_dict(told) if isinstance(told, dict) else Format()
        name = one.get("name") if one.get("name") in NAMES else NAMES[bool(one.get("packed"))]
        path = _keyed(place, one.get("folders"), str(name))
        data = lines_of(one, one["rows"])
        if one.get("odd") in ODD:
            return _read_odd(place / "odd", str(one["odd"]), data, asked)
        written(path, gzip.compress(data, mtime=0) if one.get("packed") else data)
        if not isinstance(one.get("more"), list):
            return _read_raw(path, pv.Files(path, asked)), csv.described(csv.sniffed(path, asked))
        (place / "two").mkdir(exist_ok=True)
        written(place / "two" / "a.csv", data)
        written(place / "two" / "b.csv", lines_of(one, one["more"]))
        return _read_raw(path, pv.Files(place / "two", asked))

    def lines_of(one: dict[str, Any], rows: list[Any]) -> bytes:
        ending, by = (str(one.get(word, ",")) for word in ("ending", "delimiter"))
        lines = [by.join(map(str, row)) if isinstance(row, list) else str(row) for row in rows]
        return ending.join(lines).encode(errors="replace")

    parsers: tuple[Any, ...] = (
        csv,
        looks,
        source.Source._csv,
        source.Source._check,
        source.Source.rows_up_to,
    )
    parsers += (source.Source.row_bound, source.Source.batches, source.Source.stored)
    parsers += (source.Source.columns, source.keys_of, source._constant, source._type)
    parsers += (source._read_as, source._emptied, source.column_names)
    words = ("utf-16", "utf-32", "hex", "idna", "rot13", "punycode", "undefined", "utf-7", "NA")
    return Target(parsers, raw, blobs, form, forms, refused, words=(*words, *NAMES, *ODD))


def arrow_table(columns: Any) -> pa.Table | None:
    """A table of columns of any type, as far as Arrow takes them."""
    made = {}
    for name, values in columns.items() if isinstance(columns, dict) else ():
        try:
            made[name] = pa.array(values if isinstance(values, list) else [values])
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            continue
    size = min((len(column) for column in made.values()), default=0)
    try:
        return pa.table({name: column[:size] for name, column in made.items()})
    except (pa.ArrowException, ValueError, UnicodeError):
        return None


@target
def parquets(place: Path) -> Target:
    """Parquet files: changed bytes, and columns of any type, in folders that are named."""
    asked = ASKED["substitution"].schema
    table = pa.table({key: column[:20] for key, column in people(asked).items()})
    table = table.append_column("kids", [[0, 1] * 10]).append_column("tame", [[True, False] * 10])
    path = place / "t.parquet"
    blobs = []
    for told in ({"compression": "none"}, {"compression": "snappy", "use_dictionary": False}):
        pq.write_table(table, path, **told)
        blobs.append(path.read_bytes())

    def raw(data: bytes) -> object:
        return _read_raw(written(path, data), path)

    def form(one: Any) -> object:
        if not isinstance(one, dict):
            return None
        made = arrow_table(one.get("columns"))
        if made is None:
            return None
        name = one.get("name") if one.get("name") in NAMES else "t.parquet"
        to = _keyed(place, one.get("folders"), str(name))
        try:
            if one.get("twice"):  # two columns of one name
                made = made.append_column(made.column_names[0], made.column(0))
            pq.write_table(made, to)
        except (pa.ArrowException, ValueError, UnicodeError, LookupError):
            return None
        return _read_raw(to, to)

    whole = table.to_pydict()
    few = {name: column for name, column in whole.items() if name not in KEYED}
    forms: list[Any] = [{"columns": whole, "folders": {}, "twice": False}]
    forms += [{**forms[0], "columns": few, "folders": KEYED}, {**forms[0], "folders": KEYED}]
    refused = [{**forms[0], "name": "t.csv"}, {**forms[0], "twice": True}]
    parsers: tuple[Any, ...] = (parquet.open_parquet, source.Source._parquet, source.Source.stored)
    parsers += (source.Source._check, source.Source.read, source.Source.columns)
    parsers += (source.Source.batches, source._constant, source._type, looks._read, looks._keyed)
    return Target(parsers, raw, blobs, form, forms, refused, toml=True)
