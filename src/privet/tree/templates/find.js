const form = document.getElementById("record"), verdict = document.getElementById("verdict");
const fields = form ? [...form.querySelectorAll("[data-place]")] : [];
function read() {
  const held = {};
  for (const field of fields) {
    const text = field.value.trim(), place = field.dataset.place;
    if (text === "") continue;
    if (field.tagName === "SELECT") held[place] = Number(text);
    else if (text.toLowerCase() === "missing") held[place] = NaN;
    else if (Number.isNaN(Number(text))) return { wrong: place };
    else held[place] = Number(text);
  }
  return { held };
}
function walk(held) {
  const path = [0];
  for (;;) {
    const node = tree.nodes[path[path.length - 1]];
    if (node.child === undefined) return { path };
    if (!(node.a in held)) return { path, wants: node.a };
    const x = held[node.a];
    if (node.at !== null) path.push(node.child + (x <= (node.at === "inf" ? Infinity : node.at) ? 0 : 1));
    else path.push(x < 0 ? node.heavy : node.child + node.route[x]);
  }
}
function look(path) {
  const picture = document.querySelector(".scroll"), frame = picture.getBoundingClientRect();
  const drawn = path.map((node) => picture.querySelector(`[data-node="${node}"] .box`)).filter((box) => box);
  const box = drawn[drawn.length - 1].getBoundingClientRect();
  picture.scrollTop += (box.top + box.bottom - frame.top - frame.bottom) / 2;
  picture.scrollLeft += (box.left + box.right - frame.left - frame.right) / 2;
}
function show() {
  for (const old of document.querySelectorAll(".here")) old.classList.remove("here");
  const { held, wrong } = read();
  if (wrong !== undefined) { verdict.textContent = tree.names[wrong] + " is not a number."; return; }
  const { path, wants } = walk(held), last = path[path.length - 1];
  for (const node of path)
    for (const place of document.querySelectorAll(`[data-node="${node}"]`)) {
      if (Object.keys(held).length) place.classList.add("here");
      if (node !== last && place.tagName === "LI" && Object.keys(held).length) place.querySelector("details").open = true;
    }
  verdict.textContent = (Object.keys(held).length ? tree.rules[last] : "Fill in what you know of the record.") + (wants === undefined ? "" : " Next is asked: " + tree.names[wants] + ".");
  verdict.dataset.node = last;
  look(path);
}
for (const [name, value] of new URLSearchParams(location.hash.slice(1)))
  for (const field of fields)
    if (tree.names[field.dataset.place] === name) {
      const code = tree.values[field.dataset.place].indexOf(value);
      if (field.tagName === "INPUT") field.value = value;
      else if (code >= 0) field.value = String(code);
      else field.value = value === "missing" && [...field.options].some((o) => o.text === "missing") ? String(tree.values[field.dataset.place].length) : "-1";
    }
if (form) {
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
