"""What the site adds to the pages: the project's own files, and the lists of commands and methods.

MkDocs calls these hooks. README, changelog, architecture and the like stand beside `docs/`, where
people look for them, and are pages of the site besides.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from types import ModuleType

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

__all__ = ["on_files", "on_page_markdown", "rooted"]

_ROOT = Path(__file__).parents[2]
_PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting.md",
}
_ROW = re.compile(r"^\|.*$", re.MULTILINE)
_GAP = re.compile(
    r"(?<=\d) (?=[±%])|(?<=±) (?=\d)"
)  # a number, its error and its unit stay together
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the project's own files as pages."""
    for source, page in _PAGES.items():
        text = rooted((_ROOT / source).read_text(encoding="utf-8"))
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill in commands and methods, and lead links to the project's own files to their pages."""
    del config, files
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]  # its only entry would be the page itself
    depth = page.file.src_uri.count("/")
    for source, target in _PAGES.items():
        markdown = markdown.replace(
            f"]({'../' * (depth + 1)}{source}", f"]({'../' * depth}{target}"
        )
    markdown = _ROW.sub(lambda row: _GAP.sub("\N{NO-BREAK SPACE}", row.group()), markdown)
    for mark, made in (("<!-- commands -->", "commands"), ("<!-- methods -->", "methods")):
        if mark in markdown:
            markdown = markdown.replace(mark, _tool(made).described())
    return markdown


def _tool(name: str) -> ModuleType:
    """Return a script that stands beside this one."""
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        return import_module(name)
    finally:
        sys.path.pop(0)


def rooted(text: str) -> str:
    """Return a file of the project's root with its links as they are from within `docs/`.

    >>> rooted("[a](docs/owner.md), [b](CHANGELOG.md), [c](tests/README.md), [d](#here)")
    '[a](owner.md), [b](changelog.md), c (`tests/README.md`), [d](#here)'
    """

    def led(link: re.Match[str]) -> str:
        sign, words, target = link.groups()
        if ":" in target or target.startswith("#"):
            return link.group()
        if target.startswith("docs/"):
            return f"{sign}[{words}]({target.removeprefix('docs/')})"
        if target in _PAGES:
            return f"[{words}]({_PAGES[target]})"
        return f"{words} (`{target}`)"

    return _LINK.sub(led, text)
