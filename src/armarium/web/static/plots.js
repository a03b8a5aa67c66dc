// Pictures of figures: what a point says, under the pointer and by the arrow keys. Without this the tooltips of
// the drawing and the table below it say the same.

const KEYS = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

function show(canvas, point) {
  canvas.querySelector("[data-on]")?.removeAttribute("data-on");
  point?.setAttribute("data-on", "");
  const readout = canvas.closest(".plot").querySelector(".plot-readout");
  if (readout) readout.textContent = point?.querySelector("title").textContent ?? "";
}

function step(event) {
  const canvas = event.target.closest?.("[data-plot]");
  if (!canvas || !(event.key in KEYS) || event.altKey || event.ctrlKey || event.metaKey) return;
  const points = [...canvas.querySelectorAll(".plot-point")];
  const now = points.findIndex((point) => point.hasAttribute("data-on"));
  const next = (now < 0 && event.key === "ArrowLeft" ? points.length : now) + KEYS[event.key];
  show(canvas, points[Math.min(Math.max(next, 0), points.length - 1)]);
  event.preventDefault();
}

function follow(event) {
  const canvas = event.target.closest?.("[data-plot]");
  if (canvas) show(canvas, event.target.closest(".plot-point"));
}

document.addEventListener("keydown", step);
document.addEventListener("pointerover", follow);
document.addEventListener("pointerout", (event) => {
  const canvas = event.target.closest?.("[data-plot]");
  if (canvas && !canvas.contains(event.relatedTarget)) show(canvas, null);
});
