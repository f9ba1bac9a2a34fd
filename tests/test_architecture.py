"""A stranger's changes: what ARCHITECTURE.md says of each is there, and four are tried out.

A fifth, the criterion, is tried out where criteria are tested.
"""

import importlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import privet as pv
from privet import channel as channels
from privet.audit import attacks
from privet.channel import Channel
from privet.channel.card import KINDS
from privet.coding import Coding, Value
from privet.disguise import Exact, Plan, Treatment
from privet.estimate.base import CountedFrontier, Evidence
from privet.estimate.methods import codings_of, evidence_of
from privet.grow import grow
from privet.release import Release
from privet.schema import Attribute, Schema
from privet.split import Policy
from privet.split.counted import CountTables, offsets_of
from privet.split.scored import Splits
from privet.table import Batch, MemoryTable, Table

ROOT = Path(__file__).parents[1]
SKIES = ["clear", "cloud", "rain"]
SCHEMA = Schema(
    [
        Attribute.categorical("sky", SKIES),
        Attribute.categorical("wind", ["weak", "strong"]),
        Attribute.categorical("play", ["no", "yes"]),
    ],
    target="play",
)
CHANGES = (
    *("channel", "criterion", "table", "attack", "export", "evidence"),
    *("regression target", "collector of disguised records", "quantile cells", "paper"),
)


def days(rows: int = 4000) -> dict[str, NDArray[Any]]:
    """Days on which people play unless it rains, or is cloudy in a strong wind."""
    rng = np.random.default_rng(7)
    sky, wind = rng.integers(0, 3, rows), rng.integers(0, 2, rows)
    play = (sky == 0) | ((sky == 1) & (wind == 0))
    return {
        "sky": np.array(SKIES)[sky],
        "wind": np.array(["weak", "strong"])[wind],
        "play": np.array(["no", "yes"])[play.astype(int)],
    }


def plain_release() -> Release:
    return Plan({}, default=Exact()).disguise(days(), SCHEMA)


# What the page says


def listed() -> dict[str, str]:
    """The rows of the table of changes, by what is added."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = page.split("## A stranger's ten changes")[1].split("\n## ")[0]
    rows = [line.strip("|").split(" | ", 1) for line in section.splitlines() if " | " in line]
    return {change.strip(): rest for change, rest in rows[1:]}  # below its head


def test_all_ten_changes_are_listed() -> None:
    assert tuple(listed()) == CHANGES


@pytest.mark.parametrize("change", CHANGES)
def test_the_files_that_a_change_names_are_there(change: str) -> None:
    new, *others = re.findall(r"`([\w/]+(?:/|\.py|\.toml))`", listed()[change])
    rooms = ROOT / "src" / "privet"
    assert (rooms / new).parent.is_dir()
    for path in others:
        assert any((home / path).exists() for home in (rooms, ROOT)), path


# A channel: one file, known to readers of cards by being there

CHANNEL = '''"""Half the values stay; the others move on by one, to either side alike."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privet.channel.base import Single
from privet.channel.card import register


