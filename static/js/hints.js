// Says what the chosen option of a select means.

const explain = (select) => {
  const line = document.querySelector(`[data-hint-of="${select.id}"]`);
  if (line) line.textContent = select.selectedOptions[0]?.dataset.hint ?? "";
};

const explainAll = () => {
  for (const line of document.querySelectorAll("[data-hint-of]")) {
    const select = document.getElementById(line.dataset.hintOf);
    if (select) explain(select);
  }
};

explainAll();

document.addEventListener("htmx:load", explainAll);
document.addEventListener("change", (event) => {
  if (event.target.matches("select")) explain(event.target);
});
