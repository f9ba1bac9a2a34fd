"""Photograph the pages that the docs show: ``python docs/tools/screenshots.py``.

It rehearses ``docs/survey.toml`` with made-up people, opens its pages in the system's Chromium as a
phone and as a desktop would, and writes PNG files. ``make screenshots`` runs it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from privet.survey import Questionnaire
from privet.web.rehearse import rehearsal

if TYPE_CHECKING:
    from privet.web.rehearse import Rehearsal

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "pictures"
PHONE = {"width": 390, "height": 800}
DESKTOP = {"width": 1100, "height": 760}
PEOPLE, SEED = 2_000, 4
TRIES = 5  # rehearsals: disguised anew, two thousand answers may not tell of any tree
PATIENCE = 180_000  # milliseconds for what a busy machine is slow to show


def respondent(browser: Any, seen: Rehearsal) -> None:
    """Answer some questions on a phone: what is asked, what would happen, what was sent."""
    page = _page(browser, PHONE)
    page.goto(seen.link)
    page.get_by_role("group", name="Have you taken painkillers").get_by_label("No").check()
    page.get_by_label("Once or twice a week").check()
    page.get_by_label("Back").check()
    _shot(page, "survey-questions", page.get_by_label("Back"))
    law = page.locator(".law").first
    for _ in range(3):
        law.get_by_role("button").click()
    page.get_by_role("heading", name="What happens").evaluate("(one) => one.scrollIntoView()")
    _shot(page, "survey-disguise", law)
    page.get_by_role("group", name="How stressful").get_by_label("4").check()
    page.get_by_role("textbox").fill("38")
    page.locator("#send").click()
    received = page.get_by_text("were received")
    received.wait_for()
    page.evaluate("scrollTo(0, 0)")
    _shot(page, "survey-sent", received)
    page.close()


def researcher(browser: Any, seen: Rehearsal) -> bool:
    """Look at the results, then at the tree of a question; say whether there was a tree."""
    page = _page(browser, DESKTOP)
    page.goto(f"{seen.link}results#key={seen.key}")
    told = page.locator(".told").first
    told.wait_for()
    _shot(page, "survey-results", told)
    page.get_by_label("Question").select_option(seen.crowd.leaf)
    page.get_by_role("button", name="Grow a tree").click()
    tree = page.locator("figure.privet-tree")
    page.locator("#tree figure.privet-tree, #tree .faint, #tree .error").first.wait_for()
    grown = bool(tree.is_visible())
    if grown:
        page.get_by_role("heading", name="What tells").evaluate("(one) => one.scrollIntoView()")
        _shot(page, "survey-tree", tree)
    page.close()
    return grown


def _page(browser: Any, size: dict[str, int]) -> Any:
    page = browser.new_page(viewport=size, locale="en", reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    return page


def _shot(page: Any, name: str, subject: Any) -> None:
    """Photograph a page once its subject, its fonts and its layout are there."""
    subject.wait_for(state="visible")
    page.evaluate("() => document.fonts.ready")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 200)))")
    page.screenshot(path=FOLDER / f"{name}.png")
    print(f"docs/pictures/{name}.png")


def main() -> None:
    """Take all of them."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Screenshots need a Chromium on this machine (Debian: chromium).")
    asked = Questionnaire.read(DOCS / "survey.toml")
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for _ in range(TRIES):
            with (
                tempfile.TemporaryDirectory() as folder,
                rehearsal(asked, PEOPLE, Path(folder) / "a.db", SEED) as seen,
            ):
                respondent(browser, seen)
                if researcher(browser, seen):
                    break
        else:
            sys.exit(f"No tree could be told in {TRIES} rehearsals of {PEOPLE:,} answers.")
        browser.close()


if __name__ == "__main__":
    main()
