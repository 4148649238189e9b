"use strict";
const body = document.querySelector("#table tbody");
const rows = [...body.rows];
const words = document.getElementById("words"), shown = document.getElementById("shown");
const picks = ["publication", "verdict"].map((name) => document.getElementById(name));
function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let many = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !wanted.every((word) => text.includes(word)) || picks.some((pick) => pick.value && row.dataset[pick.id] !== pick.value);
    many += !row.hidden;
  }
  shown.value = `${many} of ${rows.length} claims`;
}
function sort(heading) {
  const place = heading.cellIndex, down = heading.getAttribute("aria-sort") === "ascending";
  for (const cell of heading.parentElement.cells) cell.setAttribute("aria-sort", "none");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = (row) => row.cells[place].textContent.trim();
  const compare = (a, b) => key(a).localeCompare(key(b), "en", { numeric: true });
  body.append(...[...rows].sort((a, b) => (down ? compare(b, a) : compare(a, b))));
}
words.addEventListener("input", filter);
for (const pick of picks) pick.addEventListener("change", filter);
document.querySelector(".filter").addEventListener("submit", (event) => event.preventDefault());
for (const heading of document.querySelectorAll("#table th")) heading.querySelector("button").addEventListener("click", () => sort(heading));
document.getElementById("json").addEventListener("click", (event) => {
  const data = new Blob([document.getElementById("data").textContent], { type: "application/json" });
  event.currentTarget.href = URL.createObjectURL(data);
});
filter();
