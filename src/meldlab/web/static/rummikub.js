// The helper: quick taps, an answer that comes after them, undo, dragging, arrows through the steps. All of it works without, by reload.
import { say } from "./meldlab.js";

const board = () => document.getElementById("board");

// A picked tile is typed into its line at once, and the page follows when the taps pause: so quick taps are never lost.
let taps, placing = false;
const picked = [];
function pick(tile) {
  if (placing) { picked.push(tile); return; } // where it goes is known when the page is there
  const form = board(), to = form.elements.to;
  if (to.value === "rack") form.elements.rack.value = `${form.elements.rack.value} ${tile}`.trim();
  else {
    const sets = form.elements.table.value.split("|").filter((one) => one.trim());
    if (to.value === "new") { sets.push(tile); to.value = sets.length; }
    else sets[to.value - 1] = `${sets[to.value - 1] ?? ""} ${tile}`;
    form.elements.table.value = sets.map((one) => one.trim()).join(" | ");
  }
  form.elements.held.value = "";
  clearTimeout(taps);
  taps = setTimeout(() => {
    taps = undefined;
    quick = true;
    form.requestSubmit(form.querySelector("button.main"));
  }, 120);
}
// What was asked before the last tap is not drawn over it.
document.addEventListener("htmx:before:swap", (event) => { if (taps) event.preventDefault(); });

let quick = false;
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("#board button[name=do]");
  if (!button) return;
  if (button.matches(".pick")) {
    event.preventDefault();
    const left = button.querySelector("small");
    if (Number(left.textContent) > 0) { left.textContent = Number(left.textContent) - 1; pick(button.value.slice(4)); }
  } else {
    clearTimeout(taps);
    taps = undefined;
    quick = placing = true;
  }
});
document.addEventListener("htmx:finally:request", (event) => {
  if (event.detail.ctx.sourceElement !== board()) return;
  placing = false;
  asking = undefined;
  picked.splice(0).forEach(pick);
});
document.addEventListener("change", (event) => {
  if (event.target.matches?.("[data-submits]")) board().requestSubmit(board().querySelector("button.main"));
});

// After a tap the page comes without the answer; it is fetched once the taps have stopped.
let pause, wanted;
document.addEventListener("htmx:config:request", (event) => {
  if (quick && event.detail.ctx.sourceElement === board()) event.detail.ctx.request.headers["X-Answer-Later"] = "1";
  quick = false;
});
let asking; // the address from which the board has asked for another, until it is there
document.addEventListener("htmx:before:request", (event) => {
  clearTimeout(pause);
  wanted?.abort();
  if (event.detail.ctx.sourceElement === board()) asking = location.href;
});
function look() {
  const address = document.getElementById("answer")?.dataset.later;
  if (!address) return;
  clearTimeout(pause);
  pause = setTimeout(async () => {
    wanted = new AbortController();
    try {
      const text = await (await fetch(address, { signal: wanted.signal })).text();
      const page = new DOMParser().parseFromString(text, "text/html");
      for (const id of ["summary", "answer"]) {
        const fresh = document.adoptNode(page.getElementById(id));
        document.getElementById(id).replaceWith(fresh);
        htmx.process(fresh);
      }
      say(document.getElementById("answer").dataset.summary);
    } catch (problem) { if (problem.name !== "AbortError") throw problem; }
  }, 300);
}

// Undo is a step back in the browser's history, as long as that was here.
function showUndo() {
  const undo = document.getElementById("undo");
  if (!undo) return;
  const before = window.navigation?.entries()[navigation.currentEntry.index - 1];
  undo.hidden = !before || new URL(before.url).pathname !== location.pathname;
}
// What is not answered yet has no place in it: the page that stands in the address is fetched, and the rest is dropped.
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("#undo")) return;
  if (taps || asking === location.href) location.reload();
  else history.back();
});

function drawn() { look(); showUndo(); }
drawn();
document.addEventListener("htmx:after:swap", drawn);
document.addEventListener("htmx:after:history:update", showUndo);

// Arrows go through the steps, unless they move between tiles or letters.
document.addEventListener("keydown", (event) => {
  const which = { ArrowRight: "next", ArrowLeft: "back" }[event.key];
  if (!which || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea, [data-arrows]")) return;
  const link = document.querySelector(`[data-step=${which}]`);
  if (link) { event.preventDefault(); link.click(); }
}, true);

// Dragging with a mouse says both taps at once: what, and where to.
let drag;
document.addEventListener("pointerdown", (event) => {
  const button = event.target.closest?.("#board [data-at]");
  if (button && event.pointerType === "mouse" && event.button === 0) drag = { button, x: event.clientX, y: event.clientY };
});
document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  if (!drag.ghost && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 8) {
    drag.ghost = drag.button.querySelector(".tile").cloneNode(true);
    drag.ghost.classList.add("dragged");
    document.body.append(drag.ghost);
  }
  if (!drag.ghost) return;
  drag.ghost.style.left = `${event.clientX}px`;
  drag.ghost.style.top = `${event.clientY}px`;
  drag.place?.classList.remove("target");
  drag.place = document.elementFromPoint(event.clientX, event.clientY)?.closest("#board [data-place]");
  drag.place?.classList.add("target");
});
document.addEventListener("pointerup", () => {
  if (drag?.ghost) {
    drag.ghost.remove();
    drag.place?.classList.remove("target");
    const where = drag.place?.dataset.place, form = board();
    document.addEventListener("click", stopClick, { capture: true, once: true });
    setTimeout(() => document.removeEventListener("click", stopClick, { capture: true }));
    if (where) {
      const order = Object.assign(document.createElement("button"), { name: "do", value: `move ${drag.button.dataset.at} ${where}`, hidden: true });
      form.append(order);
      quick = placing = true;
      form.requestSubmit(order);
      order.remove();
    }
  }
  drag = undefined;
});
function stopClick(event) { event.preventDefault(); event.stopImmediatePropagation(); }
document.addEventListener("dragstart", (event) => { if (event.target.closest?.("#board")) event.preventDefault(); });
