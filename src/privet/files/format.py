"""How CSV files are written: what parts columns, the decimal sign, the encoding, missing values."""

from __future__ import annotations

import codecs
import re
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import InputError
from privet.files.reading import check_words

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["THOUSANDS", "WITHOUT_SIGNS", "WITHOUT_THOUSANDS", "Files", "Format", "without_sign"]

# A number with thousands separators: dots, commas, apostrophes or narrow spaces. With spaces it has
# decimals too: without, it may be a telephone number.
THOUSANDS = re.compile(
    r"\s*[+-]?[1-9]\d{0,2}(?:(?:\.\d{3})+(?:,\d+)?|(?:,\d{3})+(?:\.\d+)?|"
    r"(?:['\u2019\u00a0\u202f]\d{3})+(?:[.,]\d+)?|(?: \d{3})+[.,]\d+)\s*"
)
WITHOUT_THOUSANDS = "write numbers without thousands separators (1234,5 instead of 1.234,5)"
WITHOUT_SIGNS = "write numbers without currency signs, % and thousands separators (1234,5)"
_SIGNS = r"(?:[$¢£¤¥฿₠-⃀%‰]|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|kr\.?|zł|Kč)"
_SIGNED = re.compile(rf"\s*(?:{_SIGNS}\s*)?([+-]?\d.*?)\s*(?:{_SIGNS})?\s*", re.DOTALL)
_WORDS = ("delimiter", "decimal", "encoding", "missing")


def without_sign(text: str) -> str:
    """Return a number as text without the currency or percent sign before or behind it.

    >>> without_sign("1.234,50 €"), without_sign("$ 12"), without_sign("12 kg")
    ('1.234,50', '12', '12 kg')
    """
    signed = _SIGNED.fullmatch(text)
    return text if signed is None else signed[1]


@dataclass(frozen=True)
class Format:
    """How CSV files are written; what is None is found out from each file.

    Parameters
    ----------
    delimiter
        What parts columns: a single sign such as ``";"``.
    decimal
        The sign before decimals: ``"."`` or ``","``.
    encoding
        A name that Python knows, such as ``"utf-8"`` or ``"latin-1"``.
    missing
        What stands for a missing value, beside nothing at all. A declared category never does.

    >>> Format(decimal=",").over(Format(decimal=".", delimiter=";"))
    Format(delimiter=';', decimal=',', encoding=None, missing=None)
    """

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check what is given."""
        if self.delimiter is not None and not _is_sign(self.delimiter):
            raise InputError("The delimiter must be a single sign.", hint="delimiter=';'.")
        if self.decimal not in (None, ".", ","):
            raise InputError("The decimal sign must be '.' or ','.", hint="decimal=','.")
        if self.decimal is not None and self.decimal == self.delimiter:
            raise InputError("The delimiter and the decimal sign cannot be the same.")
        if self.encoding is not None and not _is_encoding(self.encoding):
            message = f"The encoding {self.encoding!r} is unknown."
            raise InputError(message, hint="encoding='utf-8', or 'latin-1'.")
        if self.missing is not None:
            listed = isinstance(self.missing, list | tuple)
            if not listed or not all(isinstance(text, str) for text in self.missing):
                raise InputError("Missing values are a list of texts.", hint="missing=['?'].")
            object.__setattr__(self, "missing", tuple(self.missing))

    def over(self, other: Format) -> Format:
        """Return the format in which ``other`` decides what this format does not.

        >>> Format(decimal=",").over(Format(delimiter=";")).to_dict()
        {'delimiter': ';', 'decimal': ','}
        """
        own = {word: getattr(self, word) for word in _WORDS}
        return Format(
            **{word: getattr(other, word) if own[word] is None else own[word] for word in _WORDS}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what is decided.

        >>> Format(delimiter=";").to_dict()
        {'delimiter': ';'}
        """
        form = {word: getattr(self, word) for word in _WORDS if getattr(self, word) is not None}
        return form | ({"missing": list(self.missing)} if self.missing is not None else {})

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Format:
        """Read what ``to_dict`` wrote, refusing words it does not know.

        >>> Format.from_dict({"delimiter": ";"}).delimiter
        ';'
        """
        check_words(form, _WORDS, "format", InputError)
        return cls(**form)


@dataclass(frozen=True)
class Files:
    """Records in files: a path, a folder or a pattern, and how CSV files there are written.

    Whatever takes the path of a table takes this too, where the format needs to be said.

    >>> Files("people.csv", Format(delimiter=";")).path.name
    'people.csv'
    """

    path: Path
    format: Format = field(default_factory=Format)

    def __post_init__(self) -> None:
        """Take a text for a path."""
        object.__setattr__(self, "path", Path(self.path))

    def __str__(self) -> str:
        return str(self.path)

    @classmethod
    def of(cls, records: Any, format: Format | None = None) -> Any:  # noqa: A002 - what it is
        """Return paths as files, with the format where theirs is silent; others as they are.

        >>> Files.of("people.csv", Format(decimal=",")).format.decimal
        ','
        """
        if isinstance(records, str | Path):
            records = cls(Path(records))
        if not isinstance(records, Files) or format is None:
            return records
        return cls(records.path, records.format.over(format))


def _is_encoding(name: str) -> bool:
    """Whether Python knows an encoding that makes text of pieces of a file; hex, say, does not."""
    try:
        sample = array("B", "a".encode(name))  # Arrow hands on buffers, which are no bytes
        return codecs.getincrementaldecoder(name)(errors="replace").decode(sample) == "a"
    except (LookupError, TypeError, ValueError, AttributeError):
        return False


def _is_sign(text: object) -> bool:
    if not isinstance(text, str) or len(text) != 1:
        return False
    return text.isascii() and text not in '\0\r\n"'
