// The frame follows its reader: what the archived page says of itself and of its parts comes as messages from
// the content's origin. Archived scripts run there, too, and may say anything: everything is taken as text, and
// the banner and the address change only to captures that the archive itself confirms. A page is believed to be
// another one of its host. If it says that it is one of another host, the frame leads there itself, by way of an
// empty page and with a mark in the address that only the page which is then loaded can read.

import { Spread } from "./spread.js";

const LONGEST = 10_000; // characters of an address
const MOST_LED = 5; // times in a row, without an arrival
const PATIENCE = 4000; // milliseconds for an arrival
const body = document.body;
const banner = document.getElementById("banner");
const frame = document.getElementById("archived");
const astray = document.getElementById("astray");

let now = told(banner.firstElementChild);
let host = hostOf(now.url); // whose pages are believed
let loaded = now; // the capture in the frame, of which a script may have changed the address since
let awaited = null; // where the frame was led
let led = 0;
let coming = {}; // the capture whose banner has been asked for
let entitled = {}; // the last capture that told its title
let loads = window.armariumLoads;
let answered = 0; // the number of the load about which a page has said what it is
let asked = 0; // the number of the last question; answers that come late are dropped
const spread = new Spread(addressOf);

function told(row) {
  return { timestamp: row.dataset.timestamp, url: row.dataset.url };
}

// As the server writes it: what is encoded stays so, and `#` would be kept by the browser.
function addressOf(timestamp, url) {
  return `/${body.dataset.collection}/${timestamp}/${encodeURI(url).replaceAll("%25", "%").replaceAll("#", "%23")}`;
}

function hostOf(url) {
  try {
    return new URL(url).host.replace(/^www\./, "");
  } catch {
    return "";
  }
}

function isCapture(said) {
  return (
    typeof said.url === "string" && said.url.length <= LONGEST && /^https?:/i.test(said.url) &&
    typeof said.timestamp === "string" && /^[0-9]{14}$/.test(said.timestamp)
  );
}

function hear(event) {
  const said = event.data;
  if (event.origin !== body.dataset.content || typeof said !== "object" || said === null) return;
  if (said.armarium === "page" && event.source === frame.contentWindow) arrive(said);
  if (said.armarium === "part" && isCapture(said)) spread.note(said.url, said.timestamp);
}

