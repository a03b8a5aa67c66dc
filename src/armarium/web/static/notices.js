// Shows a notice as the server would, from the patterns that the shell carries along.
// A module without effects of its own, so that it may be loaded twice.

export function tell(kind, text, link) {
  const place = document.getElementById("notices");
  const pattern = document.getElementById(`notice-${kind}`);
  if (!place || !pattern) return null;
  const notice = pattern.content.firstElementChild.cloneNode(true);
  const sentence = notice.querySelector("[data-text]");
  sentence.textContent = text;
  if (link) {
    const anchor = document.createElement("a");
    anchor.href = link.href;
    anchor.textContent = link.label;
    sentence.append(" ", anchor);
  }
  place.append(notice);
  return notice;
}
