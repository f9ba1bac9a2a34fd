"""Targets of fuzzing that are tables: raw CSV and Parquet, and the data of releases."""

import copy
import gzip
import hashlib
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

import privet as pv
from privet.files import sealed
from privet.files.format import Format
from privet.release import Release, folder
from privet.schema import Attribute, Schema
from privet.table import csv, looks, parquet, source
from tests.audit.test_every_disguise import ASKED, people
from tests.fuzz.target import Target, release, target, written

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
        lambda: (every.row_bound(), every.rows_up_to(3)),
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


@target
def csvs(place: Path) -> Target:
    """CSV files, packed or not, in named folders, told nothing about or how they are written."""
    rows = ["age,pay,job,flag,grade,kids,tame"]
    rows += ["23,1.5,axolotl,nay,alder,0,true", "45,99.5,bittern,yea,birch,1,false"]
    rows += ["80,100000,cormorant,nay,cedar,2,true", "18,0,axolotl,yea,alder,0,false"]
    text = "\n".join(rows)
    blobs = [text.encode(), text.replace(",", ";").encode("latin-1"), text.encode("utf-16")]
    blobs += [(rows[0] + "\n" + "\n".join(rows[1:] * 30)).replace(",", "\t").encode()]
    blobs += [gzip.compress(text.encode(), mtime=0), ("é" * 9 + text).encode("cp1252")]
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
    forms += [{**forms[0], "more": forms[0]["rows"]}]

    def raw(data: bytes) -> object:
        packed = data.startswith(b"\x1f\x8b")
        path = written(place / ("t.csv.gz" if packed else "t.csv"), data)
        return _read_raw(path, path)

    def form(one: Any) -> object:
        if not isinstance(one, dict) or not isinstance(one.get("rows"), list):
            return None
        told = one.get("told")
        asked = Format.from_dict(told) if isinstance(told, dict) else Format()
        path = _keyed(place, one.get("folders"), "t.csv.gz" if one.get("packed") else "t.csv")
        data = lines_of(one, one["rows"])
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
    return Target(parsers, raw, blobs, form, forms, words=words)


def _arrow(columns: Any) -> pa.Table | None:
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
        made = _arrow(one.get("columns"))
        if made is None:
            return None
        to = _keyed(place, one.get("folders"), "t.parquet")
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
    forms += [{**forms[0], "columns": few, "folders": KEYED}]
    parsers: tuple[Any, ...] = (parquet.open_parquet, source.Source._parquet, source.Source.stored)
    parsers += (source.Source._check, source.Source.read, source.Source.columns)
    parsers += (source.Source.batches, source._constant, source._type, looks._read, looks._keyed)
    return Target(parsers, raw, blobs, form, forms, toml=True)


class Parts:
    """Releases whose data are replaced, with card and checksums made right again."""

    names = ("substitution", "complement with dummies", "additive noise")

    def __init__(self, place: Path) -> None:
        self.place = place
        self.cards: list[Any] = []
        self.blobs: list[bytes] = []
        self.forms: list[Any] = []
        for number, name in enumerate(self.names):
            release(name, place / name)
            self.cards.append(json.loads((place / name / "card.json").read_bytes()))
            del self.cards[-1]["checksum"]
            self.blobs.append((place / name / "part-0.parquet").read_bytes())
            held = pq.read_table(place / name / "part-0.parquet")
            types = {field.name: str(field.type) for field in held.schema}
            head = {"release": number, "rows": held.num_rows, "group": 1000}
            self.forms.append({**head, "columns": held.to_pydict(), "types": types})
        first = self.forms[0]
        self.forms.append({**first, "more": first["columns"], "more types": first["types"]})

    def opened(self, number: int, files: list[bytes], rows: Any = None) -> object:
        """Read a release whose first part has these files; ``rows`` is the card's word for one."""
        place, card = self.place / self.names[number], copy.deepcopy(self.cards[number])
        entry = card["parts"][0]
        listed = []
        for piece, data in enumerate(files):
            name = folder.part_name(0, piece if len(files) > 1 else None)
            written(place / name, data)
            sha256 = hashlib.sha256(data).hexdigest()
            listed.append({"file": name, "rows": entry["rows"], "sha256": sha256})
        listed[0]["rows"] = entry["rows"] if rows is None else rows
        entry.update(listed[0])
        if len(files) > 1:
            rest = {word: said for word, said in entry.items() if word not in listed[0]}
            card |= {"version": 2, "parts": [{"files": listed, **rest}, *card["parts"][1:]]}
        written(place / "card.json", sealed.seal(card, 1))
        try:
            made = Release.read(place)
            held = [batch.columns for batch in made.parts[0].table.batches()]
            return made.claim.sentences(), held
        finally:
            for file in listed:
                (place / file["file"]).unlink()

    def raw(self, data: bytes) -> object:
        """Read changed bytes as the data that they were made from, most often."""
        sizes = [abs(len(data) - len(blob)) for blob in self.blobs]
        return self.opened(sizes.index(min(sizes)), [data])

    def file(self, columns: Any, types: Any, group: Any) -> bytes | None:
        """A Parquet file of columns of some types, as far as Arrow writes it."""
        made, to = _arrow(columns), self.place / "made.parquet"
        if made is None:
            return None
        try:
            for number, name in enumerate(made.column_names):
                kind = types.get(name) if isinstance(types, dict) else None
                if isinstance(kind, str):
                    cast = made.column(number).cast(pa.type_for_alias(kind))
                    made = made.set_column(number, name, cast)
            told = group if isinstance(group, int) and 0 < group < 1 << 20 else 1000
            pq.write_table(made, to, row_group_size=told)
        except (pa.ArrowException, ValueError, UnicodeError, OverflowError):
            return None
        return to.read_bytes()

    def form(self, one: Any) -> object:
        """Read a release with the columns of a form, in one file or two."""
        if not isinstance(one, dict):
            return None
        number, rows, group = one.get("release"), one.get("rows"), one.get("group")
        if not isinstance(number, int) or number not in range(len(self.names)):
            return None
        files = [self.file(one.get("columns"), one.get("types"), group)]
        if isinstance(one.get("more"), dict):
            files.append(self.file(one["more"], one.get("more types"), group))
        held = [file for file in files if file is not None]
        if len(held) < len(files):
            return None
        return self.opened(number, held, rows if isinstance(rows, int) else None)


@target
def parts(place: Path) -> Target:
    """Data of a release, changed."""
    held = Parts(place)
    parsers: tuple[Any, ...] = (parquet._check_types, parquet.read_group, Release.verify)
    parsers += (parquet.ParquetTable.__init__, parquet.ParquetTable.stored_columns)
    return Target(parsers, held.raw, held.blobs, held.form, held.forms)
