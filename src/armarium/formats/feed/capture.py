"""The text of one element of a feed, collected while it is open."""

import base64
import binascii

_MAX_VALUE = 1_048_576


class Capture:
    """Text, with its markup, of an element that is open."""

    def __init__(self, space: str, name: str, attributes: dict[str, str], base: str, depth: int) -> None:
        self.space = space
        self.name = name
        self.attributes = attributes
        self.base = base
        self.depth = depth
        self.pieces: list[str] = []
        self.size = 0
        self.markup = False

    def add(self, text: str) -> None:
        """One more piece of it."""
        if self.size < _MAX_VALUE:
            self.pieces.append(text)
            self.size += len(text)

    @property
    def type(self) -> str:
        """The type that the element declares."""
        return self.attributes.get("type", "").strip().lower()

    def value(self) -> str:
        """The whole of it, Base64 undone where the type says so."""
        text = "".join(self.pieces).strip()[:_MAX_VALUE]
        if self.attributes.get("mode", "").lower() == "base64" or (not self.markup and _is_base64(self.type)):
            return _from_base64(text)
        return text


def _is_base64(kind: str) -> bool:
    """RFC 4287, 4.1.3.3: content of another media type than text or XML is Base64."""
    if "/" not in kind or kind.startswith("text/"):
        return False
    return not kind.endswith(("+xml", "/xml"))


def _from_base64(text: str) -> str:
    try:
        return base64.b64decode(text).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return text
