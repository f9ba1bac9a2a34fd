"""Signatures: nothing but the owner's key makes them, and none that is asked for may be absent."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from privet.disguise import Exact, Plan, RandomNoise, Substitution
from privet.disguise.base import Disguise
from privet.errors import InputError, PlanError, ReleaseError
from privet.files.sealed import seal
from privet.party import PartyRelease
from privet.release import Release
from privet.signing import SIGNATURE, PublicKey, SigningKey, sign, signer_of
from tests.disguise.people import SCHEMA, people
from tests.flips import flipped
from tests.party.study import people as patients
from tests.party.study import send

PLAN = Plan({"rent": Exact()}, default=Substitution(8))
KEY, OTHER = SigningKey.new(), SigningKey.new()


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    PLAN.disguise(people(200), SCHEMA, seed=1).write(tmp_path / "r", sign=KEY)
    return tmp_path / "r"


def test_a_release_tells_who_signed_it(signed: Path) -> None:
    assert Release.read(signed).signed_by == KEY.public
    assert Release.read(signed, by=KEY.public).rows == 200
    with pytest.raises(ReleaseError, match=f"signed by another key.*{OTHER.public}"):
        Release.read(signed, by=OTHER.public)


def test_a_stripped_signature_is_no_pass(signed: Path) -> None:
    (signed / SIGNATURE).unlink()
    assert Release.read(signed).signed_by is None
    with pytest.raises(ReleaseError, match="is not signed"):
        Release.read(signed, by=KEY.public)


@pytest.mark.parametrize("method", [PLAN, RandomNoise()])
@pytest.mark.parametrize("kind", ["memory", "file"])
def test_every_way_of_writing_signs(tmp_path: Path, method: Disguise, kind: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    records: object = people(200)
    if kind == "file":
        pq.write_table(pa.table(people(200)), tmp_path / "t.parquet")
        records = tmp_path / "t.parquet"
    made = method.disguise(records, SCHEMA, to=tmp_path / "r", sign=KEY)
    assert made.signed_by == KEY.public
    with pytest.raises(PlanError, match="signed when it is written"):
        method.disguise(people(200), SCHEMA, sign=KEY)


def test_what_is_made_of_a_signed_release_is_not_signed(signed: Path, tmp_path: Path) -> None:
    release = Release.read(signed)
    for part in (*release.split(0.5), replace(release), release.with_target("car")):
        assert part.signed_by is None
    release.write(tmp_path / "copy")
    assert Release.read(tmp_path / "copy").signed_by is None


def test_a_forger_without_the_key(signed: Path, tmp_path: Path) -> None:
    """Who makes all checksums right again still lacks the signature, whatever is tried."""
    PLAN.disguise(people(200, seed=2), SCHEMA, seed=2).write(tmp_path / "forged", sign=OTHER)
    for name in ("card.json", "part-0.parquet"):  # all but the signature
        (tmp_path / "forged" / name).replace(signed / name)
    with pytest.raises(ReleaseError, match=r"signature\.json is no signature of the card"):
        Release.read(signed)
    card = (signed / "card.json").read_bytes()
    mine = SigningKey.new()
    form = {"format": "privet signature", "version": 1, "algorithm": "Ed25519"}
    claims = {"public": str(KEY.public), "signature": mine.sign(card).hex()}
    (signed / SIGNATURE).write_bytes(seal({**form, **claims}, 1))
    with pytest.raises(ReleaseError, match="no signature of the card"):
        Release.read(signed, by=KEY.public)


def test_a_signature_of_the_same_bytes_for_something_else_is_none() -> None:
    private = Ed25519PrivateKey.generate()
    key = SigningKey(private.private_bytes_raw())
    card = b"{}\n"
    form = {"format": "privet signature", "version": 1, "algorithm": "Ed25519"}
    bare = {**form, "public": str(key.public), "signature": private.sign(card).hex()}
    with pytest.raises(ReleaseError, match="no signature of the card"):
        signer_of(card, seal(bare, 1), Path(SIGNATURE))
    assert signer_of(card, sign(card, key), Path(SIGNATURE)) == key.public


def test_every_flipped_bit_of_a_signature_is_found(signed: Path) -> None:
    card, good = ((signed / name).read_bytes() for name in ("card.json", SIGNATURE))
    for bad in flipped(good):
        with pytest.raises(ReleaseError, match=r"signature\.json"):
            signer_of(card, bad, signed / SIGNATURE)
    (signed / SIGNATURE).write_bytes(good + b" " * 5000)
    with pytest.raises(ReleaseError, match=r"signature\.json cannot be read: it has more"):
        Release.read(signed)


@pytest.mark.parametrize(
    "fields",
    [
        {"public": "00" * 32},
        {"public": "00" * 32, "signature": "00" * 63},
        {"public": "00" * 32, "signature": 7},
        {"public": "zz" * 32, "signature": "00" * 64},
        {"public": ["00"], "signature": "00" * 64},
        {"public": "00" * 32, "signature": "00" * 64, "more": 1},
    ],
)
def test_odd_signature_files_are_errors_that_name_them(fields: dict[str, object]) -> None:
    form = {"format": "privet signature", "version": 1, "algorithm": "Ed25519", **fields}
    with pytest.raises(ReleaseError, match=r"signature\.json"):
        signer_of(b"card", seal(form, 1), Path("r") / SIGNATURE)


def test_keys_are_kept_private_and_whole(tmp_path: Path) -> None:
    KEY.write(tmp_path / "owner.key")
    KEY.public.write(tmp_path / "owner.pub")
    assert (tmp_path / "owner.key").stat().st_mode & 0o777 == 0o600
    assert SigningKey.read(tmp_path / "owner.key").public == KEY.public
    assert PublicKey.read(tmp_path / "owner.pub") == KEY.public
    for again in (KEY, KEY.public):
        with pytest.raises(InputError, match="never written over"):
            again.write(tmp_path / "owner.key")
    secret = KEY._data.hex()
    assert secret not in repr(KEY) + str(KEY) + str(KEY.public)
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(KEY)
    for name, read in (("owner.key", SigningKey.read), ("owner.pub", PublicKey.read)):
        good = (tmp_path / name).read_bytes()
        for bad in flipped(good):
            (tmp_path / name).write_bytes(bad)
            with pytest.raises(InputError, match=name.replace(".", r"\.")) as caught:
                read(tmp_path / name)
            assert secret not in str(caught.value)
        (tmp_path / name).write_bytes(good)
    (tmp_path / "owner.pub").chmod(0o600)
    with pytest.raises(InputError, match="no signing key"):
        SigningKey.read(tmp_path / "owner.pub")
    (tmp_path / "owner.key").chmod(0o644)
    with pytest.raises(InputError, match="read by others"):
        SigningKey.read(tmp_path / "owner.key")


def test_a_party_signs_what_it_sends(tmp_path: Path) -> None:
    sent = send("clinic", patients(50))
    sent.write(tmp_path / "clinic.party", sign=KEY)
    assert PartyRelease.read(tmp_path / "clinic.party", by=KEY.public).signed_by == KEY.public
    with pytest.raises(ReleaseError, match="another key"):
        PartyRelease.read(tmp_path / "clinic.party", by=OTHER.public)
    (tmp_path / "clinic.party" / SIGNATURE).unlink()
    with pytest.raises(ReleaseError, match="not signed"):
        PartyRelease.read(tmp_path / "clinic.party", by=KEY.public)
