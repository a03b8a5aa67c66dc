"""ARC records, with the accessors of WARC records where ARC knows the value."""

import re
from datetime import datetime

from armarium.formats.arc.lines import parse_arc_date
from armarium.formats.warc.records import Record, number

_HTTP = ("http:", "https:")
# Alexa's own data about its crawl stand under http: addresses but are no HTTP messages.
_NOT_HTTP = ("alexa/dat", "text/dns")

_status_line = re.compile(rb"HTTP/1\.[01] [1-5][0-9]{2}").match


class ArcRecord(Record):
    """A capture in an ARC file."""

    @property
    def record_type(self) -> str:
        return "response"

    @property
    def record_id(self) -> str | None:
        return None

    @property
    def target_uri(self) -> str | None:
        return self._value("URL")

    @property
    def date(self) -> datetime | None:
        return parse_arc_date(self.fields.get("Archive-date") or "")

    @property
    def ip_address(self) -> str | None:
        return self._value("IP-address")

    @property
    def content_type(self) -> str | None:
        """The type that the crawler noted: that of the payload, not of the block."""
        return self._value("Content-type")

    @property
    def content_length(self) -> int | None:
        return number(self.fields.get("Archive-length"))

    @property
    def result_code(self) -> int | None:
        return number(self.fields.get("Result-code"))

    @property
    def checksum(self) -> str | None:
        return self._value("Checksum")

    @property
    def location(self) -> str | None:
        return self._value("Location")

    @property
    def stated_offset(self) -> int | None:
        """The offset that the record itself gives, in the file before compression."""
        return number(self.fields.get("Offset"))

    @property
    def filename(self) -> str | None:
        return self._value("Filename")

    @property
    def is_http(self) -> bool:
        """Whether the block begins with an HTTP head: the URL alone does not tell."""
        if self._http is not None:
            return True
        if (self.content_type or "").lower().startswith(_NOT_HTTP):
            return False
        if self.block.position:
            return False
        if not (self.target_uri or "").lower().startswith(_HTTP):
            return _status_line(self.block.peek(12)) is not None  # an HTTP proxy fetched ftp:
        return self.block.peek(5).upper() in (b"HTTP/", b"HTTP ", b"ICY 2")

    @property
    def is_request(self) -> bool:
        return False

    def _value(self, name: str) -> str | None:
        value = self.fields.get(name)
        return None if value in ("", "-") else value


class ArcVersionBlock(ArcRecord):
    """The first record of an ARC file: which version it has, and who wrote it."""

    @property
    def record_type(self) -> str:
        return "filedesc"

    @property
    def is_http(self) -> bool:
        return False
