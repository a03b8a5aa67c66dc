// Nothing typed is lost: what stands in a form is kept in this browser until the server has taken it.
// A session that ends, a form that is too large, a network that is gone or a browser that crashes leave the
// draft; the form's page brings it back. Leaving a changed form asks first.
//
// <form data-unsaved> and every form with a text area is kept, but for one with data-secret. Passwords, files and hidden
// fields never are. The sign-out button and a month of age clear drafts away.

const MONTH = 31 * 24 * 3600 * 1000; // ms
const PAUSE = 400; // ms after the last key
const me = document.documentElement.dataset.me;
const prefix = `draft-${me}-`;
const KEPT = "form[data-unsaved], form[method=post]:has(textarea)";
const forms = [...document.querySelectorAll(KEPT)];
const changed = new Set();
const tab = (sessionStorage.tab ??= String(Math.random()).slice(2));
let timer = null;
let isPutting = false; // what changes is not typed

// Where it is sent, and its texts: a form that was refused stands at another address than it did, and is the same;
// two ways of writing the same thing, as fields or as TOML, are not.
const textsOf = (form) => [...form.querySelectorAll("textarea")].map((area) => area.name).join(" ");
const keyOf = (form) => `${prefix}${new URL(form.getAttribute("action"), location).pathname} ${textsOf(form)}`;

const fieldsOf = (form) =>
  [...form.elements].filter(
    (field) => field.name && !["hidden", "password", "file", "submit", "button", "fieldset"].includes(field.type),
  );

// What the form was made of: if somebody has changed that since, the draft would undo it.
const seenOf = (form) => form.querySelector("[name=seen]")?.value ?? "";

const isTicked = (field) => ["checkbox", "radio"].includes(field.type);

function valueOf(field) {
  if (isTicked(field)) return field.checked ? [field.value] : [];
  if (field.type === "select-multiple") return [...field.selectedOptions].map((one) => one.value);
  return [field.value];
}

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function write(key, draft) {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // storage is full or forbidden: the page still asks before it is left
  }
}

function keep(form, more = {}) {
  if (form.matches("[data-secret]")) return;
  const values = {};
  for (const field of fieldsOf(form)) (values[field.name] ??= []).push(...valueOf(field));
  write(keyOf(form), { at: Date.now(), tab, page: location.pathname, seen: seenOf(form), values, ...more });
}

function put(form, values) {
  isPutting = true;
  const left = Object.fromEntries(Object.entries(values).map(([name, all]) => [name, [...all]]));
  for (const field of fieldsOf(form)) {
    if (!(field.name in left)) continue;
    if (isTicked(field)) field.checked = left[field.name].includes(field.value);
    else if (field.type === "select-multiple") for (const one of field.options) one.selected = left[field.name].includes(one.value);
    else if (left[field.name].length) field.value = left[field.name].shift();
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  isPutting = false;
  changed.add(form);
}

const differs = (form, values) =>
  fieldsOf(form).some((field) => {
    const all = values[field.name] ?? [];
    return isTicked(field) ? field.checked !== all.includes(field.value) : !valueOf(field).every((one) => all.includes(one));
  });

function say(form, name, draft) {
  const notice = document.getElementById(name).content.firstElementChild.cloneNode(true);
  const when = notice.querySelector("[data-when]");
  if (when) when.textContent = new Date(draft.at).toLocaleString(document.documentElement.lang);
  notice.querySelector("[data-outdated]")?.toggleAttribute("hidden", draft.seen === seenOf(form));
  notice.querySelector("[data-discard]").addEventListener("click", () => {
    localStorage.removeItem(keyOf(form));
    changed.delete(form);
    if (name === "draft-notice") form.reset();
    notice.remove();
  });
  notice.querySelector("[data-use]")?.addEventListener("click", () => {
    put(form, draft.values);
    notice.remove();
  });
  form.before(notice);
}

// Of this tab it comes back by itself; of another one, which may still be open, or over what somebody else has
// saved since, only if somebody asks for it.
function bringBack(form) {
  const draft = read(keyOf(form));
  if (!draft) return;
  if (!differs(form, draft.values)) return localStorage.removeItem(keyOf(form));
  if (draft.tab !== tab || draft.seen !== seenOf(form)) return say(form, "draft-offer", draft);
  put(form, draft.values);
  say(form, "draft-notice", draft);
}

// Whatever page a form has led to means that it was taken. Three do not: that of a problem, that of signing in,
// which has no drafts, and the form's own without the good news that it was saved. Nor does a page to which
// somebody went by another way: what was sent may never have arrived.
function settle() {
  if (document.querySelector("[data-problem]")) return;
  const isSaved = Boolean(document.querySelector(".notices .tone-good"));
  for (const key of draftKeys()) {
    const draft = read(key);
    const isHere = draft?.page === location.pathname || forms.some((form) => keyOf(form) === key);
    const hasLed = document.referrer && draft?.page === new URL(document.referrer).pathname;
    const isTaken = draft?.sent && draft.tab === tab && (isHere ? isSaved : hasLed);
    if (!draft || isTaken || Date.now() - draft.at > MONTH) localStorage.removeItem(key);
  }
}

const draftKeys = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix));

function mark(event) {
  const form = event.target.closest?.(KEPT);
  if (!form || isPutting) return;
  changed.add(form);
  clearTimeout(timer);
  timer = setTimeout(() => changed.forEach((one) => keep(one)), PAUSE);
}

document.addEventListener("input", mark);
document.addEventListener("change", mark);
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (form.getAttribute("action") === "/sign-out") {
    clearTimeout(timer);
    for (const key of [...draftKeys(), `seen-${me}`]) localStorage.removeItem(key);
  }
  if (!form.matches(KEPT)) return;
  clearTimeout(timer);
  if (changed.delete(form)) keep(form, { sent: true });
});
window.addEventListener("beforeunload", (event) => {
  if (changed.size) event.preventDefault();
});

// A form that came back with what is wrong holds what was typed: it is a draft still, and no news.
const ownProblems = (form) => (forms.length > 1 ? form.parentElement.querySelector(":scope > .problems") : document.querySelector(".problems"));
for (const form of forms) {
  if (form.querySelector("[aria-invalid]") || ownProblems(form)) {
    keep(form);
    changed.add(form);
  }
}
settle();
forms.filter((form) => !changed.has(form)).forEach(bringBack);
