"""Results that were looked at once and are kept: a change of any of them has to be meant.

``golden("room", case, value)`` compares a value with the one in ``goldens/room.json``, numbers to
six digits, which every processor gives alike; checksums, which change with the last one, are left
out. ``PRIVET_GOLDEN=write`` in the environment writes it anew: read the difference before
you commit it. That nothing changed does not say that it is right: that is for other tests.
"""

import dataclasses
import hashlib
import json
import math
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "goldens"
LONG, LONG_TEXT = 16, 200  # numbers and letters that are kept one by one


def golden(file: str, case: str, value: Any) -> None:
    """Compare a value with the one that is kept under this name."""
    path = FOLDER / f"{file}.json"
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
    now = simple(value)
    if os.environ.get("PRIVET_GOLDEN") == "write":
        kept[case] = now
        lines = [f"{json.dumps(name)}: {_packed(kept[name])}" for name in sorted(kept)]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
        return
    assert case in kept, f"nothing is kept of {case!r}: PRIVET_GOLDEN=write keeps it"
    where = difference(kept[case], json.loads(json.dumps(now)))
    assert not where, f"{case}{where}"


def _packed(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def simple(value: Any) -> Any:  # noqa: PLR0911 - one a kind of value
    """Return a value as JSON has it; a long array as sums that tell places apart."""
    if value is None or isinstance(value, bool | str | int):
        return value if not isinstance(value, str) or len(value) < LONG_TEXT else _digest(value)
    if isinstance(value, np.bool_ | np.integer | np.str_):
        return value.item()
    if isinstance(value, float | np.floating | Fraction):
        number = float(value)
        return float(f"{number:.8g}") if math.isfinite(number) else str(number)
    if isinstance(value, np.ndarray):
        return _array(value)
    if dataclasses.is_dataclass(value):
        names = [one.name for one in dataclasses.fields(value)]
        return {name: simple(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(name): simple(one) for name, one in value.items() if name != "checksum"}
    if isinstance(value, list | tuple | range | set):
        return [simple(one) for one in (sorted(value) if isinstance(value, set) else value)]
    return str(value)


def _digest(text: str) -> str:
    """Return the start of a long text and a hash of all of it."""
    return f"{text[:60]}… {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _array(values: Any) -> Any:
    if values.dtype.kind not in "biuf":
        return _digest(json.dumps(values.tolist(), default=str))
    if values.size <= LONG:
        return simple(values.tolist())
    flat = values.astype(np.float64).ravel()
    known = np.where(np.isfinite(flat), flat, -1.5)
    weights = 1 + np.arange(flat.size) % 89
    return {"shape": simple(list(values.shape)), "sums": simple([known.sum(), known @ weights])}


def difference(kept: Any, now: Any, where: str = "") -> str:
    """Return where two values differ first, or nothing."""
    if isinstance(kept, dict) and isinstance(now, dict):
        if list(kept) != list(now):
            return f"{where}: {list(kept)} became {list(now)}"
        return next(filter(None, (difference(kept[n], now[n], f"{where}/{n}") for n in kept)), "")
    if isinstance(kept, list) and isinstance(now, list):
        if len(kept) != len(now):
            return f"{where}: {len(kept)} became {len(now)}"
        pairs = enumerate(zip(kept, now, strict=True))
        return next(filter(None, (difference(a, b, f"{where}/{n}") for n, (a, b) in pairs)), "")
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (kept, now))
    if numbers and math.isclose(kept, now, rel_tol=2e-6, abs_tol=1e-9):
        return ""
    return "" if type(kept) is type(now) and kept == now else f"{where}: {kept!r} became {now!r}"
