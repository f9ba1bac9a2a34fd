// A figure of a tree, alive: fold and unfold, zoom, fit, pan; by mouse, touch and keyboard.
// Two ways to lay it out: across, as it was drawn, and down, for narrow windows.
const TALL = 46, STEP = 56, SIDE = 10, LABEL = 18, INDENT = 18, NARROW = 640;

export function treeView(figure) {
  const svg = figure.querySelector(".scroll > svg"), box = figure.querySelector(".scroll");
  const lefts = svg.dataset.lefts.split(" ").map(Number), widths = svg.dataset.widths.split(" ").map(Number);
  const nodes = new Map();
  for (const group of svg.querySelectorAll(".node")) {
    const id = Number(group.dataset.node), parent = Number(group.dataset.parent);
    const node = { id, parent, group, depth: Number(group.dataset.depth), kids: [], line: svg.querySelector(`[data-to="${id}"]`) };
    node.foldable = group.hasAttribute("aria-expanded");
    node.open = node.foldable && group.getAttribute("aria-expanded") === "true";
    nodes.set(id, node);
    if (nodes.has(parent)) nodes.get(parent).kids.push(node);
  }
  const root = nodes.get(0), first = [...nodes.values()].filter((node) => node.open);
  let scale = 1, down = false, wide = 0, tall = 0, told = false;

  function visible() {
    const order = [];
    (function walk(node) { order.push(node); if (node.open) node.kids.forEach(walk); })(root);
    return order;
  }
  function place() {
    const order = visible(), seen = new Set(order);
    for (const node of nodes.values()) {
      const away = !seen.has(node);
      node.group.classList.toggle("away", away);
      node.line?.classList.toggle("away", away);
      if (!node.foldable) continue;
      node.group.classList.toggle("test", node.open);
      node.group.classList.toggle("folded", !node.open);
      node.group.setAttribute("aria-expanded", node.open);
    }
    let y = SIDE;
    wide = 0;
    if (down) {
      for (const node of order) {
        if (node.parent >= 0) y += LABEL;
        Object.assign(node, { x: SIDE + node.depth * INDENT, y });
        y += TALL + 6;
        wide = Math.max(wide, node.x + widths[node.depth], node.x + (node.label ?? 0));
      }
    } else {
      for (const node of order) {
        node.x = lefts[node.depth];
        if (!node.open) { node.y = y; y += STEP; }
        wide = Math.max(wide, node.x + widths[node.depth]);
      }
      for (const node of order.slice().reverse())
        if (node.open) node.y = (node.kids[0].y + node.kids[node.kids.length - 1].y) / 2;
      y -= STEP - TALL;
    }
    wide += SIDE;
    tall = y + SIDE;
    for (const node of order) {
      node.group.setAttribute("transform", `translate(${node.x} ${node.y})`);
      if (!node.line) continue;
      const from = nodes.get(node.parent), middle = node.y + TALL / 2;
      if (down) node.line.setAttribute("d", `M${from.x + 8} ${from.y + TALL}V${middle}H${node.x}`);
      else {
        const left = from.x + widths[from.depth], start = from.y + TALL / 2;
        node.line.setAttribute("d", `M${left} ${start}C${left + 28} ${start} ${left + 8} ${middle} ${left + 36} ${middle}H${node.x}`);
      }
    }
    size();
  }
  function size() {
    svg.setAttribute("viewBox", `0 0 ${wide} ${tall}`);
    svg.setAttribute("width", wide * scale);
    svg.setAttribute("height", tall * scale);
  }
  function labels() {
    for (const node of nodes.values()) {
      const lines = [...node.group.querySelectorAll(".label")];
      lines.forEach((line, row) => {
        line.dataset.y ??= line.getAttribute("y");
        line.dataset.words ??= line.textContent;
        line.setAttribute("text-anchor", down ? "start" : "end");
        line.setAttribute("x", down ? 8 : -8);
        line.setAttribute("y", down ? -5 : line.dataset.y);
        line.textContent = down && row === 0 ? lines.map((part) => part.dataset.words ?? part.textContent).join(" ") : line.dataset.words;
        line.classList.toggle("away", down && row > 0);
      });
    }
  }
  function turn(now) {
    down = now;
    figure.classList.toggle("down", down);
    labels();
    place();
    if (down) { for (const node of nodes.values()) node.label = node.group.querySelector(".label")?.getComputedTextLength() + 12 || 0; place(); }
  }
  function zoom(factor, at) {
    const old = scale, spot = at ?? { x: box.clientWidth / 2, y: box.clientHeight / 2 };
    scale = Math.min(4, Math.max(0.1, scale * factor));
    const x = (box.scrollLeft + spot.x) / old, y = (box.scrollTop + spot.y) / old;
    size();
    box.scrollTo(x * scale - spot.x, y * scale - spot.y);
  }
  function fit(least = 0.1) {
    const most = Math.max(240, window.innerHeight * 0.78);
    scale = Math.max(least, Math.min(1, (box.clientWidth - 2) / wide, down ? 1 : most / tall));
    size();
    look(root);
  }
  function look(node) {
    box.scrollTo((node.x + widths[node.depth] / 2) * scale - box.clientWidth / 2, (node.y + TALL / 2) * scale - box.clientHeight / 2);
  }
  function focus(node) {
    for (const other of nodes.values()) other.group.setAttribute("tabindex", other === node ? 0 : -1);
    node.group.focus({ preventScroll: true });
    look(node);
  }
  function fold(node, open) {
    if (!node.foldable) return;
    const before = node.group.getBoundingClientRect();
    node.open = open ?? !node.open;
    place();
    const after = node.group.getBoundingClientRect();  // what was pressed stays under the finger
    box.scrollBy(after.left - before.left, after.top - before.top);
  }
  // Shows the path to a node, as numbers from the root; folded tests on it are unfolded.
  function path(ids) {
    for (const old of svg.querySelectorAll(".here")) old.classList.remove("here");
    const drawn = ids.map((id) => nodes.get(id)).filter((node) => node);
    drawn.slice(0, -1).forEach((node) => { if (node.foldable) node.open = true; });
    place();
    for (const node of drawn) { node.group.classList.add("here"); node.line?.classList.add("here"); }
    if (drawn.length) look(drawn[drawn.length - 1]);
  }
  const deeds = {
    fit: () => fit(), in: () => zoom(1.25), out: () => zoom(0.8), turn: () => { turn(!down); fit(0.4); },
    unfold: () => { for (const node of nodes.values()) node.open = node.foldable; place(); look(root); },
    fold: () => { for (const node of nodes.values()) node.open = node === root && node.foldable; place(); look(root); },
  };
  figure.querySelector(".tools").hidden = false;
  for (const button of figure.querySelectorAll("[data-do]")) button.addEventListener("click", () => deeds[button.dataset.do]());
  svg.addEventListener("click", (event) => {
    const group = event.target.closest(".node");
    if (!group || dragged) return;
    const node = nodes.get(Number(group.dataset.node));
    if (event.target.closest(".fold")) fold(node);
    for (const other of nodes.values()) other.group.setAttribute("tabindex", other === node ? 0 : -1);
  });
  figure.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const deed = { "+": "in", "=": "in", "-": "out", "0": "fit" }[event.key];
    if (deed) { deeds[deed](); event.preventDefault(); return; }
    const group = event.target.closest?.(".node");
    if (!group) return;
    const node = nodes.get(Number(group.dataset.node)), order = visible(), at = order.indexOf(node);
    const steps = {
      ArrowDown: () => focus(order[Math.min(at + 1, order.length - 1)]),
      ArrowUp: () => focus(order[Math.max(at - 1, 0)]),
      ArrowRight: () => { if (node.foldable && !node.open) fold(node, true); else if (node.open) focus(node.kids[0]); },
      ArrowLeft: () => { if (node.open) fold(node, false); else if (nodes.has(node.parent)) focus(nodes.get(node.parent)); },
      Home: () => focus(root), End: () => focus(order[order.length - 1]),
      Enter: () => fold(node), " ": () => fold(node),
    };
    if (steps[event.key]) { steps[event.key](); event.preventDefault(); }
  });
  let dragged = false, fingers = new Map(), apart = 0;
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const frame = box.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 200), { x: event.clientX - frame.left, y: event.clientY - frame.top });
  }, { passive: false });
  box.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    dragged = false;
    apart = 0;
  });
  window.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    fingers.set(event.pointerId, event);
    if (fingers.size === 2) {
      const [one, two] = [...fingers.values()], now = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
      const frame = box.getBoundingClientRect();
      if (apart) zoom(now / apart, { x: (one.clientX + two.clientX) / 2 - frame.left, y: (one.clientY + two.clientY) / 2 - frame.top });
      apart = now;
    } else if (event.pointerType === "mouse") {
      if (Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) > 0) {
        dragged ||= Math.hypot(event.movementX, event.movementY) > 2;
        figure.classList.add("moving");
        box.scrollBy(last.clientX - event.clientX, last.clientY - event.clientY);
      }
    }
  });
  for (const end of ["pointerup", "pointercancel"])
    window.addEventListener(end, (event) => { fingers.delete(event.pointerId); figure.classList.remove("moving"); });
  turn(box.clientWidth < NARROW);
  fit(down ? 0.75 : 0.7);
  window.addEventListener("resize", () => { if (told !== box.clientWidth < NARROW) { told = !told; turn(told); fit(down ? 0.75 : 0.7); } });
  told = down;
  return { path, fit, zoom, fold: (id, open) => fold(nodes.get(id), open), nodes, isDown: () => down, reset: () => { for (const node of nodes.values()) node.open = first.includes(node); place(); fit(0.7); } };
}
