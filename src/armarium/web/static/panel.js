// Panels of other rooms: <div data-panel="/address" hidden> is filled with what the address answers.
// Where there is nothing, or scripts do not run, the page is whole without them.

async function fill(place) {
  try {
    const answer = await fetch(place.dataset.panel, { headers: { "X-Part": "1" }, credentials: "same-origin" });
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    place.replaceChildren(...page.body.childNodes);
    place.hidden = !place.children.length; // nothing: no empty place either
  } catch {
    // no network: the page says so elsewhere
  }
}

for (const place of document.querySelectorAll("[data-panel]")) fill(place);
