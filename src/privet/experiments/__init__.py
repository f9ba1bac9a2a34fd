"""The one harness behind every ``privet reproduce``: grids, fresh seeds, resume, progress, pages.

A paper is a module in ``HOMES`` that is imported when its name is asked for. It holds one function
that asks a ``Lab`` for results and returns ``Findings``; the harness does the rest.

    from privet.experiments import Compared, Findings, Section, experiment, grid, table

    def trial(setting, seeds):                     # at the top of a module: other processes run it
        data = load("as-f1", rows=1000, seed=seeds("data"))
        ...
        return {"accuracy": 0.9}                   # what JSON can hold

    @experiment("zcm", title="Randomized response by several parties")
    def zcm(lab):
        settings = grid(theta=[0.1, 0.3] if lab.quick else [0.1, 0.2, 0.3])
        rows = lab.run(trial, settings, runs=2 if lab.quick else 100)
        text = table(["θ", "accuracy"], [[row["theta"], row["accuracy"]] for row in rows])
        return Findings([Section("accuracy", text)], [Compared("falls", "fell", holds=True)])

*Rows* are the settings with their results and ``run`` (0, 1, …) in one dictionary, in the order
of the grid whatever the number of processes. *Seeds*: ``seeds("data")`` is a whole number that
depends on the base seed, the trial, the setting, the run and the word; settings named in
``alike=("gamma",)`` leave it alone, so that rows that differ only there see the same data.
*Resume*: every result is appended to a file of JSON lines; a run that was killed goes on where it
was, with the seed it had. *Pages*: sections stand between markers in ``docs/papers/NAME.md``, with
the command beneath them, and what is written round the markers by hand stays.
"""

from __future__ import annotations

from privet.experiments.lab import Lab, Seeds, Setting, Trial, grid, mean, means
from privet.experiments.page import Compared, Findings, Section, table, write_page
from privet.experiments.registry import HOMES, Experiment, experiment, find
from privet.figures import figure

__all__ = [
    "HOMES",
    "Compared",
    "Experiment",
    "Findings",
    "Lab",
    "Section",
    "Seeds",
    "Setting",
    "Trial",
    "experiment",
    "figure",
    "find",
    "grid",
    "mean",
    "means",
    "table",
    "write_page",
]
