// A form with data-keep asks before it is left, where something in it would be lost: `data-unsaved`
// says so of what the server drew, the controls tell what was filled in since. Sending it is no leaving.
let sent = false;

const moved = (select) => {
  const drawn = [...select.options].findIndex((option) => option.defaultSelected);
  return select.selectedIndex !== Math.max(drawn, 0);
};

const changed = (control) => {
  if (!control.name || control.type === "hidden" || control.type === "search") return false;
  if (control.type === "checkbox" || control.type === "radio") return control.checked !== control.defaultChecked;
  if (control.tagName === "SELECT") return moved(control);
  return control.tagName !== "BUTTON" && control.value !== control.defaultValue;
};

const unsaved = (form) => "unsaved" in form.dataset || [...form.elements].some(changed);

document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-keep]") && !event.defaultPrevented) sent = true;
});

addEventListener("pageshow", () => {
  sent = false;
});

addEventListener("beforeunload", (event) => {
  if (!sent && [...document.querySelectorAll("form[data-keep]")].some(unsaved)) event.preventDefault();
});
