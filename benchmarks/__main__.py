"""Run benchmarks by name, or all: ``python -m benchmarks [--peers] [name ...]``.

Some take options of their own, ``claims`` and ``coverage`` among them: see ``--help``.
``--peers`` leaves privet itself out, to see what the machine makes of the others.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from rich.console import Console

from privet.errors import InputError

NAMES = (
    "grow",
    "substitute",
    "learn",
    "fit",
    "forest",
    "party",
    "scale",
    "store",
    "survey",
    "audit",
    "forest_noise",
    "noise",
)


APART = (
    "accuracy",
    "cells",
    "claims",
    "coverage",
    "large",
    "noise_accuracy",
    "one_table",
    "survey_coverage",
    "workbench",
    "worlds",
)


def main() -> None:
    """Run, print and write results."""
    if len(sys.argv) > 1 and sys.argv[1] in APART:
        sys.exit(import_module(f"benchmarks.{sys.argv[1]}").main(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed beside peers.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"some of {', '.join(NAMES)}")
    parser.add_argument("--peers", action="store_true", help="time the peers only")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(NAMES)}")
    console = Console()
    short = 0
    for name in chosen.names or NAMES:
        try:
            report = import_module(f"benchmarks.{name}").run(peers_only=chosen.peers)
        except InputError as error:  # a table that is not here must not stop the others
            console.print(f"SKIPPED {name}: {error}", highlight=False, markup=False)
            continue
        report.show(console)
        path = report.write()
        console.print(f"  written: benchmarks/results/{path.name}", highlight=False)
        short += sum(not goal.met for goal in report.goals)
    if short:
        console.print(f"[red]{short} goal(s) SHORT[/]")


if __name__ == "__main__":
    main()
