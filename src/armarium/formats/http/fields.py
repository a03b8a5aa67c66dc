"""Header fields as they were recorded: in order, repeated, with the bytes of every line kept.

Indexing asks for three or four fields of each of millions of heads, so a `Fields` is only bytes until it is
iterated: `get` looks the name up in the lower-cased block. That is right only for a block without
oddities, which a few searches prove; every other block is taken apart line by line, once.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

MAX_FIELDS = 10_000  # a flood of more is kept as bytes, not as fields

# A line that does not begin with "name:" (folded, space before the colon, no colon, no name): in a block that
# has one, the quick look-up and the full parse could disagree.
ODD_LINE = re.compile(rb"\n(?![!-9;-~]++:|[\r\n]*+\Z)")
# One field line with its folded continuations (RFC 9112, 5.2: a line that begins with SP or HT).
LINES_LF = re.compile(rb"[^\n]*+(?:\n[ \t][^\n]*+)*+(?:\n|\Z)")
LINES_CR = re.compile(rb"[^\r]*+(?:\r[ \t][^\r]*+)*+(?:\r|\Z)")
# RFC 9112, 5: field-line = field-name ":" OWS field-value OWS, in US-ASCII.
CLEAN = re.compile(rb"(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]++:[\t\x20-\x7e]*+\r\n)*+\r\n")
PAIRS = re.compile(r"([^:\r\n]++):[ \t]*+([^\r\n]*+)")  # of a clean block
BLANK = b" \t\r\n\0"


def _key(name: str) -> bytes:
    return b"\n" + name.lower().encode() + b":"


# The names that every index asks for, ready for the look-up.
KEYS = {
    name: _key(name)
    for name in (
        "content-type",
        "content-length",
        "content-encoding",
        "transfer-encoding",
        "location",
        "host",
    )
}


class Field(NamedTuple):
    """One field: its name as written (without colon and spaces), its value unfolded, its bytes as recorded.

    A line without a colon has no name: its text is the value, so that no look-up finds it.
    """

    name: str
    value: str
    raw: bytes
    offset: int  # of `raw` within the block of fields


def text(value: bytes) -> str:
    """Text of a field: UTF-8 where it is, ISO-8859-1 otherwise (RFC 9110, 5.5: "historically")."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


class Fields:
    """The fields of a head; `bytes(fields)` is exactly what was read."""

    __slots__ = ("_list", "_lowered", "line_end", "raw")

    def __init__(self, raw: bytes = b"", line_end: bytes = b"\n") -> None:
        self.raw = raw
        self.line_end = line_end
        self._lowered: bytes | None = None  # between two LF; b"" once known to be odd
        self._list: list[Field] | None = None

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Self:
        """Fields to be written: one CRLF line each, in this order."""
        return cls(b"".join(f"{name}: {value}\r\n".encode() for name, value in pairs))

    def get(self, name: str, default: str | None = None) -> str | None:
        """The first value of a field, the name in any case; None where there is none."""
        value = self.get_bytes(name)
        return default if value is None else text(value)

    def get_bytes(self, name: str) -> bytes | None:
        """The first value of a field as recorded (unfolded and trimmed)."""
        lowered = self._lowered
        if lowered is None:
            lowered = self._lowered = self._look_up_table()
        if not lowered or not name:
            return next(self._values(name), None)
        key = KEYS.get(name) or _key(name)
        found = lowered.find(key)
        if found < 0:
            return None
        start = found + len(key) - 1  # the table has one byte more than `raw`, in front
        return unfolded(self.raw[start : lowered.find(b"\n", start + 1) - 1])

    def get_all(self, name: str) -> list[str]:
        """Every value of a field, in the order recorded."""
        return [text(value) for value in self._values(name)]

    def _values(self, name: str) -> Iterator[bytes]:
        if not name:
            return
        if self._lowered is None:
            self._lowered = self._look_up_table()
        if not self._lowered:
            wanted = name.lower()
            yield from (value_bytes(field.raw) for field in self._all() if field.name.lower() == wanted)
            return
        key = KEYS.get(name) or _key(name)
        found = self._lowered.find(key)
        while found >= 0:
            start = found + len(key) - 1
            yield unfolded(self.raw[start : self._lowered.find(b"\n", start + 1) - 1])
            found = self._lowered.find(key, start)

    def listed(self, name: str) -> list[str]:
        """The members of a comma-separated field over all its lines (RFC 9110, 5.6.1), empty ones dropped."""
        if self.get_bytes(name) is None:
            return []
        members = ",".join(self.get_all(name)).split(",")
        return [stripped for member in members if (stripped := member.strip())]

    @property
    def is_clean(self) -> bool:
        """Whether every line is what the standard asks for: most blocks are, and need no closer look."""
        return self.line_end == b"\n" and CLEAN.fullmatch(self.raw) is not None

    def items(self) -> list[tuple[str, str]]:
        """Names and values, in order; the names as written."""
        if self._list is None and self.is_clean and self.raw.count(b"\n") <= MAX_FIELDS:
            return [(name, value.rstrip(" \t")) for name, value in PAIRS.findall(self.raw.decode("ascii"))]
        return [(field.name, field.value) for field in self._all()]

    @property
    def cut(self) -> bool:
        """Whether there are more lines than are taken apart (the rest is only in `raw`)."""
        fields = self._all()
        return bool(fields) and fields[-1].offset + len(fields[-1].raw) < len(self.raw.rstrip(b"\r\n"))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get_bytes(name) is not None

    def __iter__(self) -> Iterator[Field]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __bytes__(self) -> bytes:
        return self.raw

    def __repr__(self) -> str:
        return f"Fields({self.raw!r})"

    def _look_up_table(self) -> bytes:
        lowered = b"\n%b\n" % self.raw.lower()
        return b"" if self.line_end != b"\n" or ODD_LINE.search(lowered) else lowered

    def _all(self) -> list[Field]:
        if self._list is None:
            self._list = list(self._parsed())
        return self._list

    def _parsed(self) -> Iterator[Field]:
        lines = LINES_LF if self.line_end == b"\n" else LINES_CR
        count = 0
        for match in lines.finditer(self.raw):
            line = match.group()
            if not line.strip(b"\r\n"):
                continue  # the empty line that ends a head
            name, colon, value = line.partition(b":")
            if not colon:
                name, value = b"", line
            yield Field(text(name.strip(BLANK)), text(unfolded(value)), line, match.start())
            count += 1
            if count == MAX_FIELDS:
                return


def unfolded(value: bytes) -> bytes:
    """A value on one line. RFC 9112, 5.2: obs-fold is replaced with SP; 2.2: bare CR; RFC 9110, 5.5: NUL."""
    value = value.strip(BLANK)
    if b"\r" in value or b"\n" in value or b"\0" in value:
        parts = value.replace(b"\r\n", b"\n").split(b"\n")
        value = b" ".join(part.strip(b" \t") for part in parts).replace(b"\r", b" ").replace(b"\0", b" ")
    return value


def value_bytes(line: bytes) -> bytes:
    return unfolded(line.partition(b":")[2])
