"""A target of fuzzing that is the data of a release, beside a card that lists them."""

import contextlib
import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import privet as pv
from privet.files import sealed
from privet.release import Release, folder
from privet.table import parquet
from tests.fuzz.tables import arrow_table
from tests.fuzz.target import Target, put, release, target, written


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
            # A release is read by threads, where no branch is counted: so here as well.
            with contextlib.suppress(pv.PrivetError):
                table = parquet.ParquetTable([place / file["file"] for file in listed])
                _ = [list(table.stored_columns(piece)) for piece in table.pieces]
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
        made, to = arrow_table(columns), self.place / "made.parquet"
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
    first, both = held.forms[0], held.forms[-1]
    fewer = {name: column for name, column in both["more"].items() if name != "age"}
    refused = [
        put(first, [None, *first["columns"]["age"][1:]], "columns", "age"),
        put(first, first["rows"] + 1, "rows"),
        put(first, "int64", "types", "age"),
        put(both, "uint16", "more types", "age"),
        put(both, fewer, "more"),
    ]
    return Target(parsers, held.raw, held.blobs, held.form, held.forms, refused)
