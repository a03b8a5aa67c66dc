"""The named fields of a record header: in order, repeated where they are, with the bytes as they were."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

# WARC 1.1 clause 4: named-field = field-name ":" [ field-value ]; a line that begins with white space
# continues the one before. Lines end in CRLF; LF alone and CR CR LF are met in the wild and read.
_FOLD = re.compile(rb"\r*+\n[ \t]+")
_SPACE = " \t\r\n\v\f"
MAX_FIELDS = 10_000  # a header is bounded in bytes; this bounds the objects made of it


class Field(NamedTuple):
    """One line: name and value as text, without the white space around them."""

    name: str
    value: str


class Fields:
    """Named fields, read when first asked for. `raw` holds the bytes behind the version line."""

    # Set for each instance when it is parsed: most headers of a file never are.
    _pairs: list[tuple[str, str]] | None = None
    _first: dict[str, str]
    _malformed: Sequence[bytes] = ()

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], raw: bytes = b"") -> "Fields":
        """Fields that are not lines of their own, such as those of an ARC line."""
        fields = cls(raw)
        fields._set(list(pairs))
        return fields

    def get(self, name: str, default: str | None = None) -> str | None:
        """The first value of that name, whatever its case."""
        if self._pairs is None:
            self._parse()
        return self._first.get(name.lower(), default)

    def get_all(self, name: str) -> list[str]:
        """All values of that name, in order."""
        wanted = name.lower()
        return [value for key, value in self._parsed() if key.lower() == wanted]

    @property
    def malformed(self) -> Sequence[bytes]:
        """Lines without a colon or without a name: kept, but they are no fields."""
        self._parsed()
        return self._malformed

    def __iter__(self) -> Iterator[Field]:
        return map(Field._make, self._parsed())

    def __len__(self) -> int:
        return len(self._parsed())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __repr__(self) -> str:
        return f"Fields({self._parsed()!r})"

    def _parsed(self) -> list[tuple[str, str]]:
        if self._pairs is None:
            self._parse()
        return self._pairs or []

    def _parse(self) -> None:
        raw = self.raw
        if b"\n " in raw or b"\n\t" in raw:
            raw = _FOLD.sub(b" ", raw)
        found: list[tuple[str, str]] = []
        malformed: list[int] = []
        for place, line in enumerate(_lines(raw)):
            name, colon, value = line.partition(":")
            if colon and (key := name.strip(_SPACE)):
                found.append((key, value.strip(_SPACE)))
            elif line.strip(_SPACE):
                malformed.append(place)
        if malformed:
            lines = raw.split(b"\n", MAX_FIELDS)
            self._malformed = [lines[place].rstrip(b"\r") for place in malformed]
        self._set(found)

    def _set(self, pairs: list[tuple[str, str]]) -> None:
        self._pairs = pairs
        self._first = first = {}
        for name, value in pairs:
            key = name.lower()
            if key not in first:
                first[key] = value


def _lines(raw: bytes) -> list[str]:
    # The standard says UTF-8; the wild also knows ISO 8859-1, which can represent any byte. One line
    # of the one
    # does not make the others so.
    try:
        return raw.decode().split("\n", MAX_FIELDS)[:MAX_FIELDS]
    except UnicodeDecodeError:
        return [_text(line) for line in raw.split(b"\n", MAX_FIELDS)[:MAX_FIELDS]]


def _text(raw: bytes) -> str:
    # The standard says UTF-8; the wild also knows ISO 8859-1, which can represent any byte.
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
