"""Reports: whole in themselves, harmless whatever the names are, and the same in every form."""

import re
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.audit import Audit, Comparison, audit, compare
from privet.audit.checks import Check
from privet.audit.compare import Point, pareto
from privet.audit.report.charts import attack_rows, steps
from privet.audit.report.names import shown
from privet.audit.report.planes import Scatter, comparison_scatter
from privet.disguise import (
    Exact,
    KAnonymity,
    Plan,
    RandomSubstitution,
    Substitution,
    ValueClass,
    Withheld,
)
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
    release = RandomSubstitution(gamma=8, kind="gamma-diagonal").disguise(people(), SCHEMA)
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
    assert steps(0.733, 0.851) == [0.75, 0.775, 0.8, 0.825, 0.85]
    assert steps(0, 1.6) == [0.0, 0.5, 1.0, 1.5]


def point(name: str, accuracy: float, advantage: float) -> Point:
    return Point(name, accuracy, 0.01, advantage, 0.5, 0.1, "guess", "age", 2.0, (), method="joint")


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
    drawn = re.search(r"<svg.*?</svg>", found.to_html(), re.DOTALL)
    assert drawn is not None
    for text in (drawn[0].split("</desc>")[1], found.to_text()):
        assert text.count("a tree from the originals") == 1  # the dashed line
        for one in held:
            assert one.plan in text
    said = found.to_text()
    assert "private, middle, twin, accurate" in said
    assert "0 %" in said
    heads = re.findall(r"<th>(.*?)</th>", found.to_html())
    assert heads[:3] == ["plan", "worst attack<br>wins", "accuracy"]  # seen on a phone
    assert heads[3] == "mined by"
    assert found.to_html().count("<td>joint</td>") == said.count("joint") == len(held)


def boxes_of(chart: Scatter) -> list[tuple[float, float, float, float]]:
    """Return the boxes of the names of points: left, top, right, bottom."""
    boxes = []
    for dot in (*chart.full, *chart.hollow):
        assert dot.label is not None
        x, y, side = dot.label
        reach = 6 * len(dot.name)
        left = x if side == "start" else x - reach
        boxes.append((left, y - 5, left + reach, y + 5))
    return boxes


