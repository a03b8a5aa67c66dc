"""What is in W/ARC files, in figures."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from armarium.formats.cdx.capture import Capture
from armarium.formats.url import InvalidUrl, parse

_MOST_KINDS = 200_000  # of one thing counted apart; further ones are lumped together
OTHERS = "others"


@dataclass
class Statistics:
    files: list[str] = field(default_factory=list)
    records: int = 0
    bytes: int = 0  # in the files, compressed as they are
    types: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    mimes: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None

    def add(self, capture: Capture) -> None:
        """Count a record. Statuses, types of content and hosts are those of captures, requests aside."""
        record = capture.record
        kind = record.record_type
        self.records += 1
        self.bytes += record.length
        _count(self.types, kind or "unknown")
        self._add_date(record.date)
        if kind not in ("response", "revisit", "resource", "conversion"):
            return
        if capture.status is not None:
            _count(self.statuses, capture.status)
        if capture.mime:
            _count(self.mimes, capture.mime.lower())
        host = _host(capture.url)
        if host:
            _count(self.hosts, host)

    def _add_date(self, date: datetime | None) -> None:
        if date is not None:
            self.first = min(self.first or date, date)
            self.last = max(self.last or date, date)

    def as_json(self) -> dict[str, Any]:
        return {
            "files": self.files,
            "records": self.records,
            "bytes": self.bytes,
            "first": self.first and self.first.isoformat(),
            "last": self.last and self.last.isoformat(),
            **{
                name: dict(getattr(self, name).most_common())
                for name in ("types", "statuses", "mimes", "hosts")
            },
        }


def _count(counter: Counter[str], kind: str) -> None:
    counter[kind if kind in counter or len(counter) < _MOST_KINDS else OTHERS] += 1


def _host(url: str | None) -> str | None:
    if not url or "://" not in url:
        return None
    try:
        return parse(url).host or None
    except InvalidUrl:
        return None
