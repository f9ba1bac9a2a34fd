"""Do a survey's 95 % intervals hold the truth? ``python -m benchmarks survey_coverage``.

The population has known shares. Again and again people are drawn from it, each disguises her
answers, and it is noted how often the interval of every value holds the population's share.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import THREADS
from benchmarks.harness import Goal, Report
from privet.experiments import Lab, Seeds, Setting, grid
from privet.survey import Questionnaire, Results
from privet.survey.simulate import crowd, disguised

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

PEOPLE, BATCH = 2_000, 50
LOW, HIGH = 93.0, 97.0
SURVEY = Path(__file__).parents[1] / "docs" / "survey.toml"
POPULATION = 200_000  # people of the population: their shares are the truth


def repeating(setting: Setting, seeds: Seeds) -> dict[str, Any]:
    """Ask people some times over; count the intervals that hold the population's shares."""
    asked = Questionnaire.read(SURVEY)
    population = crowd(asked, POPULATION, seed=1)
    hits = dict.fromkeys(asked.schema.names, 0.0)
    for number in range(BATCH):
        drawn = np.random.default_rng(seeds(str(number))).integers(0, POPULATION, PEOPLE)
        sent = disguised(asked, {name: held[drawn] for name, held in population.codes.items()})
        rows = np.stack([sent[name] for name in asked.schema.names], axis=1).astype("<u2")
        results = Results(asked, Counter(row.tobytes() for row in rows))
        for name in asked.schema.names:
            told = results.told(name)
            truth = population.shares(name, len(told.half_widths))
            inside = np.abs(told.shares.unbiased - truth) <= told.half_widths
            hits[name] += float(inside.mean())
    del setting
    return hits


def main(arguments: Sequence[str]) -> None:
    """Ask, count, print and write."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks survey_coverage", description="Do intervals hold the truth?"
    )
    parser.add_argument("--repetitions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, help="the base of all seeds; else drawn anew")
    parser.add_argument("--jobs", type=int, default=THREADS, help="processes")
    chosen = parser.parse_args(arguments)
    lab = Lab("bench-survey-coverage", seed=chosen.seed, jobs=chosen.jobs)
    runs = max(1, chosen.repetitions // BATCH)
    rows = lab.run(repeating, grid(people=[PEOPLE]), runs=runs)
    about = f"docs/survey.toml, {PEOPLE:,} people, {runs * BATCH:,} repetitions, "
    report = Report("survey_coverage", about + f"base seed {lab.seed}")
    table = Table("question", "intervals that hold the truth")
    for name in Questionnaire.read(SURVEY).schema.names:
        share = 100 * sum(row[name] for row in rows) / (runs * BATCH)
        table.add_row(name, f"{share:.2f} %")
        report.goals.append(Goal(f"{name}, at least", share, LOW, unit=" %"))
        report.goals.append(Goal(f"{name}, at most", share, HIGH, at_most=True, unit=" %"))
    console = Console()
    console.print(table)
    report.show(console)
    console.print(f"  written: benchmarks/results/{report.write().name}", highlight=False)
