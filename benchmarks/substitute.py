"""Substituting 10M codes (N = 20, γ = 8): beside NumPy at its best and multi-freq-ldpy's client.

The peer of the goal draws the same law: a 32-bit word a value against the card's integers, for any
γ, from PCG64 through ``numpy.random.Generator``; in the fastest of all ways that were tried. NumPy
can be quicker by doing less, or by going round its generator: both are timed and told beside it.
"""

from __future__ import annotations

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import THREADS
from benchmarks.harness import Goal, Report, Times, race

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Codes = NDArray[np.uint8]

ROWS, N, GAMMA = 10_000_000, 20, 8
LDPY_ROWS = 200_000  # its client takes one value a call; the time is scaled up
FRONT = 3  # of NumPy's ways enter the race itself; the fastest there is the peer
NUMPY_GOAL, LDPY_GOAL = 4.0, 150.0
CHUNK = 1 << 18  # the fastest of 2**14, 2**16 and 2**18


# NumPy's ways, all exact to the resolution of their draws. λ = (γ − 1)/(γ + N − 1) is the chance
# of keeping the value outright; else any of the N values, itself among them, is as likely. Over
# 2**32, N · OFF words choose a value and all others keep it: just the card's integers.
OFF = math.ceil(2**32 / (GAMMA + N - 1))


def divided_words(random: np.random.Generator, codes: Codes, out: Codes) -> None:
    """Draw 32-bit words and divide: a quotient below N is the value, any other keeps it."""
    _divide(random.integers(0, 1 << 32, len(codes), dtype=np.uint32), codes, out)


