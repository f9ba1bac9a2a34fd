"""``privet survey``: ask people who disguise their own answers, and learn from what they sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from privet.survey import Results

__all__ = ["command"]

_survey = click.argument("survey", type=options.EXISTING, metavar="SURVEY.TOML")
_database = click.argument("database", metavar="DATABASE")
_KEY = "PRIVET_SURVEY_KEY"
_LINK = "http://127.0.0.1:8000/"


@options.group(
    "privet survey plan survey.toml --people 500",
    "privet survey rehearse survey.toml",
    "privet survey serve survey.toml",
    "privet survey results survey.db",
    "privet survey export survey.db --output survey.release",
)
def command() -> None:
    """Run a survey in which answers are disguised on the devices of those who give them.

    Nobody ever holds a true answer; shares, cross-tables and trees come out right all the same.
    DATABASE is an SQLite file, or a URL: postgresql://user@host/database.
    """


@command.command("plan")
@_survey
@click.option("--people", type=click.IntRange(1), default=500, help="How many answer.")
@options.as_json
def plan(survey: Path, people: int, as_json: bool) -> None:
    """Say what so many people would tell, and what is promised to each of them."""
    from privet.cli.output import emit, say
    from privet.survey import Questionnaire, forecast

    forecasted = forecast(Questionnaire.read(survey), people)
    emit(forecasted.to_dict()) if as_json else say("\n".join(forecasted.lines()))


@command.command("serve")
@_survey
@click.option("--database", help="Where answers go; by default beside the survey, ending in .db.")
@click.option("--host", default="127.0.0.1", help="The address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, help="The port; 0 takes any free one."
)
@click.option(
    "--by-invitation", is_flag=True, help="Each token for one answer: privet survey invite."
)
@click.option(
    "--rate",
    type=click.IntRange(1),
    default=120,
    help="Answers per minute and address, for open links.",
)
@click.option("--behind-proxy", is_flag=True, help="A proxy on this machine provides TLS.")
@click.option(
    "--access-log", is_flag=True, help="Log requests: addresses and times. Off by default."
)
def serve(
    survey: Path,
    database: str | None,
    host: str,
    port: int,
    by_invitation: bool,
    rate: int,
    behind_proxy: bool,
    access_log: bool,
) -> None:
    """Put the survey's page on the web, and take answers; Ctrl-C stops.

    The researcher's key is taken from the environment variable PRIVET_SURVEY_KEY, or made anew at
    each start.
    """
    import os
    import secrets

    from privet.cli.output import note, say
    from privet.store.answers import Answers
    from privet.survey import Questionnaire
    from privet.web.app import survey_app
    from privet.web.serve import is_loopback, listening, run

    asked = Questionnaire.read(survey)
    key = os.environ.get(_KEY) or secrets.token_urlsafe(24)
    url = database or survey.with_suffix(".db")
    with Answers.begin(url, asked.digest, asked.form, invited=by_invitation) as answers:
        app = survey_app(asked, answers, key, rate=rate)
        with listening(host, port) as at:
            link = f"http://{host}:{at.getsockname()[1]}/"
            if not is_loopback(host) and not behind_proxy:
                note(
                    "Warning: without TLS anyone on the network can change the page. Put a proxy "
                    "with a certificate in front, and use --behind-proxy."
                )

            def ready() -> None:
                invited = "#token=…  (privet survey invite)" if answers.invited else ""
                say(f"Survey:  {link}{invited}")
                say(f"Results: {link}results#key={key}")
                say(f"Answers: {answers.database.name}")

            run(app, at, ready, behind_proxy=behind_proxy, log=access_log)


@command.command("rehearse")
@_survey
@click.option("--people", type=click.IntRange(10), default=2_000, help="How many answer.")
@click.option("--seed", type=int, help="Of the people; their coins are always fresh.")
@click.option("--no-open", is_flag=True, help="End after the numbers; open no results page.")
def rehearse(survey: Path, people: int, seed: int | None, no_open: bool) -> None:
    """Let made-up people answer the survey through real HTTP, and compare with the truth.

    The answers go to a temporary database. The results' page opens in the browser until Ctrl-C.
    """
    import tempfile
    import webbrowser
    from pathlib import Path as File
    from threading import Event

    from privet.cli.output import say
    from privet.survey import Questionnaire
    from privet.web.rehearse import rehearsal

    asked = Questionnaire.read(survey)
    with (
        tempfile.TemporaryDirectory() as folder,
        rehearsal(asked, people, File(folder) / "rehearsal.db", seed) as seen,
    ):
        say("\n".join(seen.lines()))
        if no_open:
            return
        link = f"{seen.link}results#key={seen.key}"
        say(f"Survey:  {seen.link}")
        say(f"Results: {link}   (Ctrl-C ends)")
        webbrowser.open(link)
        Event().wait()


@command.command("invite")
@_database
@click.option(
    "--number", type=click.IntRange(1, 1_000_000), required=True, help="How many links to make."
)
@click.option(
    "--link",
    default=_LINK,
    help="The survey's address, as people reach it: see what privet survey serve printed.",
)
@options.output("Where to write the links; only you may read the file.", required=True)
def invite(database: str, number: int, link: str, output: Path) -> None:
    """Make links for one answer each. The database keeps hashes of their tokens only."""
    from privet.cli.output import say
    from privet.errors import InputError, SurveyError
    from privet.files.writing import new_private_file
    from privet.store.answers import Answers
    from privet.web.serve import new_tokens

    with Answers.open(database) as answers:
        if not answers.invited:
            message = f"The survey in {answers.database.name} has an open link."
            raise SurveyError(message, hint="begin it with privet survey serve --by-invitation.")
        made = new_tokens(number)
        lines = [f"{link.rstrip('/')}/#token={token}" for token in made]
        try:
            new_private_file(output, "\n".join(lines) + "\n")
        except FileExistsError:
            raise InputError(f"{output} exists already.", hint="choose another name.") from None
        answers.invite(token.encode() for token in made)
    say(f"{output}: {number:,} links. Send each to one person, in an order that tells nothing.")
    if link == _LINK:
        say(f"They begin with {link}; if the survey is elsewhere, make others with --link ADDRESS.")


def _results(database: str) -> tuple[Results, int]:
    from privet.store.answers import Answers
    from privet.survey import Questionnaire, Results

    with Answers.open(database) as answers:
        tally = answers.tally()
        asked = Questionnaire.from_dict(answers.form)
    return Results(asked, tally.counts), tally.waiting


@command.command("results")
@_database
@click.option("--lang", "language", metavar="LANGUAGE", help="The survey's first by default.")
@click.option("--crosstab", nargs=2, metavar="ROWS COLUMNS", help="How two questions go together.")
@click.option("--tree", metavar="QUESTION", help="What tells the answers to a question apart.")
@options.as_json
def results(
    database: str,
    language: str | None,
    crosstab: tuple[str, str] | None,
    tree: str | None,
    as_json: bool,
) -> None:
    """Show each question's shares with 95 % intervals, and what fakes could do.

    With --crosstab or --tree, that instead.
    """
    from privet.cli.output import emit, say
    from privet.errors import SurveyError

    if crosstab is not None and tree is not None:
        raise click.UsageError("--crosstab and --tree are asked one at a time.")
    told, waiting = _results(database)
    if crosstab is not None:
        _say_crosstab(told, *crosstab, as_json=as_json)
        return
    if tree is not None:
        _say_tree(told, tree, as_json=as_json)
        return
    known = told.questionnaire.languages
    if language is not None and language not in known:
        raise SurveyError(f"The survey has no texts in {language!r}; it has {', '.join(known)}.")
    if as_json:
        emit(told.to_dict(language) | {"waiting": waiting})
        return
    say("\n".join(told.lines(language)))
    if waiting:
        say(f"\n{waiting} more wait until ten do, and count then.")


def _say_crosstab(told: Results, first: str, second: str, *, as_json: bool) -> None:
    from privet.cli.output import emit, say

    table = told.crosstab(first, second)
    more = told.more_for(table.independence, first, second)
    if as_json:
        emit(table.to_dict() | {"more_answers": more})
        return
    say(str(table))
    if more is None:
        say("  No sign that they go together.")
    elif more:
        say(f"  Whether they go together cannot be told yet: about {more:,} more answers.")


def _say_tree(told: Results, name: str, *, as_json: bool) -> None:
    from privet.cli.output import emit, say

    grown = told.tree(name)
    if as_json:
        emit(grown.to_dict())
        return
    say(str(grown))
    if grown.nodes == 1:
        nearest, more = told.more_for_tree(name)
        if more is None:
            say("No question gives a sign of telling it apart.")
        elif more:
            say(f"Cannot be told yet: with about {more:,} more answers {nearest!r} may tell.")


@command.command("export")
@_database
@options.output("The folder of the release.", required=True)
@click.option("--target", metavar="NAME", help="The class; whoever mines can name one as well.")
@options.sign
@options.overwrite
@options.as_json
def export(
    database: str,
    output: Path,
    target: str | None,
    sign: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write the answers as an ordinary release: for shares, crosstab, mine and audit."""
    from privet.cli.output import emit, say

    told, waiting = _results(database)
    release = told.release if target is None else told.release.with_target(target)
    release.write(output, overwrite=overwrite, sign=sign)
    form: dict[str, Any] = {"output": str(output), "rows": release.rows, "waiting": waiting}
    if as_json:
        emit(form)
        return
    say(f"{output}: {release.rows:,} answers.")
    say("\n".join(f"- {sentence}" for sentence in release.claim.sentences()))


@command.command("close")
@_database
def close(database: str) -> None:
    """Take no more answers; the last ones, if fewer than ten wait, never come to count."""
    from privet.cli.output import say
    from privet.store.answers import Answers

    with Answers.open(database) as answers:
        left = answers.close()
        say(f"{answers.database.name} is closed: {answers.tally().counted:,} answers count.")
        if left:
            say(f"{left} came after the last ten and do not count: so few could be told apart.")
