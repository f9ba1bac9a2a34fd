"""Reports: whole in themselves, harmless whatever the names are, and the same in every form."""

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from privet.audit import Audit, Comparison, audit, compare
from privet.audit.compare import Point, pareto
from privet.audit.report.charts import _steps
from privet.audit.report.names import shown
from privet.disguise import Exact, Plan, RandomSubstitution, Substitution
from privet.disguise.base import Disguise
from privet.errors import PrivetError
from privet.schema import Attribute, Schema
from tests.audit.people import SCHEMA, people

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "\u202eabc\u05d0\u05d1",
    "x" * 10_000,
    "{{ 7 * 7 }}{% raw %}",
    "\x1b[2J\n[bold red]",
]
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Notes every element, attribute and whether all are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def found() -> Audit:
    release = RandomSubstitution(gamma=8).disguise(people(), SCHEMA)
    return audit(release, people(), seed=1)


@pytest.fixture(scope="module")
def hostile() -> Audit:
    rng = np.random.default_rng(1)
    schema = Schema(
        [
            *(Attribute.categorical(name, HOSTILE) for name in HOSTILE),
            Attribute.categorical("class</title>", HOSTILE[:2]),
        ],
        target="class</title>",
    )
    table = {
        name: [HOSTILE[code] for code in rng.integers(0, len(HOSTILE), 600)] for name in HOSTILE
    }
    table["class</title>"] = [HOSTILE[code] for code in rng.integers(0, 2, 600)]
    plan = Plan({HOSTILE[0]: Exact()}, default=Substitution(4))
    return audit(plan.disguise(table, schema), table, seed=1)


def check_page(text: str) -> Page:
    page = Page(text)
    assert page.open == []
    assert not {"script", "img", "iframe", "link", "object", "base", "form"} & set(page.tags)
    assert not [
        name for name, _ in page.attributes if name.startswith("on") or name in ("src", "href")
    ]
    assert not re.search(r"(https?:)?//[a-z]|url\(|@import", text)
    assert "default-src 'none'" in text
    assert len(text.encode()) < 1_000_000
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    for _, value in [pair for pair in page.attributes if pair[0] == "aria-labelledby"]:
        assert set(value.split()) <= set(ids)
    assert page.tags.count("svg") == page.tags.count("desc")
    return page


def test_a_page_is_whole_and_says_the_verdict_first(found: Audit) -> None:
    page = check_page(found.to_html())
    for sentence in found.verdict:
        assert sentence in page.text
    assert page.text.index(found.verdict[0]) < page.text.index("What is promised")
    assert page.tags.count("svg") == 5
    assert (
        page.tags.count("desc") == page.tags.count("svg") == page.attributes.count(("role", "img"))
    )
    assert page.tags.count("title") == page.tags.count("svg") + 1
    assert "prefers-color-scheme: dark" in page.text
    assert "@media print" in page.text


def test_hostile_names_are_harmless(hostile: Audit) -> None:
    text = hostile.to_html()
    page = check_page(text)
    assert "<script" not in text
    assert "{{ 7 * 7 }}" in page.text  # shown as it is, not worked out
    assert "\u202e" not in text
    assert "x" * 100 not in text
    assert "\x1b" not in text
    said = hostile.to_text()
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "[bold red]" in said
    assert "x" * 101 not in said
    assert max(len(line) for line in said.splitlines()) <= 100
    hostile.to_json().encode()


def test_no_category_is_on_a_page(found: Audit) -> None:
    text = found.to_html() + found.to_text()
    for value in ("tesla", "fiat"):
        assert value not in text


def test_a_miners_page_says_so() -> None:
    release = RandomSubstitution(gamma=8).disguise(people(500), SCHEMA)
    page = check_page(audit(release, trees=False, seed=1).to_html())
    assert "Audited without the originals" in page.text
    assert "No tree was grown" in page.text
    plain = Plan({}, default=Exact()).disguise(people(500), SCHEMA)
    page = check_page(audit(plain, people(500), seed=1).to_html())
    assert "No formal guarantee" in page.text


def test_text_for_a_terminal_has_the_same_numbers(found: Audit) -> None:
    said = found.to_text(120)
    assert found.worst is not None
    assert f"{100 * found.worst.value:.1f} %" in said
    assert "✓ All 8 checks hold." in said
    assert str(found) == found.to_text()


def test_names_are_shown_short_and_on_one_line() -> None:
    assert shown("a\nb\tc\u2028d") == "a\\nb\\tc\\u2028d"
    assert shown("\u05d0") == "\u05d0"
    assert len(shown("x" * 10_000)) == 40


def test_ticks_are_round() -> None:
    assert _steps(0.733, 0.851) == [0.75, 0.775, 0.8, 0.825, 0.85]
    assert _steps(0, 1.6) == [0.0, 0.5, 1.0, 1.5]


def point(name: str, accuracy: float, advantage: float) -> Point:
    return Point(name, accuracy, 0.01, advantage, 0.5, 0.1, "guess", "age", 2.0, ())


def test_the_pareto_front_is_what_nobody_beats() -> None:
    held = pareto(
        [
            point("private", 0.7, 0.1),
            point("accurate", 0.9, 0.8),
            point("beaten", 0.69, 0.2),
            point("middle", 0.8, 0.4),
            point("twin", 0.8, 0.4),
            point("worse", 0.8, 0.5),
        ]
    )
    found = Comparison(tuple(held), 0.92, 0.6, 1000)
    assert found.front == ["private", "middle", "twin", "accurate"]
    page = check_page(found.to_html())
    assert page.tags.count("svg") == 1
    said = found.to_text()
    assert "private, middle, twin, accurate" in said
    assert "0 %" in said


def test_plans_are_compared_by_their_worst_attack() -> None:
    plans: dict[str, Disguise] = {
        "strong": RandomSubstitution(gamma=2),
        "mild": RandomSubstitution(gamma=50),
        "<b>plain": Plan({}, default=Exact()),
    }
    found = compare(plans, people(3000), SCHEMA, seed=1)
    strong, mild, plain = found.points
    assert strong.advantage < mild.advantage < plain.advantage == 1
    assert strong.front
    assert strong.accuracy <= plain.accuracy
    assert "<b>plain" not in found.to_html()
    assert found.to_dict()["front"] == found.front
    with pytest.raises(PrivetError, match="There is no plan to compare"):
        compare({}, people(100), SCHEMA)


@pytest.mark.needs("chromium")
def test_chromium_draws_the_page_at_both_widths(hostile: Audit, tmp_path: Path) -> None:
    from PIL import Image

    page = tmp_path / "audit.html"
    hostile.to_html(page)
    flags = [
        "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}",
    ]  # fmt: skip
    frame = "<iframe src='audit.html' style='border:0;width:390px;height:844px'>"
    inside = f"<style>body{{margin:0}}</style>{frame}"
    (tmp_path / "phone.html").write_text(inside)
    for name, width, height in (("audit", 1280, 900), ("phone", 500, 844)):
        picture = tmp_path / f"{name}.png"
        size = [f"--window-size={width},{height}", f"--screenshot={picture}"]
        command = ["chromium", *flags, *size, f"file://{tmp_path / name}.html"]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        held = np.asarray(Image.open(picture).convert("L"), float)
        right = held[:, 380:390] if name == "phone" else held[:, -20:]
        assert held.std() > 10  # something is drawn
        assert right.std() < 12, "something sticks out to the right"
