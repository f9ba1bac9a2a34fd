"""The worked tables of Fong's thesis, chapters 3 to 5, computed anew."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import datasets
from privet.audit.diversity import diversity
from privet.disguise import Complement, Exact, KAnonymity, Plan
from privet.disguise.kanonymity import information
from privet.disguise.monotone import breakpoints
from privet.disguise.monotone_key import AttributeKey, Piece
from privet.estimators import TreeClassifier
from privet.experiments.page import Section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.release import Release
    from privet.tree import Tree

__all__ = ["SEQUENCE", "chapter_3", "chapter_4", "chapter_5", "listed", "percent", "weather"]

SEQUENCE = ("Outlook", "Humidity", "Wind", "Outlook", "Play")  # figure 4-1
STEPS = {"Outlook": {"steps": [{"Sunny": ["Sunny"], "Dark": ["Overcast", "Rain"]}, "all"]}}
AGES = np.array([17.0, 20, 23, 32, 43, 68])
RISKS = np.array([1, 1, 1, 0, 1, 0])  # High is 1


def weather() -> tuple[Any, Any]:
    """Return the fourteen days and their schema."""
    return datasets.load("weather"), datasets.schema("weather")


def _gains(release: Release) -> dict[str, float]:
    """Return the ID3 gain of each attribute at the root, from the release's own evidence."""
    from privet.estimate.methods import evidence_of
    from privet.split.candidates import ranked_splits
    from privet.split.policy import POLICIES

    evidence = evidence_of(release).evidence
    ranked = ranked_splits(evidence.root().candidates(0, POLICIES["id3"]), POLICIES["id3"])
    return {evidence.codings[candidate.attribute].name: candidate.gain for candidate in ranked}


def _tree(release: Release) -> Tree:
    tree: Tree = TreeClassifier(policy="id3").fit(release).tree_
    return tree


def chapter_3() -> tuple[Section, dict[str, Any]]:
    """ID3 on the plain weather data: gains and the tree of figure 3-5."""
    days, schema = weather()
    plain = Plan({}, default=Exact()).disguise(days, schema)
    gains = _gains(plain)
    tree = _tree(plain)
    below = {
        str(days_of): {
            name: information(
                schema[name].encode(part[name].combine_chunks()),
                schema["Play"].encode(part["Play"].combine_chunks()),
            )
            for name in ("Humidity", "Wind")
        }
        for days_of in ("Sunny", "Rain")
        for part in [days.filter(np.array(days["Outlook"].to_pylist()) == days_of)]
    }
    rows = [["root", name, gain] for name, gain in gains.items()]
    rows += [
        [f"Outlook = {sky}", name, gain]
        for sky, gains in below.items()
        for name, gain in gains.items()
    ]
    text = table(["node", "attribute", "gain"], rows) + f"\n\n```text\n{tree}\n```"
    facts = {"gains": gains, "below": below, "errors": _errors(tree)}
    return Section("chapter-3", text, "Chapter 3: gains and the tree of the plain data"), facts


def _errors(tree: Tree) -> list[int]:
    """Return the numbers of the days that a tree gets wrong."""
    days, _ = weather()
    model = TreeClassifier.from_tree(tree)
    wrong = model.predict(days) != np.array(days["Play"].to_pylist())
    return [int(number) + 1 for number in np.flatnonzero(wrong)]


def chapter_4() -> tuple[Section, dict[str, Any]]:
    """The three other approaches: k-anonymity, random substitution, monotone functions."""
    days, schema = weather()
    method = KAnonymity(2, STEPS, quasi=schema.names, order=SEQUENCE)
    anonymous = method.disguise(days, schema, shuffle=False)
    groups = Counter(tuple(day.values()) for day in anonymous.to_frame().to_pylist())
    chosen = KAnonymity(2, STEPS).disguise(days, schema)
    kept = ", ".join(f"{len(a.values or ())} of {a.name}" for a in chosen.schema.inputs)
    kept = f"these numbers of values: {kept}"
    lines = [
        "Table 4-1 (2-anonymous, the class in the quasi-identifier), as distinct records:",
        table([*schema.names, "records"], [[*record, count] for record, count in groups.items()]),
        (
            f"Its tree gets days {listed(_errors_of(anonymous))} wrong. Choosing each step by the "
            "least loss of gain, with the class left out of the quasi-identifier, keeps "
            f"{kept}. Then {percent(diversity(chosen).homogeneous)} of the days are in a group "
            "with one class, which discloses it."
        ),
    ]
    substituted, facts = _substituted()
    key = _thesis_key()
    cuts = breakpoints(AGES, RISKS)
    lines += [
        substituted,
        f"Table 4-6: breakpoints {', '.join(f'{cut:g}' for cut in cuts)}.",
        table(
            ["age", "risk", "transformed"],
            [
                [int(age), "High" if risk else "Low", round(new)]
                for age, risk, new in zip(AGES, RISKS, key.encode(AGES), strict=True)
            ],
        ),
    ]
    facts |= {
        "groups": {" ".join(record): count for record, count in groups.items()},
        "breakpoints": cuts.tolist(),
        "transformed": key.encode(AGES).tolist(),
    }
    return Section("chapter-4", "\n\n".join(lines), "Chapter 4: the approaches beside it"), facts


