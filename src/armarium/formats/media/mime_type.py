"""MIME types as values: WHATWG MIME Sniffing, section 4."""

import re
from typing import NamedTuple

# "HTTP token code point", "HTTP quoted-string token code point"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_QUOTABLE = re.compile(r"[\t -~\x80-\xff]*")
_SPACE = "\t\n\r "
_LONGEST = 4096

_XML_TYPES = frozenset(("text/xml", "application/xml"))
# "JavaScript MIME type", all the spellings of section 4.6
_JAVASCRIPT = frozenset(
    f"{major}/{minor}"
    for major, minors in (
        ("application", "ecmascript javascript x-ecmascript x-javascript"),
        (
            "text",
            "ecmascript javascript javascript1.0 javascript1.1 javascript1.2 javascript1.3 javascript1.4 "
            "javascript1.5 jscript livescript x-ecmascript x-javascript",
        ),
    )
    for minor in minors.split()
)


class MimeType(NamedTuple):
    """A type, a subtype and parameters, names in lower case."""

    type: str
    subtype: str
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def essence(self) -> str:
        """Type and subtype: ``text/html``."""
        return f"{self.type}/{self.subtype}"

    def parameter(self, name: str) -> str | None:
        """The value of a parameter, or None."""
        return next((value for key, value in self.parameters if key == name), None)

    def __str__(self) -> str:
        written = (f";{name}={_written(value)}" for name, value in self.parameters)
        return self.essence + "".join(written)

    @property
    def is_xml(self) -> bool:
        """Whether it is an "XML MIME type"."""
        return self.subtype.endswith("+xml") or self.essence in _XML_TYPES

    @property
    def is_html(self) -> bool:
        """Whether it is an "HTML MIME type"."""
        return self.essence == "text/html"

    @property
    def is_javascript(self) -> bool:
        """Whether it is a "JavaScript MIME type"."""
        return self.essence in _JAVASCRIPT

    @property
    def is_json(self) -> bool:
        """Whether it is a "JSON MIME type"."""
        return self.subtype.endswith("+json") or self.essence in ("application/json", "text/json")

    @property
    def is_audio_or_video(self) -> bool:
        """Whether it is an "audio or video MIME type"."""
        return self.type in ("audio", "video") or self.essence == "application/ogg"


def _written(value: str) -> str:
    if _TOKEN.fullmatch(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def parse_mime_type(value: str) -> MimeType | None:
    """ "Parse a MIME type"; None for what is not one."""
    value = value[:_LONGEST].strip(_SPACE)
    major, slash, rest = value.partition("/")
    minor, _, parameters = rest.partition(";")
    minor = minor.rstrip(_SPACE)
    if not slash or not _TOKEN.fullmatch(major) or not _TOKEN.fullmatch(minor):
        return None
    return MimeType(major.lower(), minor.lower(), tuple(_parameters(parameters).items()))


def _parameters(text: str) -> dict[str, str]:
    """The loop over parameters: the first of a name counts, malformed ones are passed over."""
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        begin = at
        while at < len(text) and text[at] not in ";=":
            at += 1
        name = text[begin:at].strip(_SPACE).lower()
        value = ""
        quoted = False
        if at < len(text) and text[at] == "=":
            value, quoted, at = _parameter_value(text, at + 1)
        at += 1
        if name and (value or quoted) and _TOKEN.fullmatch(name) and _QUOTABLE.fullmatch(value):
            found.setdefault(name, value)
    return found


def _parameter_value(text: str, at: int) -> tuple[str, bool, int]:
    """A value from just after "=", whether it was quoted, and the position of the next ";"."""
    if at < len(text) and text[at] == '"':
        characters: list[str] = []
        at += 1
        while at < len(text) and text[at] != '"':
            if text[at] == "\\" and at + 1 < len(text):
                at += 1
            characters.append(text[at])
            at += 1
        end = text.find(";", at)
        return "".join(characters), True, len(text) if end < 0 else end
    end = text.find(";", at)
    end = len(text) if end < 0 else end
    return text[at:end].rstrip(_SPACE), False, end
