"""Targets of fuzzing that are folders: releases, and what parties send; and cards by themselves."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from privet.channel import card as channels
from privet.coding import Coding
from privet.party import Agreement, PartyRelease, agreement, disguise_party, folder
from privet.release import Release, anonymity, card, opened, unbounded, universe
from privet.release import folder as release_folder
from privet.signing import SIGNATURE, SigningKey, sign
from tests.fuzz.target import Target, put, release, sealed_target, sealed_text, target
from tests.fuzz.toml_files import SCHEMAS
from tests.party import study

KINDS = tuple(channels.KINDS.values())
CHANNELS = (channels.read_channel, channels.read_exactly, *(kind.from_dict for kind in KINDS))
CARD = (
    card.read_card, card._understood, card._check, card._check_coding, card.PartEntry.from_dict,
    universe.Universe.from_dict, anonymity.Anonymity.from_dict, unbounded.UnboundedNoise.from_dict,
)  # fmt: skip
METHODS = ["substitution", "band", "subsets", "k-anonymity", "joint groups", "flip groups"]
METHODS += ["complement with dummies", "additive noise", "gadp", "forest framework", "a mixed plan"]
METHODS += ["complement"]


def _hostile_cards(forms: list[Any]) -> list[Any]:
    """Cards that are wrong in ways which chance seldom finds."""
    by = dict(zip(METHODS, forms, strict=True))
    plain, dummies, k = by["substitution"], by["complement with dummies"], by["k-anonymity"]
    named, first = ("schema", "attributes"), ("parts", 0)
    own = {"age": {"lower": [0], "upper": [1]}}
    refused = [
        put(plain, "x", *first, "channels", 0, "kind"),
        put(plain, 1, *first, "channels", 0, "more"),
        put(plain, 1, "more"),
        put(plain, 1, "shuffled"),
        put(plain, 1, "schema", "target"),
        put(plain, ["x"], "columns", "age", "lower"),
        put(plain, 99, "version"),
        put(plain, "x", "format"),
        put(plain, own, *first, "columns"),
        put(plain, ["age"], "schema", "withheld"),
        put(plain, "x", "schema", "withheld"),
        put(plain, 1, "schema", "format"),
        put(plain, 1, *named, "age"),
        put(plain, 1, *named, "age", "x"),
        put(plain, "x", *named, "job", "values"),
        put(plain, [["x"]], *named, "job", "members"),
        put(k, [], "anonymity", "quasi_identifier"),
        put(k, 0, "anonymity", "k"),
        put(by["gadp"], [1], "unbounded_noise", "said"),
        put(dummies, {"x": [1]}, "universe", "dummy"),
        put(dummies, 1, "universe", "more"),
    ]
    return refused + [put(dummies, copies, "universe", "copies") for copies in (0, 1 << 62)]


@target
def cards(place: Path) -> Target:
    """Cards of releases, their checksums made right again."""
    blobs = []
    for number, name in enumerate(METHODS):
        release(name, place / str(number))
        blobs.append((place / str(number) / "card.json").read_bytes())

    def raw(data: bytes) -> object:
        return card.read_card(place / "card.json", data)

    made = sealed_target(raw, blobs, (*CARD, *CHANNELS, *SCHEMAS, Coding.from_dict), 1)
    return replace(made, refused=_hostile_cards(made.forms))


class Homes:
    """Folders whose card is replaced; what is beside it may be changed for a while, too.

    A form is a card, with ``beside`` for what is done to its folder: a file that is taken away,
    one more file, a link in place of a file, and a signature.
    """

    def __init__(self, place: Path, names: list[str], read: Callable[[Path], object]) -> None:
        self.place, self.names, self.read, self.key = place, names, read, SigningKey.new()
        self.blobs = [(place / name / "card.json").read_bytes() for name in names]
        self.marks = [self._mark(json.loads(blob)) for blob in self.blobs]

    @staticmethod
    def _mark(form: Any) -> str:
        """The checksum of the data, by which a changed card is put where it came from."""
        return str(
            form["files"]["records.parquet"] if "files" in form else form["parts"][0]["sha256"]
        )

    def home(self, data: bytes) -> Path:
        """The folder whose data a card lists."""
        both = zip(self.names, self.marks, strict=True)
        name = next((name for name, mark in both if mark.encode() in data), self.names[0])
        return self.place / name

    def raw(self, data: bytes) -> object:
        """Read a folder whose card has these bytes."""
        home = self.home(data)
        (home / "card.json").write_bytes(data)
        return self.read(home)

    def form(self, form: Any) -> object:
        """Read a folder with this card, and what is beside it."""
        beside = form.get("beside") if isinstance(form, dict) else None
        if not isinstance(beside, dict):
            return self.raw(sealed_text(form, 1))
        data = sealed_text({word: said for word, said in form.items() if word != "beside"}, 1)
        home = self.home(data)
        (home / "card.json").write_bytes(data)
        with self._changed(home, beside, data):
            return self.read(home)

    @contextmanager
    def _changed(self, home: Path, beside: dict[str, Any], data: bytes) -> Iterator[None]:
        there = {path.name: path.read_bytes() for path in home.iterdir()}
        lacks, link, more = (beside.get(word) for word in ("lacks", "link", "more"))
        signed = beside.get("signature")
        for name in there:
            if name in (lacks, link):
                (home / name).unlink()
            if name == link:
                (home / name).symlink_to("nowhere")
        if isinstance(more, str) and more.isalnum() and len(more) < 99:
            (home / more).touch()
        if isinstance(signed, str):
            made = sign(data, self.key) if signed == "good" else signed.encode(errors="replace")
            (home / SIGNATURE).write_bytes(made)
        try:
            yield
        finally:
            for path in home.iterdir():
                if path.is_symlink() or path.name not in there:
                    os.unlink(path)  # noqa: PTH108 - a link, too
            for name, held in there.items():
                (home / name).write_bytes(held)

    def target(self, parsers: tuple[Any, ...], data: str) -> Target:
        """Return the target, with folders that are wrong in every way; ``data`` names a file."""
        made = sealed_target(self.raw, self.blobs, parsers, 1)
        ways = [{"lacks": "card.json"}, {"lacks": data}, {"more": "x"}, {"signature": "x"}]
        ways += [{"link": data}, {"link": "card.json"}]
        refused = [{**made.forms[0], "beside": way} for way in ways]
        forms = [*made.forms, {**made.forms[0], "beside": {"signature": "good"}}]
        return replace(made, form=self.form, forms=forms, refused=refused)


@target
def releases(place: Path) -> Target:
    """Whole release folders: a changed card beside data that it fits."""
    for name in METHODS:
        release(name, place / name)

    def read(home: Path) -> object:
        made = Release.read(home)
        return made.claim.sentences(), repr(made)

    parsers = (release_folder._read, release_folder._table, release_folder._check_columns)
    homes = Homes(place, METHODS, read)
    made = homes.target((*parsers, opened.Opened, *CARD), "part-0.parquet")
    hostile = _hostile_cards(made.forms[: len(METHODS)])
    # Only beside its data a card of other rows or columns is seen to be wrong.
    first = made.forms[0], "parts", 0
    hostile += [put(first[0], ["age"], *first[1:], "lacks"), put(first[0], 41, *first[1:], "rows")]
    return replace(made, refused=[*made.refused, *hostile])


@target
def parties(place: Path) -> Target:
    """Folders of parties: a changed card beside data that it fits."""
    agreed = study.agreed(study.RECORDS)
    study.send("north", study.people(30), agreed).write(place / "north")
    for name in ("clinic", "office"):
        study.send(name, study.people(30)).write(place / name)
    frame = study.people(30)
    disguise_party(frame, agreed, "south", seed="south").write(place / "unkeyed")

    def read(home: Path) -> object:
        return repr(PartyRelease.read(home))

    parsers = (folder._card, folder._agreed, PartyRelease._read, Agreement.from_dict)
    homes = Homes(place, ["north", "clinic", "office", "unkeyed"], read)
    made = homes.target((*parsers, agreement._member, *SCHEMAS), "records.parquet")
    north, clinic = made.forms[0], made.forms[1]
    schema, member = ("agreement", "schema"), ("agreement", "parties", "clinic")
    age, trade = (*schema, "attributes", "age"), (*schema, "attributes", "trade")
    changes: list[tuple[Any, ...]] = [("x", *schema, "withheld"), (1, *schema, "format")]
    changes += [(1, *schema, "attributes"), (1, *age), (1, *age, "x"), ("x", *trade, "values")]
    changes += [([["x"]], *trade, "members"), ([1], *schema, "withheld"), (29, "rows")]
    refused = [put(north, *change) for change in changes]
    changes = [(1, *member, "more"), (1, *member, "class"), (None, *member, "groups")]
    changes += [({}, "agreement", "parties"), ("rows", "agreement", "split")]
    changes += [(1, "agreement", "parties"), ({"theta": 0.8}, *member)]
    refused += [put(clinic, *change) for change in changes]
    refused += [put(clinic, {**clinic["agreement"], "more": 1}, "agreement")]
    refused += [put(clinic, 99, "version"), put(clinic, "x", "format"), put(clinic, 1, "more")]
    return replace(made, refused=[*made.refused, *refused])