def listed(days: Sequence[object]) -> str:
    """Return days, or whatever there are some of, in words.

    >>> listed([6, 9, 14])
    '6, 9 and 14'
    """
    *first, last = map(str, days)
    return f"{', '.join(first)} and {last}" if first else last


def percent(share: float) -> str:
    """Return a share in whole per cent."""
    return f"{100 * share:.0f} %"


def _numbers(values: Any) -> str:
    return listed([f"{value:g}" for value in values])


def _errors_of(release: Release) -> list[int]:
    """Return the days a tree of generalised records gets wrong, asked with the same records."""
    tree = _tree(release)
    frame = release.to_frame()
    wrong = TreeClassifier.from_tree(tree).predict(frame) != np.array(frame["Play"].to_pylist())
    return [int(number) + 1 for number in np.flatnonzero(wrong)]


def _thesis_key() -> AttributeKey:
    """Return the thesis' functions: x + 5, 1.5x, 2x + 3, 2.5x − 20."""
    pieces = (
        Piece(0, 27.5, 5, 32.5),
        Piece(27.5, 37.5, 41.25, 56.25),
        Piece(37.5, 55.5, 78, 114),
        Piece(55.5, 100, 118.75, 230),
    )
    return AttributeKey("age", pieces)


def _substituted() -> tuple[str, dict[str, Any]]:
    """Random substitution of Outlook with γ = 3 and r = i/14, and its reconstruction."""
    days, schema = weather()
    codes = schema["Outlook"].encode(days["Outlook"].combine_chunks()).astype(np.int64)
    matrix = (np.ones((3, 3)) + 2 * np.eye(3)) / 5
    draws = np.arange(1, 15) / 14
    seen = np.array(
        [
            int((draw > np.cumsum(matrix[:, code]) + 1e-12).sum())
            for draw, code in zip(draws, codes, strict=True)
        ]
    )
    counts = np.bincount(seen, minlength=3)
    estimate = (5 * counts - 14) / 2  # M⁻¹y in closed form: ((γ+N−1)·y − n)/(γ−1)
    rounded = np.floor(np.maximum(estimate, 0) + 0.5).astype(np.int64)
    order = np.argsort(seen, kind="stable")
    given = np.repeat(np.arange(3), rounded)[:14]  # cut off at the last record
    rebuilt = np.empty(14, np.int64)
    rebuilt[order] = given
    names = np.array(schema["Outlook"].values)
    frame = {**days.to_pydict(), "Outlook": names[rebuilt].tolist()}
    tree = _tree(Plan({}, default=Exact()).disguise(frame, schema))
    wrong = _errors(tree)
    text = (
        f"Tables 4-2 to 4-4: after substitution Outlook reads {', '.join(names[seen])}. "
        f"{', '.join(names[:-1])} and {names[-1]} are counted {_numbers(counts)} times, estimated "
        f"at {_numbers(estimate)} and given out {_numbers(np.bincount(given, minlength=3))} times. "
        f"ID3 then tests {tree.codings[tree.attribute[0]].name} first and gets days "
        f"{listed(wrong)} wrong: {len(wrong)} of 14, {percent(len(wrong) / 14)} (the thesis "
        "prints 29 %)."
    )
    return text, {
        "substituted": names[seen].tolist(),
        "estimate": estimate.tolist(),
        "wrong": wrong,
    }


def chapter_5() -> tuple[Section, dict[str, Any]]:
    """Complementation: T′, T^P, the gains and the tree from them."""
    days, schema = weather()
    release = Complement("first").disguise(days, schema)
    universe = release.universe
    tables = []
    for part in release.parts:
        batch = part.table.collect(10**6)
        counts = batch.columns[universe.count_column] if universe else np.empty(0)
        names = [
            coding.decode(batch.columns[name])
            for name, coding in release.codings.items()
            if coding is not None
        ]
        tables.append(
            {
                " ".join(map(str, record)): int(count)
                for *record, count in zip(*names, counts, strict=True)
            }
        )
    every = dict.fromkeys([*tables[0], *tables[1]])
    rows = [
        [record, tables[0].get(record, 0), tables[1].get(record, 0)] for record in sorted(every)
    ]
    gains = _gains(release)
    tree = _tree(release)
    plain = _tree(Plan({}, default=Exact()).disguise(days, schema))
    copies = universe.copies if universe else 0
    text = "\n\n".join(
        [
            "Tables 5-9 and 5-10, as distinct records with their counts:",
            table(["record", "T′", "T^P"], rows),
            (
                f"{copies} copies of {universe.size if universe else 0} records: 2·|T′| + |T^P| = "
                f"2·{sum(tables[0].values())} + {sum(tables[1].values())} = "
                f"{2 * sum(tables[0].values()) + sum(tables[1].values())}."
            ),
            table(["attribute", "gain from T′ and T^P"], [list(pair) for pair in gains.items()]),
            f"The tree is {'' if tree.same_as(plain) else 'NOT '}the one of the originals.",
        ]
    )
    facts = {
        "unreal": tables[0],
        "perturbing": tables[1],
        "gains": gains,
        "same": tree.same_as(plain),
    }
    return Section("chapter-5", text, "Chapter 5: complementation"), facts
