// The tree's figure comes to life, and shows the way of a record.
import { treeView } from "/static/view.js";

const figure = document.querySelector("figure.privet-tree");
const view = figure && treeView(figure);
const form = document.querySelector("form[data-way]");

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const reply = await fetch("/miner/way", {
    method: "POST",
    body: JSON.stringify(Object.fromEntries(new FormData(form))),
    headers: { "x-privet": document.querySelector("meta[name=privet]").content },
  });
  const told = await reply.json();
  form.querySelector(".error").textContent = reply.ok ? "" : told.error;
  form.querySelector(".way").textContent = reply.ok ? told.text : "";
  view.path(reply.ok ? told.path : []);
});
