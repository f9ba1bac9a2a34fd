"""One call: claims checked, attacks run, utility measured, all summed up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.audit.advice import advise
from privet.audit.attacks import ATTACKS, run_attacks
from privet.audit.checks import check_claims
from privet.audit.fidelity import associations, count_errors, detected_errors
from privet.audit.measures import measures
from privet.audit.notions import constant
from privet.audit.original import SAMPLE, read_original
from privet.audit.similarity import similarity
from privet.audit.summary import Audit, Facts
from privet.audit.utility import utility
from privet.audit.world import MOST_RELEASES, RELEASES, Case, generator
from privet.errors import DataError, InputError
from privet.estimate.merged import merged
from privet.estimate.methods import METHODS
from privet.randomness import Randomness
from privet.release import Release
from privet.release.claim import PRIORS, posterior

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privet.audit.original import Original

__all__ = ["audit"]


def audit(
    release: Release,
    original: Any = None,
    *,
    target: str | None = None,
    agreed: Iterable[str] | None = None,
    attacks: Iterable[str] | None = None,
    trees: bool = True,
    method: str | None = None,
    sample: int = SAMPLE,
    releases: int = RELEASES,
    seed: int | str | bytes | None = None,
) -> Audit:
    """Find out what a release discloses, and what it is still good for.

    Parameters
    ----------
    release
        A release, as read from its folder or fresh from a disguise.
    original
        The owner's table that it was made from: a frame, or the path of a Parquet or CSV file.
        With it attacks are run on true pairs, made by disguising the originals once more
        through the card's own channels, because the rows of a release are shuffled. Without
        it (a miner) the audit checks claims and runs what the card and the release allow.
    target
        The class, where the release names none or another is meant.
    agreed
        Attributes that are plain on purpose; the class always is. They are reported, but are not
        the worst that can happen.
    attacks
        Which attacks to run, by name; all by default.
    trees
        Whether to grow trees to measure what the release is good for.
    method
        How the trees from the release are mined; by default ``auto``, as miners do.
    sample
        How many originals at most are attacked; intervals say what that costs.
    releases
        How many releases of the same records the attack ``averaging`` combines.
    seed
        For reports that come out the same each time; by default system randomness.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
    >>> pv.audit(release).facts.disguised
    3
    """
    if not isinstance(release, Release):
        message = f"A release is expected, not {type(release).__name__}."
        raise InputError(message, hint="privet.Release.read('folder').")
    if not release.rows:
        raise DataError("The release has no records.")
    if target is not None:
        release = release.with_target(target)
    plain = _agreed(release, agreed)
    names = None if attacks is None else _named(attacks)
    if method is not None and method not in METHODS:
        raise InputError(f"There is no method {method!r}; there are {', '.join(METHODS)}.")
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 100:
        raise InputError("sample must be a whole number of at least 100.")
    if type(releases) is not int or not 2 <= releases <= MOST_RELEASES:
        raise InputError(f"releases must be a whole number from 2 to {MOST_RELEASES:,}.")
    with Randomness.of(seed) as source:
        records = None
        if original is not None:
            records = read_original(original, release, generator(source), sample)
        case = Case.of(release, records, source, plain, releases)
        outcomes, idle = run_attacks(case, names)
        checks = check_claims(release, records)
        useful = utility(release, records, case, method) if trees else None
        whole = merged(release) if release.drawn else release
        return Audit(
            _facts(release, records, plain),
            tuple(measures(release)),
            tuple(checks),
            tuple(outcomes),
            tuple(idle),
            useful,
            tuple(count_errors(whole.parts[0], records) if records and _is_whole(whole) else ()),
            associations(whole, whole.parts[0], records) if records and _is_whole(whole) else None,
            tuple(advise(case, outcomes, checks, useful)),
            similarity(release, records) if records is not None and trees else None,
            tuple(detected_errors(whole.parts[0]) if release.rows and _is_whole(whole) else ()),
        )


def _is_whole(release: Release) -> bool:
    """Whether the originals and the one part of the release are the same records."""
    return len(release.parts) == 1 and release.parts[0].sign > 0


def _agreed(release: Release, agreed: Iterable[str] | None) -> frozenset[str]:
    if agreed is None:
        return frozenset({release.schema.target})
    names = [agreed] if isinstance(agreed, str) else list(agreed)
    for name in names:
        if name not in release.schema:
            message = f"agreed names {name!r}, which the release does not have; "
            raise InputError(message + f"it has {', '.join(release.schema.names)}.")
    return frozenset({release.schema.target, *names})


def _named(attacks: Iterable[str]) -> list[str]:
    names = [attacks] if isinstance(attacks, str) else list(attacks)
    for name in names:
        if name not in ATTACKS:
            raise InputError(f"There is no attack {name!r}; there are {', '.join(ATTACKS)}.")
    return names


def _facts(release: Release, original: Original | None, agreed: frozenset[str]) -> Facts:
    claim = release.claim
    alike = constant(release)
    disclosed = tuple(name for name in claim.disclosed if name not in alike)
    return Facts(
        rows=release.rows,
        parts=len(release.parts),
        attributes=len(release.schema.inputs),
        target=release.schema.target,
        seeded=release.seeded,
        shuffled=release.shuffled,
        learned=release.schema.learned,
        formal=claim.formal,
        disclosed=disclosed,
        turned=claim.turned,
        noisy=claim.noisy,
        notes=claim.notes,
        agreed=tuple(sorted(agreed & set(disclosed))),
        epsilon=None if claim.gamma is None else claim.epsilon,
        disguised=sum(len(promise.attributes) for promise in claim.disguised),
        disguised_epsilon=claim.disguised_epsilon,
        disguised_posteriors=tuple(
            float(posterior(prior, claim.disguised_gamma)) for prior in PRIORS
        ),
        original=original is not None,
        sampled=0 if original is None else original.sampled,
        skipped=() if original is None else original.skipped,
        k=None if release.anonymity is None else release.anonymity.k,
    )
