"""``privet party``: several parties, one tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli import options

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from privet.cli.ledger import Spending
    from privet.party import Agreement, PartyRelease
    from privet.party.terms import Answer, Question
    from privet.schema import Format

__all__ = ["command"]

_plan = click.option("--plan", type=options.EXISTING, required=True, help="The agreement (.toml).")
_schema = click.option(
    "--schema", type=options.EXISTING, required=True, help="The schema of all parties' attributes."
)


@options.group(
    "privet party keygen --output secret.key",
    "privet party disguise clinic.csv --schema all.toml --plan parties.toml \\",
    "    --party clinic --id person --secret secret.key --output clinic.party",
    "privet party join clinic.party office.party --output all.release",
)
def command() -> None:
    """Let several parties mine one tree, each disguising at home."""


def _agreement(plan: Path, schema: Path) -> Agreement:
    from privet.party import Agreement
    from privet.schema import Schema

    return Agreement.read(plan, Schema.read(schema))


@command.command("keygen")
@options.output("The file to write the secret to.", required=True)
def keygen(output: Path) -> None:
    """Make the secret that the parties share, and the collector must not have."""
    from privet.cli.output import say
    from privet.party import new_secret

    new_secret(output)
    say(f"{output}: a secret, readable by you alone. Give it to the other parties, to nobody else.")


@command.command("collector")
@click.option("--new", metavar="NAME", help="Your party: draw a number, and print its hash.")
@options.output("With --new: the file to keep the number in until all hashes are there.")
@click.option(
    "--hash", "hashes", multiple=True, metavar="NAME=HASH", help="A party's hash; give all."
)
@click.option(
    "--number", "numbers", multiple=True, metavar="NAME=NUMBER", help="A party's number; give all."
)
@options.as_json
def collector(
    new: str | None,
    output: Path | None,
    hashes: tuple[str, ...],
    numbers: tuple[str, ...],
    as_json: bool,
) -> None:
    """Draw the collector among the parties, so that nobody chooses.

    First everyone runs it with --new and sends the hash that is printed to all. When all hashes are
    there everyone sends the number in its file, and anyone can draw with --hash and --number.
    """
    from privet.cli.output import emit, say
    from privet.errors import InputError
    from privet.files.writing import new_private_file
    from privet.party import commitment, draw_collector, new_number

    if new is not None:
        if output is None or hashes or numbers:
            raise InputError("--new takes --output, and nothing else.")
        number = new_number()
        try:
            new_private_file(output, number + "\n")
        except FileExistsError:
            message = f"{output} exists already: a number is never replaced."
            raise InputError(message, hint="choose another name.") from None
        told = commitment(new, number)
        if as_json:
            emit({"party": new, "hash": told, "output": str(output)})
        else:
            say(f"--hash {new}={told}")
        return
    drawn = [_named(hashes, "--hash"), _named(numbers, "--number")]
    chosen = draw_collector({*drawn[0], *drawn[1]}, *drawn)
    if as_json:
        emit({"collector": chosen, "parties": sorted(drawn[0])})
    else:
        say(f"{chosen} collects.")


def _named(texts: tuple[str, ...], option: str) -> dict[str, str]:
    from privet.errors import InputError

    pairs = [text.rpartition("=") for text in texts]
    named = {name: value for name, _, value in pairs}
    if len(named) < len(pairs) or not all(name for name, _, _ in pairs):
        raise InputError(f"{option} takes NAME=…, once for every party.")
    return named


@command.command("plan")
@_plan
@_schema
@options.as_json
def plan_(plan: Path, schema: Path, as_json: bool) -> None:
    """Say what an agreement promises each party's records, and warn of what it does not."""
    from privet.cli.output import emit, note, say

    agreed = _agreement(plan, schema)
    if as_json:
        emit(
            {
                "agreement": agreed.digest,
                "split": agreed.split,
                "parties": {
                    name: {"claim": agreed.claim(name).to_dict(), "warnings": agreed.warnings(name)}
                    for name in agreed.members
                },
            }
        )
        return
    for name in agreed.members:
        say(f"{name}:")
        for sentence in agreed.claim(name).sentences():
            say(f"- {sentence}")
        for warning in agreed.warnings(name):
            note(f"Warning: {warning}")


