// How a person likes pages to look, before the first of it is drawn; kept in this browser only.
for (const look of ["theme", "deck"]) {
  const kept = localStorage.getItem("meldlab-" + look);
  if (kept) document.documentElement.dataset[look] = kept;
}
