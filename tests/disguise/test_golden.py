"""What disguises make of the same records with the same seed, as it was when last looked at."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.disguise.loss import (
    dummy_bound,
    dummy_ratio,
    fewest_copies,
    loss_of,
    storage_bound,
)
from privet.disguise.monotone_key import Key
from privet.errors import PrivetError
from privet.release import Release
from tests.golden import golden
from tests.releases import (
    GAPS,
    MAKERS,
    NUMBERS,
    SCHEMA,
    gapped,
    monotone,
    people,
    release,
)


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


MATRIX = [[0.8, 0.1, 0.1, 0.2], [0.1, 0.7, 0.1, 0.2], [0.05, 0.1, 0.7, 0.1], [0.05, 0.1, 0.1, 0.5]]
MORE: dict[str, Any] = {
    "mondrian": pv.KAnonymity(k=5, partition="mondrian"),
    "diverse": pv.KAnonymity(k=4, quasi=["age", "job"], l=2, suppress=0.1),
    "close": pv.KAnonymity(k=4, quasi=["age", "flag"], t=0.4, suppress=0.2),
    "ordered": pv.KAnonymity(k=9, quasi=["job", "flag"], order=["flag", "job"]),
    "random complement": pv.Complement(pick="random"),
    "frequent complement": pv.Complement(pick="most-frequent"),
    "epsilon": pv.RandomSubstitution(epsilon=1.5, bins=4, target=6),
    "rho": pv.RandomSubstitution(rho=(0.05, 0.5)),
    "no wave": pv.RandomSubstitution(gamma=6, wave=0),
    "wave": pv.RandomSubstitution(gamma=6, kind="band", wave=0.2),
    "edges": pv.RandomSubstitution(gamma=5, edges={"age": [30, 50, 60]}),
    "weighted subsets": pv.RandomSubsets(epsilon=5, attributes=3, weights={"age": 2.0}),
    "one subset": pv.RandomSubsets(epsilon=3, attributes=1, bins=4),
    "leaves": pv.ForestFramework(n_trees=2, noise=0.3, min_leaf=20, forest="sysfor", mean=0.05),
    "framework": pv.Framework(noise=0.3, change=0.5, min_leaf=25, mean=0.1),
    "louder": pv.RandomNoise(noise=0.5, change=0.6),
    "near gadp": pv.GADP(proximity=0.6, keep_domain=True),
    "near egadp": pv.EGADP(confidential=["pay"], proximity=0.3),
    "near cgadp": pv.CGADP(confidential=["pay", "age"], proximity=0.4, keep_domain=True),
    "unrelated": pv.Plan(
        {
            "age": pv.UnrelatedQuestion(0.6, bins=3),
            "pay": pv.AdditiveNoise(level=0.5),
            "job": pv.UnrelatedQuestion(0.5, [0.4, 0.3, 0.2, 0.1]),
            "flag": pv.Withheld(),
            "grade": pv.Substitution(9),
        }
    ),
    "classes": pv.Plan(
        {
            "age": pv.ValueClass(width=20),
            "pay": pv.ValueClass(edges=[10_000, 50_000]),
            "job": pv.Substitution(matrix=MATRIX),
            "flag": pv.Exact(),
            "grade": pv.Exact(),
        }
    ),
    "level": pv.Plan(
        {
            "age": pv.ValueClass(level=0.3),
            "pay": pv.Substitution(12, bins=5),
            "job": pv.ValueClass(groups={"hand": ["smith", "baker"], "head": ["clerk", "nurse"]}),
            "flag": pv.Substitution(rho=(0.1, 0.6)),
            "grade": pv.Exact(),
        }
    ),
    "groups": pv.Plan(
        {"grade": pv.Exact()},
        groups=[
            pv.FlipGroup(["age", "flag"], 0.7, {"age": 40}),
            pv.JointGroup(["pay", "job"], 12, bins=4),
        ],
    ),
}


def made_of(method: Any, schema: pv.Schema, rows: int = 1_200) -> Any:
    records = people(rows)
    try:
        return method.disguise({name: records[name] for name in schema.names}, schema, seed=7)
    except PrivetError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore::privet.PrivetWarning")
@pytest.mark.parametrize("kind", MORE)
def test_settings_give_the_same_release_again(kind: str) -> None:
    made = made_of(MORE[kind], SCHEMA, 6_000 if kind == "wave" else 1_200)
    if isinstance(made, str):
        golden("settings", kind, made)
        return
    claim = None if made.unbounded else made.claim.to_dict()
    golden("settings", kind, [held(made), dict(made.treatments), claim])
    codings = [
        None if one is None else (one.edges if one.ordered else one.values)
        for part in made.parts
        for one in made.codings_of(part).values()
    ]
    golden("settings", f"{kind}: cells", codings)
    golden("settings", f"{kind}: told", MORE[kind].warnings(SCHEMA))


@pytest.mark.filterwarnings("ignore::privet.PrivetWarning")
@pytest.mark.parametrize("kind", ["substitution", "exact", "plan", "forest framework", "cgadp"])
def test_gaps_give_the_same_release_again(kind: str) -> None:
    records = gapped(people(400))
    try:
        made = held(MAKERS[kind]().disguise(records, GAPS, seed=7))
    except PrivetError as error:
        made = [f"{type(error).__name__}: {error}"]
    golden("settings", f"{kind} with gaps", made)


def test_losses_are_the_same_again() -> None:
    found = []
    for pick in ("first", "dummy"):
        universe = pv.Complement(pick=pick).universe(SCHEMA)
        counts = np.arange(universe.size) % 4
        if universe.dummy is not None:
            counts *= universe.is_real(np.arange(universe.size))
        copies = fewest_copies(universe, counts)
        for more, leaked in ((0, 1), (2, 5)):
            plain = loss_of(universe, counts, copies + more, leaked)
            full = loss_of(universe, counts, copies + more, leaked, alpha=0.3, p_d=0.7, p_r=0.01)
            found += [plain, plain.sentences(), full, storage_bound(universe, 1000 * leaked)]
    bounds = [dummy_bound(500, real, fold, 3) for real in (10, 40) for fold in (2, 3, 5)]
    golden("settings", "losses", [found, bounds, [dummy_ratio(real) for real in (2, 10, 1000)]])


def test_monotone_keys_are_the_same_again(tmp_path: Path) -> None:
    made: dict[str, Any] = {}
    kinds: dict[str, Any] = {
        "plain": {},
        "anti": {"anti": True},
        "linear": {"pieces": ("linear",), "reverse": False},
        "polynomial": {"pieces": ("polynomial",), "breaks": {"pay": [30_000, 60_000]}},
    }
    records = {name: people()[name] for name in NUMBERS.names}
    for kind, settings in kinds.items():
        path = tmp_path / f"{kind}.key"
        try:
            release = pv.Monotone(key=path, **settings).disguise(records, NUMBERS, seed=4)
        except PrivetError as error:
            made[kind] = f"{type(error).__name__}: {error}"
            continue
        key = Key.read(path)
        numbers = np.linspace(20, 79, 9)
        back = [one.decode(one.encode(numbers)) for one in key.attributes if hasattr(one, "decode")]
        made[kind] = [held(release), str(path.read_text("utf-8")), back]
    golden("settings", "monotone", made)
