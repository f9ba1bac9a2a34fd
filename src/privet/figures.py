"""The one door to matplotlib: figures of papers, advice and trade-offs, looking like our charts.

A figure carries no date and no path, so that the same numbers give the same bytes. Its legend
stands below all axes and covers no data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure as Figure  # noqa: PLC0414 - for others to name it

__all__ = ["figure", "legend", "save_figure"]

# The colours of the audit's pages: ink, soft ink, lines, and marks.
_INK, _SOFT, _LINE = "#1d2420", "#5b655e", "#dcdcd2"
_MARKS = ("#23694a", "#a8401f", "#8a5a00", "#35618f", "#7a4a86", "#5b655e", "#7cc79d", "#e8bf67")
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
    ".pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}
_ACROSS = 4  # entries of a legend side by side, at most


def _library() -> Any:
    try:
        import matplotlib as mpl
        import matplotlib.figure
    except ImportError:
        message = "Figures need matplotlib."
        raise InputError(message, hint="pip install '.[figures]' in the privet folder.") from None
    return mpl


def _theme(mpl: Any) -> dict[str, Any]:
    return {
        "axes.prop_cycle": mpl.cycler(color=_MARKS),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": _LINE,
        "axes.labelcolor": _SOFT,
        "axes.titlecolor": _INK,
        "axes.titlesize": 9,
        "axes.labelsize": 9,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": _LINE,
        "grid.linewidth": 0.6,
        "xtick.color": _SOFT,
        "ytick.color": _SOFT,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "text.color": _INK,
        "legend.frameon": False,
        "legend.fontsize": 8,
        "font.family": "sans-serif",
        "lines.linewidth": 1.4,
    }


def figure(width: float = 7.0, height: float = 4.2) -> Figure:
    """Return an empty figure that needs no screen; its axes have our look."""
    mpl = _library()

    class Themed(mpl.figure.Figure):  # type: ignore[misc,name-defined]  # known when it is there
        """A figure whose axes are made under our theme, and no others."""

        def add_subplot(self, *place: Any, **settings: Any) -> Any:
            with mpl.rc_context(_theme(mpl)):
                return super().add_subplot(*place, **settings)

    made: Figure = Themed(figsize=(width, height), layout="constrained")
    return made


def legend(drawing: Figure) -> None:
    """Explain all lines and marks of a figure once, below its axes."""
    known: dict[str, Any] = {}
    for axis in drawing.axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            known.setdefault(label, handle)
    mpl = _library()
    with mpl.rc_context(_theme(mpl)):
        drawing.legend(
            list(known.values()),
            list(known),
            loc="outside lower center",
            ncols=min(_ACROSS, max(1, len(known))),
        )


def save_figure(drawing: Figure, path: Path) -> None:
    """Write a figure as SVG, PNG or PDF, by the path's ending."""
    if path.suffix not in _METADATA:
        raise InputError(f"{path} must end in {', '.join(_METADATA)}.")
    mpl = _library()
    with mpl.rc_context({"svg.hashsalt": "privet", "svg.fonttype": "none"}):
        drawing.savefig(path, metadata=_METADATA[path.suffix], dpi=120)
