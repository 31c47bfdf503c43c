// `/` searches, `?` lists the keys. Silent while somebody types or a dialog is open.

const typing = (element) => element.closest("input, textarea, select, [contenteditable]") !== null;

const keys = {
  "/": () => document.querySelector(".search input, .search-field input")?.focus(),
  "?": () => document.getElementById("shortcuts").showModal(),
};

document.addEventListener("keydown", (event) => {
  const busy = event.ctrlKey || event.metaKey || event.altKey || typing(event.target);
  if (busy || document.querySelector("dialog[open]") || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens).showModal();
});
