"""``privet party``: several parties, one tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import PATH, examples, json_option, output_option, overwrite_option

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from privet.party import Agreement
    from privet.party.terms import Answer, Question

__all__ = ["command"]

_plan = click.option("--plan", type=PATH, required=True, help="The agreement (.toml).")
_schema = click.option("--schema", type=PATH, required=True, help="The public domains of all.")


@click.group(
    "party",
    epilog=examples(
        "privet party keygen --output secret.key",
        "privet party disguise clinic.csv --schema all.toml --plan parties.toml \\",
        "    --party clinic --id person --secret secret.key --output clinic.party",
        "privet party join clinic.party office.party --output all.release",
    ),
)
def command() -> None:
    """Let several parties mine one tree, each disguising at home."""


def _agreement(plan: Path, schema: Path) -> Agreement:
    from privet.party import Agreement
    from privet.schema import Schema

    return Agreement.read(plan, Schema.read(schema))


@command.command("keygen")
@output_option("The file to write the secret to.", required=True)
def keygen(output: Path) -> None:
    """Make the secret that the parties share, and the collector must not have."""
    from privet.cli.output import say
    from privet.party import new_secret

    new_secret(output)
    say(f"{output}: a secret, readable by you alone. Give it to the other parties, to nobody else.")


@command.command("plan")
@_plan
@_schema
@json_option
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
                    name: {
                        "claim": agreed.claim(name).to_json(),
                        "warnings": agreed.warnings(name),
                    }
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
@click.argument("table", type=PATH)
@_plan
@_schema
@click.option("--party", metavar="NAME", required=True, help="Who in the agreement you are.")
@click.option("--id", "id_", metavar="NAME", help="The column of ids, which is not released.")
@click.option("--secret", type=PATH, help="The parties' secret, made by: privet party keygen.")
@output_option("The folder to write to.", required=True)
@click.option("--drop-duplicates", is_flag=True, help="Leave out records whose id is not unique.")
@click.option("--seed", type=int, help="For tests only: the records are stamped NOT PRIVATE.")
@overwrite_option
@json_option
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
    overwrite: bool,
    as_json: bool,
) -> None:
    """Disguise a party's own TABLE by the agreement, for the collector."""
    from privet.cli.output import emit, note, say
    from privet.party import disguise_party, read_secret
    from privet.release.folder import check_free

    check_free(output, overwrite=overwrite)
    agreed = _agreement(plan, schema)
    held = None if secret is None else read_secret(secret)
    made = disguise_party(
        table, agreed, party, id=id_, secret=held, drop_duplicates=drop_duplicates, seed=seed
    )
    made.write(output, overwrite=overwrite)
    claim = agreed.claim(party)
    if as_json:
        form: dict[str, Any] = {"output": str(output), "rows": made.rows, "seeded": made.seeded}
        emit(form | {"claim": claim.to_json(), "warnings": agreed.warnings(party)})
        return
    say(f"{output}: {made.rows:,} records of {party}, keyed without their ids.")
    for sentence in claim.sentences():
        say(f"- {sentence}")
    for warning in agreed.warnings(party):
        note(f"Warning: {warning}")


@command.command("join")
@click.argument("parties", type=PATH, nargs=-1, required=True)
@output_option("The folder to write the release to.", required=True)
@click.option("--keep-matching", is_flag=True, help="Leave out the records that do not match.")
@overwrite_option
@json_option
def join_(
    parties: tuple[Path, ...], output: Path, keep_matching: bool, overwrite: bool, as_json: bool
) -> None:
    """Join the folders of all PARTIES into one release; no secret is needed."""
    from privet.cli.output import emit, say
    from privet.party import PartyRelease, join
    from privet.release.folder import check_free

    check_free(output, overwrite=overwrite)
    made = join([PartyRelease.read(path) for path in parties], keep_matching=keep_matching)
    made.release.write(output, overwrite=overwrite)
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


@command.command("count")
@click.argument("question", type=PATH)
@click.argument("party", type=PATH)
@output_option("The file to write the answer to.", required=True)
@overwrite_option
def count(question: Path, party: Path, output: Path, overwrite: bool) -> None:
    """Answer the collector's QUESTION from PARTY, the folder of your own disguised records.

    For parties that hold different records: they send counts and keep their records.
    """
    from privet.cli.files import write_text
    from privet.cli.output import say
    from privet.party import PartyRelease
    from privet.party.terms import Question, answer

    asked = Question.from_json(question.read_text(encoding="utf-8"))
    found = answer(asked, PartyRelease.read(party))
    write_text(output, found.to_json(), overwrite=overwrite)
    say(f"{output}: the counts of {len(asked.boxes):,} boxes over {found.rows:,} records.")


@command.command("grow")
@_plan
@_schema
@click.option("--answers", type=PATH, required=True, help="The folder of all answers so far.")
@click.option("--question", type=PATH, required=True, help="Where to write the next question.")
@output_option("Where to write the tree (JSON) when it is grown.", required=True)
@click.option("--policy", default="id3", show_default=True, help="cart or id3.")
@click.option("--max-depth", type=click.IntRange(1), help="The most tests on a path.")
@overwrite_option
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
    """Grow a tree from counts that parties answer: one question a level of the tree.

    Pass the question on to every party, put their answers in the folder, and run this again.
    """
    from privet.cli.files import check_free, write_text
    from privet.cli.output import say
    from privet.party.terms import UnansweredError, grow_by_terms
    from privet.tree.policy import Policy

    check_free(output, overwrite=overwrite)
    agreed = _agreement(plan, schema)
    held = _answers(answers)

    def ask(asked: Question) -> Mapping[str, Answer]:
        found = {party: held.get((asked.digest, party)) for party in agreed.members}
        there = {party: one for party, one in found.items() if one is not None}
        if len(there) < len(found):
            raise UnansweredError(asked, [party for party, one in found.items() if one is None])
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

    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.", hint="make it; it may be empty at first.")
    files = sorted(folder.glob("*.json"))
    read = [Answer.from_json(file.read_text(encoding="utf-8")) for file in files]
    return {(one.question, one.party): one for one in read}
