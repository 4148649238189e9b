// Sugar of the review: a record that is dropped or chosen goes off at once, the slider shows as it slides, a match in the address begins.

import { say } from "./meldlab.js";

let settling;
const entry = () => document.querySelector("form[data-drop]");

async function send(file) {
  const form = entry();
  if (!form || !file) return;
  if (file.size > 250_000) {
    say("This file is too large for a record.");
    form.elements.text.value = "";
    form.elements.text.placeholder = "This file is too large for a record.";
    form.elements.file.value = "";
    return;
  }
  form.elements.text.value = await file.text();
  form.elements.file.value = "";
  form.requestSubmit();
}

document.addEventListener("change", (event) => {
  if (event.target.matches?.("[data-drop] input[type=file]")) send(event.target.files[0]);
  const filter = event.target.closest?.("[data-filter]");
  if (filter) {
    clearTimeout(settling); // a slider that is moved by keys changes at every press
    settling = setTimeout(() => filter.requestSubmit(), 400);
  }
});
document.addEventListener("input", (event) => {
  const shown = event.target.matches?.("input[type=range]") && event.target.parentElement.querySelector("output");
  if (shown) shown.value = `${Number(event.target.value).toFixed(1)} ${event.target.dataset.unit}`;
});

document.addEventListener("dragover", (event) => {
  if (!entry() || ![...event.dataTransfer.types].includes("Files")) return;
  event.preventDefault();
  entry().classList.add("dropping");
});
document.addEventListener("dragleave", () => entry()?.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  if (!entry() || !event.dataTransfer.files.length) return;
  event.preventDefault();
  entry().classList.remove("dropping");
  send(event.dataTransfer.files[0]);
});

function beginAtOnce() { document.querySelector("form[data-at-once]")?.requestSubmit(); }
// Once the page has its own scripts, so that the answer is swapped in.
if (document.readyState === "complete") beginAtOnce();
else window.addEventListener("load", beginAtOnce);
