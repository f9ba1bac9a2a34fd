"""Several plans for one table: accuracy against the worst attack, and which are worth choosing."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from privet.audit.run import audit
from privet.audit.summary import _written
from privet.errors import DataError, InputError
from privet.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from privet.disguise import Disguise
    from privet.schema import Schema

__all__ = ["Comparison", "Point", "compare", "pareto"]


@dataclass(frozen=True)
class Point:
    """One plan: how good trees from it are, and how far the worst attack gets."""

    plan: str
    accuracy: float
    error: float
    advantage: float
    success: float
    blind: float
    attack: str
    about: str
    epsilon: float | None  # of what is disguised; None where noise has no bound
    plain: tuple[str, ...]
    front: bool = False


@dataclass(frozen=True)
class Comparison:
    """Plans side by side; ``front`` are those that no other beats in both respects."""

    points: tuple[Point, ...]
    plain_accuracy: float
    blind_accuracy: float
    rows: int

    @property
    def front(self) -> list[str]:
        """The names on the Pareto front, the most private first."""
        held = [point for point in self.points if point.front]
        return [point.plan for point in sorted(held, key=lambda point: point.advantage)]

    def to_dict(self) -> dict[str, Any]:
        """Return a plain form."""
        return {"format": "privet comparison", "version": 1, **asdict(self), "front": self.front}

    def to_json(self) -> str:
        """Return the comparison as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_html(self, path: str | Path | None = None) -> str:
        """Return one self-contained HTML page, and write it if a path is given."""
        from privet.audit.report.html import comparison_page

        return _written(comparison_page(self), path)

    def to_text(self, width: int = 100) -> str:
        """Return table and drawing for a terminal."""
        from privet.audit.report.terminal import comparison_text

        return comparison_text(self, width)

    def __str__(self) -> str:
        return self.to_text()


COMPARED = (
    "read",
    "guess",
    "joint",
    "linkage",
    "homogeneity",
    "nearest",
    "intervals",
    "regression",
    "noise-guess",
    "noise-recovery",
    "breach-posterior",
)


def compare(
    plans: Mapping[str, Disguise],
    records: Any,
    schema: Schema,
    *,
    agreed: Iterable[str] | None = None,
    attacks: Iterable[str] = COMPARED,
    seed: int | None = None,
) -> Comparison:
    """Disguise a table by each plan and audit the release with its originals.

    ``records`` is a frame, or the path of a file, which is then worked on out of core in a
    temporary folder.

    >>> import privet as pv
    >>> from privet.audit import compare
    >>> table, schema = pv.datasets.load("as-f1", rows=3000, seed=1), pv.datasets.schema("as-f1")
    >>> plans = {f"gamma {g}": pv.RandomSubstitution(gamma=g) for g in (2, 20)}
    >>> len(compare(plans, table, schema, seed=1).points)
    2
    """
    if not plans:
        raise InputError("There is no plan to compare.")
    chosen = list(attacks)
    points = []
    blind = accuracy = 0.0
    rows = 0
    for name, plan in track(plans.items(), "comparing", len(plans)):
        with TemporaryDirectory(prefix="privet-compare-") as folder:
            to = Path(folder) / "release" if isinstance(records, str | Path) else None
            release = plan.disguise(records, schema, to=to, seed=seed)
            kept = _released(agreed, release.schema)
            found = audit(release, records, agreed=kept, attacks=chosen, seed=seed)
        worst, useful = found.worst, found.utility
        if useful is None or useful.plain is None:
            raise DataError(f"No tree can be grown from the plan {name!r}.")
        accuracy, blind, rows = useful.plain.accuracy, useful.blind, release.rows
        points.append(
            Point(
                name,
                useful.release.accuracy,
                useful.release.error,
                0.0 if worst is None else worst.advantage,
                0.0 if worst is None else worst.value,
                0.0 if worst is None else worst.blind,
                "none" if worst is None else worst.attack,
                "" if worst is None else worst.about,
                None if found.facts.noisy else found.facts.disguised_epsilon,
                found.facts.disclosed,
            )
        )
    return Comparison(tuple(pareto(points)), accuracy, blind, rows)


def _released(agreed: Iterable[str] | None, schema: Schema) -> list[str] | None:
    return None if agreed is None else [name for name in agreed if name in schema]


def pareto(points: Iterable[Point]) -> list[Point]:
    """Mark the plans that no other one beats: at least as good in both respects, better in one."""
    held = list(points)
    marked = []
    for one in held:
        beaten = any(
            other.accuracy >= one.accuracy
            and other.advantage <= one.advantage
            and (other.accuracy > one.accuracy or other.advantage < one.advantage)
            for other in held
        )
        marked.append(replace(one, front=not beaten))
    return marked
