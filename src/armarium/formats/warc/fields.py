"""The named fields of a record header: in order, repeated where they are, with the bytes as they were."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from operator import attrgetter
from typing import NamedTuple

from armarium.formats.warc.new_record import NewRecord, warc_date

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


# --- The header that a new record gets.


# Fields that most records do not have, in the order in which they are written.
_RARE = {
    "WARC-Profile": "profile",
    "WARC-Refers-To": "refers_to",
    "WARC-Refers-To-Target-URI": "refers_to_target_uri",
    "WARC-Refers-To-Date": "refers_to_date",
    "WARC-Filename": "filename",
    "WARC-Truncated": "truncated",
    "WARC-Segment-Origin-ID": "segment_origin_id",
    "WARC-Segment-Number": "segment_number",
    "WARC-Segment-Total-Length": "segment_total_length",
    "WARC-Identified-Payload-Type": "identified_payload_type",
}
_RARE_VALUES = attrgetter(*_RARE.values())
_NONE = (None,) * len(_RARE)


def header_lines(
    record: NewRecord,
    length: int,
    block_digest: str | None,
    payload_digest: str | None,
    warcinfo_id: str | None = None,
) -> bytes:
    """Version line, named fields, empty line. Raises ValueError where a value would break the header."""
    head = (
        f"WARC/1.1\r\nWARC-Type: {record.record_type}\r\nWARC-Record-ID: {record.record_id}\r\n"
        f"WARC-Date: {warc_date(record.date)}\r\n"
    )
    fields = 0
    if record.target_uri is not None:
        head += f"WARC-Target-URI: {record.target_uri}\r\n"
        fields += 1
    if record.ip_address is not None:
        head += f"WARC-IP-Address: {record.ip_address}\r\n"
        fields += 1
    warcinfo_id = record.warcinfo_id or (None if record.record_type == "warcinfo" else warcinfo_id)
    if warcinfo_id is not None:
        head += f"WARC-Warcinfo-ID: {warcinfo_id}\r\n"
        fields += 1
    for other in record.concurrent_to:
        head += f"WARC-Concurrent-To: {other}\r\n"
    if (values := _RARE_VALUES(record)) != _NONE:
        rare = _rare_lines(values)
        head += "".join(rare)
        fields += len(rare)
    if payload_digest:  # "": it is known, and not to be told
        head += f"WARC-Payload-Digest: {payload_digest}\r\n"
        fields += 1
    if block_digest is not None:
        head += f"WARC-Block-Digest: {block_digest}\r\n"
        fields += 1
    for name, value in record.extra:
        head += f"{name}: {value}\r\n"
    if record.content_type is not None:
        head += f"Content-Type: {record.content_type}\r\n"
        fields += 1
    head += f"Content-Length: {length}\r\n\r\n"
    _check(record, head, fields + len(record.concurrent_to) + len(record.extra))
    return head.encode()


def _check(record: NewRecord, head: str, fields: int) -> None:
    # A line end inside a value would begin a field of its own, or the block: the URL of a page may hold one.
    ends = fields + 6  # version, type, id, date, length and the empty line
    if head.count("\n") != ends or head.count("\r") != ends:
        raise ValueError(f"A field of the {record.record_type} record {record.record_id} holds a line end.")


def _rare_lines(values: tuple[object, ...]) -> list[str]:
    return [
        f"{name}: {warc_date(value) if isinstance(value, datetime) else value}\r\n"
        for name, value in zip(_RARE, values, strict=True)
        if value is not None
    ]


# --- WARC-Date: a W3C profile of ISO 8601, to the second in 1.0 and of any granularity in 1.1.


# WARC 1.1 clause 5.4: year, month, day, minute, second, or 1 to 9 digits of a fraction; always UTC.
# Offsets and a missing Z are met in the wild and understood.
_DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?\Z",  # noqa: E501
    re.ASCII | re.IGNORECASE,
)


def parse_date(text: str) -> datetime | None:
    """The moment a record names, in UTC and to the microsecond; None where it is no date."""
    match = _DATE.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        moment = datetime(
            int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0),
            int(second or 0), int(((fraction or "") + "000000")[:6]), _zone(zone),
        )  # fmt: skip
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
