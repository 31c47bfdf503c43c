// <details> as menus: one open at a time, closed by Esc, by a click elsewhere and by leaving it.

const open = () => document.querySelectorAll("details[data-menu][open]");

const close = (menu, { focus = false } = {}) => {
  menu.open = false;
  if (focus) menu.querySelector("summary").focus();
};

document.addEventListener("click", (event) => {
  for (const menu of open()) if (!menu.contains(event.target)) close(menu);
});

document.addEventListener("focusin", (event) => {
  for (const menu of open()) if (!menu.contains(event.target)) close(menu);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const [menu] = open();
  if (!menu) return;
  event.preventDefault();
  close(menu, { focus: menu.contains(document.activeElement) });
});
