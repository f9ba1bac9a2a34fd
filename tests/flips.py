"""Single flipped bits of a file: a sample of them, or with PRIVET_FLIPS=all every one."""

import os
import random
from collections.abc import Iterator

SAMPLE = 300

# Other bits on every run; the same ones where runs are steady.
_RANDOM = random.Random(1 if os.environ.get("PRIVET_HYPOTHESIS") == "steady" else None)


def flipped(data: bytes, sample: int = SAMPLE) -> Iterator[bytes]:
    """Yield the bytes with one bit flipped, for some bits or all of them."""
    bits = range(8 * len(data))
    if os.environ.get("PRIVET_FLIPS") != "all":
        bits = _RANDOM.sample(bits, min(sample, len(bits)))  # type: ignore[assignment]
    for bit in bits:
        bad = bytearray(data)
        bad[bit // 8] ^= 1 << bit % 8
        yield bytes(bad)
