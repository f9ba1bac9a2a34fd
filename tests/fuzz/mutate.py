"""Small changes of forms and of bytes, the kind that readers trip over."""

import datetime as dt
from random import Random
from typing import Any

NUMBERS = [0, 1, -1, 2, 3, 7, 127, 255, 256, 65535, 65536, 2**31, 2**32, 2**53 + 1, 2**63, 2**64]
HOSTILE: list[Any] = [
    *NUMBERS, *(-number for number in NUMBERS), 0.5, -0.0, 1e-320, 1e308, -1e308, 1.0, 3.7,
    True, False, None, "", "a", "1/3", "1/0", "nan", "inf", "0x10", "\x00", "\n", "\u202e", "é",
    "a" * 300, [], {}, [[]], [{}], {"": []}, [None], [1, 2, 3], ["a", "a"], [0.1, 0.2], {"a": 1},
]  # fmt: skip
DESCENDED = 0.5  # of places are found from the top down, the others among all alike
STOPPED = 0.2  # of those stop at a part that has parts itself
HALF = "\ud800"  # of a sign that takes two
NOT_FINITE = [float("nan"), float("inf"), float("-inf")]
DATES: list[Any] = [dt.date(2024, 2, 29), dt.time(1, 2), dt.datetime(1, 1, 1)]  # noqa: DTZ001
PIECES = [b"\x00", b"\xff", b"\xfe\xff", b"\xed\xa0\x80", b'"', b"'", b",", b"\n", b"[", b"{", b"}"]
PIECES += [
    b"]",
    b"1e999",
    b"NaN",
    b"-",
    b"\\ud800",
    b"=",
    b"#",
    b"\xef\xbb\xbf",
    b"null",
    b"a.",
    b"9" * 40,
]


def copied(form: Any) -> Any:
    """A copy of a form, parts and all, quicker than by ``copy.deepcopy``."""
    if isinstance(form, dict):
        return {key: copied(value) for key, value in form.items()}
    return [copied(value) for value in form] if isinstance(form, list) else form


def places(form: Any) -> list[tuple[Any, Any]]:
    """Every container of a form with each of its keys."""
    held: list[tuple[Any, Any]] = []
    waiting = [form]
    while waiting:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one))
        held += [(one, key) for key in keys]
        waiting += [one[key] for key in keys if isinstance(one[key], dict | list)]
    return held


def changed_form(form: Any, rng: Random, words: list[str], extra: list[Any]) -> Any:
    """A form with some of its parts changed; ``extra`` are values that the format allows."""
    form = copied(form)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
        if not form:
            return form
        box, key = _descended(form, rng) if rng.random() < DESCENDED else rng.choice(places(form))
        _change(form, box, key, rng, words, extra)
    return form


def _descended(form: Any, rng: Random) -> tuple[Any, Any]:
    """A place found from the top down: a short part is met as often as a long one beside it."""
    while True:
        key = rng.choice(list(form) if isinstance(form, dict) else range(len(form)))
        inner = form[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < STOPPED:
            return form, key
        form = inner


def _change(form: Any, box: Any, key: Any, rng: Random, words: list[str], extra: list[Any]) -> None:
    value = box[key]
    kind = rng.randrange(10)
    if kind <= 2:
        box[key] = copied(rng.choice(HOSTILE + extra))
    elif kind == 3:
        del box[key]
    elif kind == 4 and isinstance(box, dict):
        held = list(box.items())
        place = rng.randrange(len(held))
        held[place] = (rng.choice(words), held[place][1])
        box.clear()
        box.update(held)
    elif kind == 4:
        box.insert(key, copied(value))
    elif kind == 5:
        box[key] = copied(_at(rng.choice(places(form))))
    elif kind == 6:
        box[key] = rng.choice(words)
    elif kind == 7:
        box[key] = [value] if rng.random() < 0.5 else {rng.choice(words): value}
    else:
        box[key] = _near(value, rng)


def _at(place: tuple[Any, Any]) -> Any:
    return place[0][place[1]]


def _near(value: Any, rng: Random) -> Any:  # noqa: PLR0911 - one a kind of value
    """Something like the value."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, 2, -value, value, 1 << rng.randrange(70)))
    if isinstance(value, float):
        return value * rng.choice((-1, 0, 2, 1e300, 1 + 1e-12))
    if isinstance(value, str):
        place = rng.randrange(len(value) + 1)
        digit = value[:place] + rng.choice("0123456789") + value[place + 1 :]
        return rng.choice((value[:-1], value + "x", value.upper(), value * 2, digit))
    if isinstance(value, list):
        shuffled = list(value)
        rng.shuffle(shuffled)
        return rng.choice((shuffled, value + value, value[:1], value * 40))
    if isinstance(value, dict):
        items = list(value.items())
        rng.shuffle(items)
        return dict(items)
    return [value]


def changed_bytes(data: bytes, rng: Random) -> bytes:
    """Bytes with some bits, pieces or stretches changed."""
    held = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        place = rng.randrange(len(held) + 1)
        kind = rng.randrange(7)
        if kind == 0 and held:
            held[place % len(held)] ^= 1 << rng.randrange(8)
        elif kind == 1 and held:
            held[place % len(held)] = rng.randrange(256)
        elif kind == 2:
            del held[place:]
        elif kind == 3:
            held[place:place] = rng.choice(PIECES) * rng.choice((1, 1, 1, 3, 2000))
        elif kind == 4:
            del held[place : place + rng.randrange(1, 20)]
        elif kind == 5:
            other = rng.randrange(len(held) + 1)
            held[place:place] = held[other : other + rng.randrange(1, 200)]
        elif held:
            first, second = place % len(held), rng.randrange(len(held))
            held[first], held[second] = held[second], held[first]
    return bytes(held)
