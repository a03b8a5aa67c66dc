// While a page is open: keep what only one reader may have, and notice when the session has ended.
// <body data-signed-in data-lock-url="http://example.org/">; the frame changes data-lock-url as its reader goes on.

const EVERY = 60_000;
const page = document.body;

function tell(url, what) {
  return fetch("/-/part/lock", {
    method: "POST",
    body: new URLSearchParams({ url, do: what }),
    headers: { "X-Part": "1" },
    keepalive: true, // also while the page is being left
  });
}

async function lookAfter() {
  try {
    if ("signedIn" in page.dataset) {
      const answer = await fetch("/-/part/session", { headers: { "X-Part": "1" } });
      if (answer.status === 401) location.assign("/-/left");
    }
    if (page.dataset.lockUrl) await tell(page.dataset.lockUrl, "renew");
  } catch {
    // no network for a moment: the lock lasts for some minutes
  }
}

setInterval(lookAfter, EVERY);
addEventListener("pagehide", () => page.dataset.lockUrl && tell(page.dataset.lockUrl, "release"));
new MutationObserver((changes) => {
  const before = changes[0].oldValue;
  if (before && before !== page.dataset.lockUrl) tell(before, "release").catch(() => {});
}).observe(page, { attributeFilter: ["data-lock-url"], attributeOldValue: true });