def covers(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    apart = one[0] >= two[2] or two[0] >= one[2] or one[1] >= two[3] or two[1] >= one[3]
    return not apart


def test_names_in_a_chart_cover_no_point() -> None:
    """Three plans near the upper right corner, as a workbench found them for Adult."""
    plans = [point("Plan A, γ 3.35", 0.79, 0.541), point("Plan B, γ 8.14", 0.982, 0.781)]
    plans.append(point("Plan C, γ 19", 0.986, 0.9))
    chart = comparison_scatter(Comparison(tuple(pareto(plans)), 1.0, 0.5, 8000))
    dots = [(dot.x - 5, dot.y - 5, dot.x + 5, dot.y + 5) for dot in (*chart.full, *chart.hollow)]
    names = boxes_of(chart)
    assert not [pair for pair in combinations(names, 2) if covers(*pair)]
    assert not [(name, dot) for name in names for dot in dots if covers(name, dot)]
    assert all(box[0] >= 40 and box[2] <= 360 for box in names)


def test_names_in_a_chart_do_not_lie_on_each_other() -> None:
    plans = [point(f"plan number {place}", 0.8 + 1e-4 * place, 0.5) for place in range(8)]
    chart = comparison_scatter(Comparison(tuple(pareto(plans)), 0.9, 0.6, 1000))
    names = boxes_of(chart)
    assert len(names) == 8
    assert not [pair for pair in combinations(names, 2) if covers(*pair)]
    assert max(box[3] for box in names) <= chart.up[0].at + 6
    said = Comparison(tuple(pareto(plans)), 0.9, 0.6, 1000).to_text()
    assert all(said.count(one.plan) >= 2 for one in plans)  # in the table and in the chart


def test_of_attacks_that_win_all_the_worst_is_the_least_expected() -> None:
    table = people(2000)
    table["age"][:] = 10.0
    table["age"][:20] = 50.0
    release = Plan({}, default=Exact()).disguise(table, SCHEMA)
    audited = audit(release, table, trees=False, seed=1)
    worst, chart = audited.worst, attack_rows(audited.attacks)
    assert worst is not None
    assert chart is not None
    assert chart.marks[0].name == worst.about
    assert worst.advantage == 1
    assert worst.attack == "read"
    assert worst.about in ("car", "town")  # of the age a blind guess is right for 99 %


def test_what_coarser_values_cost_is_not_called_nothing() -> None:
    plan = Plan({"age": ValueClass(bins=2)}, default=Exact())
    audited = audit(plan.disguise(people(), SCHEMA), people(), seed=1)
    sentence = audited.verdict[2]
    assert "one from the originals, made as coarse, for" in sentence
    assert "What coarser values cost is not in that" in sentence
    assert "made as coarse" in Page(audited.to_html()).text
    assert "from the originals, made as coarse" in audited.to_text()


def test_the_row_of_a_record_is_identified() -> None:
    rows = {name: column[:400] for name, column in people().items()}
    table = rows | {"age": np.arange(400) / 4}
    plan = Plan({"risk": Substitution(2)}, default=Exact())
    agreed = ["age", "car", "town"]
    audited = audit(plan.disguise(table, SCHEMA), table, agreed=agreed, trees=False, seed=1)
    assert audited.worst is not None
    assert audited.worst.attack == "linkage"
    assert "identifies the right row for 100.0 % of records" in audited.verdict[1]


def test_what_was_not_run_stands_at_the_end(found: Audit) -> None:
    for text in (found.to_text(), Page(found.to_html()).text):
        assert text.index("Not run") > text.index("from the release")
        assert text.index("Not run") > text.index("What would be better")
    lines = [line for line in found.to_text(200).splitlines() if "is no complement" in line]
    assert len(lines) == 1  # a reason is given once


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


def test_the_originals_are_the_same_whichever_plan_comes_last() -> None:
    coarse = Plan({"age": Withheld()}, default=Exact())
    plans: dict[str, Disguise] = {"plain": Plan({}, default=Exact()), "coarse": coarse}
    turned = dict(reversed(plans.items()))
    first, second = (compare(tried, people(3000), SCHEMA, seed=1) for tried in (plans, turned))
    assert first.plain_accuracy == second.plain_accuracy
    assert abs(first.plain_accuracy - first.points[0].accuracy) < 0.03
    assert first.points[1].accuracy < first.plain_accuracy - 0.1  # the class hangs on age


def test_suppressed_records_are_among_those_compared() -> None:
    plans: dict[str, Disguise] = {"groups": KAnonymity(k=40, quasi=["car", "town"], suppress=0.1)}
    table = people(3000)
    comparison = compare(plans, table, SCHEMA, seed=1)
    assert comparison.rows == 3000


def test_a_point_is_drawn_upon_the_line_to_its_name() -> None:
    plans = [point("one", 0.8, 0.5), point("two", 0.7, 0.6)]
    page = Comparison(tuple(pareto(plans)), 0.9, 0.6, 1000).to_html()
    drawn = re.search(r"<svg.*?</svg>", page, re.DOTALL)
    assert drawn is not None
    kinds = re.findall(r'<(?:line|circle) class="(leader|full|hollow)"', drawn[0])
    assert kinds[2:] == ["leader", "leader", "hollow", "full"]  # two circles are the key's


def test_a_reason_not_to_run_attacks_is_a_sentence(found: Audit) -> None:
    listed = re.findall(r"<li>(.*?): <span", found.to_html())
    assert any("; " in line for line in listed)
    for line in listed:
        assert line[0].isupper()
        assert not re.search("; [A-Z]", line)


@pytest.mark.needs("chromium")
@pytest.mark.xdist_group("browser")
def test_what_decides_is_seen_on_a_phone(found: Audit, browser: Any, tmp_path: Path) -> None:
    comparison = Comparison(tuple(pareto([point("mild", 0.8, 0.5)])), 0.9, 0.6, 1000)
    for name, text, heads in (
        ("audit", found.to_html(), ["ε", "γ", "right", "blindguess", "won overblind"]),
        ("plans", comparison.to_html(), ["worst attackwins", "accuracy"]),
    ):
        (tmp_path / f"{name}.html").write_text(text)
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto((tmp_path / f"{name}.html").as_uri())
        ends = page.evaluate(
            "[...document.querySelectorAll('thead th')].map("
            "head => [head.textContent, head.getBoundingClientRect().right])"
        )
        for head in heads:
            right = [end for said, end in ends if said == head]
            assert right, head
            assert max(right) <= 390, head
        page.close()


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


def test_soft_checks_warn_and_hard_ones_fail(found: Audit) -> None:
    soft = Check("The schema was declared", holds=False)
    hard = Check("The sums are right", holds=False, hard=True)
    text = replace(found, checks=(soft,)).to_text()
    assert "⚠ warning: The schema was declared – no." in text
    assert "FAILED" not in text
    assert "FAILED" not in replace(found, checks=(soft,)).to_html()
    assert "✗ FAILED: The sums are right." in replace(found, checks=(soft, hard)).to_text()
    assert "The sums are right – FAILED" in replace(found, checks=(soft, hard)).to_html()


def test_how_well_people_are_found_is_always_shown(found: Audit) -> None:
    linkage = next(one for one in found.attacks if one.attack == "linkage")
    others = [replace(linkage, attack="guess", about=f"a{n}", value=0.9) for n in range(20)]
    told = replace(found, attacks=(*others, linkage))
    lines = told.to_text().splitlines()
    assert any(line.strip().startswith("linkage") for line in lines)
    assert "10 more, none of them worse, in --json." in lines
    assert linkage.title.partition("'")[0] in told.to_html()
    assert "more, none" not in replace(found, attacks=(linkage,)).to_text()
