"""Naive Bayes from estimated counts: the probability terms of each attribute by itself (ZCM §7).

Naive Bayes needs no joint table: P(c) and P(value | c) of one attribute at a time. Any release
tells these, with errors, however its columns went through channels; and parties that hold
different columns can each tell their own, so that no records have to meet.

A term is drawn towards what all classes have in common, the more the less is known of it: as if
``smoothing`` records more of the class were spread like all records. How many records a disguised
term is worth follows from its errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import Coding
from privet.errors import DataError, ReleaseError, TreeError
from privet.estimate.crosstab import inside_rows
from privet.estimate.observed import seen
from privet.estimate.shares import combined, estimated, gathering
from privet.files.reading import typed
from privet.files.sealed import Kind, seal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from privet.coding import Floats, Ints, Value
    from privet.release import Release

__all__ = ["KIND", "RANGES", "Term", "Terms", "counted_term", "equal_ranges", "terms_of"]

KIND = Kind("privet naive bayes", 1, TreeError, what="naive Bayes model", hint="write it anew.")
RANGES = 10  # that numbers are cut to, of about equal frequency
_LEAST = 1e-12  # of a share: no class is ever taken to be impossible


@dataclass(frozen=True, eq=False)
class Term:
    """P(value | class) of an attribute: ``shares`` is classes × values, ``errors`` theirs.

    Errors are about the population, of disguise and sampling together, before smoothing.
    """

    coding: Coding
    shares: Floats
    errors: Floats


@dataclass(frozen=True, eq=False)
class Terms:
    """A naive Bayes model: the classes with their shares, and the terms of every attribute."""

    target: str
    classes: tuple[Value, ...]
    prior: Floats
    prior_errors: Floats
    terms: tuple[Term, ...]
    rows: int
    seeded: bool = False

    @property
    def codings(self) -> tuple[Coding, ...]:
        """What each attribute's values are."""
        return tuple(term.coding for term in self.terms)

    def probabilities(self, values: Floats) -> Floats:
        """Return P(class | record); ``values`` is records × attributes, as trees read them.

        A category that nobody knew, and a missing number where none were, say nothing of a record.
        """
        scores = np.tile(np.log(np.maximum(self.prior, _LEAST)), (len(values), 1))
        for term, column in zip(self.terms, values.T, strict=True):
            logs = np.log(np.maximum(term.shares.T, _LEAST))
            if term.coding.ordered:
                known = ~np.isnan(column) | term.coding.missing
                lowest = float(np.asarray(term.coding.lower)[0])
                codes = term.coding.encode(np.where(known, column, lowest))
                scores += np.where(known[:, None], logs[codes], 0.0)
            else:
                codes = column.astype(np.int64)
                known = (codes >= 0) & (codes < len(logs))
                scores += np.where(known[:, None], logs[np.where(known, codes, 0)], 0.0)
        scores -= scores.max(axis=1, keepdims=True)
        shares = np.exp(scores)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)

    @classmethod
    def merged(cls, models: Iterable[Terms]) -> Terms:
        """Return one model of the terms of several parties, each with columns of its own.

        The classes' shares are the mean of what parties say, by their records.
        """
        several = list(models)
        first = several[0]
        names: set[str] = set()
        for model in several:
            if (model.target, model.classes) != (first.target, first.classes):
                message = "The terms are about different classes."
                raise ReleaseError(message, hint="all parties take one schema.")
            for coding in model.codings:
                if coding.name in names:
                    message = f"Attribute {coding.name!r} is in the terms of two parties."
                    hint = "join the records of parties that hold the same columns."
                    raise ReleaseError(message, hint=hint)
                names.add(coding.name)
        weights = np.array([model.rows for model in several], np.float64)
        weights /= weights.sum()
        prior = weights @ np.array([model.prior for model in several])
        # The same records: their errors are not independent, so the mean is no surer than each.
        errors = weights @ np.array([model.prior_errors for model in several])
        terms = tuple(term for model in several for term in model.terms)
        seeded = any(model.seeded for model in several)
        most = max(model.rows for model in several)
        return cls(first.target, first.classes, prior, errors, terms, most, seeded)

    # Files

    def to_json(self) -> str:
        """Return the model as JSON text, with a checksum."""
        form = {
            "format": KIND.mark,
            "version": KIND.version,
            "target": self.target,
            "classes": list(self.classes),
            "rows": self.rows,
            "seeded": self.seeded,
            "prior": self.prior.tolist(),
            "prior_errors": self.prior_errors.tolist(),
            "terms": [
                {
                    "coding": term.coding.to_dict(),
                    "shares": term.shares.tolist(),
                    "errors": term.errors.tolist(),
                }
                for term in self.terms
            ],
        }
        return seal(form).decode()

    @classmethod
    def from_json(cls, text: str | bytes, where: str = "The model") -> Terms:
        """Read what ``to_json`` wrote; an error names it by ``where``."""
        form = KIND.opened(text, where)
        try:
            classes = tuple(form["classes"])
            terms = tuple(
                Term(
                    Coding.from_dict(entry["coding"]),
                    np.array(entry["shares"], np.float64),
                    np.array(entry["errors"], np.float64),
                )
                for entry in typed(form["terms"], list)
            )
            prior, errors = (np.array(form[key], np.float64) for key in ("prior", "prior_errors"))
            fits = prior.shape == errors.shape == (len(classes),) and all(
                term.shares.shape == term.errors.shape == (len(classes), term.coding.size)
                for term in terms
            )
            rows, seeded = typed(form["rows"], int), typed(form["seeded"], bool)
            target = typed(form["target"], str)
        except (LookupError, TypeError, ValueError):
            fits = False
        if not fits:
            raise TreeError(f"{where} does not make sense.", hint=KIND.hint)
        return cls(target, classes, prior, errors, terms, rows, seeded)

    @classmethod
    def read(cls, path: str | Path) -> Terms:
        """Read a file."""
        return cls.from_json(seal(KIND.read(path)), str(path))

    def __str__(self) -> str:
        """Show P(value | class) in per cent, with errors."""
        shown = zip(self.classes, self.prior, self.prior_errors, strict=True)
        lines = [f"{self.target}: " + ", ".join(f"{name} {_percent(p, e)}" for name, p, e in shown)]
        for term in self.terms:
            lines.append(f"{term.coding.name}:")
            labels = [term.coding.label(code) for code in range(term.coding.size)]
            width = max(map(len, labels))
            lines += [
                f"  {label:{width}}  "
                + "  ".join(
                    f"{name}: {_percent(p, e)}"
                    for name, p, e in zip(
                        self.classes, term.shares[:, code], term.errors[:, code], strict=True
                    )
                )
                for code, label in enumerate(labels)
            ]
        return "\n".join(lines)


