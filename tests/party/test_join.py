"""The join: every way in which records may not fit, and that nothing is lost."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.disguise import RandomizedResponse
from privet.errors import DataError, PlanError, ReleaseError
from privet.estimators import TreeClassifier
from privet.files.sealed import seal
from privet.party import Agreement, PartyRelease, disguise, disguise_party, join
from privet.party.join import Mismatch, _differ
from privet.party.matching import _is_sorted
from privet.release import Release
from privet.schema import Attribute, Schema
from privet.table import MemoryTable
from tests.party.study import (
    COLUMNS,
    OTHER,
    RECORDS,
    SCHEMA,
    SECRET,
    agreed,
    everyone,
    people,
    send,
    some,
)


def rows_of(release: Release) -> list[Any]:
    """All rows of the first part, sorted."""
    columns = release.parts[0].table.collect(10**6).columns
    return sorted(zip(*(columns[name].tolist() for name in release.schema.names), strict=True))


def test_records_meet_by_id() -> None:
    frame = people(400)
    plain = {"parties": {name: {**party, "theta": 1} for name, party in COLUMNS["parties"].items()}}
    joined = join(everyone(frame, agreed(plain)))
    assert not joined.left_out
    groups = [["smoker", "cough"], ["age"], ["trade"], ["town"]]
    response = RandomizedResponse(groups, theta=1, cuts={"trade": ["mine", "farm"]})
    whole = response.disguise(frame, SCHEMA, seed=1)
    assert rows_of(joined.release) == rows_of(whole)
    assert joined.release.schema == whole.schema
    assert joined.release.shuffled


def test_order_of_files_and_rows_does_not_matter() -> None:
    frame = people(300)
    parties = everyone(frame)
    forward, backward = join(parties, seed=1), join(parties[::-1], seed=1)
    first, second = (j.release.parts[0].table.collect(300).columns for j in (forward, backward))
    for name, column in first.items():
        assert np.array_equal(column, second[name])
    mixed = []
    for number, party in enumerate(parties):
        order = np.random.default_rng(number).permutation(300)
        assert party.keys is not None
        mixed.append(replace(party, table=party.table.take(order), keys=party.keys[order]))
    assert rows_of(join(mixed).release) == rows_of(forward.release)


def test_the_rows_are_not_in_the_order_of_the_keys() -> None:
    frame = people(300)
    parties = everyone(frame)
    clinic = parties[0].table.columns["smoker"]
    smoker = join(parties).release.parts[0].table.collect(300).columns["smoker"]
    assert sorted(smoker) == sorted(clinic)
    assert not np.array_equal(smoker, clinic)


def test_what_is_joined_mines_like_any_release(tmp_path: Path) -> None:
    frame, test = people(30_000, 1), people(8000, 2)
    joined = join(everyone(frame)).release
    assert joined.seeded
    joined.write(tmp_path / "all.release")
    model = TreeClassifier(policy="id3").fit(Release.read(tmp_path / "all.release"))
    cut = RandomizedResponse([[a.name for a in SCHEMA.inputs]], theta=1).cut(test, SCHEMA)
    assert model.score(cut) > 0.85
    scored = model.accuracy(join(everyone(test)).release)
    assert abs(scored.value - model.score(cut)) < 5 * scored.error


def test_a_collector_needs_no_secret() -> None:
    """Nothing a party sends, and nothing of the release, has the secret or an id in it."""
    party = send("clinic", people(50), seed=None)
    rest = {name: value for name, value in vars(party).items() if name != "agreement"}
    assert SECRET.hex() not in repr(rest)
    assert "person" not in party.table.names


def test_an_id_in_one_party_only() -> None:
    frame = people(100)
    parties = [
        send("clinic", some(frame, slice(0, 90))),
        send("office", some(frame, slice(5, 100))),
        send("council", frame),
    ]
    with pytest.raises(DataError) as caught:
        join(parties)
    said = str(caught.value)
    assert "Party 'clinic' sent 5 records whose id is not with every other party." in said
    assert "Party 'office' sent 10 records" in said
    assert "Party 'council' sent 15 records" in said
    assert not re.search(r"p\d{7}", said)
    joined = join(parties, keep_matching=True)
    assert joined.release.rows == 85
    assert joined.left_out.unmatched == {"clinic": 5, "office": 10, "council": 15}


def test_no_id_in_common() -> None:
    frame = people(100)
    parties = [
        send("clinic", some(frame, slice(0, 50))),
        send("office", some(frame, slice(50, 99))),
    ]
    parties.append(send("council", frame))
    with pytest.raises(DataError, match="No id is with every party"):
        join(parties, keep_matching=True)


def test_duplicate_ids() -> None:
    frame = people(100)
    frame["person"][:3] = frame["person"][3]
    with pytest.raises(DataError, match=r"4 records share theirs with another \(first in row 0\)"):
        send("clinic", frame)
    sent = send("clinic", frame, drop_duplicates=True)
    assert sent.rows == 96
    parties = everyone(people(100))
    assert parties[0].keys is not None
    keys = parties[0].keys.copy()
    keys[1] = keys[0]
    parties[0] = replace(parties[0], keys=keys)
    with pytest.raises(DataError, match="'clinic' sent 2 records whose id another"):
        join(parties)
    joined = join(parties, keep_matching=True)
    assert joined.release.rows == 98
    assert joined.left_out.duplicates == {"clinic": 2}


def test_different_classes_for_one_id() -> None:
    frame = people(100)
    other = {**frame, "ill": frame["ill"].copy()}
    other["ill"][7] = "no" if frame["ill"][7] == "yes" else "yes"
    parties = [send("clinic", frame), send("office", frame), send("council", other)]
    with pytest.raises(DataError, match="different classes for 1 ids"):
        join(parties)
    joined = join(parties, keep_matching=True)
    assert joined.release.rows == 99
    assert joined.left_out.classes == 1


def test_a_wrong_secret() -> None:
    frame = people(50)
    parties = [send("clinic", frame), send("office", frame, secret=OTHER), send("council", frame)]
    with pytest.raises(ReleaseError, match=r"'clinic' and 'office'.*different secrets"):
        join(parties, keep_matching=True)


def changed_theta() -> Agreement:
    parties = {**COLUMNS["parties"], "clinic": {"groups": [["smoker", "cough"]], "theta": 0.9}}
    return agreed({"parties": parties})


def other_schema() -> Agreement:
    other = [Attribute.numeric("age", low=0, high=90) if a.name == "age" else a for a in SCHEMA]
    return Agreement.from_dict(COLUMNS, Schema(other, target="ill"))


@pytest.mark.parametrize(
    ("agreement", "said"),
    [(changed_theta(), "another plan for party 'clinic'"), (other_schema(), "attribute 'age'")],
)
def test_another_plan(agreement: Agreement, said: str) -> None:
    frame = some(people(50), slice(0, 20))
    frame["age"] = frame["age"] * 0.5
    parties = [send("clinic", frame), send("office", frame), send("council", frame, agreement)]
    with pytest.raises(PlanError, match=said):
        join(parties)


def test_missing_and_double_parties() -> None:
    frame = people(20)
    clinic, office, council = everyone(frame)
    with pytest.raises(ReleaseError, match="'council' are not there"):
        join([clinic, office])
    with pytest.raises(ReleaseError, match="'office' is there twice"):
        join([clinic, office, office, council])
    with pytest.raises(PlanError, match="nothing to join"):
        join([])
    empty = replace(office, table=office.table.slice(0, 0), keys=np.empty((0, 2), np.uint64))
    with pytest.raises(DataError, match="'office' sent no records"):
        join([clinic, empty, council])
    with pytest.raises(DataError, match="'office' has no records"):
        send("office", some(frame, slice(0, 0)))


def test_what_a_party_may_not_do() -> None:
    frame = people(20)
    with pytest.raises(PlanError, match="joined by their ids"):
        disguise_party(frame, agreed(), "clinic")
    with pytest.raises(PlanError, match="needs a secret"):
        disguise_party(frame, agreed(), "clinic", id="person")
    with pytest.raises(PlanError, match="would be released"):
        disguise_party(frame, agreed(), "clinic", id="town", secret=SECRET)
    with pytest.raises(DataError, match="no column 'nobody'"):
        disguise_party(frame, agreed(), "clinic", id="nobody", secret=SECRET)


def test_a_party_without_the_class_is_told_how_to_leave_it_out(tmp_path: Path) -> None:
    frame = people(20)
    del frame["ill"]
    told = r"no column 'ill'.*class = false for 'clinic' in the agreement"
    with pytest.raises(DataError, match=told):
        disguise_party(frame, agreed(), "clinic", id="person", secret=SECRET)
    pq.write_table(pa.table(frame), tmp_path / "clinic.parquet")
    with pytest.raises(DataError, match=told):
        disguise_party(tmp_path / "clinic.parquet", agreed(), "clinic", id="person", secret=SECRET)
    names = [name for name in frame if name != "person"]
    alone = agreed({"parties": {"clinic": {"groups": [[name] for name in names], "theta": 0.8}}})
    with pytest.raises(DataError, match="no column 'ill'") as complaint:
        disguise_party(frame, alone, "clinic", id="person", secret=SECRET)
    assert "class = false" not in complaint.value.hint


def test_records_of_several_parties_are_parts() -> None:
    frame, agreement = people(40_000), agreed(RECORDS)
    north = send("north", some(frame, slice(0, 15_000)), agreement)
    south = send("south", some(frame, slice(15_000, None)), agreement)
    joined = join([south, north]).release
    assert [part.table.rows for part in joined.parts] == [15_000, 25_000]
    assert joined.claim.turned == ("smoker", "cough", "age", "trade", "town")
    model = TreeClassifier(policy="id3").fit(joined)
    cut = RandomizedResponse(theta=1).cut(frame, SCHEMA)
    assert model.score(cut) > 0.85
    without = disguise_party(some(frame, slice(0, 9)), agreement, "north")
    assert without.keys is None
    assert join([without, south]).release.rows == 25_009


def test_one_person_at_two_parties() -> None:
    frame, agreement = people(100), agreed(RECORDS)
    north = send("north", some(frame, slice(0, 60)), agreement)
    south = send("south", some(frame, slice(55, 100)), agreement)
    with pytest.raises(DataError, match="5 ids are with more than one party"):
        join([north, south])
    joined = join([north, south], keep_matching=True)
    assert [part.table.rows for part in joined.release.parts] == [55, 40]
    with pytest.raises(DataError, match="Of party 'north' no record is left"):
        join([send("north", frame, agreement), send("south", frame, agreement)], keep_matching=True)


# Folders


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def test_a_party_release_comes_back_from_its_folder(tmp_path: Path) -> None:
    for party in everyone(people(200)):
        party.write(tmp_path / party.party)
        back = PartyRelease.read(tmp_path / party.party)
        assert (back.party, back.secret, back.seeded) == (party.party, party.secret, True)
        assert np.array_equal(back.keys, party.keys)  # type: ignore[arg-type]
        for name, column in party.table.columns.items():
            assert np.array_equal(back.table.columns[name], column)
    card = (tmp_path / "clinic" / "card.json").read_text()
    assert SECRET.hex() not in card
    assert not re.search(r"p\d{7}", card)


@pytest.mark.parametrize("file", ["card.json", "records.parquet", "keys.bin"])
def test_a_flipped_bit_does_not_load(tmp_path: Path, file: str) -> None:
    send("clinic", people(50)).write(tmp_path / "clinic")
    flipped(tmp_path / "clinic" / file)
    with pytest.raises(ReleaseError, match=re.escape(file)):
        PartyRelease.read(tmp_path / "clinic")


def test_other_broken_folders(tmp_path: Path) -> None:
    sent = send("clinic", people(50))
    sent.write(tmp_path / "clinic")
    (tmp_path / "clinic" / "more").write_text("")
    with pytest.raises(ReleaseError, match="does not list: more"):
        PartyRelease.read(tmp_path / "clinic")
    with pytest.raises(ReleaseError, match="no folder"):
        PartyRelease.read(tmp_path / "nowhere")
    with pytest.raises(ReleaseError, match="holds a release already"):
        sent.write(tmp_path / "clinic")
    sent.write(tmp_path / "clinic", overwrite=True)
    card = tmp_path / "clinic" / "card.json"
    card.write_text(json.dumps({**json.loads(card.read_text()), "version": 9}))
    with pytest.raises(ReleaseError, match="version 9"):
        PartyRelease.read(tmp_path / "clinic")
    join(everyone(people(20))).release.write(tmp_path / "all")
    with pytest.raises(ReleaseError, match="no card of a party"):
        PartyRelease.read(tmp_path / "all")


@pytest.mark.parametrize("kind", [".csv", ".parquet"])
def test_files_give_what_frames_give(tmp_path: Path, kind: str) -> None:
    frame = people(300)
    path = tmp_path / f"clinic{kind}"
    (pc.write_csv if kind == ".csv" else pq.write_table)(pa.table(frame), path)
    told: dict[str, Any] = {"id": "person", "secret": SECRET, "seed": "clinic"}
    file, here = disguise_party(path, agreed(), "clinic", **told), send("clinic", frame)
    assert np.array_equal(file.keys, here.keys)  # type: ignore[arg-type]
    assert np.array_equal(here.table.columns["smoker"], file.table.columns["smoker"])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=6))
def test_sorted_keys_are_known_as_such_by_both_halves(pairs: list[tuple[int, int]]) -> None:
    keys = np.array(pairs, np.uint64).reshape(-1, 2)
    assert _is_sorted(keys) == (pairs == sorted(pairs))


@given(st.lists(st.integers(0, 4), max_size=5))
def test_records_are_moved_unless_all_stand_in_order(places: list[int]) -> None:
    kept = np.array(places, np.int64)
    assert bool(_differ({"a": np.arange(3), "b": kept})) == (places != [*range(len(places))])


def plain(form: dict[str, Any]) -> Agreement:
    """The agreement with nothing left to chance."""
    parties = {name: {**party, "theta": 1} for name, party in form["parties"].items()}
    return agreed({**form, "parties": parties})


def test_those_at_two_parties_are_left_out_and_no_others() -> None:
    """Who is at both smokes, nobody else does."""
    frame, agreement = people(60), plain(RECORDS)
    frame["smoker"] = np.where(np.arange(60) // 10 == 3, "yes", "no")
    north = send("north", some(frame, slice(0, 40)), agreement)
    south = send("south", some(frame, slice(30, 60)), agreement)
    joined = join([north, south], keep_matching=True)
    assert joined.left_out == Mismatch(shared=10)
    for part, rows in zip(joined.release.parts, (30, 20), strict=True):
        columns = part.table.collect(60).columns
        assert columns["smoker"].tolist() == [0] * rows


def test_a_party_without_ids_beside_two_that_share_some() -> None:
    frame = people(40)
    form = {**RECORDS, "parties": {**RECORDS["parties"], "west": RECORDS["parties"]["north"]}}
    agreement = agreed(form)
    west = disguise_party(some(frame, slice(0, 7)), agreement, "west", seed=1)
    north = send("north", some(frame, slice(0, 20)), agreement)
    south = send("south", some(frame, slice(18, 40)), agreement)
    joined = join([west, north, south], keep_matching=True)
    assert [part.table.rows for part in joined.release.parts] == [18, 20, 7]


def keyed(sent: PartyRelease, *keys: tuple[int, int]) -> PartyRelease:
    """The first records of a party, under other keys."""
    table = sent.table.slice(0, len(keys))
    return replace(sent, table=table.collect(len(keys)), keys=np.array(keys, np.uint64))


def test_ids_that_differ_in_the_upper_half_only_are_others() -> None:
    frame, agreement = people(20), agreed(RECORDS)
    north, south = (send(name, frame, agreement) for name in ("north", "south"))
    parties = [keyed(north, (1, 5), (2, 5)), keyed(south, (1, 5), (3, 5))]
    with pytest.raises(DataError, match="1 ids are with more than one party"):
        join(parties)
    joined = join(parties, keep_matching=True)
    assert [part.table.rows for part in joined.release.parts] == [1, 1]
    parties = [keyed(north, (1, 5), (2, 5)), keyed(south, (4, 5), (3, 5))]
    assert join(parties).release.rows == 4


def test_one_party_may_send_the_class_for_all() -> None:
    frame = people(50)
    parties = {
        name: {**party, "class": name == "office"} for name, party in COLUMNS["parties"].items()
    }
    agreement = plain({"parties": parties})
    joined = join(everyone(frame, agreement)).release
    codes = joined.parts[0].table.collect(50).columns["ill"]
    assert int(codes.sum()) == int((frame["ill"] == "yes").sum())
    assert joined.rows == 50


def test_one_party_alone_is_joined() -> None:
    frame = people(30)
    names = [attribute.name for attribute in SCHEMA.inputs]
    alone = agreed({"parties": {"clinic": {"groups": [[name] for name in names], "theta": 0.8}}})
    assert join(everyone(frame, alone)).release.rows == 30


def test_a_release_is_stamped_if_any_of_it_came_from_a_seed() -> None:
    frame = people(30)
    fresh = [send(party, frame, seed=None) for party in COLUMNS["parties"]]
    assert not join(fresh).release.seeded
    assert join(fresh, seed=1).release.seeded
    assert join([send("clinic", frame, seed=1), *fresh[1:]]).release.seeded


def test_records_of_columns_need_keys() -> None:
    clinic, office, council = everyone(people(20))
    with pytest.raises(ReleaseError, match="'office' sent records without keys"):
        join([clinic, replace(office, keys=None), council])


def test_records_are_sorted_by_key() -> None:
    """So that their order says nothing to whoever lacks the secret."""
    sent = send("clinic", people(40))
    assert sent.keys is not None
    assert [tuple(key) for key in sent.keys.tolist()] == sorted(map(tuple, sent.keys.tolist()))
    assert not PartyRelease("clinic", agreed(), sent.table, None, None).seeded


def test_nothing_that_did_not_fit_is_nothing() -> None:
    assert not Mismatch()
    assert Mismatch().sentences() == []
    for one in (
        Mismatch({"a": 1}),
        Mismatch({}, {"a": 1}),
        Mismatch(shared=1),
        Mismatch(classes=1),
    ):
        assert one
        assert len(one.sentences()) == 1


def test_agreements_that_differ_say_in_what() -> None:
    frame = people(20)
    clinic = send("clinic", frame)
    north = send("north", frame, agreed(RECORDS))
    with pytest.raises(PlanError, match="there is another split"):
        join([clinic, north])
    target = Schema(list(SCHEMA), target="ill", learned=True)
    office = send("office", frame, Agreement.from_dict(COLUMNS, target))
    with pytest.raises(PlanError, match=r"there is another schema\."):
        join([clinic, office])


def test_files_hold_as_many_records_as_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pc.write_csv(pa.table(people(20)), tmp_path / "all.csv")
    pc.write_csv(pa.table(people(20)).slice(0, 0), tmp_path / "none.csv")
    told: dict[str, Any] = {"id": "person", "secret": SECRET, "seed": 1}
    with pytest.raises(DataError, match=r"'clinic' has no records|no records"):
        disguise_party(tmp_path / "none.csv", agreed(), "clinic", **told)
    monkeypatch.setattr(disguise, "IN_MEMORY", 20)
    assert disguise_party(tmp_path / "all.csv", agreed(), "clinic", **told).rows == 20
    monkeypatch.setattr(disguise, "IN_MEMORY", 19)
    with pytest.raises(DataError, match="at most 19 of them"):
        disguise_party(tmp_path / "all.csv", agreed(), "clinic", **told)


def resealed(folder: Path, **changes: Any) -> None:
    card = json.loads((folder / "card.json").read_bytes()) | changes
    del card["checksum"]
    (folder / "card.json").write_bytes(seal(card, 1))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rows": 19}, "does not hold what its card says"),
        ({"rows": 20.0}, "cut short, or was altered"),
        ({"party": 3}, "cut short, or was altered"),
        ({"secret": 3}, "cut short, or was altered"),
        ({"seeded": True}, "cut short, or was altered"),
        ({"files": []}, "cut short, or was altered"),
        ({"files": {"keys.bin": "0"}}, "cut short, or was altered"),
        ({"more": 1}, "cut short, or was altered"),
        ({"party": "office"}, "does not hold what its card says"),
        ({"party": "nobody"}, "does not make sense"),
        ({"agreement": 3}, "does not make sense"),
    ],
    ids=str,
)
def test_a_card_that_does_not_fit_its_files(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    send("clinic", people(20)).write(tmp_path / "clinic")
    resealed(tmp_path / "clinic")
    assert PartyRelease.read(tmp_path / "clinic").rows == 20
    resealed(tmp_path / "clinic", **change)
    with pytest.raises(ReleaseError, match=said):
        PartyRelease.read(tmp_path / "clinic")


def test_records_without_keys_come_back_without_them(tmp_path: Path) -> None:
    agreement = agreed(RECORDS)
    sent = disguise_party(people(20), agreement, "north")
    sent.write(tmp_path / "north")
    assert sorted(path.name for path in (tmp_path / "north").iterdir()) == [
        "card.json",
        "records.parquet",
    ]
    card = (tmp_path / "north" / "card.json").read_text()
    assert card.startswith('{\n "format": "privet party",\n "version": 1,\n "party": "north",')
    back = PartyRelease.read(tmp_path / "north")
    assert (back.keys, back.secret, back.seeded, back.rows) == (None, None, False, 20)
    assert repr(back) == "<PartyRelease of 'north', 20 records>"


def test_codes_and_keys_must_be_as_many_and_as_small_as_the_card_says(tmp_path: Path) -> None:
    sent = send("clinic", people(20))
    columns = {name: column.copy() for name, column in sent.table.columns.items()}
    columns["ill"][3] = 2
    wrong = [replace(sent, table=MemoryTable(columns))]
    assert sent.keys is not None
    wrong.append(replace(sent, keys=sent.keys[:19]))
    for bad in wrong:
        bad.write(tmp_path / "bad", overwrite=True)
        with pytest.raises(ReleaseError, match="does not hold what its card says"):
            PartyRelease.read(tmp_path / "bad")
