// The order that a person gives to a hand stays, in this browser: drag a card, or move it by Shift and an arrow. Sorting forgets it.

const key = (hand) => `meldlab-hand-${hand.dataset.hand}`;
const cards = (hand) => [...hand.querySelectorAll("[data-card]")];

function keep(hand) {
  if (hand) sessionStorage.setItem(key(hand), cards(hand).map((card) => card.dataset.card).join(" "));
}

// Cards that are new come last, where they were put down.
function arrange() {
  const hand = document.querySelector("[data-hand]");
  if (!hand) return;
  const order = (sessionStorage.getItem(key(hand)) ?? "").split(" ");
  const place = (card) => (order.indexOf(card.dataset.card) + 1) || 99;
  if (order[0]) for (const card of cards(hand).sort((a, b) => place(a) - place(b))) hand.append(card);
  cards(hand).forEach((card, at) => { card.dataset.key = "1234567890-"[at]; card.draggable = true; });
}
arrange();
document.addEventListener("htmx:after:swap", arrange);

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-unarrange]")) {
    const hand = document.querySelector("[data-hand]");
    if (hand) sessionStorage.removeItem(key(hand));
  }
}, true);

document.addEventListener("keydown", (event) => {
  const card = event.target.closest?.("[data-card]");
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!card || !step || !event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (step > 0) card.nextElementSibling?.after(card);
  else card.previousElementSibling?.before(card);
  card.focus();
  keep(card.closest("[data-hand]"));
}, true);

let dragged;
document.addEventListener("dragstart", (event) => { dragged = event.target.closest?.("[data-card]"); });
document.addEventListener("dragover", (event) => { if (dragged && event.target.closest?.("[data-hand]")) event.preventDefault(); });
document.addEventListener("drop", (event) => {
  const hand = dragged && event.target.closest?.("[data-hand]");
  if (!hand) return;
  event.preventDefault();
  const over = event.target.closest("[data-card]");
  if (over && over !== dragged) {
    const box = over.getBoundingClientRect();
    if (event.clientX < box.left + box.width / 2) over.before(dragged);
    else over.after(dragged);
  } else if (!over) hand.append(dragged);
  keep(hand);
  dragged = undefined;
});
