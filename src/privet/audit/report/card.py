"""The card of a release as a page: what is in it, what is promised, and what that means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.audit.report.html import render
from privet.release.claim import PRIORS, posterior
from privet.release.treatments import WITHHELD, meaning

if TYPE_CHECKING:
    from privet.release import Release
    from privet.release.claim import Claim, Promise

__all__ = ["card_page"]

_SURE = 0.9  # a belief that leaves little doubt


def card_page(release: Release, name: str = "") -> str:
    """Return a page, whole in itself, that says a release's card in plain words.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> made = pv.RandomSubstitution(gamma=3).disguise(table, schema)
    >>> "14 records" in card_page(made, "weather.release")
    True
    """
    claim = release.claim
    least = PRIORS[1]
    return render(
        "card.html",
        release=release,
        called=name,
        rows=[_row(release, promise) for promise in claim.promises],
        sentences=claim.sentences(),
        claim=claim,
        guess=float(posterior(least, claim.disguised_gamma)) if claim.disguised else None,
        prior=float(least),
        weak=_is_weak(claim),
        mark=_mark(claim),
    )


def _is_weak(claim: Claim) -> bool:
    """Whether a whole record's bound allows near certainty to someone who only guessed before."""
    return bool(claim.disguised) and posterior(PRIORS[1], claim.disguised_gamma) > _SURE


def _mark(claim: Claim) -> str:
    if claim.seeded or not claim.formal or not claim.disguised:
        return "bad"
    return "fair" if claim.disclosed or _is_weak(claim) else "good"


def _row(release: Release, promise: Promise) -> dict[str, Any]:
    guess = None if promise.gamma is None else float(posterior(PRIORS[1], promise.gamma))
    return {
        "names": promise.attributes,
        "domains": [_domain(release, name) for name in promise.attributes],
        "is_class": release.schema.goal in promise.attributes,
        "done": _done(promise),
        "epsilon": None if promise.gamma is None else promise.epsilon,
        "guess": guess,
    }


def _done(promise: Promise) -> str:
    """Say what was done to an attribute's values."""
    if promise.treatment == WITHHELD:
        return "left out: nothing of it is released"
    if promise.is_turned:
        return "flipped together or not at all, by chance"
    if promise.interval is not None:
        return "noise was added to every value"
    if promise.gamma is not None:
        together = ", all of them together" if len(promise.attributes) > 1 else ""
        return f"kept or replaced by chance, with known odds{together} ({promise.treatment})"
    said = meaning(promise.treatment).said
    return f"released {said}".removesuffix(".") if said else promise.treatment


def _domain(release: Release, name: str) -> str:
    if name not in release.schema:
        return ""
    attribute = release.schema[name]
    coding = None if attribute.is_categorical else release.codings[name]
    return attribute.domain + ("" if coding is None else f", in {coding.known} steps")
