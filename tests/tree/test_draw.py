"""The picture and the page: what is on them, that names cannot break them, that paths are found."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree as ET

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from privet.estimators import TreeClassifier
from privet.tree import Tree
from privet.tree.draw import figure, notebook, page, svg
from privet.tree.layout import COLOURS, SIDE, SMALL, TALL
from privet.tree.measure import width_of
from tests.strategies import hostile
from tests.tree.test_export import SIGNS, grown, predicted, records

NS = "{http://www.w3.org/2000/svg}"
CHROMIUM = [
    "chromium",
    *["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    *["--disable-background-networking", "--disable-component-update", "--disable-sync"],
]


def cards(text: str) -> dict[int, ET.Element]:
    groups = ET.fromstring(text).iter(f"{NS}g")  # noqa: S314 - our own
    return {int(one.attrib["data-node"]): one for one in groups if "data-node" in one.attrib}


def bars(one: ET.Element) -> list[ET.Element]:
    return [bar for bar in one.iter(f"{NS}rect") if "fill-opacity" in bar.attrib]


def place(one: ET.Element) -> tuple[float, float]:
    x, y = one.attrib["transform"][len("translate(") : -1].split()
    return float(x), float(y)


def words(one: ET.Element) -> list[str]:
    return [text.text or "" for text in one.iter(f"{NS}text")]


def staircase(leaves: int, classes: int = 2) -> Tree:
    """A tree that tells runs of ten numbers apart."""
    X = np.arange(10.0 * leaves)[:, None]
    y = np.arange(10 * leaves) // 10 % classes
    return TreeClassifier().fit(X, y).tree_


def test_a_small_tree_is_drawn_whole() -> None:
    tree = staircase(3)
    drawn = cards(svg(tree))
    assert set(drawn) == set(range(tree.nodes))
    assert words(drawn[0]) == ["x0", "30 · 67 % 0"]
    assert words(drawn[1])[0] in ("≤ 9.5", "≤ 19.5")
    for one in drawn.values():
        box = one.find(f"{NS}rect")
        assert box is not None
        whole = sum(float(bar.attrib["width"]) for bar in bars(one))
        assert whole == pytest.approx(float(box.attrib["width"]) - 16, abs=0.2)
        assert all(bar.attrib["fill-opacity"] == "1.0" for bar in bars(one))


def test_counts_have_their_errors() -> None:
    tree = staircase(2)
    object.__setattr__(tree, "size_errors", np.full(tree.nodes, 3.0))
    assert "20 ± 3 · 50 % 0" in words(cards(svg(tree))[0])


@pytest.mark.parametrize("leaves", [10, 40])
def test_a_large_tree_is_folded(leaves: int) -> None:
    tree = staircase(200)
    drawn = cards(svg(tree, leaves))
    ends = [one for one in drawn.values() if one.attrib["class"] != "node test"]
    assert len(ends) <= leaves
    hidden = [int(word[2:-7]) for one in ends for word in words(one) if word.startswith("+ ")]
    shown = sum(one.attrib["class"] == "node leaf" for one in ends)
    assert shown + sum(hidden) == 200


def test_no_two_nodes_overlap() -> None:
    for tree in (staircase(60), grown(3, "id3", ["yes", "no"])):
        boxes = [place(one) for one in cards(svg(tree, 100)).values()]
        for number, (x, y) in enumerate(boxes):
            assert all(x != u or abs(y - v) >= TALL for u, v in boxes[:number])


def test_what_is_not_sure_looks_so() -> None:
    tree = staircase(3)
    errors = np.where(np.arange(tree.nodes)[:, None] == 0, 0.1, 40.0) * np.ones((1, 2))
    unsure = replace(tree, errors=errors, z=np.where(tree.child >= 0, 1.5, 0.0))
    drawn = cards(svg(unsure))
    sure, faded = ([float(bar.attrib["fill-opacity"]) for bar in bars(drawn[n])] for n in (0, 1))
    assert min(sure) > 0.99
    assert max(faded) < 0.6
    assert all(one.find(f"{NS}path[@class='whisker']") is not None for one in drawn.values())
    text = svg(unsure)
    assert text.count('class="branch unsure"') == tree.nodes - 1
    for words_of_key in ("faded: class not sure", "whisker: 95 % interval", "dashed: a split"):
        assert words_of_key in text
        assert words_of_key not in svg(tree)
    assert "does not say how sure" in svg(tree.unmeasured())


def test_a_figure_goes_under_any_policy() -> None:
    """No scripts, no styles in attributes or elements, nothing from elsewhere."""
    text = figure(grown(3, "cart", ["yes", "no"]))
    assert not re.search(r"<script|<style|style=|\son\w+=", text)


def test_more_classes_than_colours() -> None:
    text = svg(staircase(12, classes=12))
    assert f"{12 - COLOURS + 1} more" in text
    assert f'class="f{COLOURS}"' not in text


@settings(max_examples=40)
@given(hostile, hostile)
def test_names_cannot_break_out(name: str, value: str) -> None:
    wild = value + '</script><script>alert(1)</script>"><img src=x onerror=alert(2)>'
    X = pa.table({name: ["p", wild, "p", wild]})
    tree = TreeClassifier(policy="id3").fit(X, ["<b>u", "v", "<b>u", "v"]).tree_
    cards(svg(tree))  # it parses
    for text in (page(tree), notebook(tree)):
        assert text.count("<script") == ("<html" in text)
        assert "<img" not in text
        assert "<b>u" not in text


def test_the_page_asks_for_nothing_from_elsewhere() -> None:
    text = page(grown(3, "cart", ["yes", "no"]))
    assert "default-src 'none'" in text
    outside = re.sub(r"http://www\.w3\.org/2000/svg", "", text)
    assert not re.search(r"https?:|@import|url\(|src=", outside)
    assert len(re.findall("<li[ >]", text)) == text.count("</li>")
    assert text.count("<details") == text.count("</details>")


def test_notebooks_show_the_picture() -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20) > 9
    model = TreeClassifier()
    assert "<svg" not in model._repr_mimebundle_()["text/html"].split("<style")[-1]
    model.fit(X, y)
    assert 'class="privet-tree"' in model._repr_mimebundle_()["text/html"]
    assert "prefers-color-scheme: dark" in model.tree_._repr_html_()


@pytest.mark.needs("chromium")
def test_a_browser_finds_the_leaf_of_a_record(tmp_path: Path) -> None:
    tree = grown(5, "c4.5", ["yes", "no"])
    fresh = records(np.random.default_rng(1), 2, [*SIGNS, "never seen"], codes=6)
    file = tmp_path / "tree.html"
    file.write_text(page(tree), encoding="utf-8")
    leaves = TreeClassifier.from_tree(tree).apply(fresh)
    for row, (leaf, said) in enumerate(zip(leaves, predicted(tree, fresh), strict=True)):
        typed = {
            name: "missing" if value is None or value != value else str(value)  # noqa: PLR0124 - NaN
            for name, value in fresh.slice(row, 1).to_pylist()[0].items()
        }
        fragment = "&".join(f"{quote(name)}={quote(value)}" for name, value in typed.items())
        data = f"--user-data-dir={tmp_path / 'profile'}"
        command = [*CHROMIUM, data, "--dump-dom", f"{file.as_uri()}#{fragment}"]
        dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        found = re.search(r'<output[^>]*data-node="(\d+)">([^<]*)<', dom.stdout)
        assert found is not None
        assert int(found[1]) == leaf
        assert f"then class is {said}" in found[2]


@pytest.mark.parametrize("target", ["y", "a long name of the class, as long as names are " * 3])
def test_title_legend_and_tree_stand_one_below_the_other(target: str) -> None:
    tree = replace(staircase(3), target=target)
    text = svg(tree)
    whole = ET.fromstring(text)  # noqa: S314 - our own
    head = [(float(one.attrib["y"]), one) for one in whole if one.tag == f"{NS}text"]
    titles = [y for y, one in head if one.attrib.get("class") == "title"]
    (origin,) = (y for y, one in head if (one.text or "").endswith("depth 2"))
    classes = [float(y) for y, one in head if one.text in ("0", "1")]
    boxes = [float(one.attrib["y"]) for one in whole if one.attrib.get("rx") == "2"]
    (tree_top,) = (place(one)[1] for one in whole if one.attrib.get("class") == "all")
    assert len(titles) == 1 + (len(target) > 1)
    assert titles == sorted(titles)
    assert titles[-1] + 12 < origin  # sizes of text, from line to line
    assert len(classes) == len(boxes) == 2
    assert origin < min(boxes)
    assert max(boxes) + 12 < tree_top


@pytest.mark.parametrize("wanted", [3, 40])
def test_where_a_tree_comes_from_is_cut_at_the_pictures_margin(wanted: int) -> None:
    tree = replace(staircase(3), source="n" * 59, method="m" * 40)
    whole = ET.fromstring(svg(tree, wanted))  # noqa: S314 - our own
    wide = float(whole.attrib["viewBox"].split()[2])
    (origin,) = (text for one in whole if (text := one.text or "").startswith("from n"))
    assert origin.endswith("…")
    assert width_of(origin, SMALL) <= wide - 2 * SIDE
    assert width_of(origin + "m", SMALL) > wide - 2 * SIDE
    assert wide >= 420


def test_forty_leaves_are_drawn_unless_more_are_asked_for() -> None:
    """Of a tree of two branches a test, one node less than twice as many."""
    tree = staircase(50)
    assert len(cards(svg(tree))) == 2 * 40 - 1
    assert len(set(re.findall(r'data-node="(\d+)"', figure(tree, live=False)))) == 2 * 40 - 1
