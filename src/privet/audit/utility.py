"""What a release is still good for: trees from it beside plain and uncorrected ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.audit.true_pairs import encoded, monotone_names, pairs_of
from privet.disguise.decode import decode_tree
from privet.errors import DataError, MethodError, TreeError
from privet.estimate.accuracy import accuracy
from privet.mining import Mined, mine
from privet.progress import track
from privet.release import Part, Release
from privet.split import Policy
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.audit.original import Original
    from privet.audit.world import Case
    from privet.channel import Channel
    from privet.tree import Tree

__all__ = ["Grown", "Utility", "plain_accuracy", "utility"]

DEPTH = 6  # of all trees that are compared
SPLITS = 5
TRAINED = 0.7  # of the records; the others judge
ROWS = 200_000  # of a release without its originals that trees are grown from
MERGING = ("value-class", "binary", "flip")  # treatments that show less than they were given
RECORDS = 2_000_000  # of a complement that a plain tree is grown from


@dataclass(frozen=True)
class Grown:
    """A tree's accuracy about the originals, its standard error, and how it was grown.

    ``method`` is what it was mined by, where records were disguised.
    """

    name: str
    accuracy: float
    error: float
    leaves: float
    method: str = ""


@dataclass(frozen=True)
class Utility:
    """Accuracies of trees grown alike from the same rows, ``plain`` only with the originals.

    ``blind`` is that of always naming the commonest class. ``how`` says how they were judged.
    ``coarse`` tells that the release merges values, and that ``plain`` saw them merged, too.
    """

    release: Grown
    naive: Grown | None
    plain: Grown | None
    blind: float
    splits: int
    how: str
    coarse: bool = False

    @property
    def cost(self) -> float | None:
        """What the disguise costs: accuracy of the plain tree less that from the release."""
        return None if self.plain is None else self.plain.accuracy - self.release.accuracy


def utility(
    release: Release, original: Original | None, case: Case, method: str | None = None
) -> Utility | None:
    """Measure accuracies; None if no tree can be grown from the release.

    Without a ``method`` trees are mined as a miner would, by ``auto``; what it takes for the first
    of several trees is taken for the others.
    """
    try:
        if case.collected is not None:
            return _complemented(release, case, method)
        if original is None:
            return _from_release(release, method)
        return _from_original(release, original, case, method)
    except (DataError, MethodError, TreeError):
        return None


def _mined(release: Release, method: str | None) -> Mined:
    policy = Policy.named("cart").but(max_depth=DEPTH)
    return mine(release, policy, method or "auto", prune=True)


def _from_original(release: Release, original: Original, case: Case, method: str | None) -> Utility:
    """Split the originals, disguise the larger half afresh, judge on the plain rest.

    Trees are judged on records that they did not grow from, whose true values are known.
    """
    target = release.schema.target
    scores: dict[str, list[tuple[float, float]]] = {"release": [], "naive": [], "plain": []}
    tested = 0
    used = ""
    for _ in track(range(SPLITS), "growing trees", SPLITS):
        training, judged = _divided(original, case.rng)
        plain = _released(release, original, Part(MemoryTable(training), ()))
        exam = _released(release, original, Part(MemoryTable(judged), ()))
        key = None
        if monotone_names(release):  # trees are read with the key, as the owner reads them
            fresh, key = encoded(release, training, case.fresh())
        else:
            kept = [
                channel
                for channel in case.part.channels
                if training.keys() >= set(channel.attributes)
            ]
            shown = _disguised(case, training, kept)
            fresh = _released(release, original, Part(shown, tuple(kept)))
        tested += exam.rows
        for name, source in (("release", fresh), ("naive", fresh), ("plain", plain)):
            try:
                model = _mined(source, {"naive": "naive", "plain": "auto"}.get(name, method))
            except MethodError:
                continue
            if name == "release":
                used = method = model.method
            tree = model.tree if name == "plain" or key is None else decode_tree(model.tree, key)
            scores[name].append((accuracy(tree, exam).value, len(tree.leaves)))
    coarse = any(word in MERGING for word in release.treatments.values())
    counts = original.counts[target]
    grown = {name: _grown(name, pairs, tested) for name, pairs in scores.items() if pairs}
    return Utility(
        replace(grown["release"], method=used),
        grown.get("naive"),
        grown.get("plain"),
        float(counts.max() / counts.sum()),
        SPLITS,
        f"{SPLITS} random splits of the originals: {100 * TRAINED:.0f} % disguised afresh and "
        f"mined by '{used}', the rest, plain, judges; trees of at most {DEPTH} tests"
        + (", all of which see values as coarse as the release shows them" if coarse else ""),
        coarse,
    )


def plain_accuracy(release: Release, original: Original, rng: np.random.Generator) -> float:
    """Return how often a tree from the originals is right, grown and judged as ``utility`` does.

    The release tells how they are coded; its records are not looked at.
    """
    scores = []
    for _ in range(SPLITS):
        training, judged = _divided(original, rng)
        model = _mined(_released(release, original, Part(MemoryTable(training), ())), "auto")
        exam = _released(release, original, Part(MemoryTable(judged), ()))
        scores.append(accuracy(model.tree, exam).value)
    return float(np.mean(scores))


def _divided(
    original: Original, rng: np.random.Generator
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Divide the originals at random: records to grow trees from, and records that judge."""
    order = rng.permutation(original.sampled)
    cut = int(original.sampled * TRAINED)
    train, test = (
        {name: column[rows] for name, column in original.sample.items()}
        for rows in (order[:cut], order[cut:])
    )
    return train, test


