// Live parts: <div data-live="topic other-topic" data-src="/address" id="…"> is fetched again when the
// server says that one of its topics changed. One EventSource serves all parts of the page.
// The answer may be the part alone or a whole page that holds an element with the same id.
// data-pace="5000": no two fetches within so many milliseconds, for parts that cost much and change often.

import { tell } from "./notices.js";

const PATIENCE = 300; // ms in which several changes become one fetch
const RECONNECT = 5000; // ms before asking again after the server closed the stream for good

const parts = [...document.querySelectorAll("[data-live][data-src]")];
const sign = document.querySelector("[data-live-sign]");
const waiting = new Map(); // part → timer
const fetched = new Map(); // part → when it was last asked for
const missedBy = new Set(); // parts that were not replaced while their reader chose from a list
const chosen = new WeakSet(); // <select>s in which the reader has chosen
let source = null;
let again = null;
let missed = true; // something may have changed while nobody listened: since the page was written, at first

const topicsOf = (part) => part.dataset.live.split(/\s+/).filter(Boolean);

function show(state) {
  if (!sign) return;
  sign.hidden = state === "off";
  if (sign.dataset.state === state) return;
  sign.dataset.state = state;
  sign.textContent = sign.dataset[state] ?? "";
}

function connect() {
  clearTimeout(again);
  if (source || document.hidden) return;
  const query = new URLSearchParams();
  for (const topic of new Set(parts.flatMap(topicsOf))) query.append("topic", topic);
  source = new EventSource(`/live?${query}`);
  source.addEventListener("open", () => {
    show("live");
    if (missed) parts.forEach(refreshSoon);
    missed = false;
  });
  source.addEventListener("changed", (event) => {
    for (const part of parts) if (topicsOf(part).includes(event.data)) refreshSoon(part);
  });
  source.addEventListener("error", lost);
}

async function lost() {
  missed = true;
  show("reconnecting");
  if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
  source = null;
  // An EventSource does not tell the status. Asking for a part does: 401 ends it all.
  if (await refresh(parts[0])) again = setTimeout(connect, RECONNECT);
}

function disconnect() {
  clearTimeout(again);
  source?.close();
  source = null;
  missed = true;
}

// A fetch that is due stays due: were it put off at each change, a busy house would never be shown.
function refreshSoon(part) {
  if (waiting.has(part)) return;
  const rest = (fetched.get(part) ?? 0) + Number(part.dataset.pace ?? 0) - performance.now();
  waiting.set(part, setTimeout(() => refresh(part), Math.max(PATIENCE, rest)));
}

// False when there is no point in going on: the session has ended.
async function refresh(part) {
  let answer;
  clearTimeout(waiting.get(part));
  waiting.delete(part);
  fetched.set(part, performance.now());
  try {
    answer = await fetch(part.dataset.src, { headers: { "X-Part": "1" }, credentials: "same-origin" });
  } catch {
    return true; // no network: the stream will say so and try again
  }
  if (answer.status === 401) {
    end();
    return false;
  }
  if (answer.ok && !answer.redirected) replace(part, await answer.text());
  return true;
}

function end() {
  disconnect();
  parts.length = 0;
  show("off");
  const here = encodeURIComponent(location.pathname + location.search);
  tell("warning", sign.dataset.ended, { href: `/sign-in?next=${here}`, label: sign.dataset.signIn });
}

function replace(part, html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const fresh = (part.id && page.getElementById(part.id)) || page.body;
  if (fresh.innerHTML === part.innerHTML) return;
  if (part.querySelector("form[data-sent]")) return; // a submission is on its way
  if (isChoosing(part)) return void missedBy.add(part); // its list would close under the reader's hand
  const kept = remember(part);
  part.replaceChildren(...fresh.childNodes);
  restore(part, kept);
}

