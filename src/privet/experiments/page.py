"""What an experiment found, and how it gets into a page: tables, figures, the paper beside ours.

A section stands between two markers, ``<!-- reproduce: name -->`` and ``<!-- end: name -->``. Only
what is between them is replaced; the words around them are written by hand. Figures carry no date
and no path, so the same numbers give the same bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import InputError
from privet.figures import save_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privet.experiments.lab import Lab
    from privet.experiments.registry import Experiment

__all__ = ["Compared", "Findings", "Section", "table", "within", "write_page"]

CLAIMS = "claims"  # the section of what the paper says beside what was found


@dataclass(frozen=True)
class Compared:
    """A sentence of the paper, what was found here, and whether the latter bears out the former.

    ``holds`` is None where that was not tested: the sentence is a rule, or about more tables than
    were run.
    """

    paper: str
    ours: str
    holds: bool | None


@dataclass(frozen=True)
class Section:
    """One marked place of a page: Markdown text, and figures by file name without ending."""

    name: str
    text: str
    title: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Findings:
    """All that an experiment found; ``facts`` are the numbers for programs."""

    sections: Sequence[Section]
    compared: Sequence[Compared] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def claims(self) -> str:
        """Return the paper's sentences beside ours as a Markdown table."""
        said = {True: "yes", False: "no", None: "not tested"}
        rows = [[claim.paper, claim.ours, said[claim.holds]] for claim in self.compared]
        return table(["the paper says", "found here", "borne out"], rows)


def within(value: float, low: float, high: float) -> bool:
    """Whether a share, rounded to whole per cent as papers print it, lies between two others.

    >>> within(0.804, 0.75, 0.80), within(0.806, 0.75, 0.80), within(0.744, 0.75, 0.80)
    (True, False, False)
    """
    return low - 1e-9 <= round(value, 2) <= high + 1e-9


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table; numbers that are not whole get four significant digits.

    >>> print(table(["γ", "error"], [[5, 0.123456]]))
    | γ | error |
    |---|---|
    | 5 | 0.1235 |
    """
    lines = [list(header), ["---"] * len(header), *([_cell(cell) for cell in row] for row in rows)]
    ruled = ["|" + "|".join(line) + "|" if line[0] == "---" else _row(line) for line in lines]
    return "\n".join(ruled)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def write_page(
    folder: str | Path, experiment: Experiment, lab: Lab, findings: Findings
) -> list[Path]:
    """Write the sections into ``folder/NAME.md`` and the figures beside it; return all files."""
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise InputError(f"{place} is not a folder.", hint="give --output a folder of pages.")
    place.mkdir(parents=True, exist_ok=True)
    page = place / f"{experiment.name}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else f"# {experiment.title}\n"
    sections = list(findings.sections)
    if findings.compared:
        sections.insert(0, Section(CLAIMS, findings.claims(), "The paper beside ours"))
    written = [page]
    for section in sections:
        drawn = []
        for name, drawing in section.figures.items():
            path = place / f"{name}.svg"
            save_figure(drawing, path)
            written.append(path)
            drawn.append(f"![{section.title or section.name}]({path.name})")
        parts = [section.text.strip(), *drawn, f"`{lab.command}`"]
        text = _replaced(text, section, "\n\n".join(part for part in parts if part))
    page.write_text(text, encoding="utf-8")
    return written


def _replaced(text: str, section: Section, body: str) -> str:
    """Return the page with a section's text between its markers, appended if they are not there."""
    begin, end = f"<!-- reproduce: {section.name} -->", f"<!-- end: {section.name} -->"
    block = f"{begin}\n{body}\n{end}"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if pattern.search(text):
        return pattern.sub(lambda _: block, text, count=1)
    title = f"## {section.title}\n\n" if section.title else ""
    return f"{text.rstrip()}\n\n{title}{block}\n"
