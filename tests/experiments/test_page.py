from pathlib import Path

import pytest

from privet.errors import BugError, InputError
from privet.experiments import (
    HOMES,
    Compared,
    Experiment,
    Findings,
    Lab,
    Section,
    experiment,
    figure,
    find,
    table,
    write_page,
)


def _findings(text: str) -> Findings:
    drawing = figure(3, 2)
    drawing.add_subplot().plot([1, 2], [3, 4])
    sections = [Section("error", text, "Errors", {"toy-error": drawing})]
    return Findings(sections, [Compared("it falls", "it fell by 3", holds=True)], {"n": 1})


def _write(folder: Path, text: str) -> list[Path]:
    toy = Experiment("toy", "A toy", lambda _: _findings(""))
    return write_page(folder, toy, Lab("toy", seed=3, jobs=1), _findings(text))


def test_a_new_page_has_title_claims_sections_figures_and_the_command(tmp_path: Path) -> None:
    page, drawing = _write(tmp_path / "papers", "| 1 |")
    text = page.read_text()
    assert text.startswith("# A toy\n")
    assert "| it falls | it fell by 3 | yes |" in text
    assert "## Errors\n\n<!-- reproduce: error -->\n| 1 |\n\n![Errors](toy-error.svg)" in text
    assert text.count("`privet reproduce toy --seed 3`") == 2
    assert drawing.name == "toy-error.svg"


def test_words_round_the_markers_stay(tmp_path: Path) -> None:
    page = tmp_path / "toy.md"
    page.write_text("# Mine\n\n<!-- reproduce: error -->\nold\n<!-- end: error -->\n\nwords\n")
    _write(tmp_path, r"new \1")
    text = page.read_text()
    assert text.startswith("# Mine\n")
    assert "old" not in text
    assert r"new \1" in text
    assert text.index("words") > text.index("end: error")


def test_the_same_numbers_give_the_same_bytes_without_a_path_or_date(tmp_path: Path) -> None:
    first = [path.read_bytes() for path in _write(tmp_path / "a", "x")]
    assert first == [path.read_bytes() for path in _write(tmp_path / "b", "x")]
    assert str(tmp_path).encode() not in b"".join(first)
    assert b"dc:date" not in b"".join(first)


def test_a_file_is_no_folder_for_pages(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="not a folder"):
        _write(tmp_path / "file", "x")


def test_tables_keep_bars_inside_cells() -> None:
    assert table(["a"], [["x|y"], [2.0]]).splitlines()[2:] == [r"| x\|y |", "| 2 |"]


def test_every_paper_has_a_home_that_registers_it() -> None:
    for name in HOMES:
        assert find(name).name == name


def test_an_unknown_paper_is_refused() -> None:
    with pytest.raises(InputError, match=r"there are .*dxz"):
        find("nature")


def test_a_module_that_registers_nothing_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HOMES, "empty", "privet.errors")
    with pytest.raises(BugError, match="registers no experiment"):
        find("empty")


def test_registering_returns_the_function() -> None:
    def work(lab: Lab) -> Findings:
        return _findings(lab.name)

    assert experiment("unlisted", title="A toy")(work) is work