// What the reader has done to the part, by keys that survive its replacement.
function remember(part) {
  const focus = document.activeElement;
  return {
    focus: part.contains(focus) ? keyOf(part, focus) : null,
    selection: focus?.selectionStart ?? null,
    open: new Map([...part.querySelectorAll("details")].map((one) => [keyOf(part, one), one.open])),
    ticked: new Map(tickedIn(part).map((one) => [keyOf(part, one), one.checked])),
    typed: new Map(typedIn(part).map((one) => [keyOf(part, one), one.value])),
    scroll: [...part.querySelectorAll("*")]
      .filter((one) => one.scrollTop || one.scrollLeft)
      .map((one) => [keyOf(part, one), one.scrollTop, one.scrollLeft]),
    page: [window.scrollX, window.scrollY],
  };
}

function restore(part, kept) {
  const found = new Map([...part.querySelectorAll("*")].map((one) => [keyOf(part, one), one]));
  for (const [key, open] of kept.open) if (found.get(key)) found.get(key).open = open;
  for (const [key, ticked] of kept.ticked) if (found.get(key)) found.get(key).checked = ticked;
  for (const [key, value] of kept.typed) if (takes(found.get(key), value)) found.get(key).value = value;
  for (const [key, top, left] of kept.scroll) found.get(key)?.scrollTo(left, top);
  const focus = kept.focus && found.get(kept.focus);
  if (focus) {
    focus.focus({ preventScroll: true });
    chosen.add(focus); // if it is a <select>, its list was closed
    if (kept.selection !== null && "setSelectionRange" in focus) focus.setSelectionRange(kept.selection, kept.selection);
  } else if (kept.focus) {
    // What had the focus is gone: stay in its part instead of falling to the top of the page.
    part.tabIndex = -1;
    part.focus({ preventScroll: true });
  }
  window.scrollTo(...kept.page);
}

const typedIn = (part) => [
  ...[...part.querySelectorAll("input:not([type=hidden], [type=checkbox], [type=radio]), textarea")].filter(
    (one) => one.value !== one.defaultValue,
  ),
  ...[...part.querySelectorAll("select")].filter((one) => one.value !== defaultOf(one)),
];

const tickedIn = (part) =>
  [...part.querySelectorAll("input[type=checkbox], input[type=radio]")].filter(
    (one) => one.checked !== one.defaultChecked,
  );

const defaultOf = (select) => ([...select.options].find((one) => one.defaultSelected) ?? select.options[0])?.value;

const takes = (field, value) =>
  field && (field.localName !== "select" || [...field.options].some((one) => one.value === value));

// A list may be open while its <select> has the focus and nothing was chosen yet.
const isChoosing = (part) => {
  const focus = document.activeElement;
  return focus?.localName === "select" && part.contains(focus) && !chosen.has(focus);
};

function takeHold(event) {
  chosen.delete(event.target); // the list may be opened again
}

function letGo(event) {
  if (event.target.localName !== "select") return;
  if (event.type === "change") chosen.add(event.target);
  for (const part of missedBy) refreshSoon(part);
  missedBy.clear();
}

// An id if there is one, else what the element is and does, else its place.
function keyOf(part, element) {
  if (element.id) return `#${element.id}`;
  const row = element.closest("[data-key]");
  const inside = row && part.contains(row) ? row : part;
  const tag = element.localName;
  const does = element.getAttribute("href") ?? element.getAttribute("name") ?? element.form?.getAttribute("action") ?? "";
  const value = ["checkbox", "radio"].includes(element.type) ? element.value : "";
  const place = [...inside.getElementsByTagName(tag)].indexOf(element);
  return [row?.dataset.key ?? "", tag, does, value, does ? "" : place].join("|");
}

if (parts.length) {
  connect();
  document.addEventListener("change", letGo);
  document.addEventListener("focusout", letGo);
  document.addEventListener("focusin", takeHold);
  document.addEventListener("pointerdown", takeHold);
  document.addEventListener("keydown", takeHold);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) disconnect();
    else connect();
  });
  window.addEventListener("pagehide", disconnect);
  window.addEventListener("pageshow", connect);
}
