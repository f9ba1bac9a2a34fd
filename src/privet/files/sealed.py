"""Sealed texts: JSON with a checksum of its own, in the one form that privet writes.

A sealed text is read only if its bytes are exactly what privet would write for what they say, and
if its checksum holds: no flipped bit goes unseen. It finds accidents; forgeries are for signatures.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from typing import TYPE_CHECKING, Any

from privet.errors import PrivetWarning
from privet.files.reading import cause, parse_json, read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from privet.errors import PrivetError

__all__ = ["Kind", "canonical", "seal"]


def canonical(form: Mapping[str, Any], indent: int | None = None) -> bytes:
    """Return the text of a form."""
    return (json.dumps(form, indent=indent, ensure_ascii=False, allow_nan=False) + "\n").encode()


def seal(form: Mapping[str, Any], indent: int | None = None) -> bytes:
    """Return the text of a form, its checksum last."""
    checksum = hashlib.sha256(canonical(form, indent)).hexdigest()
    return canonical({**form, "checksum": checksum}, indent)


class Kind:
    """One kind of sealed text: how it is called, and what may stand at its head.

    ``unsealed`` is the last version that had no checksum; such a text is taken, with a warning.
    """

    def __init__(
        self,
        mark: str,
        version: int,
        error: type[PrivetError],
        *,
        what: str,
        unsealed: int = 0,
        indent: int | None = None,
        hint: str = "",
    ) -> None:
        self.mark, self.version, self.error = mark, version, error
        self.what, self.unsealed, self.indent, self.hint = what, unsealed, indent, hint

    def read(self, path: str | Path) -> dict[str, Any]:
        """Return what a file of the kind says, without its checksum."""
        try:
            data = read_bytes(path)
        except OSError as error:
            raise self.error(f"The {self.what} {path} cannot be read: {cause(error)}.") from None
        return self.opened(data, str(path))

    def opened(self, data: bytes | str, where: str) -> dict[str, Any]:
        """Return what a text of the kind says; an error names it by ``where``."""
        try:
            raw = data if isinstance(data, bytes) else data.encode()
            form = parse_json(raw.decode())
        except ValueError:
            form = None
        if not isinstance(form, dict):
            message = f"{where} is no {self.what} of privet's, or is cut short or altered."
            raise self.error(message, hint=self.hint)
        version = form.get("version")
        if form.get("format") != self.mark or type(version) is not int or version < 1:
            raise self.error(f"{where} is no {self.what} of privet's.", hint=self.hint)
        if version > self.version:
            message = f"{where} is of version {version}; this privet reads up to version "
            raise self.error(message + f"{self.version}.", hint="upgrade privet.")
        checksum = form.pop("checksum", None)
        if checksum is None and version <= self.unsealed:
            message = f"{where} has no checksum, as it was written by an earlier privet: "
            warnings.warn(PrivetWarning(message + "damage to it cannot be noticed."), stacklevel=3)
        elif seal(form, self.indent) != raw:
            raise self.altered(where)
        return form

    def altered(self, where: str) -> PrivetError:
        """Return the error about a text that is not as it was written."""
        return self.error(
            f"{where} is cut short, or was altered after it was written.", hint=self.hint
        )
