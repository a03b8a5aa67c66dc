// Budget, frequency and depth that do not go together cannot be chosen: <section data-combination> holds the
// three lists and, as data-refused, what is refused with its reason. Without this file the server tells.
// Listens on the document: a live part may replace the section.

const NAMES = ["budget", "frequency", "depth"];

function apply(section) {
  const lists = NAMES.map((name) => section.querySelector(`select[name=${name}]`));
  if (lists.some((list) => !list)) return;
  const refused = new Map([...section.querySelectorAll("[data-refused]")].map((one) => [one.dataset.refused, one.dataset.reason]));
  const chosen = lists.map((list) => list.value);
  lists.forEach((list, place) => {
    for (const option of list.options) {
      const tried = chosen.map((value, n) => (n === place ? option.value : value));
      const reason = refused.get(tried.join(" "));
      option.disabled = reason !== undefined && option.value !== list.value;
      option.title = reason ?? "";
    }
    list.setCustomValidity(refused.get(chosen.join(" ")) ?? "");
  });
  const told = section.querySelector("[data-combination-told]");
  const sentence = refused.get(chosen.join(" ")) ?? "";
  if (told && told.textContent !== sentence) told.textContent = sentence; // a change would call us again
}

const all = () => document.querySelectorAll("[data-combination]").forEach(apply);

document.addEventListener("change", (event) => {
  const section = event.target.closest?.("[data-combination]");
  if (section) apply(section);
});
new MutationObserver(all).observe(document.getElementById("main"), { childList: true, subtree: true });
all();
