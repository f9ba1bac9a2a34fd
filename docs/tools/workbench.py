"""Take the workbench's pictures for the docs: ``python docs/tools/workbench.py``.

A made-up table goes from drop to release, audit and tree in a real Chromium, as a newcomer would
bring it there; each screen is photographed on the way. Needs Playwright, and Chromium on the path.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.csv as pc
from PIL import Image
from playwright.sync_api import sync_playwright

from privet import datasets

FOLDER = Path(__file__).parents[1] / "pictures"
ROWS = 8_000
COLOURS = 96  # of a picture: flat pages need no more, and files stay small


class Camera:
    """A page, and where its pictures go."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def take(self, name: str, *, top: str = "h1", wide: int = 1280, tall: int = 860) -> None:
        """Photograph the page from one of its parts on."""
        self.page.set_viewport_size({"width": wide, "height": tall})
        if top == "h1":
            self.page.evaluate("() => scrollTo(0, 0)")
        else:
            self.page.locator(top).first.evaluate("one => one.scrollIntoView()")
        self.page.wait_for_timeout(300)
        path = FOLDER / f"workbench-{name}.png"
        self.page.screenshot(path=str(path))
        with Image.open(path) as taken:
            taken.convert("RGB").quantize(COLOURS).save(path, optimize=True)
        print(f"{path.name}: {path.stat().st_size // 1000} kB")
        self.page.set_viewport_size({"width": 1280, "height": 860})


def main() -> None:
    """Take all of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "office"
        folder.mkdir()
        table = datasets.load("as-f2", rows=ROWS, seed=4)
        pc.write_csv(table, folder / "people.csv")
        words = [
            sys.executable,
            "-m",
            "privet.cli",
            "open",
            "--no-browser",
            "--folder",
            str(folder),
        ]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
            try:
                line = "" if server.stdout is None else server.stdout.readline()
                found = re.search(r"http\S+", line)
                if found is not None:
                    _visit(found[0], folder)
            finally:
                server.terminate()


def _visit(link: str, folder: Path) -> None:
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context(locale="en", reduced_motion="reduce")
        context.set_default_timeout(180_000)
        page = context.new_page()
        page.goto(link)
        _owner(page, Camera(page), folder)
        _others(page, Camera(page))
        browser.close()


def _owner(page: Any, camera: Camera, folder: Path) -> None:
    page.get_by_role("link", name="I have records").click()
    page.set_input_files("#file", str(folder / "people.csv"))
    page.wait_for_url("**/owner/columns")
    camera.take("columns")
    page.get_by_role("link", name="Go on to the plan").click()
    page.get_by_label("what must not be guessed").check()
    page.locator("#belief").fill("30")
    page.get_by_text("right about originals").wait_for()
    camera.take("plan")
    camera.take("phone", wide=390, tall=844)
    for belief in ("15", "30", "50"):
        page.locator("#belief").fill(belief)
        page.wait_for_timeout(500)
        page.get_by_role("button", name="Keep it to compare").click()
        page.get_by_role("button", name="Go back to").nth(
            ("15", "30", "50").index(belief)
        ).wait_for()
    page.wait_for_function("() => document.querySelectorAll('#beside tbody tr').length === 3")
    camera.take("plans", top="#beside")
    page.get_by_role("link", name="Go on with this plan").click()
    page.get_by_role("button", name="Disguise").click()
    page.wait_for_url("**/owner/release")
    camera.take("release")


def _others(page: Any, camera: Camera) -> None:
    page.get_by_role("link", name="Miner").click()
    page.get_by_role("button", name="people.release").click()
    page.get_by_text("How the originals lay").wait_for()
    camera.take("shares", top="h2:has-text('originals lay')")
    page.get_by_role("link", name="Grow a tree").click()
    page.get_by_role("button", name="Grow").click()
    page.locator("figure.privet-tree").wait_for()
    page.get_by_role("button", name="Fit").click()
    camera.take("tree", tall=1000)
    page.get_by_role("link", name="Auditor").click()
    page.get_by_role("button", name="people.release").click()
    page.get_by_role("button", name="Attack", exact=True).click()
    page.get_by_role("link", name="As JSON").wait_for()
    page.emulate_media(color_scheme="dark")
    camera.take("audit", top="#report")


if __name__ == "__main__":
    main()
