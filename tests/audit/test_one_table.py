"""A thief of one whole table of a complement: what the attack gets, and what is said of it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.audit.attacks.one_table import from_lacking, from_moved
from privet.disguise.unrealize import PICKS
from privet.errors import ReleaseError
from privet.files.sealed import seal
from privet.release import Release

SCHEMA = pv.Schema(
    [
        pv.Attribute.categorical("season", ["winter", "spring", "summer", "autumn"]),
        pv.Attribute.categorical("fever", ["no", "yes"]),
        pv.Attribute.categorical("rash", ["no", "yes"]),
        pv.Attribute.categorical("travelled", ["no", "yes"]),
        pv.Attribute.categorical("infected", ["no", "yes"]),
    ],
    target="infected",
)


def visitors(rows: int = 200) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    told = {"fever": 0.4, "rash": 0.2, "travelled": 0.15}
    made: dict[str, Any] = {
        "season": np.array(["winter", "spring", "summer", "autumn"])[rng.integers(0, 4, rows)]
    }
    made |= {name: np.where(rng.random(rows) < share, "yes", "no") for name, share in told.items()}
    infected = (made["fever"] == "yes") & (made["travelled"] == "yes")
    return made | {"infected": np.where(infected, "yes", "no")}


def attacked(pick: Any, *, owner: bool = True) -> dict[str, Any]:
    table = visitors()
    release = pv.Complement(pick=pick).disguise(table, SCHEMA)
    told = pv.audit(
        release, table if owner else None, attacks=["one-table"], trees=False, seed=1
    ).attacks
    return {outcome.about: outcome for outcome in told}


@pytest.mark.parametrize("owner", [True, False])
@pytest.mark.parametrize("pick", PICKS)
def test_one_table_tells_most_records(pick: str, owner: bool) -> None:
    told = attacked(pick, owner=owner)
    perturbing, unreal = told["record (T^P)"], told["record (T′)"]
    assert perturbing.control == unreal.control == 1.0
    assert perturbing.value > perturbing.blind + 0.2
    assert (perturbing.null or 0.0) < perturbing.value
    assert "correlate by 0.9" in perturbing.detail or pick == "dummy"
    if pick == "dummy":
        assert perturbing.value == 1.0
        assert unreal.value < unreal.blind + 0.2  # dummies only


@pytest.mark.parametrize("pick", PICKS[:3])
def test_guesses_are_as_many_records_as_were_collected(pick: Any) -> None:
    release = pv.Complement(pick=pick).disguise(visitors(), SCHEMA)
    assert release.universe is not None
    unreal, lacking = (release.universe.collected([part]) for part in release.parts)
    rng = np.random.default_rng(1)
    moved = release.universe.copies - unreal
    for guess in (*from_lacking(lacking, rng), from_moved(moved, 200, rng)):
        assert guess.min() >= 0
        assert guess.sum() == 200


def test_a_large_universe_hides_nothing_from_a_thief_who_knows_the_order() -> None:
    wide = pv.Schema(
        [*SCHEMA, pv.Attribute.categorical("day", list(map(str, range(365))))], target="infected"
    )
    table = visitors() | {"day": np.random.default_rng(1).integers(0, 365, 200).astype(str)}
    release = pv.Complement("first").disguise(table, wide)
    told = pv.audit(release, table, attacks=["one-table"], trees=False, seed=1).attacks
    assert told[0].value > 0.9
    assert told[0].blind < 0.1


@pytest.mark.parametrize("pick", PICKS)
def test_the_claim_says_what_one_table_tells(pick: Any) -> None:
    claim = pv.Complement(pick=pick).claim(SCHEMA)
    said = " ".join(claim.sentences())
    assert "not from someone who gets a whole table" in said
    assert ("T^P alone gives every collected record back" in said) is (pick == "dummy")
    assert ("T^P alone is enough to guess many" in said) is (pick != "dummy")
    assert ("One row of each table" in said) is (pick != "dummy")  # with dummies that of T^P does


def rewrite(path: Path, card: dict[str, Any]) -> None:
    """Write an altered card, with its checksum made anew."""
    card.pop("checksum", None)
    path.write_bytes(seal(card, 1))


@pytest.mark.parametrize("pick", ["first", "dummy"])
def test_cards_from_before_still_load(tmp_path: Path, pick: Any) -> None:
    made = pv.Complement(pick=pick).disguise(visitors(), SCHEMA, to=tmp_path / "r")
    path = tmp_path / "r" / "card.json"
    card = json.loads(path.read_text())
    notes = card["claim"]["notes"]
    whole = notes.pop(1)
    notes[0] = (
        "Both tables together give every collected record back, exactly: complementation "
        "protects only from someone who gets a part of them."
    )
    notes[1] = notes[1].replace("One row of T^P", "One row of each table for the same record")
    rewrite(path, card)
    assert Release.read(tmp_path / "r").claim == made.claim  # in the words of now
    assert whole in made.claim.notes
    del notes[1]
    rewrite(path, card)
    with pytest.raises(ReleaseError, match="claims something else"):
        Release.read(tmp_path / "r")
