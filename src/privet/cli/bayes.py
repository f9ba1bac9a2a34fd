"""``privet bayes``: naive Bayes from a release, or from the terms of several parties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from privet.estimate.bayes import Terms
    from privet.schema import Format

__all__ = ["command"]


@options.command(
    "privet bayes people.release --output model.json --test plain.csv",
    "privet bayes clinic.party --output clinic.json      # a party's own terms",
    "privet bayes clinic.json office.json --output model.json",
)
@click.argument("sources", type=options.EXISTING, nargs=-1, required=True, metavar="SOURCE...")
@options.output("Where to write the model (JSON), for: privet predict.")
@click.option(
    "--test",
    "test",
    type=options.TABLE,
    help="A plain table with the class, to measure accuracy on.",
)
@click.option("--smoothing", type=float, default=1.0, help="Smoothing, in records.")
@options.csv_format
@options.by
@options.overwrite
@options.as_json
def command(
    sources: tuple[Path, ...],
    output: Path | None,
    test: Path | None,
    smoothing: float,
    written: Format,
    by: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Learn naive Bayes: shares of each attribute's values in each class, with errors.

    A SOURCE is a release, a party's own folder, or a model that was written before: parties that
    hold different columns each publish their terms, and nothing has to be joined.
    """
    from privet.cli.files import check_free, write_text
    from privet.cli.output import emit, note, say
    from privet.errors import InputError
    from privet.estimate.bayes import Terms

    if not smoothing > 0:
        raise InputError("smoothing must be a number above 0.")
    check_free(output, overwrite=overwrite)
    model = Terms.merged([_terms(source, smoothing, by) for source in sources])
    if output is not None:
        write_text(output, model.to_json(), overwrite=overwrite)
    accuracy = None if test is None else _accuracy(model, test, written)
    if as_json:
        form: dict[str, Any] = {
            "target": model.target,
            "classes": list(model.classes),
            "prior": model.prior.tolist(),
            "prior_errors": model.prior_errors.tolist(),
            "attributes": [coding.name for coding in model.codings],
            "records": model.rows,
            "seeded": model.seeded,
            "output": None if output is None else str(output),
        }
        emit(form if accuracy is None else form | {"accuracy": accuracy})
        return
    say(str(model))
    if accuracy is not None:
        say(f"Accuracy on {test}: {100 * accuracy:.1f} %")
    if model.seeded:
        note("NOT PRIVATE: the records were drawn from a seed.")


def _terms(source: Path, smoothing: float, by: Path | None) -> Terms:
    from privet.cli.tables import CARD, read_release
    from privet.errors import InputError
    from privet.estimate.bayes import Terms, terms_of
    from privet.files.reading import parse_json
    from privet.party import PartyRelease, party_terms
    from privet.party.folder import KIND

    if source.is_file():
        if by is not None:
            message = f"{source} is a model, which nobody signs."
            raise InputError(message, hint="use --by with releases and parties' folders.")
        return Terms.read(source)
    try:
        card = parse_json((source / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        card = None  # reading the release tells what is wrong with it
    if isinstance(card, dict) and card.get("format") == KIND.mark:
        return party_terms(PartyRelease.read(source, by=by), smoothing)
    return terms_of(read_release(source, by), smoothing)


def _accuracy(model: Terms, test: Path, written: Format) -> float:
    """Return the share of a plain table's records that the model is right about."""
    import numpy as np

    from privet.cli.tables import attributes_of, placed, raw_batches, table_files
    from privet.coding import Coding
    from privet.records import read_by
    from privet.schema import Attribute

    target = Coding.categories(model.target, model.classes)
    asked = [*attributes_of(model), Attribute.categorical(model.target, model.classes)]
    right = rows = 0
    for batch in raw_batches(table_files(test, written), asked):
        with placed(batch):
            values = read_by(model.codings, batch.columns)
            labels = target.encode(batch.columns[model.target])
        right += int(np.sum(model.probabilities(values).argmax(axis=1) == labels))
        rows += batch.rows
    return right / rows
