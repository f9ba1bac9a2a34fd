"""What audits and comparisons have in common: they are printed, or written as JSON or a page."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from privet.errors import InputError

if TYPE_CHECKING:
    from privet.audit.compare import Comparison
    from privet.audit.summary import Audit

__all__ = ["Rendered"]


class Rendered(ABC):
    """A report: ``to_dict``, ``to_json``, ``to_html``, ``to_text``."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return a plain form of numbers and text; what has no bound is null."""

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the report as JSON text, and write it if a path is given."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return _written(text, path)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the report as one self-contained HTML page, and write it if a path is given."""
        from privet.audit.report.html import page

        return _written(page(self._report), path)

    def to_text(self, width: int = 100) -> str:
        """Return the report for a terminal, without colours."""
        from privet.audit.report.terminal import text

        return text(self._report, width)

    @property
    def _report(self) -> Audit | Comparison:
        return cast("Audit | Comparison", self)

    def __str__(self) -> str:
        return self.to_text()


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        try:
            Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from None
    return text
