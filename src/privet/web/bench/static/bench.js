// The workbench's pages: forms that are sent as they change, jobs that are watched, files dropped.
// Nothing is kept in the browser; the server remembers what was entered.

const token = document.querySelector("meta[name=privet]").content;

async function post(url, body, headers = {}) {
  const reply = await fetch(url, {
    method: "POST",
    body: typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body),
    headers: { "x-privet": token, ...headers },
    cache: "no-store",
  });
  if (reply.ok) return reply;
  const form = await reply.json().catch(() => ({ error: "The workbench does not answer." }));
  throw new Error([form.error, form.hint && form.hint[0].toUpperCase() + form.hint.slice(1)].filter(Boolean).join(" "));
}

/** Return what a form holds; boxes as true or false, sliders that were not moved left out. */
function entered(form) {
  const held = {};
  for (const field of form.elements) {
    if (!field.name || field.disabled || field.dataset.moved === "no") continue;
    if (field.type === "checkbox" && field.dataset.list !== undefined) (held[field.name] ??= []).push(...(field.checked ? [field.value] : []));
    else if (field.type === "checkbox") held[field.name] = field.checked;
    else if (field.type !== "radio" || field.checked) held[field.name] = field.value;
  }
  return held;
}

function complain(form, text) {
  const place = form.querySelector(".error") ?? form.parentElement.querySelector(".error");
  if (place) place.textContent = text;
}

const turns = new WeakMap(); // the last request of each form: an older answer is not shown

async function send(form) {
  const turn = (turns.get(form) ?? 0) + 1;
  turns.set(form, turn);
  complain(form, "");
  try {
    const reply = await post(form.dataset.post, entered(form));
    if (turns.get(form) !== turn) return;
    if (reply.headers.get("content-type").startsWith("application/json")) follow(await reply.json(), form);
    else put(document.querySelector(form.dataset.into), await reply.text());
  } catch (error) {
    complain(form, error.message);
  }
}

/** Put new content in its place; what was unfolded stays so. */
function put(place, html) {
  const open = [...place.querySelectorAll("details")].map((details) => details.open);
  place.innerHTML = html;
  place.querySelectorAll("details").forEach((details, number) => (details.open = open[number] ?? details.open));
  ready(place);
}

/** Go where an answer leads: to a page, or to a job and then to a page. */
function follow(form, from) {
  if (form.job === undefined) {
    if (form.then) go(form.then);
    return;
  }
  const slot = document.querySelector(from?.dataset.slot ?? ".job-slot");
  const section = document.createElement("section");
  section.className = "job";
  section.setAttribute("aria-label", "Progress");
  section.dataset.job = form.job;
  section.dataset.then = form.then;
  section.innerHTML = '<p class="job-title"></p><progress max="1"></progress><p class="job-line" role="status"></p><button type="button" class="quiet-button" data-cancel>Cancel</button>';
  section.querySelector(".job-title").textContent = `${form.title} …`;
  section.querySelector("progress").setAttribute("aria-label", form.title);
  slot.replaceChildren(section);
  slot.scrollIntoView({ block: "nearest" });
  watch(section);
}

function go(page) {
  const [path, place] = page.split("#");
  if (path === location.pathname) {
    if (place) location.hash = place;
    location.reload();
  } else location.assign(page);
}

const WORDS = { waiting: "waits for its turn", cancelled: "Cancelled." };

function watch(section) {
  const source = new EventSource(`/jobs/${section.dataset.job}/events`);
  let parts = Number(section.dataset.parts ?? 0); // that the page shows already
  source.addEventListener("message", ({ data }) => {
    if (!section.isConnected) {
      source.close();
      return;
    }
    const news = JSON.parse(data);
    const bar = section.querySelector("progress");
    const line = section.querySelector(".job-line");
    if (news.share === null) bar.removeAttribute("value");
    else bar.value = news.share;
    const count = news.total ? `${news.done.toLocaleString("en")} of ${news.total.toLocaleString("en")}` : "";
    const said = [WORDS[news.state] ?? news.label, count, `${Math.round(news.seconds)} s`].filter(Boolean).join(" · ");
    if (section.classList.contains("thin-job")) line.textContent = `${news.title} · ${said}`;
    else line.textContent = said;
    if (news.parts > parts) {
      parts = news.parts;
      refresh(section);
    }
    if (["done", "failed", "cancelled"].includes(news.state)) {
      source.close();
      finish(section, news);
    }
  });
}

/** Show what has become known before all is. */
function refresh(section) {
  const live = document.querySelector("form.wish");
  if (section.dataset.refresh === "preview" && live) send(live);
  else if (section.dataset.refresh) location.reload();
}