async function arrive({ url, ...rest }) {
  if (Number.isInteger(rest.number)) answered = rest.number;
  const [address, fragment] = typeof url === "string" ? url.split(/#(.*)/s) : [""];
  const said = { ...rest, url: address };
  if (said.reason) said.timestamp = now.timestamp; // at about that time the link was followed
  if (!isCapture(said)) return stray(said.url);
  if (awaited && said.mark === awaited.mark) {
    host = awaited.host;
    awaited = null;
    led = 0;
  }
  if (hostOf(said.url) !== host) return lead(said, fragment);
  if (awaited) awaited.answered = true; // the banner is right again, whether or not the frame gets there
  if (said.reason) return miss(said);
  // A page says what it is more than once, and its title when it has one: also while its banner is fetched.
  if (typeof said.title === "string" && said.title) entitled = { ...said, title: said.title.slice(0, 300) };
  if (said.url !== now.url || said.timestamp !== now.timestamp) {
    if (said.url === coming.url && said.timestamp === coming.timestamp) return; // it is being asked for
    spread.begin(said.timestamp);
    if (!(await change(said))) return;
    if (said.loaded === said.url) loaded = now;
  }
  astray.hidden = true;
  if (entitled.url !== now.url || entitled.timestamp !== now.timestamp) return;
  document.title = `${entitled.title} · ${banner.querySelector("time")?.textContent ?? now.url}`;
}

// A page says that it is of another host. It is, once it has come from there at our own request.
async function lead(said, fragment = "") {
  if (awaited && awaited.url === said.url && awaited.timestamp === said.timestamp) return;
  if (++led > MOST_LED) return stray(said.url);
  const going = { url: said.url, timestamp: said.timestamp, host: hostOf(said.url), mark: newMark() };
  awaited = going;
  if (!(await part(said, said.reason && "notice"))) return stray(said.url);
  if (awaited !== going) return;
  const path = addressOf(`${said.timestamp}mp_`, said.url);
  going.address = `${body.dataset.content}${path}#armarium-${going.mark}-${fragment}`;
  // Not straight there: a page that has given itself that address would only be told the mark.
  frame.contentWindow.location.replace("about:blank");
  setTimeout(() => awaited === going && !going.answered && stray(said.url), PATIENCE);
}

function newMark() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// A notice of the archive is in the frame: the banner says so, too, if it is true.
async function miss(said) {
  spread.begin(said.timestamp);
  if (!(await change(said, "notice"))) return;
  astray.hidden = true;
  document.title = `${banner.querySelector(".banner-date").textContent} · ${said.url.slice(0, 200)}`;
}

// Something is in the frame that the archive cannot confirm.
function stray(url) {
  const link = astray.querySelector("a");
  link.hidden = !/^https?:/i.test(url);
  if (!link.hidden) link.href = addressOf("*", url);
  astray.querySelector("span").textContent = url.slice(0, 200);
  astray.hidden = false;
}

// The banner of a capture, or of a notice; null if there is none, or a later question was asked meanwhile.
async function part({ timestamp, url }, notice) {
  const number = ++asked;
  const collection = decodeURIComponent(body.dataset.collection);
  const query = new URLSearchParams({ collection, timestamp, url, ...(notice ? { notice } : { from: now.timestamp }) });
  try {
    const answer = await fetch(`/-/part/banner?${query}`, { headers: { "X-Part": "1", Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body;
    const row = fresh.firstElementChild;
    return number === asked && (answer.ok || row?.dataset.missing !== undefined) ? [...fresh.children] : null;
  } catch {
    return null; // no network: the page in the frame says so
  }
}

async function change({ timestamp, url, ...said }, notice) {
  const mine = asked + 1;
  const goal = (coming = { timestamp, url });
  const fresh = await part(goal, notice);
  if (coming === goal) coming = {};
  if (asked !== mine) return false;
  if (!fresh) {
    // `history.pushState`: the page is the same, and its new address need never have been captured.
    if (said.loaded !== loaded.url || timestamp !== loaded.timestamp) stray(url);
    return false;
  }
  const open = banner.querySelector("details")?.open ?? false;
  banner.replaceChildren(...fresh);
  const about = banner.querySelector("details");
  if (about) about.open = open;
  now = { timestamp, url };
  history.replaceState(null, "", addressOf(timestamp, url));
  if ("lock" in banner.firstElementChild.dataset) body.dataset.lockUrl = url;
  else delete body.dataset.lockUrl;
  furnish();
  return true;
}

// What was loaded and says nothing of itself: a PDF, a picture, a page that wants to be taken for another.
function look() {
  if (awaited?.address && frame.contentDocument) {
    // The empty page is there, which is of our own origin: whatever was in the frame is gone.
    frame.contentWindow.location.replace(awaited.address);
    awaited.address = "";
    return;
  }
  const number = loads++;
  if (!number) return; // that of the page's own address
  frame.contentWindow.postMessage({ armarium: "who", number }, body.dataset.content);
  setTimeout(() => answered < number && number === loads - 1 && stray(""), PATIENCE / 2);
}

// What works only with scripts, in a banner that may be new.
function furnish() {
  spread.draw();
  const print = document.getElementById("print");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", () => window.print());
  }
  for (const button of banner.querySelectorAll("[data-copy][hidden]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // plain http has no clipboard interface, but has this
  }
  const said = button.parentElement.querySelector("[data-copied]");
  said.textContent = said.dataset.copied;
}

spread.begin(now.timestamp);
furnish();
addEventListener("message", hear);
frame.addEventListener("load", look);
window.armariumHeard.forEach(hear);
window.armariumHeard = null;
// Focus goes into the frame without a click or key of ours: an open menu would stay above the page.
addEventListener("blur", () => {
  if (document.activeElement !== frame) return;
  for (const menu of banner.querySelectorAll("details[open]")) menu.open = false;
});
