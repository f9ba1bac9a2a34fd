"""Three parties, 1M records, 14 bits: mining beside scikit-learn, joining beside Polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import THREADS
from benchmarks.harness import Goal, Report, race

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from privet.party import PartyRelease

ROWS, THETA, PARTIES = 1_000_000, 0.8, 3
NAMES = [f"b{place}" for place in range(14)]
GROUPS = [NAMES[party::PARTIES] for party in range(PARTIES)]
MINE_GOAL, JOIN_GOAL = 1.0, 3.0


def records(seed: int) -> dict[str, Any]:
    """Return 14 bits of different weight, their noisy sum as the class, and an id."""
    rng = np.random.default_rng(seed)
    made: dict[str, Any] = {
        name: (rng.random(ROWS) < rng.uniform(0.2, 0.8)).astype(np.int64) for name in NAMES
    }
    pairs = zip(NAMES, np.linspace(1.5, 0.1, len(NAMES)), strict=True)
    score = sum(weight * made[name] for name, weight in pairs) + rng.normal(0, 1, ROWS)
    made["y"] = (score > np.median(score)).astype(np.int64)
    made["person"] = rng.permutation(ROWS)
    return made


def frames(sent: list[PartyRelease]) -> tuple[list[pl.DataFrame], list[pl.DataFrame]]:
    """Return what the parties sent as frames in random order, by keys and by halves of keys."""
    import polars as pl

    rng = np.random.default_rng(1)
    whole, halves = [], []
    for number, one in enumerate(sent):
        order = rng.permutation(ROWS)
        columns = {name: column[order] for name, column in one.table.columns.items()}
        if number:
            del columns["y"]
        keys = np.asarray(one.keys)[order]
        whole.append(
            pl.DataFrame({"key": [key.tobytes() for key in keys.astype(">u8")], **columns})
        )
        halves.append(pl.DataFrame({"key": keys[:, 0], **columns}))
    return whole, halves


def run(*, peers_only: bool = False) -> Report:
    """Disguise once by three parties, then race miners and joiners."""
    from sklearn.tree import DecisionTreeClassifier

    import privet as pv
    from privet.party import Agreement, disguise_party, join
    from privet.schema import Attribute, Schema

    frame = records(int(np.random.SeedSequence().generate_state(1)[0]))
    bits = [Attribute.categorical(name, [0, 1]) for name in [*NAMES, "y"]]
    parties = {f"party{k}": {"groups": [group], "theta": THETA} for k, group in enumerate(GROUPS)}
    agreement = Agreement.from_dict({"parties": parties}, Schema(bits, target="y"))
    secret = bytes(32)
    sent = [disguise_party(frame, agreement, one, id="person", secret=secret) for one in parties]
    X = np.stack([frame[name] for name in NAMES], axis=1).astype(np.float32)
    models: dict[str, Any] = {}

    def plain() -> None:
        models["plain"] = DecisionTreeClassifier(criterion="entropy").fit(X, frame["y"])

    (one, two, three), numbers = frames(sent)
    contenders: dict[str, Callable[[], object]] = {
        "scikit-learn, plain tree": plain,
        "Polars, inner join by 16-byte keys": lambda: one.join(two, on="key").join(three, on="key"),
        "Polars, inner join by 8-byte numbers": lambda: (
            numbers[0].join(numbers[1], on="key").join(numbers[2], on="key")
        ),
    }
    if not peers_only:
        release = join(sent).release

        def mine() -> None:
            models["ours"] = pv.TreeClassifier(policy="id3").fit(release)

        contenders["privet, mining the join"] = mine
        contenders["privet, join"] = lambda: join(sent)
    times = race(contenders, repeats=5)
    about = f"{ROWS:,} records, {len(NAMES)} binary attributes, {PARTIES} parties, θ = {THETA}"
    report = Report("party", f"{about}, {THREADS} threads", times)
    if not peers_only:
        medians = {name: held.median for name, held in times.items()}
        peer = min(value for name, value in medians.items() if name.startswith("Polars"))
        mined = medians["privet, mining the join"] / medians["scikit-learn, plain tree"]
        joined = medians["privet, join"] / peer
        mining, joining = (
            "our mining over scikit-learn's plain tree",
            "our join over Polars' faster",
        )
        report.goals = [
            Goal(mining, mined, MINE_GOAL, at_most=True, unit=" ×"),
            Goal(joining, joined, JOIN_GOAL, at_most=True, unit=" ×"),
        ]
        tree = models["ours"].tree_
        report.facts = {
            "our tree": f"{tree.nodes} nodes, right for {100 * models['ours'].score(frame):.2f} %",
            "plain tree": f"{models['plain'].tree_.node_count} nodes, "
            f"right for {100 * models['plain'].score(X, frame['y']):.2f} % of what it was grown on",
        }
    return report