@command.command("disguise")
@click.argument("table", type=options.TABLE)
@_plan
@_schema
@click.option("--party", metavar="NAME", required=True, help="Your name in the agreement.")
@click.option("--id", "id_", metavar="NAME", help="The column of ids, which is not released.")
@click.option(
    "--secret", type=options.EXISTING, help="The parties' secret, made by: privet party keygen."
)
@options.output("The folder to write to.", required=True)
@click.option("--drop-duplicates", is_flag=True, help="Leave out records whose id is not unique.")
@click.option("--seed", type=int, help="For tests only: the records are stamped NOT PRIVATE.")
@options.csv_format
@options.keeping
def disguise(
    table: Path,
    plan: Path,
    schema: Path,
    party: str,
    id_: str | None,
    secret: Path | None,
    output: Path,
    drop_duplicates: bool,
    seed: int | None,
    written: Format,
    sign: Path | None,
    spending: Spending | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Disguise a party's own TABLE by the agreement, for the collector."""
    from privet.cli.output import emit, note, say
    from privet.cli.tables import table_files
    from privet.party import disguise_party, read_secret
    from privet.release.folder import check_free
    from privet.signing import SigningKey

    check_free(output, overwrite=overwrite)
    agreed = _agreement(plan, schema)
    agreed_secret = None if secret is None else read_secret(secret)
    key = None if sign is None else SigningKey.read(sign)
    if spending is not None:  # before anything is drawn: a crash counts as spent
        spending.spend(agreed.claim(party), output)
    made = disguise_party(
        table_files(table, written),
        agreed,
        party,
        id=id_,
        secret=agreed_secret,
        drop_duplicates=drop_duplicates,
        seed=seed,
    )
    made.write(output, overwrite=overwrite, sign=key)
    claim = agreed.claim(party)
    if as_json:
        form: dict[str, Any] = {"output": str(output), "rows": made.rows, "seeded": made.seeded}
        emit(form | {"claim": claim.to_dict(), "warnings": agreed.warnings(party)})
        return
    say(f"{output}: {made.rows:,} records of {party}, keyed without their ids.")
    for sentence in claim.sentences():
        say(f"- {sentence}")
    for warning in agreed.warnings(party):
        note(f"Warning: {warning}")


@command.command("join")
@click.argument("parties", type=options.EXISTING, nargs=-1, required=True)
@options.output("The folder to write the release to.", required=True)
@click.option("--keep-matching", is_flag=True, help="Leave out the records that do not match.")
@click.option(
    "--by",
    "signers",
    type=options.SIGNER(),
    multiple=True,
    help="Require this party's signature. Repeatable.",
)
@options.sign
@options.overwrite
@options.as_json
def join_(
    parties: tuple[Path, ...],
    output: Path,
    keep_matching: bool,
    signers: tuple[tuple[str, Path], ...],
    sign: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Join the folders of all PARTIES into one release; no secret is needed."""
    from privet.cli.output import emit, say
    from privet.party import join
    from privet.release.folder import check_free
    from privet.signing import SigningKey

    check_free(output, overwrite=overwrite)
    key = None if sign is None else SigningKey.read(sign)
    made = join(_sent(parties, dict(signers)), keep_matching=keep_matching)
    made.release.write(output, overwrite=overwrite, sign=key)
    left = made.left_out
    if as_json:
        form = {"output": str(output), "rows": made.release.rows, "parts": len(made.release.parts)}
        lost = {"duplicates": left.duplicates, "unmatched": left.unmatched}
        emit({**form, "left_out": {**lost, "shared": left.shared, "classes": left.classes}})
        return
    say(f"{output}: {made.release.rows:,} records of {len(parties)} parties.")
    for sentence in left.sentences():
        say(f"- Left out: {sentence}")
    for sentence in made.release.claim.sentences():
        say(f"- {sentence}")


def _sent(folders: tuple[Path, ...], signers: Mapping[str, Path]) -> list[PartyRelease]:
    """Read what the parties sent; a party whose public key is named must have signed it."""
    from privet.cli.output import remark
    from privet.cli.tables import signed_by_stranger
    from privet.errors import InputError
    from privet.party import PartyRelease
    from privet.signing import PublicKey, check_signer

    sent = [PartyRelease.read(folder) for folder in folders]
    names = [release.party for release in sent]
    for party in signers:
        if party not in names:
            message = f"--by names the party {party!r}, which sent nothing; there are "
            raise InputError(message + f"{', '.join(names)}.")
    for folder, release in zip(folders, sent, strict=True):
        if release.party in signers:
            check_signer(folder, release.signed_by, PublicKey.read(signers[release.party]))
        elif release.signed_by is not None:
            remark(signed_by_stranger(folder, release.signed_by))
    return sent


@command.command("count")
@click.argument("question", type=options.EXISTING)
@click.argument("party", type=options.EXISTING)
@options.output("The file to write the answer to.", required=True)
@options.overwrite
def count(question: Path, party: Path, output: Path, overwrite: bool) -> None:
    """Answer the collector's QUESTION from PARTY, the folder of your own disguised records.

    For parties that hold different records: they send counts and keep their records.
    """
    from privet.cli.files import write_text
    from privet.cli.output import say
    from privet.party import PartyRelease
    from privet.party.terms import Question, answer

    asked = Question.read(question)
    counted = answer(asked, PartyRelease.read(party))
    write_text(output, counted.to_json(), overwrite=overwrite)
    say(f"{output}: the counts of {len(asked.boxes):,} boxes over {counted.rows:,} records.")


@command.command("grow")
@_plan
@_schema
@click.option(
    "--answers", type=options.PATH, required=True, help="The folder of all answers so far."
)
@click.option(
    "--question", type=options.PATH, required=True, help="Where to write the next question."
)
@options.output("Where to write the tree (JSON) when it is grown.", required=True)
@click.option(
    "--policy", type=click.Choice(["cart", "id3"]), default="id3", help="How the tree grows."
)
@click.option("--max-depth", type=click.IntRange(1), help="The maximum depth: tests on a path.")
@options.overwrite
def grow_(
    plan: Path,
    schema: Path,
    answers: Path,
    question: Path,
    output: Path,
    policy: str,
    max_depth: int | None,
    overwrite: bool,
) -> None:
    """Grow a tree from counts that parties answer: one question per level of the tree.

    Pass the question on to every party, put their answers in the folder, and run this again.
    """
    from privet.cli.files import check_free, write_text
    from privet.cli.output import say
    from privet.party.terms import UnansweredError, grow_by_terms
    from privet.split.policy import Policy

    check_free(output, overwrite=overwrite)
    agreed = _agreement(plan, schema)
    given = _answers(answers)

    def ask(asked: Question) -> Mapping[str, Answer]:
        replies = {party: given.get((asked.digest, party)) for party in agreed.members}
        there = {party: answer for party, answer in replies.items() if answer is not None}
        if len(there) < len(replies):
            raise UnansweredError(
                asked, [party for party, answer in replies.items() if answer is None]
            )
        return there

    try:
        tree = grow_by_terms(agreed, ask, Policy.named(policy).but(max_depth=max_depth))
    except UnansweredError as error:
        write_text(question, error.question.to_json(), overwrite=True)
        say(f"{question}: {len(error.question.boxes):,} boxes to count, for {_listed(error)}.")
        return
    write_text(output, tree.to_json(), overwrite=overwrite)
    say(f"{output}: a tree of {tree.nodes:,} nodes; privet show {output} shows it.")


def _listed(error: Any) -> str:
    return ", ".join(error.parties)


def _answers(folder: Path) -> dict[tuple[str, str], Answer]:
    from privet.errors import InputError
    from privet.party.terms import Answer

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"The folder {folder} cannot be made: {error.strerror}."
        raise InputError(message, hint="choose another folder with --answers.") from None
    files = sorted(folder.glob("*.json"))
    read = [Answer.read(file) for file in files]
    return {(answer.question, answer.party): answer for answer in read}
