"""The style sheets: one foundation, a layout for each kind of house, and colours in a sheet of their own."""

from functools import cache
from pathlib import Path

from armarium.demo.web.drawing.shapes import channels, mixed
from armarium.demo.web.model import Colours

# --- Colours of words that can be read on their ground (WCAG 2, contrast of at least 4.5 to 1).


ENOUGH = 4.6


def readable(colour: str, ground: str, ink: str) -> str:
    """The colour, drawn towards the ink until it can be read."""
    for step in range(21):
        tried = mixed(colour, ink, step / 20)
        if contrast(tried, ground) >= ENOUGH:
            return tried
    return ink


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_light(one), _light(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _light(colour: str) -> float:
    shares = [each / 255 for each in channels(colour)]
    linear = [share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# --- The style sheets: one foundation, a layout for each kind of house, and colours in a sheet of their own.


FOLDER = Path(__file__).with_name("layouts")
LAYOUTS = frozenset(file.stem for file in FOLDER.glob("*.css")) - {"foundation"}


@cache
def style_sheet(layout: str) -> bytes:
    return (FOLDER / "foundation.css").read_bytes() + (FOLDER / f"{layout}.css").read_bytes()


def colours_sheet(colours: Colours) -> bytes:
    named = {
        **vars(colours),
        "link": readable(colours.accent, colours.paper, colours.ink),
        "link-on-white": readable(colours.accent, "#ffffff", "#222222"),
    }
    return (
        ":root {\n" + "".join(f"  --{name}: {value};\n" for name, value in named.items()) + "}\n"
    ).encode()
