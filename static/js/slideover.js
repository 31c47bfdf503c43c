// Links with data-panel open in the dialog at the right. Without JavaScript they are links to a page.
import { enhance } from "./enhance.js";

const panel = document.getElementById("panel");
const content = document.getElementById("panel-content");
let opener = null;

const load = async (address) => {
  content.setAttribute("aria-busy", "true");
  await htmx.ajax("GET", address, { target: content, swap: "innerHTML" });
  content.removeAttribute("aria-busy");
};

// htmx leaves the content alone when the answer is an error: say so, with the way out.
const refuse = (event) => {
  if (event.detail.target !== content) return;
  const line = document.createElement("p");
  const link = document.createElement("a");
  line.className = "panel-failure";
  link.href = event.detail.pathInfo.requestPath;
  link.textContent = "Open it as a page";
  line.append("This could not be loaded. ", link, " to see why.");
  content.replaceChildren(line);
};
document.addEventListener("htmx:responseError", refuse);
document.addEventListener("htmx:sendError", refuse);

const show = async (link) => {
  if (!panel.open) {
    opener = link;
    content.replaceChildren();
    panel.showModal();
  }
  const step = link.dataset.panelStep;
  await load(link.href);
  enhance(content);
  panel.scrollTop = 0;
  (step && content.querySelector(`[data-panel-step="${step}"]`) || content).focus();
};

const step = (name) => content.querySelector(`[data-panel-step="${name}"]`)?.click();

document.addEventListener("click", (event) => {
  if (event.target === panel || event.target.closest("[data-close-panel]")) return panel?.close();
  const link = event.target.closest("a[data-panel]");
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
  if (!link || !panel || elsewhere || !window.htmx) return;
  event.preventDefault();
  show(link);
});

// A link of the page swapped away while the panel was open cannot take the focus back.
panel?.addEventListener("close", () => {
  content.replaceChildren();
  const again = opener?.isConnected ? opener : document.querySelector(`a[href="${opener?.getAttribute("href")}"]`);
  (again ?? document.getElementById("main")).focus();
});

panel?.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest("input, textarea, select, pre")) return;
  if (event.key === "ArrowLeft") step("previous");
  if (event.key === "ArrowRight") step("next");
});
