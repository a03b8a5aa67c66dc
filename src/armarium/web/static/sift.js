// Long pages: a box that leaves only what has all the words that were typed. Groups open where something is
// found. Without this file the page is whole, and the browser's own search opens what is folded.

const box = document.querySelector("[data-sift]");
const groups = [...document.querySelectorAll("[data-sift-group]")];
const nothing = document.querySelector("[data-sift-none]");
const texts = new Map();

function textOf(item) {
  if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
  return texts.get(item);
}

function sift() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let left = 0;
  for (const group of groups) {
    const whole = words.every((word) => group.id.includes(word));
    let found = 0;
    for (const item of group.querySelector("[data-sift-items]").children) {
      item.hidden = !whole && !words.every((word) => textOf(item).includes(word));
      found += !item.hidden;
    }
    group.hidden = !found;
    group.open = words.length > 0 && found > 0;
    left += found;
  }
  nothing.hidden = left > 0;
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.localName === "details") at.open = true;
  target.scrollIntoView();
}

if (box) {
  box.closest("[hidden]").hidden = false;
  box.addEventListener("input", sift);
  if (box.value) sift();
}
window.addEventListener("hashchange", openTarget);
openTarget();
