"""The named fields of a record header: in order, repeated where they are, with the bytes as they were."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

# WARC 1.1 clause 4: named-field = field-name ":" [ field-value ]; a line that begins with white space
# continues the one before. Lines end in CRLF; LF alone is met in the wild and read.
_FOLD = re.compile(rb"\r?\n[ \t]+")
MAX_FIELDS = 10_000  # a header is bounded in bytes; this bounds the objects made of it


class Field(NamedTuple):
    """One line: name and value as text, without the white space around them."""

    name: str
    value: str


class Fields:
    """Named fields, read when first asked for. `raw` holds the bytes behind the version line."""

    # Set for each instance when it is parsed: most headers of a file never are.
    _list: list[Field] | None = None
    _first: dict[str, str]
    _malformed: Sequence[bytes] = ()

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], raw: bytes = b"") -> "Fields":
        """Fields that are not lines of their own, such as those of an ARC line."""
        fields = cls(raw)
        fields._list = [Field(name, value) for name, value in pairs]
        fields._index()
        return fields

    def get(self, name: str, default: str | None = None) -> str | None:
        """The first value of that name, whatever its case."""
        if self._list is None:
            self._parse()
        return self._first.get(name.lower(), default)

    def get_all(self, name: str) -> list[str]:
        """All values of that name, in order."""
        wanted = name.lower()
        return [field.value for field in self if field.name.lower() == wanted]

    @property
    def malformed(self) -> Sequence[bytes]:
        """Lines without a colon or without a name: kept, but they are no fields."""
        if self._list is None:
            self._parse()
        return self._malformed

    def __iter__(self) -> Iterator[Field]:
        if self._list is None:
            self._parse()
        return iter(self._list or ())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __repr__(self) -> str:
        return f"Fields({[tuple(field) for field in self]!r})"

    def _parse(self) -> None:
        raw = self.raw
        if b"\n " in raw or b"\n\t" in raw:
            raw = _FOLD.sub(b" ", raw)
        found: list[Field] = []
        malformed: list[bytes] = []
        for line in raw.split(b"\n", MAX_FIELDS)[:MAX_FIELDS]:
            name, colon, value = line.partition(b":")
            if colon and (key := name.strip()):
                found.append(Field(_text(key), _text(value.strip())))
            elif line.strip():
                malformed.append(line.rstrip(b"\r"))
        self._list, self._malformed = found, malformed
        self._index()

    def _index(self) -> None:
        first = self._first = {}
        for name, value in self._list or ():
            first.setdefault(name.lower(), value)


def _text(raw: bytes) -> str:
    # The standard says UTF-8; the wild also knows ISO 8859-1, which can represent any byte.
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
