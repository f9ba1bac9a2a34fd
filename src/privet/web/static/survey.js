// The respondent's page. True answers live in its inputs and nowhere else: what is kept on the
// device and what is sent is the disguised answer, made once.

import { anyBelow, disguise, freshWords } from "./channel.js";

const main = document.querySelector("main");
const asking = document.querySelector("#asking");
const button = document.querySelector("#send");
const state = document.querySelector("#status");
const survey = JSON.parse(main.dataset.survey);
const { words } = survey;
const RETRY = 15_000; // milliseconds until an answer that waits is sent again
const LATER = [408, 429]; // too slow, too many: refused for now, and to be sent again
const NEVER = { 403: words.uninvited, 410: words.closed };

/** Return the invitation's token: it stands behind the # and so never reaches a log. */
function invitation() {
  return new URLSearchParams(location.hash.slice(1)).get("token");
}

const token = survey.invited ? invitation() : null;
const place = `privet-survey:${survey.digest}:${token ? token.slice(0, 8) : ""}`;

// What was disguised is kept before it is sent, so that every retry sends the same bytes.
let memory = null;
const kept = {
  get() {
    try {
      return JSON.parse(localStorage.getItem(place)) ?? memory;
    } catch {
      return memory;
    }
  },
  set(answer) {
    memory = answer;
    try {
      localStorage.setItem(place, JSON.stringify(answer));
    } catch {
      // No storage: the page itself keeps it.
    }
  },
};

function canKeep() {
  try {
    localStorage.setItem("privet-survey", "");
    localStorage.removeItem("privet-survey");
    return true;
  } catch {
    return false;
  }
}

/** Return a token that no other answer has. */
function newToken() {
  return [...freshWords(4)].map((word) => word.toString(16).padStart(8, "0")).join("");
}

function say(text, kind = "") {
  state.textContent = text;
  state.className = kind;
}

// Reading answers

const READERS = {
  several(question, field) {
    const boxes = [...field.querySelectorAll("input")];
    return boxes.map((box) => (box.checked ? 1 : 0));
  },
  number(question, field) {
    if (field.querySelector("input[type=checkbox]:checked")) return [question.edges.length + 1];
    const text = field.querySelector("input[type=text]").value.trim();
    // "1,000" could be a thousand, or one: of whole numbers no comma is taken.
    const written = question.integer ? /^[+-]?\d+$/ : /^[+-]?\d+([.,]\d+)?$/;
    const number = Number(text.replace(",", "."));
    if (!written.test(text) || number < question.low || number > question.high) return null;
    return [question.edges.filter((edge) => edge < number).length];
  },
  one(question, field) {
    const chosen = field.querySelector("input:checked");
    return chosen ? [Number(chosen.value)] : null;
  },
};

/** Return a number with the page's decimal sign. */
function local(number) {
  return String(number).replace(".", words.decimal);
}

/** Return the true codes by attribute, or null after saying which answers are missing. */
function read() {
  const codes = {};
  let first = null;
  for (const question of survey.questions) {
    const field = document.getElementById(`q-${question.name}`);
    const answer = (READERS[question.kind] ?? READERS.one)(question, field);
    const error = document.getElementById(`e-${question.name}`);
    const number = question.integer ? words.whole : words.number;
    const text = question.kind === "number" ? number : words.choose;
    error.textContent = answer
      ? ""
      : text.replace("{low}", local(question.low)).replace("{high}", local(question.high));
    field.classList.toggle("wrong", !answer);
    if (answer) question.columns.forEach((name, column) => (codes[name] = answer[column]));
    else first ??= field;
  }
  if (!first) return codes;
  say(words.missing, "wrong");
  first.querySelector("input").focus();
  return null;
}

// Sending

/** Let chance decide, once: if another tab was quicker, its answer stands. */
async function decide(codes) {
  const once = () => {
    if (kept.get()) return;
    const sent = disguise(survey.channels, codes, freshWords(survey.channels.length));
    const body = JSON.stringify({
      survey: survey.digest,
      token: token ?? newToken(),
      codes: survey.columns.map((name) => sent[name]),
    });
    kept.set({ body, received: false });
  };
  await (navigator.locks ? navigator.locks.request(place, once) : once());
}

