"""A reader of XML that gets out of a damaged document what is in it.

Comes in: pieces of text, in order. Goes out: beginnings and ends of elements, and text, always properly
nested.

It must never expand an entity that a document declares, fetch anything, recurse, or take more than linear
time. A reader that stops at the first fault, as XML 1.0 asks, would lose the rest of one feed in ten.
"""

import html.entities
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# --- Character references in XML as found: those of HTML too, and ampersands that are only ampersands.


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


# --- A reader of XML that gets out of a damaged document what is in it.


_MAX_DEPTH = 200
_MAX_TAG = 65_536
_MAX_HELD = 8_388_608  # a CDATA section longer than this is taken for markup
_MAX_PROBLEMS = 50
_MAX_NAMES = 1_000
_MAX_FAULTS = 100_000  # malformed tags: what has more of them is not XML, and not worth the time

_TAG = re.compile(r"<(/?)([A-Za-z_:\x80-\U0010ffff][^\s/>=\"'<]*+)((?>[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>")
# A quotation mark too many or too few: the tag ends at the next ">".
_LOOSE_TAG = re.compile(r"<(/?)([A-Za-z_:\x80-\U0010ffff][^\s/>=\"'<]*+)([^<>]*+)>")
_ATTRIBUTE = re.compile(r"([^\s=/\"'<>]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'<>]++)))?+")
_DECLARATION = re.compile(r"<![^\[\]<>]*+>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[\]<>]*+\[[^\]]*+\]\s*+>", re.IGNORECASE)
_XML_SPACE = "http://www.w3.org/XML/1998/namespace"


class Start(NamedTuple):
    """An element begins."""

    space: str  # its namespace; for a prefix that nobody declared, that prefix
    name: str  # in lower case, without prefix
    attributes: dict[str, str]  # names in lower case, as written


class End(NamedTuple):
    """An element ends."""

    space: str
    name: str


class Characters(NamedTuple):
    """Text inside an element; there may be several pieces."""

    text: str


Event = Start | End | Characters


class _Open(NamedTuple):
    written: str
    space: str
    name: str
    spaces: dict[str, str]