def _complemented(release: Release, case: Case, method: str | None) -> Utility:
    """Compare the tree from both tables with that of the records they were made of.

    The parts of such a release belong together, so no record is kept back to judge. The records
    are the owner's, or those that the two tables give back.
    """
    models = {"release": _mined(release, method)}
    same = ""
    if release.rows <= RECORDS:
        models["plain"] = _mined(_collected(release, case), "auto")
        kept = _same(models["release"].tree, models["plain"].tree)
        same = (
            f"; the tree from the release is {'exactly' if kept else 'NOT'} that of the originals"
        )
    grown = {
        name: _grown(
            name, [(accuracy(model.tree, release).value, len(model.tree.leaves))], release.rows
        )
        for name, model in models.items()
    }
    root = models["release"].tree.counts[0]
    return Utility(
        replace(grown["release"], method=models["release"].method),
        None,
        grown.get("plain"),
        float(root.max() / root.sum()),
        1,
        "the records that the trees grew from, because the release cannot be split: mined by "
        f"'{models['release'].method}'; trees of at most {DEPTH} tests{same}",
    )


def _collected(release: Release, case: Case) -> Release:
    """Return the records that were complemented, plain."""
    universe, collected = release.universe, case.collected
    if universe is None or collected is None:
        raise MethodError("the release is no complement")
    columns = universe.part(np.repeat(np.arange(universe.size), collected))
    table = MemoryTable({name: columns[name] for name in release.schema.names})
    return Release(release.schema, release.codings, (Part(table, ()),), seeded=release.seeded)


def _same(tree: Tree, other: Tree) -> bool:
    """Whether two trees have the same tests and labels."""
    return all(
        np.array_equal(getattr(tree, name), getattr(other, name), equal_nan=name == "threshold")
        for name in ("parent", "attribute", "child", "threshold", "label")
    )


def _disguised(
    case: Case, sample: dict[str, NDArray[Any]], channels: Sequence[Channel]
) -> MemoryTable:
    if case.release.unbounded is not None:
        pairs = pairs_of(case.release, sample, case.fresh())
        if pairs is None:
            raise MethodError("the originals cannot be disguised once more")
        return pairs.shown
    columns = dict(sample)
    for channel in channels:
        joint = channel.disguise(channel.join(sample), case.source, next(case.streams))
        columns |= channel.part(joint)
    return MemoryTable(columns)


def _released(release: Release, original: Original, part: Part) -> Release:
    """Return rows coded as in the release, in the form that trees are grown from."""
    names = [name for name in release.schema.names if name not in original.skipped]
    schema = release.schema.with_attributes(release.schema[name] for name in names)
    codings = {name: release.codings[name] for name in names}
    return Release(schema, codings, (part,), seeded=release.seeded)


def _grown(name: str, scores: list[tuple[float, float]], tested: int) -> Grown:
    """Return the mean over splits, with the larger of the two errors there are.

    Between splits (few, and they overlap), and of judging by a sample of records.
    """
    values = np.array([accuracy for accuracy, _ in scores])
    mean = float(values.mean())
    between = float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0
    judged = _sampling(mean, tested)
    return Grown(name, mean, max(between, judged), float(np.mean([size for _, size in scores])))


def _sampling(share: float, tested: int) -> float:
    """Return the standard error of judging by a sample of records."""
    return math.sqrt(max(0.0, share * (1 - share)) / max(1, tested))


def _from_release(release: Release, method: str | None) -> Utility:
    """Split the release itself; the rest, disguised, judges by corrected counts."""
    part = release.parts[0]
    if len(release.parts) == 1 and release.rows > ROWS:
        release = replace(release, parts=(replace(part, table=part.table.slice(0, ROWS)),))
    grown, judged = release.split(TRAINED)
    trees: dict[str, Grown] = {}
    for name in track(("release", "naive"), "growing trees", 2):
        try:
            model = _mined(grown, "naive" if name == "naive" else method)
            told = accuracy(model.tree, judged)
        except MethodError:
            continue
        sampled = _sampling(told.value, judged.rows)
        error = max(told.error, sampled)
        leaves = float(len(model.tree.leaves))
        trees[name] = Grown(name, told.value, error, leaves, model.method)
    if "release" not in trees:
        raise MethodError("no tree can be grown from this release")
    tree = model.tree
    root = np.maximum(tree.counts[0], 0)
    return Utility(
        trees["release"],
        trees.get("naive"),
        None,
        float(root.max() / root.sum()),
        1,
        f"one split of the release: {100 * TRAINED:.0f} % mined by "
        f"'{trees['release'].method}', the rest judges by corrected counts; trees of "
        f"at most {DEPTH} tests",
    )