let sending = false;

async function deliver() {
  const answer = kept.get();
  if (!answer || answer.received || sending) return show();
  sending = true;
  show();
  say(words.sending);
  try {
    const reply = await fetch("answers", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: answer.body,
      credentials: "omit",
      cache: "no-store",
    });
    if (reply.ok) kept.set({ ...answer, received: true });
    else if (reply.status < 500 && !LATER.includes(reply.status)) {
      const { error } = await reply.json().catch(() => ({ error: String(reply.status) }));
      say(`${words.refused} ${NEVER[reply.status] ?? error}`, "wrong");
      return;
    }
  } catch {
    // No network: it waits.
  } finally {
    sending = false;
  }
  show();
  if (!kept.get().received) setTimeout(deliver, RETRY);
}

/** Show how far the answer has come; the questions, and what was ticked, are gone by then. */
function show() {
  const answer = kept.get();
  if (!answer) return;
  asking.remove();
  say(answer.received ? words.sent : words.waiting, answer.received ? "done" : "");
  const { codes } = JSON.parse(answer.body);
  const list = document.querySelector("#sent dl");
  list.replaceChildren();
  for (const question of survey.questions) {
    const told = question.columns.map((name, column) => {
      const code = codes[survey.columns.indexOf(name)];
      const text = question.sent[column][code];
      return question.options ? `${question.options[column]}: ${text}` : text;
    });
    const term = document.createElement("dt");
    term.textContent = question.ask;
    const details = told.map((text) => {
      const detail = document.createElement("dd");
      detail.textContent = text;
      return detail;
    });
    list.append(term, ...details);
  }
  document.querySelector("#sent").hidden = false;
}

async function send() {
  button.disabled = true;
  try {
    if (!kept.get()) {
      const codes = read();
      if (!codes) return;
      await decide(codes);
    }
    await deliver();
  } finally {
    button.disabled = false;
  }
}

// Show me: the coin falls for a made-up answer, as often as one likes.

function demonstrate(law) {
  const question = survey.questions.find(({ name }) => name === law.dataset.name);
  const channels = survey.channels.filter((channel) =>
    question.columns.includes(channel.attribute ?? channel.attributes[0]),
  );
  const output = law.querySelector("output");
  let all = 0;
  let same = 0;
  law.querySelector("button").addEventListener("click", () => {
    const codes = {};
    question.columns.forEach((name, column) => {
      codes[name] = anyBelow(question.labels[column].length);
    });
    const sent = disguise(channels, codes, freshWords(channels.length));
    const named = (record, labels) =>
      question.columns
        .map((name, column) => {
          const text = labels[column][record[name]];
          return question.options ? `${question.options[column]}: ${text}` : text;
        })
        .join(", ");
    const [before, after] = [named(codes, question.labels), named(sent, question.sent)];
    all += 1;
    same += before === after ? 1 : 0;
    const tally = words.tally.replace("{kept}", same).replace("{all}", all);
    output.textContent = `${words.made_up}: “${before}” ${words.would} “${after}” (${tally})`;
  });
}

// Keep the page for times without a network, where the browser can.
async function stay() {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  try {
    await navigator.serviceWorker.register("worker.js");
    const files = ["static/survey.js", "static/channel.js", "static/page.css", "static/icon.svg"];
    const cache = await caches.open(`privet-survey-${survey.digest.slice(0, 16)}`);
    await cache.addAll([location.pathname + location.search, ...files]);
    main.dataset.stays = "yes";
  } catch {
    // It works with a network all the same.
  }
}

for (const law of document.querySelectorAll(".law")) demonstrate(law);
for (const link of document.querySelectorAll("nav a")) link.href += location.hash;
button.addEventListener("click", send);
addEventListener("online", deliver);
addEventListener("storage", show);
if (kept.get()) deliver();
else if (survey.invited && !token) say(words.invited, "wrong");
else {
  asking.hidden = false;
  if (!canKeep()) say(words.unsaved, "wrong");
}
stay();