def divided_raw_words(random: np.random.Generator, codes: Codes, out: Codes) -> None:
    """Divide the bit generator's own words, two 32-bit ones each."""
    raw = random.bit_generator.random_raw((len(codes) + 1) // 2)
    _divide(raw.view(np.uint32)[: len(codes)], codes, out)


def _divide(words: NDArray[np.uint32], codes: Codes, out: Codes) -> None:
    np.floor_divide(words, np.uint32(OFF), out=words)
    np.minimum(words, np.uint32(N), out=words)  # a quotient may not fit a byte
    _select(words.astype(np.uint8), codes, out)


def words_for_the_kept(random: np.random.Generator, codes: Codes, out: Codes) -> None:
    """Draw 32-bit words for who is kept, and a value for everyone."""
    other = random.integers(0, N, len(codes), dtype=np.uint8)
    kept = random.integers(0, 1 << 32, len(codes), dtype=np.uint32) >= N * OFF
    np.copyto(out, other)
    np.copyto(out, codes, where=kept)


def mixture(random: np.random.Generator, codes: Codes, out: Codes) -> None:
    """Draw who is kept as floats, and a value for everyone."""
    other = random.integers(0, N, len(codes), dtype=np.uint8)
    kept = random.random(len(codes), dtype=np.float32) < (GAMMA - 1) / (GAMMA + N - 1)
    np.copyto(out, other)
    np.copyto(out, codes, where=kept)


def drawn_for_the_changed(random: np.random.Generator, codes: Codes, out: Codes) -> None:
    """Draw who is kept, then a value for the others only."""
    changed = random.random(len(codes), dtype=np.float32) >= (GAMMA - 1) / (GAMMA + N - 1)
    np.copyto(out, codes)
    out[changed] = random.integers(0, N, np.count_nonzero(changed), dtype=np.uint8)


def one_small_draw(random: np.random.Generator, codes: Codes, out: Codes) -> None:
    """Draw once below γ + N − 1: a number below N is the value, any other keeps it.

    Works for whole γ only, and there is no cheaper way: a byte of randomness a value.
    """
    drawn = random.integers(0, GAMMA + N - 1, len(codes), dtype=np.uint8)
    np.copyto(out, drawn)
    np.copyto(out, codes, where=drawn >= N)


def scaled_words(random: np.random.Generator, codes: Codes, out: Codes) -> None:
    """Scale the generator's own words, taken as 32-bit ones, to numbers below γ + N − 1.

    The upper halves of the products are the numbers, so nothing is shifted.
    """
    raw = random.bit_generator.random_raw((len(codes) + 1) // 2)
    words = raw.view(np.uint32)[: len(codes)]
    products = np.multiply(words, np.uint64(GAMMA + N - 1), dtype=np.uint64)
    upper = slice(1 if sys.byteorder == "little" else 0, None, 2)
    _select(products.view(np.uint32)[upper].astype(np.uint8), codes, out)


def bytes_with_rejection(random: np.random.Generator, codes: Codes, out: Codes) -> None:
    """Take the generator's own bytes modulo γ + N − 1, drawing again where that is uneven.

    Works for whole γ and γ + N − 1 ≤ 256 only.
    """
    below = GAMMA + N - 1
    even = 256 // below * below

    def some(count: int) -> Codes:
        raw = random.bit_generator.random_raw((count + 7) // 8)
        return raw.view(np.uint8)[:count]

    drawn = some(len(codes))
    again = np.flatnonzero(drawn >= even)
    while len(again):
        fresh = some(len(again))
        drawn[again] = fresh
        again = again[fresh >= even]
    parts = drawn // np.uint8(below)
    np.multiply(parts, np.uint8(below), out=parts)
    np.subtract(drawn, parts, out=parts)
    _select(parts, codes, out)


def _select(drawn: Codes, codes: Codes, out: Codes) -> None:
    """Write ``drawn`` where it is below N, else ``codes``, by bits: faster than by a mask."""
    keep = (drawn >= N).view(np.uint8)
    np.negative(keep, out=keep)
    np.bitwise_xor(drawn, codes, out=out)
    np.bitwise_and(out, keep, out=out)
    np.bitwise_xor(drawn, out, out=out)


WAYS = {
    "divided words": divided_words,
    "words for the kept": words_for_the_kept,
    "divided raw words": divided_raw_words,
    "mixture": mixture,
    "drawn for the changed": drawn_for_the_changed,
    "one small draw": one_small_draw,
    "scaled words": scaled_words,
    "bytes with rejection": bytes_with_rejection,
}
# The same law for any γ, by draws of the generator: one of them is the peer of the goal.
SAME_LAW = ("divided words", "words for the kept")
# The same law for any γ from the words of the bit generator, whose method for them is for tests.
SAME_LAW_RAW = ("divided raw words",)
# The others have chances of 24 bits only, or work for whole γ only.


def whole(way: Callable[..., None], codes: Codes) -> Callable[[], Codes]:
    """Return the call that does all codes at once."""

    def call() -> Codes:
        out = np.empty_like(codes)
        way(np.random.Generator(np.random.PCG64()), codes, out)
        return out

    return call


def chunked(way: Callable[..., None], codes: Codes, threads: int) -> Callable[[], Codes]:
    """Return the call that goes chunk by chunk, which stay in cache, on some threads."""

    def call() -> Codes:
        out = np.empty_like(codes)

        def work(part: int) -> None:
            random = np.random.Generator(np.random.PCG64())
            size = -(-len(codes) // threads)
            last = min(len(codes), (part + 1) * size)
            for start in range(part * size, last, CHUNK):
                span = slice(start, min(start + CHUNK, last))
                way(random, codes[span], out[span])

        if threads == 1:
            work(0)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(work, range(threads)))
        return out

    return call


def numpy_ways(codes: Codes) -> dict[str, Callable[[], Codes]]:
    """Return every way, whole, chunked, and chunked on all threads."""
    calls = {}
    for name, way in WAYS.items():
        calls[f"NumPy, {name}"] = whole(way, codes)
        calls[f"NumPy, {name}, chunks"] = chunked(way, codes, 1)
        calls[f"NumPy, {name}, chunks, {THREADS} threads"] = chunked(way, codes, THREADS)
    return calls


def check(out: Codes, codes: Codes, name: str) -> None:
    """Refuse a way whose law is wrong: γ in γ + N − 1 stay, and the rest is even."""
    share = GAMMA / (GAMMA + N - 1)
    kept = float((out == codes).mean())
    spread = 6 * math.sqrt(share * (1 - share) / len(codes))
    others = np.bincount(out, minlength=N) / len(out)
    if abs(kept - share) > spread or np.abs(others - 1 / N).max() > 6 * math.sqrt(
        1 / N / len(codes)
    ):
        message = f"{name} does not draw from the γ-diagonal law"
        raise AssertionError(message)


def ldpy_client(codes: NDArray[np.int64]) -> Callable[[], list[int]]:
    """Return multi-freq-ldpy's use as documented: one call of its compiled client a value."""
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    epsilon = math.log(GAMMA)
    values = codes.tolist()
    return lambda: [GRR_Client(value, N, epsilon) for value in values]


def ldpy_compiled(codes: NDArray[np.int64]) -> Callable[[], object]:
    """Return a kinder use than its documentation's: the client called from a compiled loop."""
    import numba
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    def loop(values: NDArray[np.int64], epsilon: float) -> NDArray[np.int64]:
        out = np.empty_like(values)
        for i in range(len(values)):
            out[i] = GRR_Client(values[i], N, epsilon)
        return out

    compiled: Callable[..., object] = numba.njit(loop)
    return lambda: compiled(codes, math.log(GAMMA))


def limits(codes: Codes) -> dict[str, Callable[[], object]]:
    """Return what no program can be faster than: the key stream alone, and copying the codes."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    zeros = bytes(4 * CHUNK)

    def stream(part: int) -> None:
        cipher = Cipher(algorithms.AES256(bytes(32)), modes.CTR(part.to_bytes(16, "big")))
        encryptor = cipher.encryptor()
        held = bytearray(4 * CHUNK + 15)
        for _ in range(ROWS // THREADS // CHUNK + 1):
            encryptor.update_into(zeros, held)

    def keystream() -> None:
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(stream, range(THREADS)))

    return {
        f"limit: AES-256-CTR key stream alone, {THREADS} threads": keystream,
        "limit: copying the codes": codes.copy,
    }


def run(*, peers_only: bool = False) -> Report:
    """Find NumPy's fastest ways, then race them."""
    codes = np.random.default_rng(1).integers(0, N, ROWS, dtype=np.uint8)
    every = numpy_ways(codes)
    for name, call in every.items():
        check(call(), codes, name)
    tried = race(every, repeats=3, warm=0)
    front = sorted(tried, key=lambda name: tried[name].median)[:FRONT]
    peers = _fastest(tried, SAME_LAW, FRONT)
    raw = _fastest(tried, SAME_LAW_RAW, 1)
    few = codes[:LDPY_ROWS].astype(np.int64)
    client = f"multi-freq-ldpy's client, {LDPY_ROWS:,} values"
    looped = f"multi-freq-ldpy's client in a compiled loop, {LDPY_ROWS:,} values"
    contenders: dict[str, Callable[[], object]] = {
        **{name: every[name] for name in (*peers, *raw, *front)},
        client: ldpy_client(few),
        looped: ldpy_compiled(few),
        **limits(codes),
    }
    if not peers_only:
        from privet.channel import GammaDiagonal
        from privet.randomness import Randomness

        channel = GammaDiagonal("a", N, GAMMA)

        def ours() -> Codes:
            with Randomness.system() as randomness:
                out: Codes = channel.disguise(codes, randomness, 0)
                return out

        check(ours(), codes, "privet")
        contenders["privet"] = ours
    times = race(contenders, repeats=7)
    best = min(peers, key=lambda name: times[name].median)
    any_law = min(front, key=lambda name: times[name].median)
    scaled, kinder = (times[name].median * ROWS / LDPY_ROWS for name in (client, looped))
    report = Report("substitute", f"{ROWS:,} codes, N = {N}, γ = {GAMMA}, {THREADS} threads", times)
    if not peers_only:
        mine = times["privet"].median
        numpy_ratio = times[best].median / mine
        report.goals = [
            Goal(
                "time of the fastest NumPy of this law over ours",
                numpy_ratio,
                NUMPY_GOAL,
                unit=" ×",
            ),
            Goal("multi-freq-ldpy's time (scaled) over ours", scaled / mine, LDPY_GOAL, unit=" ×"),
        ]
    report.facts = {f"tried, {name}": f"{1000 * t.median:.1f} ms" for name, t in tried.items()}
    what = f"multi-freq-ldpy's client, scaled to {ROWS:,} values"
    report.facts[what] = f"{scaled:.2f} s; in a compiled loop {kinder:.2f} s"
    if not peers_only:
        report.facts["the peer"] = best
        for what, name in (("raw words", raw[0]), ("any way, this law or not", any_law)):
            ratio = times[name].median / times["privet"].median
            report.facts[f"fastest NumPy by {what}, time over ours"] = f"{ratio:.1f} × ({name})"
        stream = next(t for name, t in times.items() if "key stream" in name)
        most = times[best].median / stream.median
        report.facts["the most that the key stream alone would allow"] = f"{most:.1f} ×"
        ratio = kinder / times["privet"].median
        report.facts["multi-freq-ldpy's client in a compiled loop, over ours"] = f"{ratio:.0f} ×"
    return report


def _fastest(tried: Mapping[str, Times], ways: tuple[str, ...], number: int) -> list[str]:
    """Return the names of the fastest settings of some of NumPy's ways."""
    names = [name for name in tried if name.split(", ")[1] in ways]
    return sorted(names, key=lambda name: tried[name].median)[:number]
