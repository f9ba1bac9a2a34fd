"""How alike a release without a bound and its originals are: rules, splits, records (FI §4-6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privet.audit.beside import released_table
from privet.audit.eduds import domain_similarity, eduds
from privet.audit.edusc import edusc, split_similarity
from privet.audit.sers import Sers, sers
from privet.disguise.rules import Rules, matrix
from privet.errors import DataError
from privet.table import MemoryTable

if TYPE_CHECKING:
    from privet.audit.original import Original
    from privet.release import Release

__all__ = ["Sers", "Similarity", "eduds", "edusc", "sers", "similarity"]

PAIRS = 500_000_000  # of records that an audit compares


@dataclass(frozen=True)
class Similarity:
    """The three measures. 1 is the same table; of entropies, ``most_entropy`` would be blind."""

    domains: float | None
    splits: float | None
    splits_by_records: float | None
    entropy: float
    entropy_error: float
    most_entropy: float
    trees: int
    least_leaf: int


def similarity(release: Release, original: Original) -> Similarity | None:
    """Measure a release of noise without a bound beside its originals; None for any other."""
    if release.unbounded is None or original.skipped:
        return None
    schema = release.unbounded.original_schema(release.schema)
    true = MemoryTable({name: original.sample[name] for name in schema.names})
    shown = released_table(release, schema)
    entropies = sers(true, shown, schema, pairs=PAIRS, seed=0)
    asked = release.unbounded.settings
    least = asked.get("min_leaf")
    rules = Rules(min_leaf=least if isinstance(least, int) else None)
    domains = splits = by_records = None
    trees = 0
    try:
        forest = rules.grown(true, schema)
        trees = len(forest)
        similarities = split_similarity(forest, true, shown, schema)
        splits, by_records = similarities["printed"], similarities["by-records"]
        domains = domain_similarity(
            forest, rules.grown(shown, schema), matrix(true, schema), schema
        )
    except DataError:  # no forest can be grown from records that are all of one class
        pass
    return Similarity(
        domains,
        splits,
        by_records,
        entropies.value,
        entropies.error,
        entropies.most,
        trees,
        int(rules.least(true.rows)),
    )