@register
@dataclass(frozen=True)
class Neighbour(Single):
    kind: ClassVar[str] = "neighbour"
    card: ClassVar[tuple[str, ...]] = ("attribute", "size", "bits")

    attribute: str
    size: int
    bits: int = 32

    @property
    def inputs(self):
        return (self.size,)

    def _matrix(self):
        moved = np.eye(self.size, dtype=np.int64) * (self.scale // 4)
        return 2 * moved + np.roll(moved, 1, axis=0) + np.roll(moved, -1, axis=0)
'''


@dataclass(frozen=True)
class ByNeighbours(Treatment):
    """The treatment beside the channel."""

    method = "neighbours"
    kind: type[Any]

    def released(self, attribute: Attribute) -> Attribute:
        return attribute

    def channel(self, attribute: Attribute) -> Channel:
        made: Channel = self.kind(attribute.name, attribute.coding().size)
        return made


@pytest.fixture
def neighbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Any]]:
    (tmp_path / "neighbour.py").write_text(CHANNEL)
    monkeypatch.setattr(channels, "__path__", [*channels.__path__, str(tmp_path)])
    yield importlib.import_module("privet.channel.neighbour").Neighbour
    KINDS.pop("neighbour", None)
    sys.modules.pop("privet.channel.neighbour", None)


def test_a_channel_is_added_by_one_file(neighbour: type[Any], tmp_path: Path) -> None:
    plan = Plan({"sky": ByNeighbours(neighbour)}, default=Exact())
    release = plan.disguise(days(40_000), SCHEMA, to=tmp_path / "days.release")
    assert release.claim["sky"].gamma == 2
    del KINDS["neighbour"], sys.modules["privet.channel.neighbour"]  # as in another process
    again = Release.read(tmp_path / "days.release")
    assert again.parts[0].channels[0].to_dict()["kind"] == "neighbour"
    for method in ("direct", "joint"):
        tree = pv.TreeClassifier(method=method).fit(again)
        assert tree.score(days(500)) > 0.95
    told = pv.shares(again, "sky")
    true = np.array([np.mean(days(40_000)["sky"] == value) for value in SKIES])
    assert (np.abs(told.unbiased - true) < 5 * told.errors).all()


# A table: one class with three methods


class Columns(Table):
    """Columns in files of NumPy's own format, read by 1,000 rows."""

    def __init__(self, folder: Path, names: list[str], start: int, stop: int) -> None:
        self.folder, self.names = folder, names
        self.start, self.rows = start, stop - start

    @classmethod
    def written(cls, table: MemoryTable, folder: Path) -> "Columns":
        for name, column in table.columns.items():
            np.save(folder / f"{name}.npy", column)
        return cls(folder, table.names, 0, table.rows)

    def shards(self) -> Sequence[Callable[[], Iterator[Batch]]]:
        return [partial(self._read, begin) for begin in range(0, self.rows, 1000)]

    def _read(self, begin: int) -> Iterator[Batch]:
        stop = min(begin + 1000, self.rows)
        rows = slice(self.start + begin, self.start + stop)
        files = {name: np.load(self.folder / f"{name}.npy", mmap_mode="r") for name in self.names}
        yield Batch(begin, {name: np.asarray(file[rows]) for name, file in files.items()})

    def map(self, work: Callable[[Batch], Batch]) -> Table:
        return self.collect(self.rows).map(work)

    def slice(self, start: int, stop: int) -> Table:
        return Columns(self.folder, self.names, self.start + start, self.start + stop)


def test_a_table_is_added_by_one_class(tmp_path: Path) -> None:
    release = pv.RandomSubstitution(gamma=8).disguise(days(), SCHEMA)
    (part,) = release.parts
    assert isinstance(part.table, MemoryTable)
    elsewhere = replace(part, table=Columns.written(part.table, tmp_path))
    moved = replace(release, parts=(elsewhere,))
    moved.verify()
    for method in ("naive", "direct", "joint"):
        tree = pv.TreeClassifier(method=method).fit(moved).tree_
        assert tree.same_as(pv.TreeClassifier(method=method).fit(release).tree_)
    assert [half.rows for half in moved.split(0.25)] == [1000, 3000]


# Evidence: one class with two methods


class Masks(Evidence):
    """Plain records, each open node a mask of its rows: as slow and as plain as can be."""

    def __init__(self, table: MemoryTable, codings: Sequence[Coding], classes: Sequence[Value]):
        self.codings, self.classes = tuple(codings), tuple(classes)
        self.columns = [table.columns[coding.name].astype(np.int64) for coding in codings]
        self.labels = table.columns[SCHEMA.target].astype(np.int64)

    def frontier(self, masks: list[NDArray[np.bool_]]) -> CountedFrontier:
        offsets = offsets_of(self.codings)
        counts = np.zeros((len(masks), offsets[-1], len(self.classes)), np.int64)
        for node, mask in enumerate(masks):
            for start, column in zip(offsets, self.columns, strict=False):
                np.add.at(counts[node], (start + column[mask], self.labels[mask]), 1)
        return CountedFrontier(self.codings, CountTables(counts, offsets), masks)

    def root(self) -> CountedFrontier:
        return self.frontier([np.ones(len(self.labels), np.bool_)])

    def split(self, frontier: Any, splits: Splits, keep: NDArray[np.bool_]) -> CountedFrontier:
        children = [
            mask & (splits.branch[node, self.columns[splits.attribute[node]]] == branch)
            for node, mask in enumerate(frontier.state)
            for branch in range(splits.branches[node])
        ]
        kept = [mask for mask, stays in zip(children, keep, strict=True) if stays]
        return self.frontier(kept)


@pytest.mark.parametrize("policy", ["cart", "c4.5", "id3"])
def test_evidence_is_added_by_one_class(policy: str) -> None:
    release = plain_release()
    table = release.parts[0].table
    assert isinstance(table, MemoryTable)
    evidence = Masks(table, codings_of(release), SCHEMA.classes)
    tree = grow(evidence, Policy.named(policy), SCHEMA.target)
    assert tree.nodes > 3
    assert tree.same_as(grow(evidence_of(release).evidence, Policy.named(policy), SCHEMA.target))


# An attack: one file with a generator of trials

ATTACK = '''"""Guess that it is clear, whatever the release says."""

from privet.audit.attacks.base import Trial, attack


@attack(
    "fair-weather",
    title="Guess that it is clear",
    needs="nothing",
    remedy="nothing can be done about it",
    applies=lambda case: "" if case.real else "it takes the owner's records",
)
def fair_weather(world):
    sky = world.case.truth["sky"]
    yield Trial.counted("sky", int((sky == 0).sum()), len(sky), blind=1 / 3)
'''


def test_an_attack_is_added_by_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fair_weather.py").write_text(ATTACK)
    monkeypatch.setattr(attacks, "__path__", [*attacks.__path__, str(tmp_path)])
    importlib.import_module("privet.audit.attacks.fair_weather")
    try:
        release = pv.RandomSubstitution(gamma=8).disguise(days(), SCHEMA)
        report = pv.audit(release, days(), attacks=["fair-weather"], trees=False)
        (outcome,) = report.attacks
        assert outcome.value == pytest.approx(1 / 3, abs=0.05)
        assert outcome.control == outcome.value  # it learns nothing from a release
    finally:
        del attacks.ATTACKS["fair-weather"], sys.modules["privet.audit.attacks.fair_weather"]
