"""One line of an index, whatever form it came in: a capture, a directive, or something unreadable."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

from armarium.formats.cdx.columns import CDX11, Layout
from armarium.formats.cdx.timestamps import moment
from armarium.formats.warc.digest import Digest

# --- Digests as index lines spell them: labelled as in WARC, or bare, and then told by letters and length.


# Bare digests met in CDX files. Base32 of SHA-1 and hexadecimal of MD5 have 32 letters each, but base32 is
# written in capitals and has no 0, 1, 8 and 9.
_BARE = (
    (re.compile(r"[A-Z2-7]{32}\Z"), "sha1"),
    (re.compile(r"[0-9a-fA-F]{32}\Z"), "md5"),
    (re.compile(r"[0-9a-fA-F]{40}\Z"), "sha1"),
    (re.compile(r"[0-9a-fA-F]{64}\Z"), "sha256"),
    (re.compile(r"[A-Z2-7]{52}(?:====)?\Z"), "sha256"),
    (re.compile(r"[0-9a-fA-F]{128}\Z"), "sha512"),
)
_LONGEST = 256
_SHA1 = re.compile(r"(?:urn:)?sha-?1:", re.IGNORECASE)


def parse_digest(text: str) -> Digest | None:
    """`sha1:B2LT…`, `sha-256:…`, bare base32 or hexadecimal; None for anything else."""
    if len(text) > _LONGEST:
        return None
    if ":" in text:
        return Digest.parse(text)
    for shape, algorithm in _BARE:
        if shape.match(text):
            return Digest.parse(f"{algorithm}:{text}")
    return None


def in_column(written: str) -> str:
    """A digest as CDX in columns has it: SHA-1 without its name, as everywhere; no other passes for it."""
    return _SHA1.sub("", written, count=1)


# --- One line of an index, whatever form it came in: a capture, a directive, or something unreadable.


# Old files hold URLs in whatever bytes the page had. They pass through unharmed.
ENCODING, ERRORS = "utf-8", "surrogateescape"

ABSENT = "-"
_BREAKS_COLUMNS = re.compile(r"[\s\x00-\x20\x7f]")


@dataclass(frozen=True)
class CdxLine:
    """A capture: its key, its time, and what else is known of it.

    `fields` keeps the names and order of CDXJ (`url, mime, status, digest, length, offset, filename`); what a
    line does not tell is not in it. Values are text, but for JSON that some other dialect put there.
    """

    key: str  # empty where the file has no such column
    timestamp: str  # as written: 14 digits by custom
    fields: Mapping[str, Any] = field(hash=False)

    @property
    def date(self) -> datetime | None:
        return moment(self.timestamp)

    @property
    def url(self) -> str | None:
        return self.text("url")

    @property
    def mime(self) -> str | None:
        return self.text("mime")

    @property
    def status(self) -> int | None:
        return self.number("status")

    @property
    def digest(self) -> Digest | None:
        """The digest, whichever way it was spelt: `sha1:X`, `sha256:hex`, bare base32, or an old MD5."""
        written = self.text("digest") or self.text("checksum")
        return parse_digest(written) if written else None

    @property
    def length(self) -> int | None:
        return self.number("length")

    @property
    def offset(self) -> int | None:
        return self.number("offset")

    @property
    def filename(self) -> str | None:
        return self.text("filename")

    @property
    def redirect(self) -> str | None:
        return self.text("redirect")

    @property
    def is_revisit(self) -> bool:
        """pywb's rule: the type says so, or there is no file."""
        return self.mime == "warc/revisit" or self.fields.get("filename") == ABSENT

    def text(self, name: str) -> str | None:
        value = self.fields.get(name)
        return None if value is None or value == ABSENT else str(value)

    def number(self, name: str) -> int | None:
        value = self.text(name)
        return int(value) if value and value.isascii() and value.isdigit() and len(value) < 20 else None

    def to_cdxj(self) -> bytes:
        """The line as cdxj-indexer spells it, without the line's end."""
        timestamp = _column(self.timestamp)
        start = f"{_column(self.key)} {timestamp} " if self.key else f"{timestamp} "
        # json.dumps spells the same, but takes three times as long for so little.
        members = [f"{_quoted(name)}: {_json(value)}" for name, value in self.fields.items()]
        return f"{start}{{{', '.join(members)}}}".encode(ENCODING, ERRORS)

    def to_cdx(self, layout: Layout = CDX11) -> bytes:
        """The line in columns, without the line's end. Nothing in a value can start another column."""
        return layout.delimiter.join(_column(self._named(name)) for name in layout.names).encode(
            ENCODING, ERRORS
        )

    def _named(self, name: str) -> str:
        if name == "urlkey":
            return self.key
        if name == "timestamp":
            return self.timestamp
        value = self.fields.get(name)
        if value is None and name == "digest":
            value = self.fields.get("checksum")
        if value is None:
            return ""
        written = value if isinstance(value, str) else json.dumps(value)
        return in_column(written) if name == "digest" else written


def _json(value: Any) -> str:
    return _quoted(value) if type(value) is str else json.dumps(value)


def _column(value: str) -> str:
    if not value:
        return ABSENT
    return _BREAKS_COLUMNS.sub(lambda found: f"%{ord(found.group()):02X}", value)


@dataclass(frozen=True)
class Directive:
    """A line about the file, not about a capture: `!meta {…}`, `!context […]`, `@alias a b`, `# remark`."""

    name: str
    text: str  # the line as it stood
    value: Any = field(default=None, hash=False)  # its JSON, if it has any

    def to_bytes(self) -> bytes:
        return self.text.encode(ENCODING, ERRORS)


class Fault(StrEnum):
    """Why a line cannot be used, or not fully."""

    EMPTY = "empty"
    TOO_LONG = "too-long"
    COLUMNS = "columns"
    JSON = "json"
    TIMESTAMP = "timestamp"
    NUMBER = "number"


@dataclass(frozen=True)
class BadLine:
    """A line with something wrong. `salvaged` is what can be read nevertheless, for those who trust it."""

    raw: bytes
    fault: Fault
    message: str
    salvaged: CdxLine | None = None


def joined_lines(lines: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Lines in pieces of about so many bytes: each piece that is sent costs as much as many lines."""
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= most:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)
