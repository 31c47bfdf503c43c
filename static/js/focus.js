// A form that was put in place of itself says in `data-focus` which of its elements goes on.
const focus = (root) => {
  const form = root.closest?.("[data-focus]") ?? root.querySelector("[data-focus]");
  const named = form?.dataset.focus;
  const element = named ? document.getElementById(named) : null;
  element?.focus();
  element?.scrollIntoView({ block: "nearest" });
};

focus(document);
document.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.matches("[data-focus]")) focus(event.detail.elt);
});
