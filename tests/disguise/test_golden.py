"""What disguises make of the same records with the same seed, as it was when last looked at."""

from pathlib import Path

import pytest

from privet.release import Release
from tests.golden import golden
from tests.releases import MAKERS, monotone, release


def held(made: Release) -> list[object]:
    """The columns of each part, with what one has to know to read them."""
    return [
        {
            "sign": part.sign,
            "channels": [channel.to_dict() for channel in part.channels],
            "columns": part.table.collect(100_000).columns,
        }
        for part in made.parts
    ]


@pytest.mark.filterwarnings("ignore::privet.PrivetWarning")
@pytest.mark.parametrize("kind", MAKERS)
def test_a_seed_gives_the_same_release_again(kind: str) -> None:
    made = release(kind)
    golden("disguise", kind, {"parts": held(made), "treatments": dict(made.treatments)})


def test_a_seed_gives_the_same_monotone_release_again(tmp_path: Path) -> None:
    golden("disguise", "monotone", held(monotone(tmp_path)))
