"""Drawing the collector among the parties, so that nobody chooses (ZCM §4.2).

Each party draws a secret number and sends its hash first; when all hashes are there, everyone sends
the number itself. The hash binds a party to its number before it has seen another's, so the sum of
all is random if at least one party drew honestly. Whoever refuses to reveal is seen to.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from typing import TYPE_CHECKING

from privet.errors import InputError, PlanError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["commitment", "draw_collector", "new_number"]

BYTES = 32


def new_number() -> str:
    """Return a fresh secret number, 64 hexadecimal digits."""
    return secrets.token_hex(BYTES)


def commitment(party: str, number: str) -> str:
    """Return the hash that a party sends before anyone reveals.

    It names the party, so that nobody can send another's hash for its own.

    >>> commitment("clinic", "00" * 32)[:16]
    '2032fd04505e7a43'
    """
    return hashlib.sha256(_text(["privet collector", party, _checked(party, number)])).hexdigest()


def draw_collector(
    parties: Iterable[str], hashes: Mapping[str, str], numbers: Mapping[str, str]
) -> str:
    """Return the party that collects, the same at everyone who draws from the same numbers.

    Every party is equally likely if one of them drew its number at random. A number that is not
    what its hash promised is an error that names the party.

    >>> names = ["clinic", "office"]
    >>> numbers = {name: new_number() for name in names}
    >>> hashes = {name: commitment(name, number) for name, number in numbers.items()}
    >>> draw_collector(names, hashes, numbers) in names
    True
    """
    names = sorted(set(parties))
    if len(names) < 2:
        raise PlanError("A collector is drawn among two parties or more.")
    for drawn, what in ((hashes, "hash"), (numbers, "number")):
        for name in names:
            if name not in drawn:
                message = f"The {what} of party {name!r} is not there."
                raise InputError(message, hint="wait until all parties have sent theirs.")
        for name in drawn:
            if name not in names:
                raise InputError(f"There is a {what} of {name!r}, who is no party.")
    if len(set(hashes.values())) < len(names):
        raise InputError("Two parties sent the same hash.", hint="let all of them draw anew.")
    for name in names:
        if not hmac.compare_digest(commitment(name, numbers[name]), hashes[name]):
            message = f"The number of party {name!r} is not the one whose hash it sent."
            raise InputError(message, hint="do not go on with it.")
    seed = hashlib.sha256(_text(["privet draw", *(f"{n} {numbers[n]}" for n in names)])).digest()
    # 256 bits beside a few parties: no party is likelier than another by more than 2^-240.
    return names[int.from_bytes(seed, "big") % len(names)]


def _checked(party: str, number: str) -> str:
    try:
        fine = len(bytes.fromhex(number)) == BYTES and number == number.lower()
    except ValueError:
        fine = False
    if not fine:
        message = f"The number of party {party!r} is not of {2 * BYTES} hexadecimal digits."
        raise InputError(message, hint="make one with: privet party collector --new NAME.")
    return number


def _text(words: list[str]) -> bytes:
    return json.dumps(words, ensure_ascii=False).encode()
