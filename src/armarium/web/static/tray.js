// The inbox by keyboard: from box to box with the arrows, V and R for the row. Only while a box of the list
// has the focus does a letter do anything. Without this file Tab, Space and Enter do it all.

const tray = document.getElementById("tray");

const boxes = () => [...tray.querySelectorAll("input[name=record][type=checkbox]")];

function furnish() {
  for (const one of tray.querySelectorAll("[data-tray-keys]")) one.hidden = false;
}

function step(box, by) {
  const all = boxes();
  all[Math.min(all.length - 1, Math.max(0, all.indexOf(box) + by))].focus();
}

function reject(row) {
  const details = row.querySelector("details");
  details.open = true;
  askWhy(details);
}

const askWhy = (details) => details.querySelector("input[name=reason]")?.focus();

const KEYS = {
  ArrowDown: (box) => step(box, 1),
  ArrowUp: (box) => step(box, -1),
  v: (box) => box.closest("tr").querySelector("form.action").requestSubmit(),
  r: (box) => reject(box.closest("tr")),
};

tray.addEventListener("keydown", (event) => {
  const deed = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const plain = !(event.ctrlKey || event.altKey || event.metaKey || event.isComposing);
  if (!deed || !plain || !event.target.matches("input[name=record][type=checkbox]")) return;
  event.preventDefault();
  deed(event.target);
});

// From the top of the page an arrow leads to the first row.
document.addEventListener("keydown", (event) => {
  const nowhere = event.target === document.body || event.target.matches("h1, h2, main");
  const [first] = boxes();
  if (event.key !== "ArrowDown" || !nowhere || !first) return;
  event.preventDefault();
  first.focus();
});

// Whoever opens “Reject” types the reason next.
tray.addEventListener("toggle", (event) => event.target.open && askWhy(event.target), true);

// Live parts are replaced: what only scripts can do must be offered again.
new MutationObserver(furnish).observe(tray, { childList: true });
furnish();
