// What is wrong with a page, by measuring its boxes: overflow, text over text, text out of its box,
// things without a name, colours too close to each other.
() => {
  const wrong = [];
  const seen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const named = (element) => `${element.tagName.toLowerCase()}.${element.className?.baseVal ?? element.className} "${element.textContent.trim().slice(0, 40)}"`;
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    const far = [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1 && !one.parentElement.closest(".scroll, pre, .steps"));
    wrong.push(`the page is ${root.scrollWidth} wide in ${root.clientWidth}: ${far.slice(0, 3).map(named)}`);
  }

  // Text, by the boxes of its lines; what scrolls or is cut on purpose is measured by its frame.
  const inside = (element) => element.closest(".scroll, pre, .steps, .hidden, svg, figcaption span, select, textarea, .skip");
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !seen(parent) || inside(parent) || ["SCRIPT", "STYLE", "OPTION"].includes(parent.tagName)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1) lines.push({ box, parent });
  }
  lines.sort((one, two) => one.box.top - two.box.top);
  for (const { box, parent } of lines)
    if (box.left < -1 || box.right > root.clientWidth + 1) wrong.push(`text leaves the page: ${named(parent)}`);
  for (let a = 0; a < lines.length; a++)
    for (let b = a + 1; b < lines.length; b++) {
      const [one, two] = [lines[a], lines[b]];
      if (two.box.top >= one.box.bottom) break; // and so are all that follow
      const wide = Math.min(one.box.right, two.box.right) - Math.max(one.box.left, two.box.left);
      const tall = Math.min(one.box.bottom, two.box.bottom) - Math.max(one.box.top, two.box.top);
      if (wide <= 1 || tall <= 4 || one.parent.contains(two.parent) || two.parent.contains(one.parent)) continue;
      wrong.push(`text over text: ${named(one.parent)} and ${named(two.parent)}`);
    }
  // Text of a picture may not lie on other text of it.
  for (const picture of document.querySelectorAll("svg")) {
    const texts = [...picture.querySelectorAll("text")].filter((one) => seen(one) && !one.closest(".away") && one.textContent.trim()).map((one) => ({ one, box: one.getBoundingClientRect() }));
    for (let a = 0; a < texts.length; a++)
      for (let b = a + 1; b < texts.length; b++) {
        const [one, two] = [texts[a].box, texts[b].box];
        const wide = Math.min(one.right, two.right) - Math.max(one.left, two.left);
        const tall = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
        if (wide > 2 && tall > 0.4 * Math.min(one.height, two.height)) wrong.push(`text over text in a picture: ${named(texts[a].one)} and ${named(texts[b].one)}`);
      }
  }
  for (const button of document.querySelectorAll("button, .button"))
    if (seen(button) && button.scrollWidth > button.clientWidth + 1) wrong.push(`text leaves a button: ${named(button)}`);
  return [...new Set(wrong)];
};
