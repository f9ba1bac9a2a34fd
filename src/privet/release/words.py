"""A claim in words: what an owner, a miner and those in the table can read of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.release.claim import DRAWN, PRIORS, percent, posterior
from privet.release.people import PER_RECORD
from privet.release.treatments import WITHHELD, meaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.release.claim import Claim, Promise

__all__ = ["sentences"]

_PARTS = (
    "The release has several parts, and chance alone decided which of them a record is in: every "
    "promise above holds for each attribute of each record, in whichever part it is."
)
_MANY = 4  # disguised attributes that get a sentence each


def sentences(claim: Claim) -> list[str]:
    """Say a claim in words, the most important first."""
    said = []
    if claim.seeded:
        said.append(
            "NOT PRIVATE: the random words were drawn from a seed; whoever has it can undo "
            "the disguise."
        )
    if not claim.formal:
        said.append("No formal guarantee is given for whole records.")
    said += [note for note in claim.notes if note != DRAWN]
    single = [
        promise for promise in claim.promises if promise.gamma or meaning(promise.treatment).said
    ]
    if len(claim.noisy) > _MANY:
        said.append(_about_noisy([promise for promise in single if promise.interval is not None]))
        single = [promise for promise in single if promise.interval is None]
    said += [_about(promise) for promise in single if len(claim.disguised) <= _MANY]
    if len(claim.disguised) > _MANY:
        said.append(_about_many(claim.disguised))
        said += [_about(p) for p in single if p not in claim.disguised]
    if claim.disguised:
        said.append(_about_record(claim))
        each = max(promise.epsilon for promise in claim.disguised)
        people = claim.people
        said.append(people.sentence(each, claim.disguised_epsilon) if people else PER_RECORD)
    if DRAWN in claim.notes:
        said.append(_PARTS if claim.disguised else DRAWN)
    if claim.disclosed and single:
        said.append(_about_disclosed(claim.disclosed, claim.target))
    if claim.learned:
        said.append(
            "The schema was learned from the data: its categories and ranges are themselves "
            "facts about the records."
        )
    return said


def _about_record(claim: Claim) -> str:
    gamma = claim.disguised_gamma
    turned = ", ".join(map(repr, (*claim.turned, *claim.noisy)))
    most = ", ".join(f"{percent(p)} to {percent(posterior(p, gamma))}" for p in PRIORS)
    return (
        f"All disguised attributes of a record together: ε = {claim.disguised_epsilon:.2f}. "
        f"A guess about them can rise, at most, from {most}. Each further release of the same "
        "records, freshly disguised, costs as much again."
        + (f" Left out of these bounds: {turned}, for which there is none." if turned else "")
    )


def _about(promise: Promise) -> str:
    *others, last = map(repr, promise.attributes)
    names = f"{', '.join(others)} and {last}" if others else last
    if promise.treatment == WITHHELD:
        return f"{names} is withheld: nothing of it is released."
    if promise.is_turned:
        listed = ", ".join(map(repr, promise.attributes))
        return (
            f"{listed} are flipped together or not at all, which has no finite ε: a report "
            "shows every record up to turning it round. Which of these attributes are equal is "
            "plain, one known value discloses the others, and so does an impossible opposite."
        )
    if promise.interval is not None:
        return promise.interval.sentence(names)
    if promise.gamma is None:
        return f"{names} is released {meaning(promise.treatment).said}"
    if others:
        names, about = f"{names} are together", " about them"
    else:
        names, about = f"{names} is", ""
    return (
        f"{names} protected by ε = {promise.epsilon:.2f} (γ = {float(promise.gamma):.4g}): "
        f"a guess of 5 %{about} rises to {percent(posterior(PRIORS[1], promise.gamma))} at most."
    )


def _about_many(promises: Sequence[Promise]) -> str:
    worst = max(promises, key=lambda promise: promise.epsilon)
    return (
        f"{len(promises)} attributes are protected by ε = {worst.epsilon:.2f} each or less "
        f"(γ = {float(worst.gamma or 0):.4g}): a guess of 5 % about one of them rises to "
        f"{percent(posterior(PRIORS[1], worst.gamma))} at most from that attribute."
    )


def _about_noisy(promises: Sequence[Promise]) -> str:
    known = [promise.interval for promise in promises if promise.interval is not None]
    names = ", ".join(repr(name) for promise in promises for name in promise.attributes)
    return (
        f"Released with noise, which has no finite ε: {names}. For someone who knows nothing else "
        "each true value lies in an interval whose width the card tells. Warning: near the ends of "
        "a range it is narrower. For evenly distributed values it is less than half that width for "
        f"up to {100 * max(interval.narrow for interval in known):.2g} % of records; someone who "
        "knows the distribution of the values may know it better still."
    )


def _about_disclosed(names: Sequence[str], target: str | None) -> str:
    listed = ", ".join(repr(name) for name in names)
    class_too = f" The class {target!r} is among them." if target in names else ""
    return (
        f"Disclosed plainly, and so without any bound for a whole record: {listed}.{class_too} "
        "The bounds above are against someone who has seen these already."
    )
