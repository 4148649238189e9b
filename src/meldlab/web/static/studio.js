// The editor of the studio: CodeMirror upon the form's textarea, what the checker says while one types, the graph, drafts.

import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection } from "@codemirror/view";
import { StreamLanguage, HighlightStyle, syntaxHighlighting, bracketMatching, indentOnInput } from "@codemirror/language";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { search, searchKeymap, highlightSelectionMatches } from "@codemirror/search";
import { autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { linter, lintGutter, lintKeymap } from "@codemirror/lint";
import { tags } from "@lezer/highlight";
import { say } from "./meldlab.js";

const DRAFT = "meldlab-draft-";
const nonce = document.querySelector("script[type=importmap]").nonce;
let view;

function language(words) {
  return StreamLanguage.define({
    token(stream) {
      if (stream.match(/^;;.*/)) return "comment";
      if (stream.match(/^'[A-Z]+/)) return "variableName";
      if (stream.match(/^[0-9]+/)) return "number";
      if (stream.match(/^[A-Z]+/)) return "string";
      const word = stream.match(/^[a-z]+/);
      if (word) return words.has(word[0]) ? "keyword" : "invalid";
      if (stream.match(/^(==|!=|<=|>=|\/\/|\.\.|[<>+*%^:,-])/)) return "operator";
      if (stream.match(/^[()]/)) return "bracket";
      stream.next();
      return null;
    },
    languageData: { commentTokens: { line: ";;" }, closeBrackets: { brackets: ["("] } },
  });
}

const colours = HighlightStyle.define([
  { tag: tags.comment, class: "tok-comment" }, { tag: tags.variableName, class: "tok-variable" }, { tag: tags.number, class: "tok-number" },
  { tag: tags.string, class: "tok-name" }, { tag: tags.keyword, class: "tok-word" }, { tag: tags.operator, class: "tok-sign" },
  { tag: tags.invalid, class: "tok-invalid" },
]);

// The language's words, and the names and variables that stand in the text.
function completions(words) {
  const known = [...words].map((label) => ({ label, type: "keyword" }));
  return (context) => {
    const before = context.matchBefore(/'?[A-Za-z]*/);
    if (!before || (before.from === before.to && !context.explicit)) return null;
    const own = new Set(context.state.doc.toString().replace(/;;.*/g, "").match(/'?[A-Z]{2,}/g) ?? []);
    own.delete(before.text);
    const options = [...known, ...[...own].map((label) => ({ label, type: label.startsWith("'") ? "variable" : "constant" }))];
    return { from: before.from, options, validFor: /^'?[A-Za-z]*$/ };
  };
}

async function ask(path, body) {
  const answer = await fetch("/api/v1/recycle/" + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const told = await answer.json();
  return answer.ok ? told : { refused: told.error, again: answer.status === 503 };
}

let asked = 0;
async function check(editor) {
  const text = editor.state.doc.toString(), mine = ++asked;
  const told = await ask("check", { text });
  if (mine !== asked) return [];
  tell(told);
  if (told.ok) draw(text, mine);
  else if (!told.refused) show("graph", element("p", { className: "faint", textContent: "There is a graph when the text can be run." }));
  const length = editor.state.doc.length;
  return (told.diagnostics ?? []).map((one) => {
    const from = Math.min(one.at, length), end = text.slice(from).match(/^(\(|'?[A-Za-z0-9]+|.)/)?.[0].length ?? 0;
    return { from, to: Math.min(from + end, length), severity: one.severity, message: `${one.message} [${one.code}]` };
  });
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function show(id, ...content) { document.getElementById(id)?.replaceChildren(...content); }

// The graph is drawn by the laboratory, in which every name of a text is made of letters; it is put in as it comes.
async function draw(text, mine) {
  const told = await ask("graph", { text });
  if (mine !== asked) return;
  if (told.refused) {
    show("graph", element("pre", { className: "mistake", textContent: told.refused }));
    // While kernels are compiled it is worth asking again, now and then.
    if (told.again && told.refused.includes("compiled")) setTimeout(() => mine === asked && draw(text, mine), 3000);
  } else show("graph", document.createRange().createContextualFragment(told.svg));
}

let verdict = "";
function tell(told) {
  if (told.refused) return show("messages", element("pre", { className: "mistake", textContent: told.refused }));
  const players = `${told.players} player${told.players === 1 ? "" : "s"}`, many = told.diagnostics.length;
  const says = (told.ok ? `A game for ${players}` : "It cannot be run yet") + (many ? "." : "; nothing to complain about.");
  const list = element("ol", { className: "findings" }, ...told.diagnostics.slice(0, 30).map((one) => {
    const place = element("button", { type: "button" }, element("b", { textContent: `${one.severity} ${one.code}` }), ` line ${one.line}, column ${one.column}`);
    place.dataset.at = one.at;
    return element("li", { className: one.severity }, place, " " + one.message);
  }));
  show("messages", element("p", { id: "verdict", textContent: says }), list);
  if (says !== verdict) say(told.ok ? says : `${says} ${told.diagnostics[0].message}`);
  verdict = says;
}

// The text as the laboratory has it; what differs from it is a draft, kept in this browser under the name of that text.
let kept = "";

function mount() {
  const area = document.getElementById("text");
  if (!area || view?.dom.isConnected) return;
  const words = new Set(area.dataset.words.split(" "));
  kept = area.defaultValue;
  const text = localStorage.getItem(DRAFT + area.dataset.id) ?? kept;
  const changed = EditorView.updateListener.of((update) => { if (update.docChanged) keepDraft(); });
  const press = (value) => () => { document.querySelector(`#studio button[value=${value}]`).click(); return true; };
  const extensions = [
    EditorView.cspNonce.of(nonce),
    EditorView.contentAttributes.of({ "aria-label": "The rules in RECYCLE", spellcheck: "false", autocapitalize: "off", tabindex: "0" }),
    lineNumbers(), lintGutter(), history(), drawSelection(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), indentOnInput(),
    bracketMatching(), closeBrackets(), search({ top: true }), autocompletion({ override: [completions(words)], icons: false }), language(words),
    syntaxHighlighting(colours), linter(check, { delay: 500 }), EditorView.lineWrapping, changed,
    keymap.of([{ key: "Mod-Enter", run: press("run") }, { key: "Mod-s", run: press("keep") }, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap,
      ...historyKeymap, ...completionKeymap, ...lintKeymap]),
  ];
  view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: area.parentElement });
  area.value = text;
  area.classList.add("edited");
  note(text !== kept);
}

function keepDraft() {
  const area = document.getElementById("text");
  area.value = view.state.doc.toString();
  note(area.value !== kept);
  try {
    if (area.value === kept) localStorage.removeItem(DRAFT + area.dataset.id);
    else localStorage.setItem(DRAFT + area.dataset.id, area.value);
  } catch { say("This browser keeps no drafts."); }
}

// The editor stays when the page around it changes; the text that the page is about may be another one then.
async function follow() {
  const area = document.getElementById("text"), id = document.getElementById("studio")?.dataset.id;
  if (!area || !view || !id || id === area.dataset.id) return;
  const answer = await fetch("/api/v1/recycle/texts/" + id);
  if (!answer.ok) return;
  localStorage.removeItem(DRAFT + area.dataset.id);
  kept = (await answer.json()).text;
  area.dataset.id = id;
  if (view.state.doc.toString() !== kept) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: kept } });
  else keepDraft();
}

function note(changed) {
  const line = document.getElementById("draft");
  if (line) line.hidden = !changed;
}

document.addEventListener("click", (event) => {
  const place = event.target.closest?.("#messages [data-at]");
  if (place && view) {
    const at = Math.min(Number(place.dataset.at), view.state.doc.length);
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    view.focus();
  }
  if (event.target.closest?.("a[href='#text']") && view) {
    event.preventDefault();
    view.focus();
  }
  if (event.target.closest?.("#discard") && view) {
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: kept } });
    view.focus();
  }
});

mount();
document.addEventListener("htmx:after:swap", () => {
  mount();
  follow();
  const shown = document.getElementById("shown");
  if (shown?.querySelector("h2, .mistake") && location.search.includes("show=")) shown.scrollIntoView({ block: "start" });
});
