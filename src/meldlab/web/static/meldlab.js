// What every page can do: keys, a line that is read out, looks, arrows between cards, drag as another way to press two buttons.

const says = document.getElementById("says");

// Whatever changed is said once, by the element that knows: <... data-says="You drew the seven of hearts">.
let said = "";
function sayWhatHappened() {
  const line = document.querySelector("main [data-says]")?.dataset.says ?? "";
  if (line && line !== said) says.textContent = line;
  said = line;
  const title = document.querySelector("main")?.dataset.title;
  if (title) document.title = title === "meldlab" ? title : `${title} – meldlab`;
  for (const link of document.querySelectorAll("header nav a")) {
    if (location.pathname.startsWith(link.pathname)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}
sayWhatHappened();
document.addEventListener("htmx:after:swap", sayWhatHappened);

export function say(line) { says.textContent = line; }

// One key per action: an element with data-key is pressed, or focused if it is typed into.
function typing(target) { return target.closest?.("input, textarea, select, [contenteditable], .cm-editor"); }
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  // Enter presses what has the focus; on a card that is chosen already it does with it what one does with cards.
  if (event.key === "Enter" && event.target.closest("button, a, summary") && !event.target.closest("[aria-pressed='true']")) return;
  const found = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key && !one.disabled && !one.hidden);
  if (found) {
    event.preventDefault();
    if (found.matches("input, textarea, select")) found.focus();
    else {
      found.click();
      if (found.matches("[aria-pressed]")) found.focus();
    }
  } else moveFocus(event);
});

// Arrows move between the cards or tiles of a group: <div data-arrows>.
function moveFocus(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const group = event.target.closest?.("[data-arrows]") ?? (step && document.activeElement === document.body && document.querySelector("[data-arrows]"));
  if (!step || !group) return;
  const all = [...group.querySelectorAll("button:not(:disabled), a[href]")];
  if (!all.length) return;
  event.preventDefault();
  const at = all.indexOf(document.activeElement);
  all[(at + step + all.length) % all.length].focus();
}

const list = document.getElementById("key-list");
document.getElementById("keys").addEventListener("click", () => {
  const rows = list.querySelector("dl");
  rows.replaceChildren();
  for (const one of document.querySelectorAll("[data-key]")) {
    const name = one.dataset.does ?? one.getAttribute("aria-label") ?? one.textContent.trim();
    if (!name || one.disabled || one.hidden) continue;
    const key = Object.assign(document.createElement("dt"), { textContent: { " ": "Space", ArrowRight: "→", ArrowLeft: "←" }[one.dataset.key] ?? one.dataset.key });
    rows.append(key, Object.assign(document.createElement("dd"), { textContent: name }));
  }
  list.showModal();
});

// Looks: each press goes on to the next value.
for (const button of document.querySelectorAll("[data-look]")) {
  button.addEventListener("click", () => {
    const look = button.dataset.look, values = button.dataset.values.split(" "), root = document.documentElement.dataset;
    root[look] = values[(values.indexOf(root[look] ?? values[0]) + 1) % values.length];
    localStorage.setItem("meldlab-" + look, root[look]);
    say(`${button.ariaLabel}: ${root[look]}`);
  });
}

// Another part of the site has scripts and styles of its own: its pages are loaded whole. (All pages of one part have the same head.)
const part = (path) => path.split("/")[1];
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (link?.pathname && part(link.pathname) !== part(location.pathname)) // links in charts have none, and stay in their part
    event.stopPropagation();
}, true);
document.addEventListener("htmx:before:response", (event) => { // a form was answered by a redirect
  const { url, redirected } = event.detail.ctx.response.raw;
  if (!redirected || part(new URL(url).pathname) === part(location.pathname)) return;
  event.preventDefault();
  location.assign(url);
});

// A link to this very view.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const text = button.dataset.copy === "address" ? location.href : button.dataset.copy;
  try { await navigator.clipboard.writeText(text); say("Copied."); } catch { say("This browser does not copy; the address bar has it."); }
});

// While a request changes something, nothing else can be pressed; without an answer everything can be pressed again.
let disabled = [];
function enable() { for (const button of disabled) button.disabled = false; disabled = []; }
document.addEventListener("htmx:before:request", (event) => {
  if (event.detail.ctx.request.method === "GET") return;
  disabled = [...document.querySelectorAll("main button:not(:disabled)")];
  for (const button of disabled) button.disabled = true;
});
document.addEventListener("htmx:finally:request", enable);

// The server is gone, or does not answer: say so, ask again until it answers, then draw what has changed meanwhile.
const connection = document.getElementById("connection");
let asking;
function tell(text) { connection.textContent = text; connection.hidden = !text; }
async function lost() {
  if (asking) return;
  asking = true;
  for (let tries = 0; ; tries++) {
    try {
      await fetch("/api/v1/ready", { cache: "no-store" });
      break;
    } catch { tell("Reconnecting …"); }
    await new Promise((resume) => setTimeout(resume, Math.min(500 * 2 ** tries, 5000)));
  }
  asking = false;
  if (!connection.hidden && document.querySelector("main [data-events]")) refresh();
  tell("");
  listen();
}
document.addEventListener("htmx:error", (event) => {
  if (event.detail.ctx?.response) return; // an answer came
  lost();
});
document.addEventListener("htmx:response:error", (event) => {
  if ([429, 503].includes(event.detail.ctx.response.status)) tell("The server is busy. Try again in a moment.");
});
document.addEventListener("htmx:before:request", () => { if (!asking) tell(""); });

function refresh() { htmx.ajax("GET", location.pathname + location.search, { target: "main", select: "main", swap: "outerMorph" }); }

// A stream of changes: <... data-events="/api/.../events" data-version="3"> is drawn anew when something is newer than what it shows.
let stream;
function listen() {
  const source = document.querySelector("main [data-events]");
  if (stream && (stream.from !== source?.dataset.events || stream.readyState === EventSource.CLOSED)) { stream.close(); stream = undefined; }
  if (!source || stream) return;
  stream = new EventSource(source.dataset.events);
  stream.from = source.dataset.events;
  // What was done here comes by its own answer as well, a moment later than the stream may tell of it: only what others did is fetched.
  const changed = (event) => setTimeout(() => {
    const shown = document.querySelector("main [data-events]");
    if (shown && Number(event.lastEventId) > Number(shown.dataset.version)) refresh();
  }, 700);
  for (const kind of ["match", "job"]) stream.addEventListener(kind, changed);
  stream.addEventListener("error", lost);
}
listen();
document.addEventListener("htmx:after:swap", listen);
window.addEventListener("pagehide", () => stream?.close());
