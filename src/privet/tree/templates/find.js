const form = document.getElementById("record"), verdict = document.getElementById("verdict");
const fields = form ? [...form.querySelectorAll("[data-place]")] : [];
function read() {
  const known = {};
  for (const field of fields) {
    const text = field.value.trim(), place = field.dataset.place;
    if (text === "") continue;
    if (field.tagName === "SELECT") known[place] = Number(text);
    else if (text.toLowerCase() === "missing") known[place] = NaN;
    else if (Number.isNaN(Number(text))) return { wrong: place };
    else known[place] = Number(text);
  }
  return { known };
}
function walk(known) {
  const path = [0];
  for (;;) {
    const node = tree.nodes[path[path.length - 1]];
    if (node.child === undefined) return { path };
    if (!(node.a in known)) return { path, wants: node.a };
    const x = known[node.a];
    if (node.at !== null) path.push(node.child + (x <= (node.at === "inf" ? Infinity : node.at) ? 0 : 1));
    else path.push(x < 0 ? node.heavy : node.child + node.route[x]);
  }
}
function show() {
  for (const old of document.querySelectorAll("li.here")) old.classList.remove("here");
  const { known, wrong } = read();
  if (wrong !== undefined) { verdict.textContent = tree.names[wrong] + " is not a number."; return; }
  const { path, wants } = walk(known), last = path[path.length - 1];
  for (const node of path)
    for (const place of document.querySelectorAll(`li[data-node="${node}"]`)) {
      if (Object.keys(known).length) place.classList.add("here");
      if (node !== last && Object.keys(known).length) place.querySelector("details").open = true;
    }
  verdict.textContent = (Object.keys(known).length ? tree.rules[last] : "Fill in what you know of the record.") + (wants === undefined ? "" : " Next is asked: " + tree.names[wants] + ".");
  verdict.dataset.node = last;
  view.path(Object.keys(known).length ? path : []);
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
