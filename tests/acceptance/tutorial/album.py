"""The pictures of the tutorial: made by its test, and each with the words that its page showed.

A picture is a PNG with a palette, small enough for a repository. The words lie in a chunk of it, so that both
stay together. When a page no longer says what its picture shows, the test fails and names the picture.
"""

import base64
import difflib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page

from tests.acceptance.tutorial.words import lasting

FOLDER = Path(__file__).parents[3] / "docs" / "tutorial" / "pictures"
RENEW = "./test tests/acceptance/tutorial tests/browser/test_first_day.py --renew-pictures"
MOST_BYTES = 120_000
KEYWORD = b"Words"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_QUANTISE = """async (png) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const data = context.getImageData(0, 0, image.width, image.height).data;
  const found = new Map();
  const key = (at) => ((data[at] & 0xf8) << 16) | ((data[at + 1] & 0xf8) << 8) | (data[at + 2] & 0xf8);
  for (let at = 0; at < data.length; at += 4) found.set(key(at), (found.get(key(at)) ?? 0) + 1);
  const palette = [...found].sort((a, b) => b[1] - a[1]).slice(0, 64).map(([colour]) => colour);
  const parts = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];
  const known = new Map();
  const nearest = (colour) => {
    if (!known.has(colour)) {
      const [red, green, blue] = parts(colour);
      const far = palette.map(parts).map(([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2);
      known.set(colour, far.indexOf(Math.min(...far)));
    }
    return known.get(colour);
  };
  let text = "";
  for (let at = 0; at < data.length; at += 4) text += String.fromCharCode(nearest(key(at)));
  const whole = palette.flatMap(parts).map((part) => part | (part >> 5)); // white is white again
  return [image.width, image.height, whole, btoa(text)];
}"""


@dataclass
class Album:
    renew: bool
    taken: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)

    def take(self, page: Page, name: str) -> None:
        """Make the picture anew, or hold the page against it."""
        self.taken.append(name)
        said = lasting("\n".join(frame.locator("body").inner_text() for frame in page.frames))
        file = FOLDER / f"{name}.png"
        if self.renew:
            FOLDER.mkdir(exist_ok=True)
            file.write_bytes(_picture(page, said))
        elif not file.is_file():
            self.stale.append(f"{name}.png is not there.")
        elif (shown := words_of(file)) != said:
            self.stale.append(f"{name}.png shows another page than there is now:\n{_difference(shown, said)}")

    def close(self) -> None:
        """Fails if a picture is stale."""
        assert not self.stale, "\n\n".join([*self.stale, f"Make the pictures anew: {RENEW}"])


def words_of(file: Path) -> str:
    """The words that came with the picture; empty: it has none."""
    for kind, data in _chunks(file.read_bytes()):
        if kind == b"zTXt" and data.startswith(KEYWORD + b"\0\0"):
            return zlib.decompress(data[len(KEYWORD) + 2 :]).decode()
    return ""


def _picture(page: Page, said: str) -> bytes:
    shot = page.screenshot(animations="disabled", caret="hide")
    blank = page.context.new_page()
    try:
        width, height, colours, pixels = blank.evaluate(_QUANTISE, base64.b64encode(shot).decode())
    finally:
        blank.close()
    lines = base64.b64decode(pixels)
    rows = b"".join(b"\0" + lines[at : at + width] for at in range(0, width * height, width))
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 3, 0, 0, 0))
    written = _SIGNATURE + b"".join(
        _chunk(kind, data)
        for kind, data in (
            (b"IHDR", head),
            (b"PLTE", bytes(colours)),
            (b"zTXt", KEYWORD + b"\0\0" + zlib.compress(said.encode(), 9)),
            (b"IDAT", zlib.compress(rows, 9)),
            (b"IEND", b""),
        )
    )
    assert len(written) <= MOST_BYTES, f"The picture has {len(written)} bytes."
    return written


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGNATURE)
    while at < len(picture):
        length = int.from_bytes(picture[at : at + 4], "big")
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        at += 12 + length


def _difference(shown: str, said: str) -> str:
    before, after = shown.split(" "), said.split(" ")
    steps = difflib.SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    changes = [(before[a:b], after[c:d]) for tag, a, b, c, d in steps if tag != "equal"]
    return "\n".join(f"  on the picture “{' '.join(old)}”, now “{' '.join(new)}”" for old, new in changes[:5])
