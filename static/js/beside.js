// Files that go with a dataset: a browser tells a server only their names, so their paths go along
// in a field of their own. What is too much is said before it is sent.
import { readable } from "./dropzone.js";

const dropped = new WeakMap(); // input → paths of the files that were dropped on it

const inputs = (zone) => [...zone.querySelectorAll("input[type=file]")];

const pathsOf = (input) => {
  const told = dropped.get(input);
  return [...input.files].map((file, index) => told?.[index] || file.webkitRelativePath || file.name);
};

const sizeOf = (files) => [...files].reduce((sum, file) => sum + file.size, 0);

const problemOf = (zone, files) => {
  const most = Number(zone.dataset.maxFiles);
  if (files.length > most) return `${files.length.toLocaleString("en")} files are more than ${most}: send them as a zip.`;
  const main = zone.closest("form").querySelector("[data-dropzone] input[type=file]").files;
  const size = sizeOf(files) + sizeOf(main);
  const limit = Number(zone.dataset.maxBytes);
  return size > limit ? `All files together have ${readable(size)}; the limit is ${readable(limit)}.` : "";
};

const describe = (zone) => {
  const files = inputs(zone).flatMap((input) => [...input.files]);
  const problem = problemOf(zone, files);
  const line = zone.querySelector("[data-problem]");
  zone.querySelector("[data-paths]").value = JSON.stringify(inputs(zone).flatMap(pathsOf));
  zone.querySelector("[data-beside-chosen]").textContent = files.length
    ? `${files.length} ${files.length === 1 ? "file" : "files"}, ${readable(sizeOf(files))}`
    : "optional";
  line.textContent = problem;
  line.hidden = !problem;
  inputs(zone)[0].setCustomValidity(problem);
};

const entriesOf = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

const walk = async (entry) => {
  if (entry.isFile) return [{ file: await fileOf(entry), path: entry.fullPath.replace(/^\//, "") }];
  const found = [];
  const reader = entry.createReader();
  for (let some = await entriesOf(reader); some.length; some = await entriesOf(reader)) {
    for (const inner of some) found.push(...(await walk(inner)));
  }
  return found;
};

const take = async (zone, items) => {
  const entries = items.map((item) => item.webkitGetAsEntry()).filter(Boolean);
  const found = (await Promise.all(entries.map(walk))).flat();
  const [input] = inputs(zone);
  const transfer = new DataTransfer();
  for (const { file } of found) transfer.items.add(file);
  input.files = transfer.files;
  dropped.set(input, found.map(({ path }) => path));
  describe(zone);
};

document.addEventListener("change", (event) => {
  const form = event.target.closest?.("form");
  const zone = form?.querySelector("[data-beside]");
  if (!zone || event.target.type !== "file") return;
  dropped.delete(event.target);
  describe(zone);
});

// Before the form takes it for the main file.
document.addEventListener(
  "drop",
  (event) => {
    const zone = event.target.closest?.("[data-beside]");
    if (!zone) return;
    event.preventDefault();
    event.stopPropagation();
    delete zone.closest("form").dataset.over;
    zone.open = true;
    take(zone, [...event.dataTransfer.items]);
  },
  { capture: true },
);
