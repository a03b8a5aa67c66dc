// The frame follows its reader: what the archived page says of itself and of its parts comes as messages from
// the content's origin. Archived scripts run there, too, and may say anything: everything is taken as text, and
// the banner and the address change only to captures that the archive itself confirms.

import { Spread } from "./spread.js";

const LONGEST = 10_000; // characters of an address
const body = document.body;
const banner = document.getElementById("banner");
const frame = document.getElementById("archived");
const astray = document.getElementById("astray");

let now = told(banner.firstElementChild);
let asked = 0; // the number of the last question; answers that come late are dropped
const spread = new Spread(addressOf);

function told(row) {
  return { timestamp: row.dataset.timestamp, url: row.dataset.url };
}

// As the server writes it: what is encoded stays so, and `#` would be kept by the browser.
function addressOf(timestamp, url) {
  return `/${body.dataset.collection}/${timestamp}/${encodeURI(url).replaceAll("%25", "%").replaceAll("#", "%23")}`;
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
  const said = { ...rest, url: typeof url === "string" ? url.split("#")[0] : "" };
  if (!isCapture(said)) return stray(said.url);
  const title = typeof said.title === "string" ? said.title.slice(0, 300) : "";
  if (said.url !== now.url || said.timestamp !== now.timestamp) {
    spread.begin(said.timestamp);
    if (!(await change(said))) return;
  }
  astray.hidden = true;
  if (title) document.title = `${title} · ${banner.querySelector("time").textContent}`;
}

// A notice of the archive is in the frame, or something that it cannot confirm.
function stray(url) {
  if (/^https?:/i.test(url)) astray.querySelector("a").href = addressOf("*", url);
  astray.querySelector("span").textContent = url.slice(0, 200);
  astray.hidden = false;
}

async function change({ timestamp, url }) {
  const number = ++asked;
  const query = new URLSearchParams({ collection: decodeURIComponent(body.dataset.collection), timestamp, url });
  let answer;
  try {
    answer = await fetch(`/-/part/banner?${query}`, { headers: { "X-Part": "1", Accept: "text/html" } });
  } catch {
    return false; // no network: the page in the frame says so
  }
  if (number !== asked) return false;
  if (!answer.ok) {
    stray(url);
    return false;
  }
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (number !== asked || !fresh.body.firstElementChild) return false;
  const open = banner.querySelector("details")?.open;
  banner.replaceChildren(...fresh.body.children);
  banner.querySelector("details").open = open;
  now = { timestamp, url };
  history.replaceState(null, "", addressOf(timestamp, url));
  if ("lock" in banner.firstElementChild.dataset) body.dataset.lockUrl = url;
  else delete body.dataset.lockUrl;
  furnish();
  return true;
}

// What works only with scripts, in a banner that may be new.
function furnish() {
  spread.draw();
  const print = document.getElementById("print");
  print.hidden = false;
  print.addEventListener("click", () => window.print());
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
window.armariumHeard.forEach(hear);
window.armariumHeard = null;
// Focus goes into the frame without a click or key of ours: an open menu would stay above the page.
addEventListener("blur", () => {
  if (document.activeElement !== frame) return;
  for (const menu of banner.querySelectorAll("details[open]")) menu.open = false;
});