async function finish(section, news) {
  if (news.state === "done") {
    if (section.dataset.then) go(section.dataset.then);
    else if (section.dataset.refresh) refresh(section);
    else await beside(section);
    return;
  }
  if (section.classList.contains("thin-job")) {
    section.remove();
    return;
  }
  section.querySelector("progress").remove();
  section.querySelector("[data-cancel]").remove();
  const line = section.querySelector(".job-line");
  if (news.state === "failed") {
    line.className = "error";
    line.setAttribute("role", "alert");
    line.textContent = [news.error, news.hint && news.hint[0].toUpperCase() + news.hint.slice(1)].filter(Boolean).join(" ");
  }
}

/** Load a part of the page anew, and nothing else of it. */
async function beside(section) {
  const place = section.closest("[data-refresh]");
  if (!place) return;
  const reply = await fetch(place.dataset.refresh, { cache: "no-store" });
  if (reply.ok) put(place, await reply.text());
  const live = document.querySelector("form.wish");
  if (live) send(live);
}

/** Say beside a slider where it stands, in words that are read aloud as well. */
function tell(slider) {
  const { steps, before = "", unit = "" } = slider.dataset;
  const value = steps ? steps.split(",")[slider.value] : slider.value;
  const text = `${before}${value}${unit}`;
  slider.setAttribute("aria-valuetext", text);
  const output = slider.parentElement.querySelector("output");
  if (output) output.textContent = text;
}

function upload(file) {
  const slot = document.querySelector(".job-slot");
  const section = document.createElement("section");
  section.className = "job";
  section.innerHTML = '<p class="job-title"></p><progress max="1" value="0" aria-label="Reading the file"></progress><p class="job-line" role="status"></p>';
  section.querySelector(".job-title").textContent = `Reading ${file.name} …`;
  slot.replaceChildren(section);
  const request = new XMLHttpRequest();
  request.open("POST", "/owner/upload");
  request.setRequestHeader("x-privet", token);
  request.setRequestHeader("x-name", encodeURIComponent(file.name));
  request.upload.addEventListener("progress", ({ loaded, total }) => (section.querySelector("progress").value = loaded / total));
  request.addEventListener("load", () => {
    const form = JSON.parse(request.responseText);
    if (request.status < 300) follow(form);
    else fail([form.error, form.hint].filter(Boolean).join(" "));
  });
  request.addEventListener("error", () => fail("The workbench does not answer."));
  const fail = (text) => {
    slot.replaceChildren();
    document.querySelector("main > .error").textContent = text;
  };
  request.send(file);
}

function ready(root) {
  for (const section of root.querySelectorAll("[data-job]")) watch(section);
  for (const slider of root.querySelectorAll("input[type=range]")) tell(slider);
}

document.addEventListener("submit", (event) => {
  if (!event.target.dataset.post) return;
  event.preventDefault();
  send(event.target);
});

let timer = 0;
document.addEventListener("input", ({ target }) => {
  if (target.type === "range") {
    if (target.dataset.moved) target.dataset.moved = "yes";
    const choice = target.closest("[data-for]");
    if (choice) target.form.querySelector(`[name=begin][value=${choice.dataset.for}]`).checked = true;
    tell(target);
  }
  const form = target.closest("form[data-live]");
  if (form && target.type === "range") {
    clearTimeout(timer);
    timer = setTimeout(() => send(form), 30);
  }
});

document.addEventListener("change", ({ target }) => {
  if (target.id === "file" && target.files.length) upload(target.files[0]);
  if (target.name === "alone") target.form.querySelector(".each").hidden = target.value !== "each" || !target.checked;
  if (target.dataset.role !== undefined) oneClass(target);
  const form = target.closest("form[data-live]");
  if (form && target.type !== "range") send(form);
});

/** There is one class: another column that was it is to be disguised again. */
function oneClass(chosen) {
  const range = chosen.form.querySelector(".range");
  if (range) range.hidden = chosen.value === "class";
  if (chosen.value !== "class") return;
  for (const other of document.querySelectorAll("[data-role]"))
    if (other !== chosen && other.value === "class") {
      other.value = "disguise";
      const own = other.form.querySelector(".range");
      if (own) own.hidden = false;
    }
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button");
  if (button?.dataset.copy !== undefined) {
    await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  }
  if (button?.dataset.cancel !== undefined) await post(`/jobs/${button.closest("[data-job]").dataset.job}/cancel`, {});
});

const drop = document.getElementById("drop");
if (drop) {
  for (const kind of ["dragover", "dragleave", "drop"])
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) upload(event.dataTransfer.files[0]);
    });
}

ready(document);
