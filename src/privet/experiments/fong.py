"""Fong's thesis: every computed table and figure of chapters 3 to 6, and what is wrong in it.

Chapters 3 to 5 work one example, the weather data. Chapter 6 argues by formulas only ("testing
with real samples should be the next step"): here the formulas are drawn, every pick is tried on
tables of several shapes, and on Adult, cut to universes that fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disguise.loss import dummy_bound, dummy_ratio, fewest_copies, loss_of
from privet.disguise.unrealize import PICKS, Unrealizer
from privet.experiments.fong_real import CUTS, real, sampling
from privet.experiments.fong_tables import chapter_3, chapter_4, chapter_5, listed, percent
from privet.experiments.fong_time import ATTRIBUTES, SAMPLES, TIMED, timed, timing
from privet.experiments.lab import Lab, Seeds, Setting, grid, means
from privet.experiments.page import Compared, Findings, Section, table
from privet.experiments.registry import experiment
from privet.experiments.tables import is_present
from privet.figures import figure, legend
from privet.randomness import Randomness
from privet.release.universe import Dummy, Universe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Ints
    from privet.experiments.lab import Row

__all__ = ["fong"]

SHAPES = ("even", "flattest", "narrowest", "skewed", "sparse")


def drawn(shape: str, kinds: int, samples: int, rng: np.random.Generator) -> Ints:
    """Return the cells of samples in random order: figures 6-3 (a) to (c), and two usual shapes."""
    if shape == "even":
        cells = np.arange(samples) % kinds
    elif shape == "flattest":
        cells = np.arange(samples + kinds // 2) % kinds
    elif shape == "narrowest":
        cells = np.concatenate([np.arange(samples // 2) % kinds, np.zeros(samples // 2, np.int64)])
    else:
        power = 1.0 if shape == "skewed" else 2.0
        weight = 1.0 / np.arange(1, kinds + 1) ** power
        cells = rng.choice(kinds, samples, p=weight / weight.sum())
    return rng.permutation(cells).astype(np.int64)


def storing(setting: Setting, seeds: Seeds) -> dict[str, float]:
    """Unrealize samples of one shape by one pick; return copies and loss beside their bounds."""
    kinds, samples = setting["kinds"], setting["samples"]
    cells = drawn(setting["shape"], kinds, samples, seeds.generator("cells"))
    universe = Universe(("x",), (kinds,))
    if setting["pick"] == "dummy":
        universe = Universe(("x",), (kinds,), Dummy("dummy", ("yes",)))
        cells = 2 * cells
    collected = np.bincount(cells, minlength=universe.size)
    with Randomness.seeded(seeds("pick")) as source:
        worked = Unrealizer(universe, setting["pick"], source)
        worked.add(cells)
    loss = loss_of(universe, collected, worked.copies)
    fewest = fewest_copies(universe, collected)
    plain = len(cells) / kinds
    return {
        "copies": worked.copies,
        "fewest": fewest,
        "loss": loss.value,
        "share": loss.value / plain,
        "bounded": bool(loss.low - 1e-9 <= loss.value <= loss.high + 1e-9),
        "dummy_bounded": setting["pick"] != "dummy"
        or loss.value <= dummy_bound(len(cells), kinds) + 1e-9,
        "exposed": loss.exposed / loss.kinds,
        "among_real": loss.among_real / plain,
        "stored": loss.stored / len(cells),
    }


@experiment("fong", title="Dataset complementation: Fong")
def fong(lab: Lab) -> Findings:
    """Work the thesis' tables out, and its formulas on tables of several shapes."""
    kinds = [24, 200] if lab.quick else [24, 200, 2000]
    settings = grid(pick=PICKS, shape=SHAPES, kinds=kinds, samples=[2000 if lab.quick else 20_000])
    rows = lab.run(storing, settings, runs=lab.times(10), alike=("pick",))
    third, facts_3 = chapter_3()
    fourth, facts_4 = chapter_4()
    fifth, facts_5 = chapter_5()
    sections = [third, fourth, fifth, _figure_dummies(), _storage(rows), _losses(rows)]
    widths, counts = (ATTRIBUTES[:1], SAMPLES[:2]) if lab.quick else (ATTRIBUTES, SAMPLES)
    section, judged = timed(lab.run(timing, grid(pick=TIMED, attributes=widths, samples=counts)))
    sections.append(section)
    if is_present("adult"):
        cuts = list(CUTS)[:1] if lab.quick else list(CUTS)
        sections.append(real(lab.run(sampling, grid(cut=cuts, pick=("first", "dummy")))))
    facts = {"chapter_3": facts_3, "chapter_4": facts_4, "chapter_5": facts_5}
    return Findings(sections, [*_compared(rows, facts), *judged], facts)


def _figure_dummies() -> Section:
    """The bound of §6.2 over that of a plain universe, by the number of kinds of records."""
    drawing = figure()
    axes = drawing.subplots()
    kinds = np.unique(np.geomspace(2, 10_000, 200).astype(int))
    axes.semilogx(kinds, [dummy_ratio(int(n)) for n in kinds], label="universe doubled")
    for fold in (3, 5):
        bound = [dummy_bound(int(n), int(n), fold) for n in kinds]
        axes.semilogx(kinds, bound, label=f"{fold}-fold universe")
    axes.axhline(1 / 3, ls=":", c="k", label="the thesis: below a third")
    axes.set(xlabel="n, possible records", ylabel="bound on the privacy loss, of r·s/n")
    legend(drawing)
    text = (
        "With dummies the privacy loss is at most (n − √(2n−1)) / (2(n−1)) of r·s/n (§6.2). That "
        f"bound is a third at n = 13 ({dummy_ratio(13):.4f}) and approaches a half: "
        f"{dummy_ratio(10**6):.4f} at a million."
    )
    title = "Chapter 6: the bound with dummies"
    return Section("chapter-6-dummies", text, title, {"fong-dummies": drawing})


