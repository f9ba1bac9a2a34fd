"""Every Python block of the docs and the README runs, in order, in a folder of its own."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SPARK = (pytest.mark.needs("java"), pytest.mark.xdist_group("spark"))


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=SPARK if page.stem == "scale" else (), id=page.stem)
        for page in PAGES
    ],
)
def test_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, str(page), "exec"), space)  # noqa: S102


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
