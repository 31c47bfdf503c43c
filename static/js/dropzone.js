// A file dropped anywhere on the form lands in its file field; the size is checked before sending.

const units = ["bytes", "kB", "MB", "GB"];

export const readable = (bytes) => {
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power ? 1 : 0)} ${units[power]}`;
};

const fieldOf = (form) => form.querySelector("[data-dropzone] input[type=file]");

const formOf = (event) => {
  const form = event.target.closest?.("form");
  const brings = [...(event.dataTransfer?.types ?? [])].includes("Files");
  return form && brings && fieldOf(form) ? form : null;
};

const problemOf = (input) => {
  const limit = Number(input.dataset.maxBytes || Infinity);
  const large = [...input.files].find((file) => file.size > limit);
  if (!large) return "";
  const told = (bytes) => (readable(large.size) === readable(limit) ? `${bytes.toLocaleString("en")} bytes` : readable(bytes));
  return `${large.name} has ${told(large.size)}; the limit is ${told(limit)}. Choose a smaller file.`;
};

const describe = (input) => {
  const zone = input.closest("[data-dropzone]");
  const problem = problemOf(input);
  const chosen = [...input.files].map((file) => `${file.name} (${readable(file.size)})`).join(", ");
  zone.querySelector("[data-chosen]").textContent = chosen;
  const line = zone.querySelector("[data-problem]");
  line.textContent = problem;
  line.hidden = !problem;
  input.setCustomValidity(problem);
  input.dispatchEvent(new CustomEvent("evalhub:chosen", { bubbles: true }));
};

document.addEventListener("dragover", (event) => {
  const form = formOf(event);
  if (!form) return;
  event.preventDefault();
  form.dataset.over = "";
});

document.addEventListener("dragleave", (event) => {
  const form = event.target.closest?.("form[data-over]");
  if (form && !form.contains(event.relatedTarget)) delete form.dataset.over;
});

document.addEventListener("drop", (event) => {
  const form = formOf(event);
  if (!form) return;
  event.preventDefault();
  delete form.dataset.over;
  const input = fieldOf(form);
  input.files = event.dataTransfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-dropzone] input[type=file]")) describe(event.target);
});
