"""``privet keygen``, ``--sign``, ``privet verify`` and ``--by``: who made what is read."""

from pathlib import Path

import pytest

from privet.signing import SIGNATURE
from tests.cli.running import run, run_json
from tests.cli.test_party import agreed, study  # noqa: F401 - a fixture


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    run("generate", "weather", "-o", "w.csv", "--schema", "w.toml")
    for name in ("owner.key", "other.key"):
        run("keygen", "-o", name)
    run("disguise", "w.csv", "--schema", "w.toml", "--gamma", 8, "--sign", "owner.key", "-o", "r")
    return tmp_path


def test_keygen_writes_two_files_and_no_secret_on_the_screen(folder: Path) -> None:
    told = run("keygen", "-o", "third.key")
    key = Path("third.key").read_text()
    assert Path("third.key").stat().st_mode & 0o777 == 0o600
    private = key.split('"private": "')[1][:64]
    assert private not in told.stdout + told.stderr
    assert private not in Path("third.key.pub").read_text()
    assert "exists already" in run("keygen", "-o", "third.key", code=2).stderr


def test_verify_says_what_it_knows(folder: Path) -> None:
    assert "signed by a key you have not named" in run("verify", "r").stdout
    assert "as asked" in run("verify", "r", "--by", "owner.key.pub").stdout
    assert "another key" in run("verify", "r", "--by", "other.key.pub", code=2).stderr
    form = run_json("verify", "r", "--by", "owner.key.pub")
    assert form["named"]
    assert form["rows"] == 14
    assert form["signed_by"] in run("verify", "r").stdout
    Path("r", SIGNATURE).unlink()
    assert "not signed" in run("verify", "r").stdout
    assert "not signed" in run("verify", "r", "--by", "owner.key.pub", code=2).stderr
    assert run_json("verify", "r")["signed_by"] is None


@pytest.mark.parametrize(
    "command",
    [
        ("show", "r"),
        ("mine", "r"),
        ("shares", "r", "Outlook"),
        ("crosstab", "r", "Outlook", "Wind"),
        ("audit", "r", "--no-trees"),
        ("score", "tree.json", "r"),
    ],
)
def test_every_command_that_reads_a_release(folder: Path, command: tuple[str, ...]) -> None:
    run("mine", "w.csv", "--schema", "w.toml", "-o", "tree.json")
    words = list(command)
    assert "signed by a key you have not named" in run(*words).stderr
    assert "have not named" not in run(*words, "--by", "owner.key.pub").stderr
    assert "another key" in run(*words, "--by", "other.key.pub", code=2).stderr
    Path("r", SIGNATURE).unlink()
    assert "signed" not in run(*words).stderr
    assert "not signed" in run(*words, "--by", "owner.key.pub", code=2).stderr


def test_only_a_release_is_signed(folder: Path) -> None:
    run("mine", "w.csv", "--schema", "w.toml", "-o", "tree.json")
    by = ("--by", "owner.key.pub")
    for words in (
        ("mine", "w.csv", "--schema", "w.toml"),
        ("score", "tree.json", "w.csv"),
        ("show", "tree.json"),
    ):
        assert "only releases are signed" in run(*words, *by, code=2).stderr
    common = ("w.csv", "--schema", "w.toml", "--gamma", 8, "-o", "s", "--sign")
    assert "can be read by others" in run("disguise", *common, "w.toml", code=2).stderr
    assert not Path("s").exists()


def test_parties_sign_and_the_join_asks_for_each(study: Path) -> None:  # noqa: F811
    folders = []
    for party in ("clinic", "office", "council"):
        run("keygen", "-o", study / f"{party}.key")
        folders.append(study / f"{party}.party")
        common = ("--id", "person", "--secret", study / "secret.key", "-o", folders[-1])
        signed = ("--sign", study / f"{party}.key")
        words = (*agreed(study), "--party", party, *common, *signed)
        run("party", "disguise", study / "all.csv", *words)
    assert "as asked" in run("verify", folders[0], "--by", study / "clinic.key.pub").stdout
    named = [
        word
        for party in ("clinic", "office")
        for word in ("--by", f"{party}={study / party}.key.pub")
    ]
    told = run("party", "join", *folders, *named, "-o", study / "all.release")
    assert told.stderr.count("have not named") == 1
    assert "council.party" in told.stderr
    wrong = ("--by", f"council={study / 'clinic'}.key.pub", "-o", study / "x")
    assert "another key" in run("party", "join", *folders, *wrong, code=2).stderr
    wrong = ("--by", f"mayor={study / 'clinic'}.key.pub", "-o", study / "x")
    assert "sent nothing" in run("party", "join", *folders, *wrong, code=2).stderr
    (folders[0] / SIGNATURE).unlink()
    assert "not signed" in run("party", "join", *folders, *named, "-o", study / "x", code=2).stderr
