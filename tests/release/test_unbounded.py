"""What a card says of noise without a bound, and what it may not say."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from privet.audit.true_pairs import method_of
from privet.disguise import CGADP, EGADP, GADP, ForestFramework, Framework, RandomNoise
from privet.disguise.noised import Noised
from privet.errors import ReleaseError
from privet.files.sealed import seal
from privet.release import Release
from privet.release.unbounded import UnboundedNoise
from tests.disguise.test_gadp import SCHEMA, people

METHODS = [ForestFramework(), Framework(), RandomNoise(), GADP(["pay"]), EGADP(), CGADP()]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.method)
def test_a_release_comes_back_from_its_folder(method: Noised, tmp_path: Path) -> None:
    made = method.disguise(people(300), SCHEMA, to=tmp_path / "r")
    back = Release.read(tmp_path / "r")
    assert back.unbounded == made.unbounded
    assert back.claim == made.claim == method.claim(SCHEMA)
    assert back.unbounded is not None
    assert back.unbounded.original_schema(back.schema) == SCHEMA
    assert back.unbounded.notes()[0] in back.claim.sentences()


@pytest.mark.parametrize(
    "change",
    [
        {"said": []},
        {"said": "nothing"},
        {"said": ["a\nb"]},
        {"said": ["x" * 1001]},
        {"more": 1},
        {"declared": {"pay": {"low": 0}}},
    ],
)
def test_a_card_that_says_something_else_does_not_load(
    change: dict[str, object], tmp_path: Path
) -> None:
    RandomNoise().disguise(people(50), SCHEMA, to=tmp_path / "r")
    path = tmp_path / "r" / "card.json"
    card = json.loads(path.read_text())
    card["unbounded_noise"] |= change
    del card["checksum"]
    path.write_bytes(seal(card, 1))
    with pytest.raises(ReleaseError, match="does not make sense"):
        Release.read(tmp_path / "r")


def test_a_card_without_its_noise_claims_too_much(tmp_path: Path) -> None:
    RandomNoise().disguise(people(50), SCHEMA, to=tmp_path / "r")
    path = tmp_path / "r" / "card.json"
    card = json.loads(path.read_text())
    del card["unbounded_noise"], card["checksum"]
    path.write_bytes(seal(card, 1))
    with pytest.raises(ReleaseError, match="of which nothing else is said"):
        Release.read(tmp_path / "r")


def test_noise_leaves_no_guarantee_whatever_is_said_of_the_columns() -> None:
    made = RandomNoise().disguise(people(50), SCHEMA)
    for words in ({}, dict.fromkeys(SCHEMA.names, "exact")):
        assert not replace(made, treatments=words).claim.formal
    assert replace(made, treatments={}, unbounded=None).claim.formal


def test_settings_are_plain_values() -> None:
    noise = GADP(["pay"], 0.5).noise_of_card(SCHEMA)
    assert UnboundedNoise.from_dict(json.loads(json.dumps(noise.to_dict()))) == noise


def test_a_method_that_a_reader_does_not_know_is_told_by_its_card(tmp_path: Path) -> None:
    """Another privet's method: its sentences are read, and no audit repeats it."""
    RandomNoise().disguise(people(50), SCHEMA, to=tmp_path / "r")
    path = tmp_path / "r" / "card.json"
    card = json.loads(path.read_text())
    noise = {"method": "secret-sauce", "settings": {"heat": 3}, "said": ["Numbers were cooked."]}
    card["unbounded_noise"] |= noise
    card["claim"]["notes"] = noise["said"]
    del card["checksum"]
    path.write_bytes(seal(card, 1))
    release = Release.read(tmp_path / "r")
    assert "Numbers were cooked." in release.claim.sentences()
    assert not release.claim.formal
    assert method_of(release) is None


def test_a_card_has_eight_sentences_at_most_of_a_thousand_letters() -> None:
    form = {"method": "m", "settings": {}, "declared": {}}
    for fine in (["x"], ["x" * 1000] * 8):
        assert UnboundedNoise.from_dict({**form, "said": fine}).said == tuple(fine)
    for wrong in (["x"] * 9, ["x" * 1001], [""], [], ["x", 1]):
        with pytest.raises(ReleaseError, match="not told as it should be"):
            UnboundedNoise.from_dict({**form, "said": wrong})