class XmlReader:
    """Reads one document. ``problems`` tells, in a few words each, how far from XML it is."""

    def __init__(self, alone: frozenset[str] = frozenset()) -> None:
        self.problems: list[str] = []
        self._alone = (
            alone  # elements that never stand inside one of the same name: a new one ends the old one
        )
        self._open: list[_Open] = []
        self._spaces: dict[str, str] = {"xml": _XML_SPACE}
        self._names: dict[str, tuple[str, str]] = {}
        self._held = ""
        self._unread: list[str] = []  # pieces that came since
        self._unread_size = 0
        self._skipped_to = ""  # the end of the comment or instruction that is being skipped
        self._rooted = False
        self._faults = 0
        self._endless: set[str] = set()  # ends of sections that do not occur in the text at hand

    def read(self, pieces: Iterable[str]) -> Iterator[Event]:
        """The events of a whole document."""
        for piece in pieces:
            self._unread.append(piece)
            self._unread_size += len(piece)
            # What is held waits for its end. It is looked at again when it has doubled, not with each piece:
            # small pieces would cost the square of its length.
            if self._unread_size >= len(self._held):
                yield from self._feed(final=False)
        yield from self._feed(final=True)
        if self._skipped_to:
            self._note("a section has no end")
        while self._open:
            self._note("an element is not closed", faults=0)
            yield self._close()
        if not self._rooted:
            self._note("there is no element")

    def _note(self, problem: str, faults: int = 1) -> None:
        self._faults += faults
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(problem)

    def _feed(self, *, final: bool) -> Iterator[Event]:
        text = "".join((self._held, *self._unread))
        self._unread, self._unread_size = [], 0
        at = self._skip(text, 0) if self._skipped_to else 0
        self._endless.clear()
        while at < len(text) and not self._skipped_to:
            if self._faults > _MAX_FAULTS:
                self._held = ""
                return
            begin = text.find("<", at)
            if begin != at:
                end = begin if begin >= 0 else self._safe_end(text, at, final=final)
                if end > at and self._open:
                    yield Characters(self._unescaped(text[at:end]))
                if begin < 0:
                    at = end
                    break
                at = begin
            after, events = self._markup(text, at, final=final)
            if after < 0:
                break  # the rest of it has not come yet
            at = after
            yield from events
        self._held = text[at:]

    def _skip(self, text: str, at: int) -> int:
        """Where what is being skipped ends; the last characters may be the beginning of its end."""
        closing = self._skipped_to
        end = text.find(closing, at)
        if end < 0:
            return max(at, len(text) - len(closing) + 1)
        self._skipped_to = ""
        return end + len(closing)

    @staticmethod
    def _safe_end(text: str, at: int, *, final: bool) -> int:
        """Where text may be cut without cutting a reference."""
        reference = text.rfind("&", max(at, len(text) - 40))
        return len(text) if final or reference < 0 else reference

    def _unescaped(self, text: str) -> str:
        result = unescape(text)
        if "&" in result and result.count("&") > text.count("&amp;") + text.count("&#38;"):
            self._note("an ampersand is not escaped, or an entity is not known", faults=0)
        return result

    def _markup(self, text: str, at: int, *, final: bool) -> tuple[int, tuple[Event, ...]]:
        """What begins with "<": position after it (-1: wait for more), and its events."""
        tag = _TAG.match(text, at)
        if tag is not None:
            return tag.end(), self._end(tag[2]) if tag[1] else self._start(tag[2], tag[3])
        for opening, closing in (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")):
            if text.startswith(opening, at):
                return self._section(text, at, opening, closing, final=final)
        declaration = _DECLARATION.match(text, at) or (None if self._rooted else _DOCTYPE.match(text, at))
        if declaration is not None:
            return declaration.end(), ()
        if not final and len(text) - at < _MAX_TAG:
            return -1, ()
        # A document type comes before the first element, and only once: it is not looked for again.
        self._rooted = self._rooted or text.startswith("<!", at)
        tag = _LOOSE_TAG.match(text, at)
        if tag is not None:
            self._note("a tag is malformed")
            return tag.end(), self._end(tag[2]) if tag[1] else self._start(tag[2], tag[3])
        self._note("a “<” begins nothing")
        return at + 1, (Characters("<"),) if self._open else ()

    def _section(
        self, text: str, at: int, opening: str, closing: str, *, final: bool
    ) -> tuple[int, tuple[Event, ...]]:
        body = at + len(opening)
        if opening != "<![CDATA[":
            self._skipped_to = closing
            return self._skip(text, body), ()
        end = text.find(closing, body) if closing not in self._endless else -1
        if end >= 0:
            return end + len(closing), (Characters(text[body:end]),) if self._open else ()
        if not final and len(text) - at < _MAX_HELD:
            return -1, ()
        self._note("a section has no end")
        self._endless.add(closing)
        # Everything that follows was meant as its text; the tags in it close what is open.
        return body, ()

    def _start(self, written: str, attributes_text: str) -> tuple[Event, ...]:
        closed: tuple[Event, ...] = ()
        if written in self._alone and any(one.written == written for one in self._open):
            self._note("an element is not closed", faults=0)
            closed = self._end(written)
        if len(self._open) >= _MAX_DEPTH:
            self._note("elements are nested too deeply")
            return closed
        self._rooted = True
        outer = self._spaces
        attributes = self._attributes(attributes_text) if attributes_text else {}
        space, name = self._names.get(written) or self._resolved(written)
        self._open.append(_Open(written, space, name, outer))
        start = Start(space, name, attributes)
        if attributes_text.endswith("/"):
            return (*closed, start, self._close())
        return (*closed, start) if closed else (start,)

    def _attributes(self, text: str) -> dict[str, str]:
        """Attributes of a tag; declarations of namespaces among them take effect."""
        attributes = {
            found[1].lower(): unescape(found[2] or found[3] or found[4] or "")
            for found in _ATTRIBUTE.finditer(text.removesuffix("/"))
        }
        if "xmlns" in text.lower():
            declared = {
                name[6:]: value
                for name, value in attributes.items()
                if name == "xmlns" or name.startswith("xmlns:")
            }
            self._spaces = {**self._spaces, **declared}
            self._names = {}
        return attributes

    def _resolved(self, written: str) -> tuple[str, str]:
        """Namespace and name of a tag; remembered as long as no prefix gets another meaning."""
        prefix, _, name = written.rpartition(":")
        space = self._spaces.get(prefix.lower())
        if space is None:
            space = prefix.lower()
            if prefix:
                self._note("a namespace prefix is not declared", faults=0)
        if len(self._names) < _MAX_NAMES:
            self._names[written] = space, name.lower()
        return space, name.lower()

    def _end(self, written: str) -> tuple[Event, ...]:
        if self._open and self._open[-1].written == written:
            return (self._close(),)
        if not any(one.written == written for one in self._open):
            self._note("an end tag closes nothing")
            return ()
        ended: list[Event] = []
        while self._open[-1].written != written:
            self._note("an element is not closed", faults=0)
            ended.append(self._close())
        return (*ended, self._close())

    def _close(self) -> End:
        one = self._open.pop()
        if one.spaces is not self._spaces:
            self._spaces = one.spaces
            self._names = {}
        return End(one.space, one.name)
