// The search box (Ctrl-K), pages seen lately, and keyboard shortcuts.
// Without this file the box is a form that leads to the page /find, and the menu leads everywhere.

const PAUSE = 150; // ms without a key before it is asked
const KEPT = 8; // pages seen lately

const dialog = document.getElementById("find");
const box = dialog.querySelector("input");
const list = dialog.querySelector(".finder-found");
const seenKey = `seen-${document.documentElement.dataset.me}`;
let timer = null;
let asking = null;
let answered = null; // the words to which the list is the answer
let lead = false; // whether g was the last key

function open(words = "") {
  if (dialog.open) return;
  box.value = words;
  dialog.showModal();
  box.focus();
  box.setSelectionRange(words.length, words.length);
  if (words) ask();
  else showSeen();
}

async function ask() {
  const words = box.value.trim();
  asking?.abort();
  if (!words) return showSeen();
  asking = new AbortController();
  try {
    const answer = await fetch(`/find?q=${encodeURIComponent(words)}`, {
      headers: { "X-Part": "1" },
      credentials: "same-origin",
      signal: asking.signal,
    });
    list.innerHTML = answer.ok ? await answer.text() : ""; // from our own server, which has escaped it
    answered = words;
  } catch {
    // a newer question, or no network: Enter leads to the page, which says so
  }
}

function showSeen() {
  answered = null;
  list.replaceChildren();
  const seen = readSeen().filter((one) => one.href !== here());
  if (!seen.length) return;
  const heading = document.createElement("h2");
  heading.textContent = list.dataset.seen;
  const rows = document.createElement("ul");
  for (const one of seen) {
    const row = document.createElement("li");
    const link = document.createElement("a");
    link.href = one.href;
    const title = document.createElement("span");
    title.className = "found-title";
    title.textContent = one.title;
    const about = document.createElement("span");
    about.className = "found-about";
    about.textContent = one.about;
    link.append(title, about);
    row.append(link);
    rows.append(row);
  }
  const section = document.createElement("section");
  section.className = "found";
  section.append(heading, rows);
  list.append(section);
}

const here = () => location.pathname;

function readSeen() {
  try {
    const seen = JSON.parse(localStorage.getItem(seenKey)) ?? [];
    return seen.filter((one) => typeof one.href === "string" && one.href.startsWith("/"));
  } catch {
    return [];
  }
}

// Things, not lists: what has a number or a name of its own.
function remember() {
  if (!/\/[^/]*\d[^/]*$|\/domains\/[^/]+$/.test(here())) return;
  const title = document.querySelector("h1")?.textContent.trim();
  if (!title) return;
  const about = document.querySelector(".page-above")?.textContent.trim().replace(/\s+/g, " ") ?? "";
  const seen = readSeen().filter((one) => one.href !== here());
  // What is gone, or closed to this person by now, is forgotten.
  if (!document.querySelector("[data-problem]")) seen.unshift({ href: here(), title, about });
  try {
    localStorage.setItem(seenKey, JSON.stringify(seen.slice(0, KEPT)));
  } catch {
    // storage is full or forbidden: nothing is remembered
  }
}

// Arrow keys go through the box and the links below it.
function step(event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const places = [box, ...list.querySelectorAll("a")];
  const next = places.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  places[(next + places.length) % places.length].focus();
  event.preventDefault();
}

function submit(event) {
  const first = answered === box.value.trim() && list.querySelector("a");
  if (!first) return; // the form leads to the page, also who types faster than is answered
  event.preventDefault();
  first.click();
}

const typing = (target) =>
  target.isContentEditable || ["input", "select", "textarea"].includes(target.localName) || document.querySelector("dialog[open]");

function shortcut(event) {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return open();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const led = lead;
  lead = event.key === "g";
  if (led && follow(event.key)) return;
  if (event.key === "?") document.getElementById("keys").showModal();
  else if (event.key === "/") document.querySelector("main [type=search]")?.focus();
  else if (event.key === "e") document.querySelector("[data-edit]")?.click();
  else return;
  event.preventDefault();
}

function follow(key) {
  const menu = document.querySelector(".places");
  const groups = [...menu.querySelectorAll(".place")];
  const link = key === "h" ? menu.querySelector("a") : groups[Number(key) - 1]?.querySelector("a");
  link?.click();
  return Boolean(link);
}

box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE);
});
dialog.addEventListener("keydown", step);
dialog.querySelector("form").addEventListener("submit", submit);
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
for (const field of document.querySelectorAll("[data-finder]")) {
  field.addEventListener("click", () => open());
  field.addEventListener("input", () => {
    open(field.value);
    field.value = "";
  });
}
for (const button of document.querySelectorAll("[data-opens]")) {
  button.hidden = false;
  button.addEventListener("click", () => document.getElementById(button.dataset.opens).showModal());
}
document.addEventListener("keydown", shortcut);
remember();
