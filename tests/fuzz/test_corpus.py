"""What fuzzing once found is read again; and every target is tried for a moment."""

import os
import secrets
import zlib
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.run import CORPUS, Generator, Input, bounded
from tests.fuzz.targets import TARGETS
from tests.fuzz.unreachable import UNREACHABLE, lines_without

INPUTS = 150  # new ones of each target


@pytest.mark.parametrize("name", TARGETS)
def test_only_typed_errors_within_bounds(name: str, tmp_path: Path) -> None:
    target = TARGETS[name](tmp_path)
    steady = os.environ.get("PRIVET_HYPOTHESIS") == "steady"
    seed = zlib.crc32(name.encode()) if steady else secrets.randbits(32)
    generator = Generator(target, Random(seed))
    with bounded() as begin:
        for form in target.forms:
            begin()
            assert Input(form, is_form=True).read(target), "an example is not taken as it is"
        for form in target.refused:
            begin()
            assert not Input(form, is_form=True).read(target), "a hostile example is taken"
        for path in sorted((CORPUS / name).glob("*")):
            begin()
            Input.found(path).read(target)
        for number in range(INPUTS):
            begin()
            try:
                generator.next().read(target)
            except BaseException as error:
                error.add_note(f"input {number} of target {name}, seed {seed}")
                raise


def test_what_is_left_out_of_the_count_is_still_there() -> None:
    for name in TARGETS:
        lines_without(name)  # finds every line in its function, or fails
    assert {name for entry in UNREACHABLE for name in entry.targets} <= set(TARGETS)


def test_no_target_was_renamed_away_from_its_corpus() -> None:
    assert {path.name for path in CORPUS.iterdir() if path.is_dir()} <= set(TARGETS)
