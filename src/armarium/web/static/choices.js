// Budget, frequency and depth of a record: what another choice makes impossible is disabled, and the reason said
// beside it. The page holds what there is to know (selection/choice_macros.html); without this file the server
// refuses what does not go together.

const PARTS = ["budget", "frequency", "depth"];
const NEAREST = 3; // combinations offered instead of an impossible one

const said = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => values[name]);

function offersOf(field) {
  const found = new Map();
  for (const { dataset } of field.querySelectorAll("[data-offer]")) {
    const parts = PARTS.map((part) => new Set(dataset[part].split(" ")));
    found.set(dataset.offer, { name: dataset.name, parts, usual: dataset.usual });
  }
  return found;
}

function refusedOf(field) {
  const found = new Map();
  for (const item of field.querySelectorAll("[data-refused]")) {
    const reason = item.querySelector("[data-reason]").textContent.trim();
    for (const key of item.dataset.refused.split(" ")) found.set(key, reason);
  }
  return found;
}

function product([first, ...rest]) {
  return first === undefined ? [[]] : first.flatMap((one) => product(rest).map((more) => [one, ...more]));
}

class Combination {
  constructor(field) {
    this.field = field;
    this.words = field.dataset;
    this.selects = PARTS.map((part) => field.querySelector(`select[data-part=${part}]`));
    this.offers = offersOf(field);
    this.refused = refusedOf(field);
    this.place = field.form?.querySelector("select[data-choice-collection], select[name=collection]");
    this.before = this.collection();
    this.said = "";
    for (const select of this.selects) select.addEventListener("change", () => this.renew(select));
    this.place?.addEventListener("change", () => this.move());
    this.renew(null, true);
  }

  collection() {
    return this.words.in ?? this.place?.value ?? "";
  }

  values() {
    return this.selects.map((select) => select.value);
  }

  texts(values) {
    return values.map((value, at) => this.option(at, value)?.dataset.text ?? value).join(" · ");
  }

  option(at, value) {
    return [...this.selects[at].options].find((option) => option.value === value);
  }

  // Why this value of this part cannot go with the present values of the others; "": it can.
  why(at, value, others) {
    const key = others.map((other, n) => (n === at ? value : other)).join("/");
    if (value === "" || (key === this.words.kept && this.collection() === this.words.keptIn)) return "";
    const offer = this.offers.get(this.collection());
    if (offer && !offer.parts[at].has(value)) return said(this.words.wordsOffered, { name: offer.name });
    return this.refused.get(key) ?? "";
  }

  // The record came into another collection: its usual values, unless somebody chose others.
  move() {
    const chosen = this.values().join("/");
    const next = this.offers.get(this.collection());
    if (next && chosen === this.offers.get(this.before)?.usual) this.choose(next.usual.split("/"));
    this.before = this.collection();
    this.renew(null);
  }

  choose(values) {
    this.selects.forEach((select, at) => (select.value = values[at]));
  }

  renew(changed, silent = false) {
    const values = this.values();
    const closed = [];
    this.selects.forEach((select, at) => closed.push(...this.renewOptions(select, at, values)));
    const wrong = values.map((value, at) => this.why(at, value, values));
    this.judge(wrong, changed);
    const reason = wrong.find(Boolean);
    // What the server said of it is said anew, or no longer so.
    if (reason || !silent) for (const old of this.field.querySelectorAll("[data-refusal]")) old.remove();
    if (reason) return this.offerInstead(values, reason);
    const text = closed.length ? said(this.words.wordsNow, { choices: closed.join(", ") }) : "";
    const place = this.field.querySelector("[data-said]");
    place.replaceChildren();
    // What was so when the page came is written beside each choice already.
    if (!silent && text !== this.said) place.textContent = text;
    this.said = text;
  }

  renewOptions(select, at, values) {
    const reasons = new Map();
    for (const option of select.options) {
      const reason = this.why(at, option.value, values);
      const text = option.dataset.text;
      // The one that is chosen stays so, or the form would be sent without it; below, it is said why not.
      option.disabled = Boolean(reason) && !option.selected;
      option.textContent = option.disabled ? said(this.words.wordsOption, { choice: text }) : text;
      if (option.disabled) reasons.set(reason, [...(reasons.get(reason) ?? []), text]);
    }
    const lines = [...reasons].map(([reason, choices]) => {
      const line = document.createElement("li");
      line.textContent = said(this.words.wordsWhy, { choices: choices.join(", "), reason });
      return line;
    });
    document.getElementById(`${select.id}-why`).replaceChildren(...lines);
    return [...reasons.values()].flat();
  }

  // A form with an impossible combination is not sent: the browser leads to the choice that made it so.
  judge(wrong, changed) {
    const last = this.selects.indexOf(changed);
    const blamed = wrong[last] ? last : wrong.findIndex(Boolean);
    this.selects.forEach((select, at) => {
      select.setCustomValidity(at === blamed ? wrong[at] : "");
      if (at === blamed) select.setAttribute("aria-invalid", "true");
      else select.removeAttribute("aria-invalid");
    });
  }

  offerInstead(values, reason) {
    const place = this.field.querySelector("[data-said]");
    const text = document.createElement("p");
    text.className = "wrong";
    text.textContent = said(this.words.wordsWrong, { reason });
    const row = document.createElement("p");
    row.className = "form-row small-buttons";
    const near = this.nearest(values);
    if (near.length) row.append(this.words.wordsInstead, ...near.map((one) => this.button(one)));
    place.replaceChildren(text, row);
    this.said = text.textContent;
  }

  button(values) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-secondary";
    button.textContent = this.texts(values);
    button.addEventListener("click", () => {
      this.choose(values);
      this.renew(null);
      this.selects[0].focus();
      this.selects[0].dispatchEvent(new Event("input", { bubbles: true }));
    });
    return button;
  }

  nearest(values) {
    const all = this.selects.map((select) => [...select.options].map((option) => option.value).filter(Boolean));
    const possible = product(all).filter((one) => one.every((value, at) => !this.why(at, value, one)));
    const steps = (one) => one.map((value, at) => Math.abs(all[at].indexOf(value) - all[at].indexOf(values[at])));
    const apart = (one) => steps(one).reduce((sum, step) => sum + step + (step ? 100 : 0), 0);
    return possible.sort((one, other) => apart(one) - apart(other)).slice(0, NEAREST);
  }
}

// Only the themes of the chosen collection.
function themes(select) {
  const place = select.form?.querySelector("select[data-choice-collection], select[name=collection]");
  if (!place) return;
  const renew = () => {
    for (const group of select.querySelectorAll("optgroup")) {
      group.hidden = group.disabled = group.dataset.of !== place.value;
    }
    const group = select.selectedOptions[0]?.parentElement;
    if (!group || group === select || !group.disabled) return;
    const own = select.querySelector("optgroup:not([disabled])");
    const option = own?.querySelector("option[data-usual]") ?? own?.querySelector("option");
    if (option) option.selected = true;
  };
  place.addEventListener("change", renew);
  renew();
}

for (const field of document.querySelectorAll("[data-combination]")) new Combination(field);
for (const select of document.querySelectorAll("select[data-choice-theme]")) themes(select);
