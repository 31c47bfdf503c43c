// Copies what the button names and says so.
import { announce } from "./enhance.js";

const copy = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Plain http on another host than localhost has no clipboard: select and copy the old way.
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  try {
    await copy(button.dataset.copy);
    announce("Copied");
  } catch {
    announce("The browser refused to copy. Select the text instead.");
  }
});
