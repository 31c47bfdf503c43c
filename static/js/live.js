// A part that refreshes itself rests while nobody sees it, and while somebody is inside: the focus
// would be lost. Not so where each of its controls has an id, and the part says "focused".
document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.detail.elt;
  if (!part.hasAttribute("data-live")) return;
  const inside = part.dataset.live !== "focused" && part.contains(document.activeElement);
  if (inside || document.hidden) event.preventDefault();
});
