// What a form would do, while it is typed: <form data-preview="/address" data-preview-in="id"> is posted there
// after a pause, and the answer shown in the element with that id. Without this file one presses a button.

const PATIENCE = 400; // ms after the last key

for (const form of document.querySelectorAll("form[data-preview]")) {
  const place = document.getElementById(form.dataset.previewIn);
  let timer = null;
  let asked = 0;

  async function ask() {
    const mine = ++asked;
    try {
      const answer = await fetch(form.dataset.preview, {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        headers: { "X-Part": "1" },
        credentials: "same-origin",
      });
      if (!answer.ok || answer.redirected || mine !== asked) return; // somebody typed on meanwhile
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      place.replaceChildren(...page.body.childNodes);
    } catch {
      // no network: the button tells
    }
  }

  if (place) {
    form.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(ask, PATIENCE);
    });
  }
}
