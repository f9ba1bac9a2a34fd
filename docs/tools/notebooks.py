"""Run the notebooks of the docs and keep what they print: ``make notebooks``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FORMAT: Any = nbformat  # it has no types in all versions
FOLDER = Path(__file__).parents[1] / "notebooks"
SECONDS = 300  # the most a cell may take


def run(path: Path) -> Any:
    """Return a notebook with what its cells print now; a cell that fails is an error."""
    notebook = FORMAT.read(path, 4)
    NotebookClient(notebook, timeout=SECONDS, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran is nobody's business
    return notebook


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.ipynb")):
        FORMAT.write(run(path), path)
        print(path.name)
