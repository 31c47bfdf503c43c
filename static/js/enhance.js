// Shows what needs JavaScript, dismisses notices, brings a form's errors into focus.

const reveal = (root) => {
  for (const element of root.querySelectorAll("[data-needs-js]")) element.hidden = false;
};

// Where a row of links is wider than the page, the one that one is at is in sight.
const showCurrent = (root) => {
  for (const link of root.querySelectorAll(".sections [aria-current], .tabs [aria-current]")) {
    const row = link.parentElement;
    const [place, room] = [link.getBoundingClientRect(), row.getBoundingClientRect()];
    row.scrollLeft += place.left + place.width / 2 - room.left - room.width / 2;
  }
};

export const announce = (text) => {
  const region = document.getElementById("announcements");
  const line = document.createElement("p");
  line.textContent = text;
  region.replaceChildren(line);
  setTimeout(() => line.remove(), 4000);
};

export const enhance = (root) => {
  reveal(root);
  showCurrent(root);
  root.querySelector("[data-focus-first]")?.focus();
};

enhance(document);

document.addEventListener("htmx:load", (event) => {
  reveal(event.detail.elt.parentElement ?? document);
  showCurrent(event.detail.elt);
});

document.addEventListener("click", (event) => {
  event.target.closest("[data-dismiss]")?.closest("[data-dismissible]").remove();
});

// A fragment that cannot be had says so, instead of silently growing old.
document.addEventListener("htmx:sendError", () => announce("EvalHub cannot be reached. Trying again."));
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status !== 404) announce(`The server answered ${event.detail.xhr.status}.`);
});
