// The keys of a review; each stands for a link or a button. Silent while somebody types, while a
// dialog is open, and where they are switched off.
import { announce } from "./enhance.js";

const SWITCH = "review-keys";
const WRITTEN = "textarea, select, input:not([type=radio], [type=checkbox]), [contenteditable]";

const review = document.querySelector("[data-review]");
const form = review?.querySelector("form[data-stage]");
const toggle = review?.querySelector("[data-keys-toggle]");
const place = `review-draft:${location.pathname}:${form?.dataset.stage}`;

// A browser may keep nothing for us: then it is said, once somebody asks for it.
const remembered = (store, name) => {
  try {
    return store.getItem(name);
  } catch {
    return null;
  }
};
const remember = (store, name, text) => {
  try {
    store.setItem(name, text);
    return true;
  } catch {
    return false;
  }
};

const isOn = () => remembered(localStorage, SWITCH) !== "off";

const tell = () => {
  toggle.querySelector("span").textContent = isOn() ? "Keys on" : "Keys off";
  toggle.setAttribute("aria-pressed", isOn());
  review.dataset.keys = isOn() ? "on" : "off";
};

// -- what a key does ---------------------------------------------------------------------------

const press = (key) => document.querySelector(`[data-key="${key}"]`)?.click();

const choose = (number) => {
  const chosen = form?.querySelectorAll(".choice input")[number - 1];
  chosen?.click();
  if (chosen?.value === "other") form.elements.other?.focus();
};

const first = (field) =>
  field.querySelector("input:checked") ?? field.querySelector("input, textarea, select, button");

const step = (by) => {
  const fields = [...(form?.querySelectorAll("[data-field]") ?? [])];
  const now = fields.findIndex((field) => field.contains(document.activeElement));
  const wanted = now < 0 ? (by > 0 ? 0 : fields.length - 1) : now + by;
  const field = fields[Math.min(Math.max(wanted, 0), fields.length - 1)];
  if (field) first(field)?.focus();
};

const filledIn = () => {
  const given = new FormData(form);
  const kept = [...given].filter(([name]) => ["answer", "other", "comment"].includes(name));
  return JSON.stringify(kept);
};

const keep = () => {
  const kept = remember(sessionStorage, place, filledIn());
  announce(kept ? "Kept in this tab until you send it." : "This browser keeps nothing for pages: send it, or write it down.");
};

const fillIn = () => {
  const kept = JSON.parse(remembered(sessionStorage, place) ?? "[]");
  if (!kept.length) return;
  const answers = kept.filter(([name]) => name === "answer").map(([, value]) => value);
  for (const input of form.querySelectorAll(".choice input")) input.checked = answers.includes(input.value);
  for (const [name, value] of kept) if (name !== "answer" && form.elements[name]) form.elements[name].value = value;
  announce("Your draft is filled in again.");
};

// -- listening ---------------------------------------------------------------------------------

const chords = { Enter: () => press("submit"), s: keep };
const keys = {
  ArrowUp: () => step(-1),
  ArrowDown: () => step(1),
  ArrowLeft: () => press("ArrowLeft"),
  ArrowRight: () => press("ArrowRight"),
  Backspace: () => press("Backspace"),
};

const meant = (event) => {
  if (event.ctrlKey || event.metaKey) return event.altKey || event.shiftKey ? null : chords[event.key];
  if (event.altKey || event.target.closest(WRITTEN)) return null;
  if (event.target.closest("pre") && event.key.startsWith("Arrow")) return null;
  if (/^[1-9]$/.test(event.key)) return () => choose(Number(event.key));
  return keys[event.key];
};

document.addEventListener("keydown", (event) => {
  if (!isOn() || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return document.activeElement.blur();
  const deed = form || event.key.startsWith("Arrow") ? meant(event) : null;
  if (!deed) return;
  event.preventDefault();
  deed();
});

toggle?.addEventListener("click", () => {
  if (!remember(localStorage, SWITCH, isOn() ? "off" : "on")) announce("This browser does not remember that.");
  tell();
});

document.querySelector("[data-key=draft]")?.addEventListener("click", keep);
form?.addEventListener("submit", () => remember(sessionStorage, place, "[]"));

if (toggle) tell();
if (form) fillIn();
