"""Character references in XML as found: those of HTML too, and ampersands that are only ampersands."""

import html.entities
import re

# A reference has an end: "&copy=1" in an address is no sign of copyright.
_REFERENCE = re.compile(r"&(#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});")
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
# Numbers 128 to 159 are meant as windows-1252, as in HTML.
_WINDOWS = {number: bytes((number,)).decode("cp1252", "replace") for number in range(0x80, 0xA0)}


def unescape(text: str) -> str:
    """Replace references by their characters; what is none stays as it is. Nothing is replaced twice."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name[0] != "#":
        # Entities that a document declares for itself are not expanded: a few lines of them make gigabytes.
        return _PREDEFINED.get(name) or html.entities.html5.get(f"{name};") or found[0]
    number = int(f"0{name[1:]}", 0) if name[1] in "xX" else int(name[1:])
    if number in _WINDOWS:
        return _WINDOWS[number]
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return "\ufffd"
    return chr(number)
