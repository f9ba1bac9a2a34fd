"""One input, read within bounds of time and memory; and the corpus of what was once found."""

import hashlib
import json
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from privet.errors import BugError, PrivetError, PrivetWarning
from tests.fuzz.mutate import DATES, HALF, NOT_FINITE, changed_bytes, changed_form, places
from tests.fuzz.targets import Target

CORPUS = Path(__file__).parent / "corpus"
SECONDS = 5.0  # of the processor, for one input


class HangError(BaseException):
    """An input takes too long; no ``except Exception`` stops it."""


@dataclass(frozen=True)
class Input:
    """A changed form, or changed bytes."""

    value: Any
    is_form: bool

    def read(self, target: Target) -> bool:
        """Read it; whether it was taken, not refused. All but ``PrivetError`` is a finding."""
        work = target.form if self.is_form else target.raw
        if work is None:
            return False
        try:
            work(self.value)
        except BugError:
            raise
        except PrivetError:
            return False
        return True

    def write(self, folder: Path) -> Path:
        """Write it to the corpus."""
        folder.mkdir(parents=True, exist_ok=True)
        data = self.value
        if self.is_form:
            data = json.dumps(data, default=_dated, indent=1).encode()
        path = folder / (
            hashlib.sha256(data).hexdigest()[:12] + (".json" if self.is_form else ".bin")
        )
        path.write_bytes(data)
        return path

    @classmethod
    def found(cls, path: Path) -> "Input":
        """Read it from the corpus."""
        data = path.read_bytes()
        if path.suffix == ".bin":
            return cls(data, is_form=False)
        return cls(json.loads(data, object_hook=_undated), is_form=True)


def _dated(value: Any) -> dict[str, str]:
    return {"$date": value.isoformat()}


def _undated(form: dict[str, Any]) -> Any:
    if set(form) != {"$date"}:
        return form
    return next(one for one in DATES if one.isoformat() == form["$date"])


class Generator:
    """Changed inputs of a target, one after the other, grown from its examples and a pool."""

    def __init__(self, target: Target, rng: Random) -> None:
        self.target, self.rng = target, rng
        self.forms: list[Any] = [*target.forms, *target.refused]
        self.blobs = list(target.blobs)
        every = [place for form in self.forms for place in places(form)]
        self.words = sorted({key for _, key in every if isinstance(key, str)} | {"", "x", "a"})
        self.words += [one[k] for one, k in every if isinstance(one[k], str) and len(one[k]) < 20]
        self.words += target.words
        # TOML has numbers that are not finite, and dates; JSON that is read strictly has neither,
        # but can write half of a sign.
        self.extra = [*NOT_FINITE, *DATES] if target.toml else [HALF]

    def next(self) -> Input:
        """The next input; three of four are forms, where a target has forms."""
        if self.target.form is not None and self.rng.random() < 0.75:
            form = changed_form(self.rng.choice(self.forms), self.rng, self.words, self.extra)
            return Input(form, is_form=True)
        return Input(changed_bytes(self.rng.choice(self.blobs), self.rng), is_form=False)

    def keep(self, one: Input) -> None:
        """Grow later inputs from this one, too."""
        (self.forms if one.is_form else self.blobs).append(one.value)


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[Callable[[], object]]:
    """Give what starts the clock of one input; time of the processor counts, not of the wall."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise HangError(f"an input takes more than {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", PrivetWarning)
            warnings.simplefilter("ignore", ResourceWarning)  # comes whenever it likes
            yield lambda: signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
