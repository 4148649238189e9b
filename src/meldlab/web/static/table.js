// The table of any game: a card is chosen, and a hand is put in order, without a request.

const cards = (hand) => [...hand.querySelectorAll("[data-card]")];

// A chosen card has its moves shown: <button data-for="7H">. Without scripts the server does the same by ?card=7H.
function choose(card) {
  const chosen = card.getAttribute("aria-pressed") === "true" ? "" : card.dataset.card;
  for (const other of document.querySelectorAll(".pick[aria-pressed]"))
    other.setAttribute("aria-pressed", String(other.dataset.card === chosen));
  for (const move of document.querySelectorAll("[data-for]")) move.hidden = move.dataset.for !== chosen;
}
document.addEventListener("click", (event) => {
  const card = event.target.closest?.(".pick[aria-pressed]");
  if (!card) return;
  event.preventDefault();
  choose(card);
});

// The order that a person gives to a hand stays, in this browser: drag a card, or move it by Shift and an arrow. Sorting forgets it.
const key = (hand) => `meldlab-hand-${hand.dataset.hand}`;

function store(hand) {
  if (hand) sessionStorage.setItem(key(hand), cards(hand).map((card) => card.dataset.card).join(" "));
}

// New cards come last, where they were put down.
function arrange() {
  for (const hand of document.querySelectorAll("[data-hand]")) {
    const order = (sessionStorage.getItem(key(hand)) ?? "").split(" ");
    const place = (card) => (order.indexOf(card.dataset.card) + 1) || 99;
    hand.classList.toggle("arranged", Boolean(order[0]));
    if (order[0]) for (const card of cards(hand).sort((a, b) => place(a) - place(b))) hand.append(card);
    cards(hand).forEach((card, index) => {
      if (card.hasAttribute("aria-pressed")) card.dataset.key = "1234567890-"[index];
      card.draggable = true;
    });
  }
}
arrange();
document.addEventListener("htmx:after:swap", arrange);

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-unarrange]")) for (const hand of document.querySelectorAll("[data-hand]")) sessionStorage.removeItem(key(hand));
}, true);

document.addEventListener("keydown", (event) => {
  const card = event.target.closest?.("[data-hand] [data-card]");
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!card || !step || !event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (step > 0) card.nextElementSibling?.after(card);
  else card.previousElementSibling?.before(card);
  card.focus();
  store(card.closest("[data-hand]"));
}, true);

let dragged;
document.addEventListener("dragstart", (event) => { dragged = event.target.closest?.("[data-hand] [data-card]"); });
document.addEventListener("dragover", (event) => { if (dragged && event.target.closest?.("[data-hand]")) event.preventDefault(); });
document.addEventListener("drop", (event) => {
  const hand = dragged && event.target.closest?.("[data-hand]");
  if (!hand || !hand.contains(dragged)) return;
  event.preventDefault();
  const over = event.target.closest("[data-card]");
  if (over && over !== dragged) {
    const box = over.getBoundingClientRect();
    if (event.clientX < box.left + box.width / 2) over.before(dragged);
    else over.after(dragged);
  } else if (!over) hand.append(dragged);
  store(hand);
  dragged = undefined;
});
