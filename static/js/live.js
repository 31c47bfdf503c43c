// A part that refreshes itself rests while somebody is inside: the focus would be lost.
document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.detail.elt;
  if (part.hasAttribute("data-live") && part.contains(document.activeElement)) event.preventDefault();
});
