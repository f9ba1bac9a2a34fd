"""The notebooks of the documentation run from top to bottom, in a kernel of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.tools.notebooks import FOLDER, run

BOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.filterwarnings("ignore")  # of the kernel's own libraries
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    printed = [cell for cell in run(path).cells if cell.cell_type == "code" and cell.outputs]
    assert printed


def test_there_are_some() -> None:
    assert len(BOOKS) >= 3
