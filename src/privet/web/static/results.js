// The researcher's page. The key comes behind the # once, stays in this tab, and travels in a header.

import { treeView } from "../tree/view.js";

const SVG = "http://www.w3.org/2000/svg";
const EVERY = 10_000; // milliseconds between looks
const main = document.querySelector("main");
const columns = JSON.parse(main.dataset.columns);
const at = (id) => document.getElementById(id);

const given = new URLSearchParams(location.hash.slice(1)).get("key");
if (given) {
  sessionStorage.setItem("privet-key", given);
  history.replaceState(null, "", location.pathname + location.search);
}

async function ask(path, query = {}) {
  const words = new URLSearchParams({ lang: main.dataset.language, ...query });
  const reply = await fetch(`results/${path}?${words}`, {
    headers: { authorization: `Bearer ${sessionStorage.getItem("privet-key") ?? ""}` },
    cache: "no-store",
    credentials: "omit",
  });
  const form = await reply.json();
  if (!reply.ok) throw Object.assign(new Error(form.error), { status: reply.status });
  return form;
}

function made(tag, text = "", kind = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;

/** Return a bar for a share, with a whisker for its interval. */
function bar(share, [low, high], name) {
  const picture = document.createElementNS(SVG, "svg");
  const set = (element, pairs) =>
    Object.entries(pairs).forEach(([word, value]) => element.setAttribute(word, value));
  set(picture, { viewBox: "0 0 100 10", preserveAspectRatio: "none", class: "share", role: "img" });
  picture.setAttribute(
    "aria-label",
    `${name}: ${percent(share)}, between ${percent(low)} and ${percent(high)}`,
  );
  const rect = document.createElementNS(SVG, "rect");
  set(rect, { class: "keep", y: 1, height: 8, width: 100 * share });
  const line = document.createElementNS(SVG, "path");
  const [from, to] = [100 * low, 100 * high];
  set(line, { class: "whisker", d: `M${from} 5H${to}M${from} 2V8M${to} 2V8` });
  picture.append(rect, line);
  return picture;
}

function told(question, fakes) {
  const part = made("div", "", question.clear ? "told" : "told unclear");
  part.append(made("h3", question.question));
  const table = made("table");
  question.values.forEach((value, place) => {
    const row = table.insertRow();
    const head = made("th", value, "value");
    head.scope = "row";
    row.append(head);
    row.insertCell().append(bar(question.shares[place], question.intervals[place], value));
    const [low, high] = question.intervals[place];
    const numbers = row.insertCell();
    numbers.className = "number";
    numbers.textContent = `${percent(question.shares[place])} (${percent(low, 0)} to ${percent(high, 0)})`;
  });
  part.append(table);
  const moved = Math.max(...question.moved_by_fakes);
  const notes = [`${percent(fakes, 0)} of made-up answers could move a share by ${percent(moved)}.`];
  if (question.mean) {
    const half = 1.96 * question.mean.error + question.mean.cells;
    notes.unshift(`Mean ${question.mean.value.toFixed(2)} ± ${half.toFixed(2)}.`);
  }
  if (!question.clear) {
    notes.unshift(`Cannot be told yet: about ${question.more_answers.toLocaleString()} more answers.`);
  }
  part.append(made("p", notes.join(" "), "help"));
  return part;
}

let seen = -1;

async function refresh() {
  try {
    const form = await ask("shares");
    at("locked").hidden = true;
    at("open-part").hidden = false;
    at("status").textContent = `${form.answers.toLocaleString()} answers count. ε = ${form.epsilon.toFixed(2)} per person.`;
    if (form.answers !== seen) {
      seen = form.answers;
      at("shares").replaceChildren(...form.questions.map((question) => told(question, form.fakes)));
    }
  } catch (error) {
    at("locked").hidden = error.status !== 401;
    at("open-part").hidden ||= error.status === 401;
    at("status").textContent = error.status === 401 ? "" : error.message;
    if (error.status === 401) return;
  }
  setTimeout(refresh, EVERY);
}

async function cross() {
  const [first, second] = [at("first").value, at("second").value];
  try {
    const form = await ask("crosstab", { first, second });
    const table = made("table");
    const heads = table.createTHead().insertRow();
    heads.append(made("th", ""), ...form.values[1].map((value) => made("th", value)));
    form.values[0].forEach((value, row) => {
      const line = table.insertRow();
      line.append(made("th", value));
      form.values[1].forEach((_, column) => {
        const [share, error] = [form.rows[row][column], form.row_errors[row][column]];
        const text = share === null ? "–" : `${percent(share)} ± ${(196 * error).toFixed(1)}`;
        line.append(made("td", text, share === null || 1.96 * error > form.clear ? "faint" : ""));
      });
    });
    const test = form.independence;
    const verdict =
      form.more_answers === 0
        ? "they go together."
        : form.more_answers === null
          ? "no sign that they go together."
          : `it cannot be told yet whether they go together: about ${form.more_answers.toLocaleString()} more answers.`;
    const said = !test
      ? "Whether they go together cannot be tested."
      : `χ² = ${test.statistic.toFixed(1)} with ${test.freedom} degrees of freedom, p = ${test.p_value.toPrecision(2)}: ${verdict}`;
    at("crossed").replaceChildren(table, made("p", said, form.more_answers === 0 ? "" : "faint"));
  } catch (error) {
    at("crossed").replaceChildren(made("p", error.message, "error"));
  }
}

async function grow() {
  at("tree").replaceChildren(made("p", "Growing …"));
  try {
    const form = await ask("tree", { target: at("target").value });
    if (form.nodes === 1) {
      const more = form.more_answers;
      const text = more
        ? `Cannot be told yet: with about ${more.toLocaleString()} more answers “${form.nearest}” may tell.`
        : "No question gives a sign of telling the answers apart.";
      at("tree").replaceChildren(made("p", text, "faint"));
      return;
    }
    at("tree").innerHTML = form.figure; // drawn by the server, which escapes every name
    treeView(at("tree").querySelector("figure"));
  } catch (error) {
    at("tree").replaceChildren(made("p", error.message, "error"));
  }
}

for (const [id, place] of [["first", 0], ["second", 1], ["target", 0]]) {
  columns.forEach(([name, text], number) => {
    const option = made("option", text);
    option.value = name;
    option.selected = number === Math.min(place, columns.length - 1);
    at(id).append(option);
  });
}
at("open").addEventListener("click", () => {
  sessionStorage.setItem("privet-key", at("key").value.trim());
  refresh();
});
at("cross").addEventListener("click", cross);
at("grow").addEventListener("click", grow);
refresh();
