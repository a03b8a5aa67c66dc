// How far in time the parts of a page are from it: a sentence, bars, and a list.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [MINUTE, HOUR, DAY, 30 * DAY, 365 * DAY, Infinity]; // each bar reaches to the next
const UNITS = [["year", 365 * DAY], ["month", 30 * DAY], ["day", DAY], ["hour", HOUR], ["minute", MINUTE], ["second", SECOND]];
const MOST = 2000; // parts that are remembered
const LISTED = 300;
const SVG = "http://www.w3.org/2000/svg";

const language = document.documentElement.lang.replace(/^en$/, "en-GB");
const DATES = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

function time(timestamp) {
  const [year, month, day, hour, minute, second] = timestamp.match(/^(....)(..)(..)(..)(..)(..)$/).slice(1);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function words(span) {
  const [unit, length] = UNITS.find(([, length]) => span >= length) ?? UNITS.at(-1);
  const count = Math.round(span / length);
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}

export class Spread {
  #parts = new Map(); // address → timestamp
  #missed = 0;
  #page = 0;
  #addressOf;
  #waiting = 0;

  constructor(addressOf) {
    this.#addressOf = addressOf;
  }

  begin(timestamp) {
    this.#parts.clear();
    this.#missed = 0;
    this.#page = time(timestamp);
  }

  note(url, timestamp) {
    if (this.#parts.size >= MOST && !this.#parts.has(url)) this.#missed += 1;
    else this.#parts.set(url, timestamp);
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.draw(), 250); // many come at once
  }

  draw() {
    const place = document.getElementById("spread");
    const short = document.getElementById("spread-short");
    if (!place || !this.#parts.size) return; // above a notice there is no place for it
    const distances = [...this.#parts.values()].map((timestamp) => time(timestamp) - this.#page);
    const oldest = -Math.min(0, ...distances);
    const newest = Math.max(0, ...distances);
    const far = Math.max(oldest, newest);
    place.hidden = false;
    document.getElementById("spread-text").textContent = this.#sentence(place.dataset, oldest, newest);
    short.hidden = far < HOUR;
    short.textContent = place.dataset.short.replace("{}", words(far));
    document.getElementById("spread-bars").replaceChildren(this.#bars(place.dataset, distances));
    document.getElementById("spread-open").onclick = () => this.#list(place.dataset);
  }

  #sentence(said, oldest, newest) {
    const found = [said.count.replace("{}", new Intl.NumberFormat(language).format(this.#parts.size + this.#missed)) + "."];
    if (oldest >= MINUTE) found.push(said.oldest.replace("{}", words(oldest)));
    if (newest >= MINUTE) found.push(said.newest.replace("{}", words(newest)));
    if (found.length === 1) found.push(said.same);
    return found.join(" ");
  }

  // From long before to long after, the page itself in the middle.
  #bars(said, distances) {
    const counts = new Array(2 * STEPS.length - 1).fill(0);
    const middle = STEPS.length - 1;
    for (const distance of distances) {
      const step = STEPS.findIndex((reach) => Math.abs(distance) < reach);
      counts[middle + Math.sign(distance) * step] += 1;
    }
    const most = Math.max(...counts);
    const drawing = element("svg", { viewBox: "0 0 330 84", role: "img", "aria-label": said.bars });
    counts.forEach((count, place) => {
      const height = count ? Math.max(3, 60 * Math.sqrt(count / most)) : 0;
      const kind = place === middle ? "spread-page" : "spread-part";
      const bar = element("rect", { class: kind, x: place * 30 + 3, width: 24, y: 66 - height, height });
      bar.append(element("title", {}, `${this.#name(said, place - middle)}: ${count}`));
      drawing.append(bar);
    });
    for (const [x, anchor, place] of [[0, "start", -middle], [165, "middle", 0], [330, "end", middle]]) {
      drawing.append(element("text", { x, y: 80, "text-anchor": anchor }, this.#name(said, place)));
    }
    return drawing;
  }

  #name(said, place) {
    if (!place) return said.moment;
    const span = `> ${words(STEPS[Math.abs(place) - 1])}`;
    return (place < 0 ? said.before : said.after).replace("{}", span);
  }

  #list(said) {
    const parts = [...this.#parts].map(([url, timestamp]) => ({ url, timestamp, distance: time(timestamp) - this.#page }));
    parts.sort((one, other) => Math.abs(other.distance) - Math.abs(one.distance));
    const rows = parts.slice(0, LISTED).map(({ url, timestamp, distance }) => {
      const row = document.createElement("li");
      const link = document.createElement("a");
      link.href = this.#addressOf(timestamp, url);
      link.textContent = url;
      const when = document.createElement("span");
      const away = Math.abs(distance) < MINUTE ? said.moment
        : (distance < 0 ? said.before : said.after).replace("{}", words(Math.abs(distance)));
      when.textContent = `${DATES.format(time(timestamp))} UTC · ${away}`;
      row.append(link, when);
      return row;
    });
    document.getElementById("spread-list").replaceChildren(...rows);
    const rest = parts.length - rows.length + this.#missed;
    const more = document.getElementById("spread-more");
    more.textContent = rest ? more.dataset.more.replace("{}", rest) : "";
    document.getElementById("spread-dialog").showModal();
  }
}
