"""The respondent's page in a real Chromium: one answer, the same bytes, and never the true one."""

import json
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page

from privet.web.rehearse import rehearsal
from tests.survey.asked import asked
from tests.web.drawn import cases, sent_by
from tests.web.serving import KEY, Running, served

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("browser")]
PATIENCE = 300_000  # milliseconds: a busy machine, where nothing is compiled yet
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1400, "height": 900}
TRUTH = [0, 2, 1, 0, 1, 1, 0, 3, 4]  # the codes of what `answer` ticks: they never leave the page
# The page's random words, told to the test: what is sent must be what they make of the truth.
LISTEN = """
    const made = crypto.getRandomValues.bind(crypto);
    window.words = [];
    crypto.getRandomValues = (array) => {
        window.words.push([...made(array)]);
        return array;
    };
"""


CACHED = """async () => {
    const names = await caches.keys();
    const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return kept.flat().map(({ url }) => url);
}"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(asked(), tmp_path_factory.mktemp("survey") / "a.db") as held:
        yield held


class Watched:
    """A page, and everything that left it."""

    def __init__(self, context: BrowserContext) -> None:
        context.add_init_script(LISTEN)
        self.page: Page = context.new_page()
        self.requests: list[str] = []
        self.bodies: list[str] = []
        self.errors: list[str] = []
        context.on("request", self._seen)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._said)

    def _seen(self, request: Any) -> None:
        self.requests.append(request.url + json.dumps(request.headers))
        if request.post_data is not None:
            self.bodies.append(request.post_data)

    def _said(self, message: Any) -> None:
        lost = ("ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET")
        if message.type == "error" and not any(word in message.text for word in lost):
            self.errors.append(message.text)

    def answer(self) -> None:
        page = self.page
        page.get_by_role("group", name="Do you smoke?").get_by_label("Yes").check()
        page.get_by_label("Every day").check()
        page.get_by_label("back").check()
        page.get_by_label("hands").check()
        page.get_by_label("fruit").check()
        page.get_by_role("group", name="How stressful").get_by_label("4").check()
        page.get_by_role("textbox").fill("42")

    def send(self) -> None:
        self.page.get_by_role("button", name="Send disguised answers").click()

    def received(self) -> None:
        self.page.get_by_text("Your disguised answers were received").wait_for()

    def disguised(self) -> list[int]:
        """What the page's words make of the truth: those before the last four, its token's."""
        made = asked()
        words = self.page.evaluate("window.words.at(-2)")
        codes = dict(zip(made.schema.names, TRUTH, strict=True))
        return list(sent_by(made, codes, np.array(words, np.uint32)).values())

    def kept(self) -> dict[str, Any]:
        held: dict[str, Any] = self.page.evaluate(
            "Object.fromEntries(Object.entries(localStorage))"
        )
        return held


def opened(browser: Any, running: Running, size: Any, path: str = "", **more: Any) -> Watched:
    context = browser.new_context(viewport=size, locale="en", **more)
    context.set_default_timeout(PATIENCE)
    watched = Watched(context)
    watched.page.goto(running.url + path)
    return watched


def test_a_respondent_on_a_phone(browser: Any, running: Running) -> None:
    before = running.answers.verify()
    watched = opened(browser, running, PHONE, is_mobile=True, has_touch=True)
    page = watched.page
    assert page.get_by_role("img").first.get_attribute("aria-label") == "75 % kept, 25 % changed"
    points = page.locator(".scale .point").all()
    tops = {box["y"] for point in points if (box := point.bounding_box()) is not None}
    assert (len(points), len(tops)) == (5, 1)  # in one line
    watched.send()  # nothing is answered yet
    page.get_by_text("Some questions have no answer yet").wait_for()
    assert page.evaluate("document.activeElement.name") == "smoker"
    watched.answer()
    page.get_by_role("heading", name="What happens to your answers").wait_for()
    law = page.locator(".law").first
    for _ in range(3):
        law.get_by_role("button", name="Show me").click()
    assert "of 3 kept so far" in law.locator("output").inner_text()
    assert watched.bodies == []
    page.evaluate("() => { const b = document.querySelector('#send'); b.click(); b.click(); }")
    watched.received()
    expected = watched.disguised()
    page.reload()
    watched.received()
    page.goto(running.url + "?lang=de")
    page.get_by_text("sind angekommen").wait_for()
    assert running.answers.verify() == before + 1
    assert len(watched.bodies) == 1
    sent = json.loads(watched.bodies[0])
    assert set(sent) == {"survey", "token", "codes"}
    # All that left the page, and all that stayed on the device, is the disguised answer.
    assert sent["codes"] == expected
    (kept,) = watched.kept().values()
    assert json.loads(kept) == {"body": watched.bodies[0], "received": True}
    for request in watched.requests:
        assert request.startswith(running.url)
        assert sent["token"] not in request
    assert page.context.cookies() == []
    assert page.evaluate("Object.keys(sessionStorage).length") == 0
    assert page.evaluate("indexedDB.databases()") == []
    cached = page.evaluate(CACHED)
    assert all(url.startswith(running.url) for url in cached)
    assert not any("answers" in url or "#" in url for url in cached)
    assert page.locator("#asking").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert watched.errors == []
    page.context.close()


def test_a_network_that_goes_and_comes(browser: Any, running: Running) -> None:
    before = running.answers.verify()
    watched = opened(browser, running, DESKTOP, color_scheme="dark")
    page = watched.page
    page.wait_for_selector("main[data-stays]")
    watched.answer()
    # A page that loads anew may be online for a moment, so the server is away as well.
    running.stop()
    page.context.set_offline(True)
    watched.send()
    page.get_by_text("kept on this device").wait_for()
    expected = watched.disguised()
    (kept,) = watched.kept().values()
    assert not json.loads(kept)["received"]
    page.reload()  # the page comes from the device
    page.get_by_text("kept on this device").wait_for()
    assert running.answers.verify() == before
    running.start()
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    watched.received()
    assert running.answers.verify() == before + 1
    assert set(watched.bodies) == {json.loads(kept)["body"]}
    assert json.loads(watched.bodies[0])["codes"] == expected
    assert watched.errors == []
    page.context.close()


def test_answers_that_are_refused_for_now_or_for_good(browser: Any, running: Running) -> None:
    # A worker that takes over in time would send past the route below.
    watched = opened(browser, running, PHONE, "?lang=de", service_workers="block")
    page = watched.page
    replies = chain([(408, "too long")], repeat((410, "closed")))

    def refuse(route: Any) -> None:
        status, error = next(replies)
        route.fulfill(status=status, body=json.dumps({"error": error}))

    page.context.route("**/answers", refuse)
    page.get_by_role("group", name="Rauchen Sie?").get_by_label("Ja").check()
    page.get_by_label("Jeden Tag").check()
    page.get_by_role("group", name="Wie anstrengend").get_by_label("4").check()
    for written in ("0x10", "1e1", "", "-1", "1,000", "38,5"):  # 1,000 is a thousand, or one
        page.get_by_role("textbox").fill(written)
        page.locator("#send").click()
        page.locator("#e-hours").get_by_text("eine ganze Zahl").wait_for()
        assert watched.bodies == []
    page.get_by_role("textbox").fill("38")
    page.locator("#send").click()
    page.get_by_text("auf diesem Gerät aufgehoben").wait_for()  # it took too long, and waits
    page.evaluate("dispatchEvent(new Event('online'))")
    page.get_by_text("nicht angenommen: Sie ist geschlossen").wait_for()
    assert len(watched.bodies) >= 2  # on a slow machine the page's own retry may come as well
    assert len(set(watched.bodies)) == 1
    page.context.close()


def test_by_keyboard_alone_and_by_invitation(browser: Any, tmp_path: Path) -> None:
    with served(asked(gamma=9), tmp_path / "a.db", invited=True) as running:
        watched = opened(browser, running, DESKTOP)
        watched.page.get_by_text("by invitation").wait_for()
        assert watched.page.locator("#asking").is_hidden()
        watched.page.context.close()
        running.answers.invite([b"7" * 32])
        watched = opened(browser, running, DESKTOP, f"#token={'7' * 32}")
        page = watched.page
        page.get_by_role("group", name="Do you smoke?").wait_for()
        for key in ["Tab", "Tab", "Tab", "Space", "Tab", "ArrowDown"]:  # two languages come first
            page.keyboard.press(key)
        for key in ["Tab", "Space", "Tab", "Tab", "Tab", "Tab", "Space", "Tab", "ArrowRight"]:
            page.keyboard.press(key)
        page.keyboard.press("Tab")
        page.keyboard.type("40")
        page.locator("#send").focus()
        page.keyboard.press("Enter")
        watched.received()
        assert json.loads(watched.bodies[0])["token"] == "7" * 32
        assert not any("7" * 32 in request for request in watched.requests)
        assert running.answers.verify() == 1
        page.context.close()


def test_channels_in_chromium_send_what_python_sends(browser: Any, running: Running) -> None:
    made, expected = cases(100)
    page = opened(browser, running, DESKTOP).page
    drawn = page.evaluate(
        """async (cases) => {
            const { draw } = await import("/static/channel.js");
            return cases.map(({ channel, codes, words }) =>
                codes.map((code, place) => draw(channel, code, words[place])));
        }""",
        made,
    )
    assert drawn == expected
    page.context.close()


def test_the_researchers_page(browser: Any, tmp_path: Path) -> None:
    made = asked()
    with served(made, tmp_path / "a.db") as running:
        for number in range(10):
            running.submit(running.submission(f"{number:032}", [0] * 9))
        watched = opened(browser, running, DESKTOP, "results")
        watched.page.get_by_text("Open the link").wait_for()
        watched.page.context.close()
        watched = opened(browser, running, PHONE, f"results#key={KEY}")
        page = watched.page
        page.get_by_text("10 answers count").wait_for()
        assert KEY not in page.url
        assert not any(KEY in request.split("{")[0] for request in watched.requests)
        assert page.locator(".told.unclear").count() == len(made.schema.names)
        assert page.get_by_text("more answers").count() == len(made.schema.names)
        page.get_by_role("button", name="Compare").click()
        page.locator("#crossed table").wait_for()
        assert page.locator("#crossed td.faint").count() > 0
        page.get_by_role("button", name="Grow a tree").click()
        page.locator("#tree p.faint").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert watched.errors == []
        page.context.close()


def test_a_tree_of_answers_is_drawn_and_folds(browser: Any, tmp_path: Path) -> None:
    with rehearsal(asked(gamma=20), 300, tmp_path / "a.db", seed=3) as seen:
        context = browser.new_context(viewport=DESKTOP, color_scheme="dark")
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        errors: list[str] = []
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{seen.link}results#key={seen.key}")
        page.get_by_label("Question").select_option(seen.crowd.leaf)
        page.get_by_role("button", name="Grow a tree").click()
        figure = page.locator("figure.privet-tree")
        figure.wait_for()
        assert seen.crowd.root in figure.locator("g.node .head").first.text_content()
        figure.get_by_role("button", name="Fold", exact=True).click()
        assert figure.locator("g.node:not(.away)").count() == 3
        page.get_by_role("button", name="Compare").click()
        page.get_by_text("degrees of freedom").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"]
        assert errors == []
        context.close()
