"""A writer that adds samples to a store until it is told to stop, or killed."""

import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from privet.disguise import Complement
from privet.disguise.unrealize import Pick, Unrealizer
from privet.errors import StoreError
from privet.randomness import Randomness
from privet.schema import Attribute, Schema
from privet.store import Store

SCHEMA = Schema(
    [
        Attribute.categorical("a", ["p", "q", "r", "s", "t"]),
        Attribute.numeric("b", low=0, high=80, bins=8),
        Attribute.categorical("c", list(range(6))),
        Attribute.categorical("y", ["no", "yes"]),
    ],
    target="y",
)


def warm() -> None:
    """Load the compiled kernels, in the process that writers are forked from."""
    SCHEMA["b"].coding().encode(np.array([1.0]))
    with Randomness.seeded(1) as source:
        picks: tuple[Pick, ...] = ("first", "random")
        for pick in picks:
            method = Complement(pick)
            Unrealizer(method.universe(SCHEMA), method.pick, source).add(np.array([1, 2]))


warm()


def samples(writer: int, call: int) -> dict[str, Any]:
    """Return the samples of one call: the same each time it is made."""
    rng = np.random.default_rng([writer, call])
    rows = int(rng.integers(1, 60))
    return {
        "a": np.array(list("pqrst"))[(rng.beta(1, 3, rows) * 5).astype(int)],
        "b": rng.uniform(0, 80, rows),
        "c": rng.integers(0, 6, rows),
        "y": np.array(["no", "yes"])[rng.integers(0, 2, rows)],
    }


def acknowledged(folder: Path, writer: int) -> int:
    """Return how many calls of a writer the store has acknowledged."""
    path = folder / f"acknowledged-{writer}"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def write(url: str, folder: Path, writer: int) -> None:
    """Make call after call, each until it is acknowledged; a failed one again with its token."""
    file = os.open(folder / f"acknowledged-{writer}", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    call = acknowledged(folder, writer)
    store = None
    while not (folder / "stop").exists():
        try:
            store = store or Store.open(url)
            store.add(samples(writer, call), token=f"{writer}-{call}")
        except StoreError:
            if store is not None:
                store.close()
            store = None
            time.sleep(0.02)
            continue
        call += 1
        os.write(file, b"done\n")
