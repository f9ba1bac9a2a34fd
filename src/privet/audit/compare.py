"""Several plans for a table: accuracy against the worst attack, and which are worth choosing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from privet.audit.original import coded_original
from privet.audit.rendered import Rendered
from privet.audit.run import audit
from privet.audit.utility import plain_accuracy
from privet.audit.world import generator
from privet.disguise.plan import Plan
from privet.disguise.treatment import Exact
from privet.errors import DataError, InputError
from privet.progress import track
from privet.randomness import Randomness
from privet.schema import Files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from privet.disguise import Disguise
    from privet.schema import Schema

__all__ = ["Comparison", "Point", "compare", "pareto"]


@dataclass(frozen=True)
class Point:
    """One plan: how good trees from it are, and how far the worst attack gets.

    ``method`` is what the trees were mined by.
    """

    plan: str
    accuracy: float
    error: float
    advantage: float
    success: float
    blind: float
    attack: str
    about: str
    epsilon: float | None  # of a record; None where it has no bound
    plain: tuple[str, ...]
    front: bool = False
    method: str = ""


@dataclass(frozen=True)
class Comparison(Rendered):
    """Plans side by side; ``front`` are those that no other beats in both respects.

    >>> from privet.audit.compare import Comparison, Point
    >>> mild = Point("mild", 0.9, 0.01, 0.2, 0.4, 0.25, "guess", "age", 2.1, (), front=True)
    >>> Comparison((mild,), 0.95, 0.5, rows=1000).front
    ['mild']
    """

    points: tuple[Point, ...]
    plain_accuracy: float
    blind_accuracy: float
    rows: int

    @property
    def front(self) -> list[str]:
        """The names on the Pareto front, the most private first."""
        unbeaten = [point for point in self.points if point.front]
        return [point.plan for point in sorted(unbeaten, key=lambda point: point.advantage)]

    def to_dict(self) -> dict[str, Any]:
        """Return a plain form."""
        return {"format": "privet comparison", "version": 1, **asdict(self), "front": self.front}


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
    for name, plan in track(plans.items(), "comparing", len(plans)):
        with TemporaryDirectory(prefix="privet-compare-") as folder:
            to = Path(folder) / "release" if isinstance(Files.of(records), Files) else None
            release = plan.disguise(records, schema, to=to, seed=seed)
            kept = _released(agreed, release.schema)
            audited = audit(release, records, agreed=kept, attacks=chosen, seed=seed)
        worst, useful = audited.worst, audited.utility
        planned = replace(audited.facts, seeded=False)  # the trial's seed is not the plan's
        if useful is None or useful.plain is None:
            raise DataError(f"No tree can be grown from the plan {name!r}.")
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
                None if planned.unbounded else planned.disguised_epsilon,
                audited.facts.disclosed,
                method=useful.release.method,
            )
        )
    return Comparison(tuple(pareto(points)), *_originals(records, schema, seed))


def _originals(records: Any, schema: Schema, seed: int | None) -> tuple[float, float, int]:
    """Return how often a tree from the originals is right, how often no tree is, and their number.

    They are measured as they are, whatever the plans make of them or leave out, and stay in
    memory: plain records are not written to a temporary folder.
    """
    recipe = Plan({}, default=Exact()).recipe(schema)
    coded = recipe.release((), seeded=False, shuffled=True)
    with Randomness.of(seed) as source:
        rng = generator(source)
        original = coded_original(records, coded, rng)
        accuracy = plain_accuracy(coded, original, rng)
    counts = original.counts[schema.target]
    return accuracy, float(counts.max() / counts.sum()), original.rows


def _released(agreed: Iterable[str] | None, schema: Schema) -> list[str] | None:
    return None if agreed is None else [name for name in agreed if name in schema]


def pareto(points: Iterable[Point]) -> list[Point]:
    """Mark the plans that no other beats: at least as good in both respects, better in either."""
    compared = list(points)
    marked = []
    for point in compared:
        beaten = any(
            other.accuracy >= point.accuracy
            and other.advantage <= point.advantage
            and (other.accuracy > point.accuracy or other.advantage < point.advantage)
            for other in compared
        )
        marked.append(replace(point, front=not beaten))
    return marked
