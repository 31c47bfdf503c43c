// Auto, light or dark. Loaded before the first paint: the cookie lets the server write the theme
// into the page; localStorage tells the other open tabs.
(() => {
  const root = document.documentElement;
  const order = ["auto", "light", "dark"];

  const apply = (theme) => {
    root.dataset.theme = theme;
    for (const name of document.querySelectorAll("[data-theme-name]")) name.textContent = theme;
  };

  const choose = (theme) => {
    apply(theme);
    localStorage.setItem("theme", theme);
    document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=lax`;
  };

  const kept = localStorage.getItem("theme");
  if (order.includes(kept) && kept !== root.dataset.theme) choose(kept);

  addEventListener("storage", (event) => {
    if (event.key === "theme" && order.includes(event.newValue)) apply(event.newValue);
  });
  addEventListener("DOMContentLoaded", () => apply(root.dataset.theme));
  addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-toggle]")) return;
    choose(order[(order.indexOf(root.dataset.theme) + 1) % order.length]);
  });
})();
