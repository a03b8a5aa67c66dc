"""The index line of a capture, from what is known when it is recorded.

Each gives what `formats.cdx.index` makes of the record, or None where that takes a closer look. They ask the
same functions, in the same order.
"""

from datetime import datetime
from typing import NamedTuple

from armarium.formats.cdx.capture import FIRST_LOOK, HTTP_SCHEMES, bare_date, bare_type, usual_answer
from armarium.formats.cdx.line import CdxLine
from armarium.formats.http import Response, parse_response
from armarium.formats.warc.new_record import warc_date
from armarium.harvest.fetch.exchange import Exchange
from armarium.harvest.record.digest_index import url_key

REVISIT = "warc/revisit"


class Place(NamedTuple):
    """Where a record stands."""

    filename: str
    offset: int
    length: int


def response_line(exchange: Exchange, digest: str, told: bool, place: Place) -> bytes | None:
    """Of a whole or cut answer. `told`: the record itself says the digest; else the indexer computes it."""
    url, date = exchange.url, exchange.started
    if not digest or not _is_plain(url):
        return None
    first = next(exchange.response.pieces())[:FIRST_LOOK]
    usual = usual_answer(first) if told else None
    if usual is not None:
        status, declared = usual
        return _line(url, date, bare_type(declared), status, digest, place)
    head = _read(first, exchange)
    return _line(url, date, bare_type(head.content_type), _status(head), digest, place) if head else None


def revisit_line(exchange: Exchange, digest: str, place: Place) -> bytes | None:
    """Of an answer whose payload is elsewhere; without a digest where the server said so."""
    head = _read(bytes(exchange.head or b"")[:FIRST_LOOK], exchange)
    if head is None or not _is_plain(exchange.url):
        return None
    return _line(exchange.url, exchange.started, REVISIT, _status(head), digest or None, place)


def names_line(url: str, date: datetime, digest: str | None, place: Place) -> bytes | None:
    """Of the answer of a name server, which has no type and no status."""
    return _line(url, date, None, None, digest, place) if digest and _is_word(url) else None


def _read(first: bytes, exchange: Exchange) -> Response | None:
    """The head as the indexer reads it, if that is the one which the digest was made by."""
    head = parse_response(first)
    known = exchange.head is not None and head.raw == exchange.head.raw
    return head if known and head.raw and head.complete else None


def _is_plain(url: str) -> bool:
    return url.startswith(HTTP_SCHEMES) and _is_word(url)


def _is_word(url: str) -> bool:
    """Whether an address comes back from a header as it went in."""
    return url.isascii() and url.isprintable() and " " not in url and url[:1] != "<"


def _status(head: Response) -> str | None:
    return None if head.status is None else str(head.status)


def _line(
    url: str, date: datetime, mime: str | None, status: str | None, digest: str | None, place: Place
) -> bytes:
    fields = {"url": url}
    if mime is not None:
        fields["mime"] = mime
    if status is not None:
        fields["status"] = status
    if digest is not None:
        fields["digest"] = digest
    fields["length"] = str(place.length)
    fields["offset"] = str(place.offset)
    fields["filename"] = place.filename
    key = url_key(url).decode(errors="surrogateescape")  # it was just looked up by
    return CdxLine(key, bare_date(warc_date(date)), fields).to_cdxj()
