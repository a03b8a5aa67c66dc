// Comfort for the shell. Every page works without this file: menus are details elements,
// confirmations are skipped, links and tokens can be selected by hand.

const SENT_AGAIN_AFTER = 8000; // ms until a button may be pressed again when no new page came

function dismissNotices() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".notice .dismiss");
    if (!button) return;
    button.closest(".notice").remove();
    document.getElementById("main")?.focus({ preventScroll: true });
  });
}

function closeMenus() {
  const open = () => document.querySelectorAll(":is(.menu, .menu-drop, .summary-more)[open]");
  document.addEventListener("click", (event) => {
    for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of open()) {
      const inside = menu.contains(document.activeElement);
      menu.open = false;
      if (inside) menu.querySelector("summary").focus();
    }
  });
  // A menu that the focus has left would cover what the focus is on now.
  document.addEventListener("focusin", (event) => {
    for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
  });
}

function confirmForms() {
  const dialog = document.getElementById("confirm");
  if (!dialog || typeof dialog.showModal !== "function") return;
  let asked = null; // the form and the button that wait for an answer
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const question = form.dataset.confirm;
    if (!question || form.dataset.confirmed) return;
    event.preventDefault();
    asked = { form, button: event.submitter };
    dialog.querySelector("[data-question]").textContent = question;
    const yes = dialog.querySelector("[data-yes]");
    // Only the words that are seen: the rest of a row's button says what it is about.
    yes.textContent = event.submitter?.firstChild.textContent.trim() || yes.textContent;
    dialog.returnValue = "";
    dialog.showModal();
  }, true);
  dialog.addEventListener("close", () => {
    if (!asked) return;
    const { form, button } = asked;
    asked = null;
    if (dialog.returnValue !== "yes") return;
    form.dataset.confirmed = "yes";
    form.requestSubmit(button);
    delete form.dataset.confirmed;
  });
}

function submitOnce() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
    // After the submission is built: a disabled button would not send its name and value.
    setTimeout(() => hold(form, true), 0);
    setTimeout(() => hold(form, false), SENT_AGAIN_AFTER);
  });
  // Back from the browser's page cache: the buttons work again.
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) hold(form, false);
  });
}

function hold(form, held) {
  if (!held) delete form.dataset.sent;
  for (const button of form.querySelectorAll("button")) {
    if (held) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
}

function copyButtons() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const field = document.getElementById(button.dataset.copy);
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
      } catch {
        document.execCommand("copy"); // plain http has no clipboard interface, but has this
      }
      const said = button.parentElement.querySelector("[data-copied]");
      said.textContent = said.dataset.copied;
      setTimeout(() => (said.textContent = ""), 4000);
    });
  }
}

// A browser by itself tells one fault, and then the next. The server tells all of them, each at its field.
function tellAllAtOnce() {
  for (const form of document.querySelectorAll("form[method=post]")) form.noValidate = true;
}

// Tabs scroll sideways where they do not fit: the current one shall be in sight.
function showCurrentTabs() {
  for (const current of document.querySelectorAll(".tabs [aria-current]")) {
    const tabs = current.closest(".tabs");
    const left = current.getBoundingClientRect().left - tabs.getBoundingClientRect().left;
    tabs.scrollLeft += left - (tabs.clientWidth - current.offsetWidth) / 2;
  }
}

// What a list has cut off is read under the pointer, also in rows that came later.
function tellClipped() {
  document.addEventListener("pointerover", (event) => {
    const cell = event.target.closest?.(".clip");
    if (!cell || cell.title || cell.querySelector("[title]")) return;
    const isCut = (one) => one && one.scrollWidth > one.clientWidth;
    if (isCut(cell) || isCut(cell.firstElementChild)) cell.title = cell.innerText.trim(); // alone, a link is cut off itself
  });
}

dismissNotices();
closeMenus();
confirmForms();
submitOnce();
copyButtons();
tellAllAtOnce();
showCurrentTabs();
tellClipped();
