// Lists: a chosen filter asks at once; one box ticks all rows; the bar says how many are ticked.
// Without this file the button “Search” asks, and each row is ticked by itself.

for (const form of document.querySelectorAll("[data-filters]")) {
  form.addEventListener("change", (event) => event.target.localName === "select" && form.requestSubmit());
  // Questions that are not asked stay out of the address.
  form.addEventListener("submit", () => {
    for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
  });
}
window.addEventListener("pageshow", () => {
  for (const field of document.querySelectorAll("[data-filters] :disabled")) field.disabled = false;
  count();
});

const boxes = () => [...document.querySelectorAll("td.list-tick input")];

function count() {
  const all = boxes();
  const ticked = all.filter((box) => box.checked).length;
  for (const sign of document.querySelectorAll("[data-ticked]")) {
    sign.textContent = ticked ? sign.dataset.ticked.replace("{number}", ticked) : "";
  }
  for (const box of document.querySelectorAll("[data-tick-all]")) {
    box.hidden = !all.length;
    box.checked = ticked > 0 && ticked === all.length;
    box.indeterminate = ticked > 0 && ticked < all.length;
  }
}

document.addEventListener("change", (event) => {
  if (event.target.matches?.("[data-tick-all]")) {
    for (const box of boxes()) box.checked = event.target.checked;
  }
  if (event.target.closest?.(".list-tick")) count();
});

// Live parts are replaced: what only scripts can do must be offered again.
for (const part of document.querySelectorAll("[data-live]")) new MutationObserver(count).observe(part, { childList: true });