def _storage(rows: Sequence[Row]) -> Section:
    by = ("pick", "shape")
    copies, fewest = means(rows, by, "copies"), means(rows, by, "fewest")
    stored = means(rows, by, "stored")
    made = [
        [*key, f"{copies[key][0] / fewest[key][0]:.3f}", f"{stored[key][0]:.1f}"] for key in copies
    ]
    header = ["pick", "shape", "copies / fewest copies", "stored records per sample"]
    text = (
        "Lemma 6-1: every choice of T′ needs at least max(c, ⌈2s/n⌉) copies. Records are counted "
        "as the thesis stores them, one by one; as distinct records with counts they take at most "
        "two rows per possible record."
    )
    return Section("chapter-6-storage", f"{text}\n\n{table(header, made)}", "Chapter 6: storage")


def _losses(rows: Sequence[Row]) -> Section:
    drawing = figure()
    axes = drawing.subplots()
    by = ("shape", "pick")
    share = means(rows, by, "share")
    width = 0.8 / len(PICKS)
    for place, pick in enumerate(PICKS):
        at = np.arange(len(SHAPES)) + (place - 1.5) * width
        axes.bar(at, [share[shape, pick][0] for shape in SHAPES], width, label=pick)
    axes.set_xticks(range(len(SHAPES)), SHAPES)
    axes.axhline(1, ls=":", c="k")
    axes.set(ylabel="privacy loss, of r·s/n")
    legend(drawing)
    exposed, real = means(rows, by, "exposed"), means(rows, by, "among_real")
    made = [
        [*key, f"{share[key][0]:.3f}", f"{real[key][0]:.3f}", percent(exposed[key][0])]
        for key in share
    ]
    header = ["shape", "pick", "loss, of r·s/n", "loss without dummy rows", "exposed records"]
    text = (
        "A possible record is *exposed* if it is more frequent among the stored records than among "
        "the collected ones: the thesis' low-frequency problem.\n\n" + table(header, made)
    )
    title = "Chapter 6: privacy loss"
    return Section("chapter-6-loss", text, title, {"fong-loss": drawing})


def _compared(rows: Sequence[Row], facts: dict[str, Any]) -> list[Compared]:
    gains, tree = facts["chapter_3"]["gains"], facts["chapter_5"]
    dummies = [row for row in rows if row["pick"] == "dummy"]
    worst = max(row["share"] for row in dummies)
    exposed = max(row["exposed"] for row in dummies)
    close, closest = (
        max(row["copies"] / row["fewest"] for row in rows if row["pick"] == pick)
        for pick in ("most-frequent", "dummy")
    )
    yes = [
        sum(count for record, count in tree[name].items() if record.endswith("Yes"))
        for name in ("unreal", "perturbing")
    ]
    unreal, perturbing = (sum(tree[name].values()) for name in ("unreal", "perturbing"))
    wrong = facts["chapter_4"]["wrong"]
    right = {"Outlook": 0.247, "Humidity": 0.152, "Wind": 0.049}
    return [
        Compared(
            "gains .247 (Outlook), .152 (Humidity), .049 (Wind)",
            ", ".join(f"{gain:.4f} ({name})" for name, gain in gains.items())
            + "; the thesis subtracts rounded entropies",
            holds=all(round(gains[name], 3) == gain for name, gain in right.items()),
        ),
        Compared(
            "T′ has 14 records and T^P 20; 2·|T′| + |T^P| = 48",
            f"{unreal} and {perturbing}; {2 * unreal + perturbing}",
            holds=(unreal, perturbing) == (14, 20),
        ),
        Compared(
            "modified ID3 gives exactly the tree of the original data",
            ("it does here" if tree["same"] else "it does not here")
            + "; a property test tries it for every policy, pick and table",
            holds=bool(tree["same"]),
        ),
        Compared(
            "about 29 % of the days are wrong after random substitution",
            f"days {listed(wrong)}: {percent(len(wrong) / 14)}",
            holds=round(len(wrong) / 14, 2) == 0.29,
        ),
        Compared(
            "the worked sums and Lemma 5-6 add |T^P|",
            f"24 − {yes[0]} − {yes[1]} = {24 - sum(yes)} of the 14 days are Yes; a plus would make "
            f"it {24 - yes[0] + yes[1]}",
            holds=24 - yes[0] + yes[1] == 9,
        ),
        Compared(
            "the loss lies between the bounds of §6.1",
            f"in {sum(row['bounded'] for row in rows)} of {len(rows)} trials",
            holds=all(row["bounded"] for row in rows),
        ),
        Compared(
            "with dummies the loss is bounded by §6.2",
            f"in {sum(row['dummy_bounded'] for row in dummies)} of {len(dummies)} trials",
            holds=all(row["dummy_bounded"] for row in dummies),
        ),
        Compared(
            "with dummies the loss is always below a third of r·s/n",
            f"up to {worst:.3f} of it; the bound itself is above a third from n = 14 on",
            holds=worst < 1 / 3,
        ),
        Compared(
            "doubling the universe solves the low-frequency problem",
            f"up to {percent(exposed)} of possible records stay exposed: it needs n·x ≥ m·y",
            holds=exposed == 0,
        ),
        Compared(
            "moving the most frequent record minimises |T^P|",
            f"up to {close:.3f} times the fewest copies, with dummies up to {closest:.3f} times; "
            "the thesis' own rule, the first record, already moves a most frequent one",
            holds=close == closest == 1.0,
        ),
    ]
