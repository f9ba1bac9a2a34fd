import sys
from pathlib import Path
from typing import Any

import pytest

from privet.errors import InputError
from privet.figures import figure, legend, save_figure


def drawn() -> Any:
    drawing = figure()
    axis = drawing.add_subplot()
    for height in range(6):
        axis.plot([0, 1], [height, height], label=f"line {height}")
    legend(drawing)
    return drawing


def test_a_legend_covers_no_data() -> None:
    drawing = drawn()
    drawing.canvas.draw()
    (explained,) = drawing.legends
    (axis,) = drawing.axes
    assert explained.get_window_extent().y1 <= axis.get_window_extent().y0
    assert len(explained.get_texts()) == 6


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_the_same_numbers_give_the_same_bytes(tmp_path: Path, ending: str) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        save_figure(drawn(), tmp_path / name / f"figure{ending}")
    first, second = ((tmp_path / name / f"figure{ending}").read_bytes() for name in ("a", "b"))
    assert first == second


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must end in \.svg"):
        save_figure(figure(), tmp_path / "figure.txt")


def test_a_theme_leaves_no_trace() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    drawn()
    assert dict(mpl.rcParams) == before


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"\.\[figures\]"):
        figure()
