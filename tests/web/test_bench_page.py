"""The workbench in a real Chromium: a newcomer's way, every screen at every size, and who reads it.

Names of controls, what is read aloud and contrast are checked by axe-core, which `make test` brings
into the cache; where npm is missing they are not.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.csv as pc
import pytest
from playwright.sync_api import Page

import privet as pv
from tests.web.benching import NAME, Running, benched, people

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("browser")]
SIZES = (390, 800, 1400)
HERE = Path(__file__).parent
AXE = HERE.parent.parent / ".cache" / "axe" / "axe.min.js"
MEASURE = (HERE / "measuring.js").read_text(encoding="utf-8")
PATIENCE = 300_000  # milliseconds: a busy machine, where nothing is compiled yet


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("folder")
    table = Path(os.environ.get("PRIVET_DATA", "")) / "adult_train.csv"
    if os.environ.get("PRIVET_DATA") and table.is_file():
        head = table.read_text(encoding="utf-8").splitlines()[:3001]
        (folder / "people.csv").write_text("\n".join(head) + "\n")
    else:
        people(folder / "people.csv")
    with benched(folder, tmp_path_factory.mktemp("private") / "own") as bench:
        yield bench


class Visit:
    """A newcomer with a browser, and everything that went wrong or left the page."""

    def __init__(self, browser: Any) -> None:
        self.context = browser.new_context(
            viewport={"width": 1400, "height": 900}, locale="en", reduced_motion="reduce"
        )
        self.context.set_default_timeout(PATIENCE)
        self.page: Page = self.context.new_page()
        self.wrong: list[str] = []
        self.urls: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", self._said)
        self.page.on("request", lambda request: self.urls.append(request.url))

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.wrong.append(message.text)

    def follow(self, name: str) -> None:
        """Follow a link, and wait until its page is there."""
        with self.page.expect_navigation(wait_until="load"):
            self.page.get_by_role("link", name=name).first.click()

    def looks_right(self, where: str) -> None:
        """Measure the page at every size, in both schemes, and have it checked."""
        self.page.wait_for_load_state("load")
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            for wide in SIZES:
                self.page.set_viewport_size({"width": wide, "height": 900})
                found = self.page.evaluate(MEASURE)
                self.wrong += [f"{where}, {scheme}, at {wide}: {one}" for one in found]
            self._checked(where, scheme)
        self.page.emulate_media(color_scheme="light")

    def _checked(self, where: str, scheme: str) -> None:
        """Have every rule checked in light; in the dark only colours are others."""
        if not AXE.is_file():
            return
        if not self.page.evaluate("() => Boolean(window.axe)"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate(
            """async (only) => (await axe.run(document, { resultTypes: ["violations"], ...only }))
            .violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
            .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((one) => one.html)}`)""",
            {} if scheme == "light" else {"runOnly": ["color-contrast"]},
        )
        self.wrong += [f"{where}, {scheme}: {one}" for one in found]


@pytest.fixture(scope="module")
def visit(browser: Any, running: Running) -> Iterator[Visit]:
    visit = Visit(browser)
    visit.page.goto(running.link)
    yield visit
    visit.context.close()


@pytest.fixture
def released(running: Running) -> None:
    """A release beside the table: the newcomer's, or one like it if that test runs elsewhere."""
    path = running.bench.folder / "people.release"
    if path.exists():
        return
    table = pc.read_csv(running.bench.folder / "people.csv")
    table = table.drop_columns([name for name in table.column_names if name == "name"])
    schema = pv.Schema.infer(table, target="income")
    pv.RandomSubstitution(gamma=8).disguise(table, schema).write(path)


def test_a_newcomer_makes_a_release(visit: Visit, running: Running) -> None:
    page = visit.page
    assert page.url == running.url  # the key is gone from the address
    visit.looks_right("home")
    visit.follow("I have records")
    visit.looks_right("table")
    page.set_input_files("#file", str(running.bench.folder / "people.csv"))
    page.wait_for_url("**/owner/columns")
    visit.looks_right("columns")
    page.get_by_label("Role of age").select_option("plain")
    page.locator("#schema summary", has_text="schema.toml").wait_for()
    age = page.locator("form.column", has=page.get_by_text("age", exact=True)).first
    age.get_by_label("Highest").fill("120")
    age.get_by_label("These limits are public knowledge").check()
    page.locator("#schema pre").get_by_text("high = 120").wait_for(state="attached")
    page.reload()
    assert age.get_by_label("Highest").input_value() == "120"
    visit.follow("Go on to the plan")
    page.get_by_label("what must not be guessed").check()
    visit.looks_right("plan")
    times = [_moved(page, value) for value in (20, 70, 45)]
    assert min(times) < 200, times  # milliseconds; a busy machine may be slow once or twice
    page.get_by_label("γ, if you know it").check()
    page.locator("#step").fill("8")
    page.get_by_text("γ = 8", exact=True).last.wait_for()
    page.get_by_role("button", name="Keep it to compare").click()
    page.get_by_text("on the Pareto front").wait_for()
    page.go_back()
    page.go_forward()
    assert page.get_by_label("γ, if you know it").is_checked()  # stepping back loses nothing
    assert page.locator("#step").input_value() == "8"
    visit.looks_right("plans side by side")
    visit.follow("Go on with this plan")
    visit.looks_right("disguise")
    page.get_by_role("button", name="Disguise").click()
    page.wait_for_url("**/owner/release")
    visit.looks_right("release")
    page.get_by_role("button", name="Attack my release").click()
    page.get_by_text("Attacking the release").wait_for()
    page.reload()  # the work goes on, and is found again
    page.get_by_role("link", name="Download the report").wait_for()
    visit.looks_right("audited release")
    assert (running.bench.folder / "people.release" / "card.json").is_file()
    assert visit.wrong == []


def _moved(page: Page, value: int) -> float:
    """Move the slider, and return how many milliseconds its answer takes."""
    milliseconds: float = page.evaluate(
        """async (value) => {
            const slider = document.getElementById("belief");
            const place = document.getElementById("preview");
            const told = new Promise((done) =>
                new MutationObserver(done).observe(place, { childList: true }));
            const began = performance.now();
            slider.value = value;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            await told;
            return performance.now() - began;
        }""",
        value,
    )
    return milliseconds


@pytest.mark.usefixtures("released")
def test_a_newcomer_grows_a_tree(visit: Visit, running: Running) -> None:
    page = visit.page
    visit.follow("Miner")
    visit.looks_right("choose")
    page.get_by_role("button", name="people.release").click()
    page.get_by_text("How the originals lay").wait_for()
    page.wait_for_function(
        "() => /pairs tested/.test(document.body.innerText) && !document.querySelector('.thin-job')"
    )
    visit.looks_right("inside")
    visit.follow("Grow a tree")
    page.get_by_label("Depth at most").select_option("3")
    page.get_by_role("button", name="Grow").click()
    page.locator("figure.privet-tree").wait_for()
    page.get_by_role("button", name="Unfold").click()
    page.get_by_role("button", name="Fit").click()
    visit.looks_right("tree")
    way = page.locator("form[data-way]")
    for field in way.locator("input[type=text]").all():
        field.fill("40")
    way.get_by_role("button", name="Show its way").click()
    way.get_by_text("of the records there").wait_for()
    assert page.locator("figure.privet-tree g.node.here").count() > 1
    page.get_by_label("Counts are corrected by").select_option("direct")
    page.get_by_role("button", name="Grow another").click()
    page.get_by_text("Beside another tree").wait_for()
    page.locator("a", has_text=re.compile("leaves")).first.click()
    page.get_by_text("nodes are the same").wait_for()
    with page.expect_download() as loaded:
        page.get_by_role("link", name="Sentences").click()
    text = loaded.value.path().read_text(encoding="utf-8")
    assert "income" in text or "then" in text.lower()
    assert visit.wrong == []


@pytest.mark.usefixtures("released")
def test_the_auditor_attacks_and_cancels(visit: Visit, running: Running) -> None:
    page = visit.page
    visit.follow("Auditor")
    page.get_by_role("button", name="people.release").click()
    page.get_by_text("Attack it").first.wait_for()
    visit.looks_right("auditor")
    page.get_by_role("button", name="Attack", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled").wait_for()
    for box in page.locator("input[name=attacks]").all()[3:]:
        box.uncheck()
    page.get_by_label("Grow trees").uncheck()
    page.get_by_label("The originals, if you are the owner").fill("people.csv")
    page.get_by_role("button", name="Attack", exact=True).click()
    page.get_by_role("link", name="As JSON").wait_for()
    assert page.locator("input[name=attacks]").nth(5).is_checked() is False
    with page.expect_download() as loaded:
        page.get_by_role("link", name="As JSON").click()
    report = json.loads(loaded.value.path().read_text(encoding="utf-8"))
    assert report["facts"]["original"] is True
    assert visit.wrong == []


def test_by_keyboard_alone(visit: Visit, running: Running) -> None:
    page = visit.page
    page.goto(running.url)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    names = []
    for _ in range(7):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.textContent.trim()"))
    assert {"Owner", "Miner", "Auditor"} <= set(names)
    page.goto(f"{running.url}owner/plan")
    if not page.locator("[name=begin]:checked").count():  # no table is open here yet
        page.goto(running.url)
        visit.follow("I have records")
        page.set_input_files("#file", str(running.bench.folder / "people.csv"))
        page.wait_for_url("**/owner/columns")
        visit.follow("Go on to the plan")
    page.locator("[name=begin]:checked").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "range"
    before = page.evaluate("document.activeElement.getAttribute('aria-valuetext')")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-valuetext')") != before


def test_nothing_of_a_record_left_the_page(visit: Visit, running: Running) -> None:
    assert visit.wrong == []
    assert all(url.startswith((running.url, "blob:")) for url in visit.urls)
    told = [url for url in visit.urls if running.key not in url]
    assert len(visit.urls) - len(told) == 1  # the key was in one address, once
    assert not any(NAME in url or "person" in url for url in visit.urls)
    kept = visit.page.evaluate("() => localStorage.length + sessionStorage.length")
    assert kept == 0
    assert visit.page.evaluate("() => document.cookie") == ""
