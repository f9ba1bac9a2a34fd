"""The picture in a real Chromium: text in its boxes, the legend in view, folds, zoom, keys."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.tree import Tree
from privet.tree.draw import page
from tests.tree.test_draw import staircase
from tests.tree.test_export import grown

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("browser")]
SIZES = {"phone": (390, 844), "tablet": (800, 1000), "desktop": (1400, 900)}
# Every text of a card lies in its box, every label beside no other card, every card in the picture.
OUTSIDE = """() => {
  const wrong = [];
  const inside = (a, b) => a.left >= b.left - 0.5 && a.right <= b.right + 0.5
    && a.top >= b.top - 0.5 && a.bottom <= b.bottom + 0.5;
  const over = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5
    && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
  const nodes = [...document.querySelectorAll(".node:not(.away)")];
  const boxes = nodes.map((one) => one.querySelector(".box").getBoundingClientRect());
  const picture = document.querySelector(".scroll > svg").getBoundingClientRect();
  nodes.forEach((node, place) => {
    if (!inside(boxes[place], picture)) wrong.push("card outside " + node.dataset.node);
    for (const text of node.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (!box.width) continue;
      if (text.classList.contains("label")) {
        if (boxes.some((other) => over(box, other))) wrong.push("on a card: " + text.textContent);
        if (!inside(box, picture)) wrong.push("outside: " + text.textContent);
      } else if (!inside(box, boxes[place])) wrong.push("over its edge: " + text.textContent);
    }
    if (boxes.some((other, at) => at < place && over(boxes[place], other))) wrong.push("overlap");
  });
  return wrong;
}"""


def unsure() -> Tree:
    tree = grown(5, "c4.5", ["a rather long name of a class", "no"])
    rng = np.random.default_rng(1)
    return replace(
        tree,
        errors=rng.uniform(0, 9, tree.errors.shape),
        size_errors=np.full(tree.nodes, 12.0),
        z=np.where(tree.child >= 0, rng.uniform(0, 5, tree.nodes), 0.0),
        source="people.release",
        method="joint",
    )


@pytest.fixture(params=SIZES)
def shown(request: pytest.FixtureRequest, browser: Any, tmp_path: Path) -> Any:
    wide, tall = SIZES[request.param]
    scheme = "dark" if request.param == "tablet" else "light"
    opened = browser.new_page(viewport={"width": wide, "height": tall}, color_scheme=scheme)
    opened.set_default_timeout(20_000)
    yield opened
    opened.close()


def put(shown: Any, folder: Path, tree: Tree, **settings: int) -> None:
    (folder / "tree.html").write_text(page(tree, **settings), encoding="utf-8")
    shown.goto((folder / "tree.html").as_uri())


def test_texts_are_in_their_boxes_at_every_width(shown: Any, tmp_path: Path) -> None:
    put(shown, tmp_path, unsure())
    assert shown.evaluate(OUTSIDE) == []
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    narrow = shown.viewport_size["width"] < 640
    assert shown.evaluate("document.querySelector('figure').classList.contains('down')") == narrow
    shown.get_by_role("button", name="Unfold").click()
    assert shown.evaluate(OUTSIDE) == []
    shown.get_by_role("button", name="Turn").click()
    assert shown.evaluate(OUTSIDE) == []
    shown.get_by_role("button", name="Fit").click()
    fits = "(b) => b.scrollWidth <= b.clientWidth + 1"
    assert shown.locator(".scroll").evaluate(fits)


def test_the_legend_stays_and_keys_walk(browser: Any, tmp_path: Path) -> None:
    shown = browser.new_page(viewport={"width": 1400, "height": 700})
    put(shown, tmp_path, staircase(60), leaves=8)
    visible = "document.querySelectorAll('.node:not(.away)').length"
    before = shown.evaluate(visible)
    shown.get_by_role("button", name="Unfold").click()
    assert shown.evaluate(visible) == staircase(60).nodes > before
    shown.locator(".scroll").evaluate("(box) => box.scrollTo(9999, 9999)")
    legend = shown.get_by_label("Classes")
    box = legend.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 700
    shown.get_by_role("button", name="Fold", exact=True).click()
    assert shown.evaluate(visible) == 3
    shown.locator('g[data-node="0"]').focus()
    shown.keyboard.press("ArrowRight")
    assert shown.evaluate("document.activeElement.dataset.parent") == "0"
    shown.keyboard.press("ArrowLeft")
    shown.keyboard.press("Enter")  # folds the root
    assert shown.evaluate(visible) == 1
    assert shown.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    wide = "document.querySelector('.scroll > svg').getBoundingClientRect().width"
    small = shown.evaluate(wide)
    shown.keyboard.press("+")
    assert shown.evaluate(wide) > small
    shown.close()


def test_a_fold_is_pressed_and_a_path_unfolds(browser: Any, tmp_path: Path) -> None:
    shown = browser.new_page(viewport={"width": 390, "height": 844})
    put(shown, tmp_path, staircase(40), leaves=4)
    shown.get_by_role("textbox").fill("123")
    shown.locator(".node.here.leaf").wait_for()
    assert "x0 is over 119.5 and at most 129.5" in shown.locator("#verdict").inner_text()
    frame, leaf = (shown.locator(one).bounding_box() for one in (".scroll", ".node.here.leaf .box"))
    assert frame["y"] <= leaf["y"] <= frame["y"] + frame["height"]
    root = shown.locator('g[data-node="0"] .fold')
    root.scroll_into_view_if_needed()
    root.click()
    assert shown.locator('g[data-node="0"]').get_attribute("aria-expanded") == "false"
    shown.close()
