// Puts the text of a chosen file into a text area. Without this file one pastes it.

const MOST = 100_000; // characters, as the server takes them

for (const field of document.querySelectorAll("[data-fill]")) {
  const input = field.querySelector("input[type=file]");
  const area = document.getElementById(field.dataset.fill);
  if (!input || !area) continue;
  field.hidden = false;
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file || file.size > 4 * MOST) return;
    area.value = await file.text();
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
