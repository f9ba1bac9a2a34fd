"""Pages at three widths, dark and light: contrast, names, sizes, nothing cut."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import privet as pv
from privet.audit.report.card import card_page
from privet.survey import Questionnaire
from privet.tree.draw import page as tree_page
from privet.web.rehearse import Rehearsal, rehearsal
from tests.tree.test_draw import staircase
from tests.web.seen import flaws

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("browser")]
WIDTHS = (390, 800, 1400)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    asked = Questionnaire.read(Path(__file__).parents[2] / "docs" / "survey.toml")  # long texts
    with rehearsal(asked, 60, tmp_path_factory.mktemp("looks") / "a.db", seed=2) as running:
        yield running


def looked_at(shown: Any) -> dict[str, list[str]]:
    """Return the flaws of a page, by width and scheme, where there are any."""
    found = {}
    for wide in WIDTHS:
        shown.set_viewport_size({"width": wide, "height": 900})
        for scheme in ("light", "dark"):
            shown.emulate_media(color_scheme=scheme)
            if flawed := flaws(shown):
                found[f"{wide} {scheme}"] = flawed
    return found


def test_a_surveys_pages(browser: Any, seen: Rehearsal) -> None:
    shown = browser.new_page()
    shown.goto(seen.link)
    shown.locator("#send").wait_for()
    shown.locator("#send").click()  # says what is missing
    shown.get_by_text("Some questions have no answer yet").wait_for()
    assert looked_at(shown) == {}
    shown.goto(f"{seen.link}results#key={seen.key}")
    shown.locator(".told.unclear").first.wait_for()
    shown.get_by_role("button", name="Compare").click()
    shown.locator("#crossed table").wait_for()
    assert looked_at(shown) == {}
    shown.close()


def test_pages_of_trees_and_releases(browser: Any, tmp_path: Path) -> None:
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    release = pv.RandomSubstitution(gamma=3).disguise(table, schema, seed=1)
    texts = {"tree": tree_page(staircase(9)), "card": card_page(release, "weather.release")}
    shown = browser.new_page()
    for name, text in texts.items():
        file = tmp_path / f"{name}.html"
        file.write_text(text, encoding="utf-8")
        shown.goto(file.as_uri())
        assert looked_at(shown) == {}, name
    shown.close()
