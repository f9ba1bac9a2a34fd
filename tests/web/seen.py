"""What a page looks like to people: contrast of its texts, names of its controls, boxes."""

from typing import Any

# WCAG 2.2: 4.5 to 1 for text, 3 to 1 for large text (1.4.3); every control has a name (4.1.2);
# targets of at least 24 pixels (2.5.8); no text cut off by its own box.
LOOK = """() => {
  const wrong = [];
  const parsed = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const over = (top, under) => ({
    r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a),
    b: top.b * top.a + under.b * (1 - top.a), a: 1,
  });
  const light = ({ r, g, b }) => {
    const part = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const contrast = (one, two) => {
    const [low, high] = [light(one), light(two)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const ground = (element) => {
    const chain = [];
    for (let at = element; at; at = at.parentElement) chain.unshift(at);
    let colour = dark ? { r: 18, g: 18, b: 18, a: 1 } : { r: 255, g: 255, b: 255, a: 1 };
    for (const at of chain) colour = over(parsed(getComputedStyle(at).backgroundColor), colour);
    return colour;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
    if (!text || element.closest("svg, script, style, noscript, .hidden")) continue;
    const style = getComputedStyle(element), range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    if (!box.width || style.visibility === "hidden") continue;
    let opacity = 1;
    for (let at = element; at; at = at.parentElement) opacity *= getComputedStyle(at).opacity;
    const back = ground(element), ink = parsed(style.color);
    const ratio = contrast(over({ ...ink, a: ink.a * opacity }, back), back);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
    const wanted = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
    if (ratio < wanted) wrong.push(`contrast ${ratio.toFixed(1)}: ${text.slice(0, 40)}`);
    const cut = box.right > innerWidth + 1 && !element.closest(".scroll");
    if (cut) wrong.push(`cut: ${text.slice(0, 40)}`);
  }
  for (const control of document.querySelectorAll("input, select, button, textarea, a[href]")) {
    const box = control.getBoundingClientRect();
    if (!box.width) continue;
    const labels = [...(control.labels ?? [])].map((one) => one.textContent).join(" ");
    const name = control.getAttribute("aria-label") || labels || control.textContent;
    if (!name.trim()) wrong.push(`no name: ${control.outerHTML.slice(0, 60)}`);
    const place = (control.labels?.[0] ?? control).getBoundingClientRect();
    if (Math.min(place.width, place.height) < 24) wrong.push(`small: ${name.slice(0, 40)}`);
  }
  for (const picture of document.querySelectorAll("svg[role=img], img"))
    if (!picture.getAttribute("aria-label") && !picture.alt && !picture.querySelector("title"))
      wrong.push("a picture without words");
  if (!document.documentElement.lang || !document.title) wrong.push("no language or title");
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("wider than the window");
  return wrong;
}"""


def flaws(page: Any) -> list[str]:
    """Return what people with weak sight, or without a mouse, would stumble over."""
    found: list[str] = page.evaluate(LOOK)
    return found
