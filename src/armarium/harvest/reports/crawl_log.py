"""crawl.log: one line for each finished address, in Heritrix's columns.

    2011-06-23T17:12:08.802Z   200       1299 http://example.org/ LLE http://example.org/a text/html #013
        20110623171208546+225 sha1:… http://example.org/ 2t,lenTrunc {"contentSize":1600,…}

The columns are divided by one space, so nothing in them may hold one: what a page or a server wrote is
escaped.
"""

import json
import re
from datetime import UTC, datetime
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any, NamedTuple

from armarium.harvest.model import DISREGARDED, Status

# --- How it ended with one address: exactly what a line of crawl.log tells.


ROBOTS = "robotExcluded"
BY_HASH = "duplicate:digest"
NOT_MODIFIED = "duplicate:server-not-modified"
DNS_HOST = "dns:"
DISCARDED = "dol:"  # and how many links beyond a limit were dropped
NAMELESS = "linksTrunc"  # of those links, the addresses are not known any more: the crawl was killed
# A document that was not read to its end, so that nobody knows what else it links.
CUT = frozenset(
    (
        "lenTrunc",
        "timeTrunc",
        "disconnectTrunc",
        "midFetchTrunc",
        "decodedTrunc",
        "pdfTrunc",
        "robotsTrunc",
        "sitemapTrunc",
        "feedTrunc",
        "dashTrunc",
        "hlsTrunc",
        "headerTrunc",
        NAMELESS,
    )
)


class Outcome(NamedTuple):
    finished: datetime  # when the line was written
    status: int
    size: int | None  # of the body; None where there is none
    url: str
    hops: str = ""
    via: str = ""
    mime: str = ""
    thread: int = 1
    started: datetime | None = None  # None: never fetched
    milliseconds: int = 0
    digest: str = ""
    source: str = ""
    annotations: tuple[str, ...] = ()
    content_size: int = -1  # of the message, head included; -1 where it is not known
    filename: str = ""  # of the WARC file
    offset: int = -1
    record_length: int = -1  # of its record in that file
    location: str = ""  # where a seed redirects to

    @property
    def is_success(self) -> bool:
        return self.status > 0

    @property
    def is_disregarded(self) -> bool:
        return self.status in DISREGARDED

    @property
    def is_robots_denial(self) -> bool:
        return self.status == Status.ROBOTS_PRECLUDED

    @property
    def bytes(self) -> int:
        """What it adds to the volume of the crawl."""
        return self.content_size if self.content_size >= 0 else (self.size or 0)

    @property
    def host(self) -> str:
        """The host without its port; one for all look-ups of names, as in Heritrix's hosts-report."""
        if self.url.startswith(DNS_HOST):
            return DNS_HOST
        authority = self.url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]
        if authority.startswith("["):
            return authority.partition("]")[0] + "]"
        return authority.partition(":")[0]


# --- The lines.


LONGEST_PATH = 50  # letters of the way from the seed; those before are counted
_BROKEN = re.compile(r"[\s\x00-\x20\x7f]")
_MIME = re.compile(r"[^\s;,\x00-\x20\x7f]+")
_COLUMNS = 12
_SIZE_END = 41  # time, status and size are aligned, with spaces of their own
_SPACES = 9  # behind them


def crawl_log_line(outcome: Outcome, *, extra: bool = False) -> str:
    """The line, with its end."""
    size, started, hops = outcome.size, outcome.started, outcome.hops
    if len(hops) > LONGEST_PATH:
        hops = f"{len(hops) - LONGEST_PATH}+{hops[-LONGEST_PATH:]}"
    fetched = f"{digits17(started)}+{outcome.milliseconds}" if started is not None else "-"
    line = (
        f"{milliseconds_time(outcome.finished)} {outcome.status:5d} {'-' if size is None else size:>10} "
        f"{outcome.url} {hops or '-'} {outcome.via or '-'} {bare_mime(outcome.mime)} "
        f"#{outcome.thread:03d} {fetched} {outcome.digest or '-'} {outcome.source or '-'} "
        f"{','.join(outcome.annotations) or '-'}"
    )
    if line.count(" ", _SIZE_END) != _SPACES or not line.isprintable():
        line = _escaped(outcome, line)
    return f"{line} {_extra(outcome)}\n" if extra else f"{line}\n"


