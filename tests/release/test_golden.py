"""Cards, claims and tables of releases of every kind, as they were when last looked at."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.golden import golden
from tests.releases import COMPLEMENTED, MAKERS, UNBOUNDED, release

pytestmark = pytest.mark.filterwarnings("ignore::privet.PrivetWarning")


def without(form: Any, names: tuple[str, ...]) -> Any:
    """A card without what differs from machine to machine."""
    if isinstance(form, dict):
        return {name: without(one, names) for name, one in form.items() if name not in names}
    return [without(one, names) for one in form] if isinstance(form, list) else form


@pytest.mark.parametrize("kind", MAKERS)
def test_a_card_says_the_same_again(kind: str, tmp_path: Path) -> None:
    made = release(kind)
    made.write(tmp_path / "kept")
    card = json.loads((tmp_path / "kept" / "card.json").read_text("utf-8"))
    golden("release", f"{kind}: card", without(card, ("sha256", "bytes", "size", "seal", "privet")))
    back = type(made).read(tmp_path / "kept")
    assert back.rows == made.rows


@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind not in UNBOUNDED])
def test_a_claim_says_the_same_again(kind: str) -> None:
    claim = release(kind).claim
    golden("release", f"{kind}: claim", {"form": claim.to_dict(), "words": claim.sentences()})
    golden("release", f"{kind}: shown", [repr(claim), claim._repr_html_()])


@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind not in COMPLEMENTED])
def test_a_release_is_shown_the_same_again(kind: str) -> None:
    made = release(kind)
    shown = [made.to_frame(representative=how, seed=2) for how in ("centre", "endpoint", "random")]
    columns = [
        {name: np.asarray(table[name].to_numpy()) for name in table.column_names} for table in shown
    ]
    golden("release", f"{kind}: table", [repr(made), made.head(5).to_pydict(), columns])
    first, second = made.split(0.3)
    folds = [(learn.rows, held.rows) for learn, held in made.folds(3, seed=1)]
    golden("release", f"{kind}: split", [first.rows, second.rows, folds])
