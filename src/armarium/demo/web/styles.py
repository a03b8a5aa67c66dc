"""The style sheets: one foundation, a layout for each kind of house, and colours in a sheet of their own."""

from functools import cache
from pathlib import Path

from armarium.demo.web.contrast import readable
from armarium.demo.web.model import Colours

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
