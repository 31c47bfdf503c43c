// Links with data-panel open in the dialog at the right. Without JavaScript they are links to a page.
import { enhance } from "./enhance.js";

const panel = document.getElementById("panel");
const content = document.getElementById("panel-content");
let opener = null;
let leaving = false;

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

// What has an address of its own is in the browser's: a copied link opens it, back closes it.
const isTold = () => Boolean(history.state?.panel);
const tell = (address) => {
  if (!address) return;
  if (isTold()) return history.replaceState({ panel: true }, "", address);
  // htmx would load the page under it anew.
  history.replaceState({ ...history.state, htmx: false, under: true }, "");
  history.pushState({ panel: true }, "", address);
};
addEventListener("popstate", ({ state }) => {
  if (leaving) leaving = false;
  else if (panel.open) panel.close();
  else if (state?.panel || state?.under) location.reload();
});

const show = async (link) => {
  if (!panel.open) {
    opener = link;
    content.replaceChildren();
    panel.showModal();
  }
  const step = link.dataset.panelStep;
  await load(link.href);
  enhance(content);
  if (panel.open) tell(content.querySelector("[data-address]")?.dataset.address);
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
  leaving = isTold();
  if (leaving) history.back();
  const again = opener?.isConnected ? opener : document.querySelector(`a[href="${opener?.getAttribute("href")}"]`);
  (again ?? document.getElementById("main")).focus();
});

panel?.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest("input, textarea, select, pre")) return;
  if (event.key === "ArrowLeft") step("previous");
  if (event.key === "ArrowRight") step("next");
});

const now = window.htmx && panel && document.querySelector("a[data-panel-now]");
if (now) {
  if (!isTold()) history.replaceState(null, "", now.dataset.panelNow);
  show(now);
}
