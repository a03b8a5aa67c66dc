// A long form: a word typed above it leaves the settings in which it occurs, and says how many there are.
// Without this file the groups are opened one by one.

const box = document.querySelector("[data-narrow]");
const form = box && document.getElementById(box.dataset.narrow);
const groups = form ? [...form.querySelectorAll("details.group")] : [];
const asWritten = new Map(groups.map((group) => [group, group.open]));

function narrow() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const group of groups) {
    let here = 0;
    for (const one of group.querySelectorAll("[data-setting]")) {
      const text = `${one.dataset.setting} ${one.textContent}`.toLowerCase();
      one.hidden = !words.every((word) => text.includes(word));
      here += !one.hidden;
    }
    group.hidden = words.length > 0 && !here;
    group.open = words.length ? here > 0 : asWritten.get(group);
    found += here;
  }
  box.nextElementSibling.textContent = words.length ? box.dataset.found.replace("%s", found) : "";
}

if (box) {
  box.parentElement.hidden = false;
  box.addEventListener("input", narrow);
  // Enter would send the form that is only looked through.
  box.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
}