def _percent(share: float, error: float) -> str:
    return f"{100 * share:.1f} ± {100 * error:.1f} %"


def equal_ranges(margin: Floats, *, missing: bool = False, most: int = RANGES) -> Ints:
    """Return the range of each cell: neighbours of about equal frequency together.

    >>> equal_ranges(np.array([1.0, 1, 1, 1, 4]), most=2)
    array([0, 0, 0, 0, 1])
    """
    known = np.maximum(margin[: len(margin) - missing], 0.0)
    total = known.sum()
    if total <= 0:
        known, total = np.ones(len(known)), float(len(known))
    middles = (np.cumsum(known) - known / 2) / total
    places = np.minimum((middles * most).astype(np.int64), most - 1)
    ranges = np.unique(places, return_inverse=True)[1].astype(np.int64)
    return np.append(ranges, ranges.max(initial=-1) + 1) if missing else ranges


def _gathered(coding: Coding, ranges: Ints) -> Coding:
    """Return the coding of ranges of cells."""
    lower, upper = (np.asarray(side, np.float64) for side in (coding.lower, coding.upper))
    known = ranges[: coding.known]
    first = np.flatnonzero(np.diff(known, prepend=-1))
    last = np.append(first[1:], len(known)) - 1
    return Coding.cells(coding.name, lower[first], upper[last], missing=coding.missing)


def _smoothed(inside: Floats, margin: Floats, worth: Floats, rows: float, smoothing: float) -> Any:
    """Draw each class's shares towards those of all classes, by how many records they are worth."""
    common = (np.maximum(margin, 0.0) * rows + 1) / (rows + len(margin))
    common /= common.sum()
    weight = worth[:, None]
    return (weight * np.where(np.isfinite(inside), inside, common) + smoothing * common) / (
        weight + smoothing
    )


def counted_term(coding: Coding, counts: Floats, smoothing: float = 1.0) -> Term:
    """Return the term of plain counts, classes × values; numbers are cut to equal ranges."""
    if coding.ordered:
        ranges = equal_ranges(counts.sum(axis=0), missing=coding.missing)
        coding, counts = _gathered(coding, ranges), counts @ gathering([ranges]).T
    rows = counts.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = counts / rows
        errors = np.nan_to_num(np.sqrt(inside * (1 - inside) / rows))
    total = float(counts.sum())
    margin = counts.sum(axis=0) / total
    return Term(coding, _smoothed(inside, margin, rows[:, 0], total, smoothing), errors)


def terms_of(release: Release, smoothing: float = 1.0) -> Terms:
    """Return the naive Bayes model of a release's originals, with errors.

    Any release whose shares can be told will do: see ``privet.shares``.
    """
    if not release.rows:
        raise DataError("The release has no records.")
    target, classes = release.schema.target, release.schema.classes
    if len(classes) < 2:
        raise DataError(f"The class {target!r} has a single value: nothing to learn.")
    alone = [
        estimated(seen_part, np.eye(len(classes))) for seen_part in seen(release, (target,), {})
    ]
    prior, _, covariance, rows = combined(release, alone, population=True)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    terms = tuple(
        _term(release, target, len(classes), attribute.name, smoothing)
        for attribute in release.schema.inputs
    )
    return Terms(target, tuple(classes), prior, errors, terms, rows, release.seeded)


def _term(release: Release, target: str, classes: int, name: str, smoothing: float) -> Term:
    told = seen(release, (target, name), {})
    coding = told[0].columns[1].coding
    gather = np.eye(classes * coding.size)
    if coding.ordered:
        margins = [
            estimated(seen_part, np.eye(coding.size)) for seen_part in seen(release, (name,), {})
        ]
        ranges = equal_ranges(
            combined(release, margins, population=True)[0], missing=coding.missing
        )
        gather = gathering([np.arange(classes), ranges])
        coding = _gathered(coding, ranges)
    tables = [estimated(seen_part, gather) for seen_part in told]
    fitted, _, covariance, rows = combined(release, tables, population=True)
    table = fitted.reshape(classes, coding.size)
    inside, errors = inside_rows(table, covariance)
    errors = np.nan_to_num(errors)
    # Of so many records drawn at random the shares would have these errors.
    spread = np.nansum(inside * (1 - inside), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.nan_to_num(spread / (errors**2).sum(axis=1), posinf=float(rows))
    shares = _smoothed(inside, table.sum(axis=0), np.minimum(worth, rows), float(rows), smoothing)
    return Term(coding, shares, errors)