def _escaped(outcome: Outcome, line: str) -> str:
    safe = outcome._replace(
        url=word(outcome.url),
        via=word(outcome.via),
        digest=word(outcome.digest),
        source=word(outcome.source),
        annotations=tuple(word(annotation).replace(",", "%2C") for annotation in outcome.annotations),
    )
    return line if safe == outcome else crawl_log_line(safe).removesuffix("\n")


def word(value: str) -> str:
    """A value that fits into a column."""
    return _BROKEN.sub(lambda found: "".join(f"%{byte:02X}" for byte in found.group().encode()), value)


@lru_cache(maxsize=1024)
def bare_mime(mime: str) -> str:
    """Without parameters; `unknown` where nothing is left."""
    found = _MIME.search(mime)
    return found.group() if found else "unknown"


def milliseconds_time(moment: datetime) -> str:
    """`2011-06-23T17:12:08.802Z`"""
    text = moment.isoformat()  # to ask it for milliseconds takes three times as long
    return f"{text[:23] if moment.microsecond else text[:19] + '.000'}Z"


def seconds_time(moment: datetime) -> str:
    """`2011-06-23T17:12:08Z`"""
    return f"{moment.isoformat()[:19]}Z"


def digits17(moment: datetime) -> str:
    """`20110623171208802`"""
    text = moment.isoformat()
    thousandths = text[20:23] if moment.microsecond else "000"
    return f"{text[:4]}{text[5:7]}{text[8:10]}{text[11:13]}{text[14:16]}{text[17:19]}{thousandths}"


def _extra(outcome: Outcome) -> str:
    if outcome.location:
        written = json.loads(_extra(outcome._replace(location="")))
        return json.dumps(written | {"location": outcome.location}, separators=(",", ":"))
    if outcome.filename and outcome.offset >= 0:
        return (  # a capture, as most lines are
            f'{{"contentSize":{outcome.content_size},"warcFilename":{_quoted(outcome.filename)},'
            f'"warcFileOffset":{outcome.offset},"warcRecordLength":{outcome.record_length}}}'
        )
    return f'{{"contentSize":{outcome.content_size}}}' if outcome.content_size >= 0 else "{}"


def parse_crawl_log_line(line: str) -> Outcome | None:
    """What a line tells; None where it is none. The way from the seed is known as far as it was written."""
    columns = line.split(None, _COLUMNS)
    if len(columns) < _COLUMNS:
        return None
    known = ["" if column == "-" else column for column in columns]
    begin, _, duration = known[8].partition("+")
    try:
        return Outcome(
            finished=datetime.fromisoformat(known[0]),
            status=int(known[1]),
            size=int(known[2]) if known[2] else None,
            url=known[3],
            hops=known[4],
            via=known[5],
            mime="" if known[6] == "unknown" else known[6],
            thread=int(known[7][1:] or 0),
            started=_from_digits17(begin) if begin else None,
            milliseconds=int(duration or 0),
            digest=known[9],
            source=known[10],
            annotations=tuple(known[11].split(",")) if known[11] else (),
        )._replace(**_read_extra(known[12] if len(known) > _COLUMNS else ""))
    except ValueError:
        return None


def _from_digits17(text: str) -> datetime:
    if len(text) != len("20110623171208802"):
        raise ValueError(f"{text!r} is no time.")
    return datetime(
        int(text[:4]), int(text[4:6]), int(text[6:8]), int(text[8:10]), int(text[10:12]), int(text[12:14]),
        int(text[14:]) * 1000, UTC,
    )  # fmt: skip


def _read_extra(text: str) -> dict[str, Any]:
    names = {
        "contentSize": "content_size",
        "warcFilename": "filename",
        "warcFileOffset": "offset",
        "warcRecordLength": "record_length",
        "location": "location",
    }
    fields = json.loads(text) if text else {}
    return {ours: fields[theirs] for theirs, ours in names.items() if theirs in fields}
