"""Targets of fuzzing that are in databases, or on the way there."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import privet as pv
from privet.files import reading
from privet.store import Store, facts
from privet.store.answers import Answers
from privet.store.layout import check_of
from privet.survey import Questionnaire
from privet.web.app import Survey
from tests.fuzz.target import Target, put, target
from tests.survey.asked import FORM

STORED = ["privet_store", "privet_unreal", "privet_perturbing", "privet_calls"]


@target
def submissions(place: Path) -> Target:
    """What people send to a survey's server."""
    asked = Questionnaire.from_dict(FORM)
    answers = Answers.create(place / "a.db", asked.digest, asked.form, invited=False)
    survey = Survey(asked, answers, "k" * 32, rate=10)
    good = {"survey": asked.digest, "token": "0" * 32, "codes": [0] * len(survey.sizes)}
    forms = [good]
    blobs = [json.dumps(good).encode()]

    def form(one: Any) -> object:
        return survey.understood(json.dumps(one).encode())

    return Target((Survey.understood, reading.parse_json), survey.understood, blobs, form, forms)


@target
def stores(place: Path) -> Target:
    """Stores in SQLite: changed bytes, and changed cells whose check is made right again."""
    path = place / "s.db"
    with Store.create(path, pv.datasets.schema("weather")) as store:
        store.add(pv.datasets.load("weather"))
    blobs = [path.read_bytes()]
    opened = sqlite3.connect(path)
    opened.row_factory = sqlite3.Row
    rows = {name: [dict(row) for row in opened.execute(f"SELECT * FROM {name}")] for name in STORED}  # noqa: S608
    opened.close()

    def raw(data: bytes) -> object:
        path.write_bytes(data)
        with Store.open(path) as store:
            return store.verify(), store.originals(), store.status()

    def form(one: Any) -> object:
        path.write_bytes(blobs[0])
        if not isinstance(one, dict):
            return None
        connection = sqlite3.connect(path)
        try:
            for name, held in one.items():
                _fill(connection, name, held)
            connection.commit()
        finally:
            connection.close()
        return raw(path.read_bytes())

    parsers = (Store._found, facts.read_facts, facts.meaning, Store.verify)
    counts = rows["privet_store"][0]
    refused: list[Any] = [{"privet_store": None}, {"privet_store": []}]
    wrong = {"format": 99, "copies": -1, "schema": "{}"}
    wrong |= {name: counts[name] + 1 for name in ("samples", "remaining")}
    refused += [{"privet_store": [{**counts, name: value}]} for name, value in wrong.items()]
    refused.append(put(rows, 1 << 40, "privet_unreal", 0, "count"))
    forms = [rows, {"privet_store": False}]
    return Target(parsers, raw, blobs, form, forms, refused)


def _fill(connection: sqlite3.Connection, name: str, held: Any) -> None:
    """Put rows in a table, as far as the database itself takes them."""
    if name not in STORED:
        return
    if held is None:
        connection.execute(f"DROP TABLE {name}")
    elif held is False and name == "privet_store":  # as privet once made them
        connection.execute('ALTER TABLE privet_store DROP COLUMN "check"')
    if not isinstance(held, list):
        return
    try:
        connection.execute(f"DELETE FROM {name}")  # noqa: S608
        for row in held:
            if name == "privet_store" and isinstance(row, dict):
                try:
                    row = {**row, "check": check_of(row)}  # noqa: PLW2901
                except LookupError:
                    continue
            names = ", ".join(f'"{key}"' for key in row)
            marks = ", ".join("?" for _ in row)
            command = f"INSERT INTO {name} ({names}) VALUES ({marks})"  # noqa: S608
            connection.execute(command, list(row.values()))
    except (sqlite3.Error, TypeError, ValueError, OverflowError, AttributeError, UnicodeError):
        return
