"""One record as a file of its own: a member of a compressed W/ARC file is a whole W/ARC file."""

import re

from starlette.responses import RedirectResponse, Response

from armarium.access.captures import lines
from armarium.access.captures.lines import ListedCapture, Patience, captures, nearest
from armarium.access.memento.links import link_address
from armarium.access.model import Seen
from armarium.access.replay.ranges import NotSatisfiable, Span, asked_span
from armarium.access.requests.site import Visit
from armarium.access.requests.threads import current_work
from armarium.access.rewrite.archival_addresses import Archival, NotArchival, parse_archival
from armarium.access.view import Restricted
from armarium.core.errors import Forbidden, NotFound, Refused
from armarium.core.message import message
from armarium.formats.url import surt
from armarium.web.streams import Stream

MOST_BYTES = 1 << 30  # all of it is read, and found whole, before a byte of it is sent
SHORT = 4 << 20  # bytes up to which this takes no time
_UNFIT = re.compile(r"[^a-z0-9.-]+")
#: How the name of a file ends, and what such a file is.
_KINDS = (
    (".warc.gz", "application/gzip"),
    (".arc.gz", "application/gzip"),
    (".warc.zst", "application/zstd"),
    (".warc", "application/warc"),
    (".arc", "application/octet-stream"),
)


def download(visit: Visit) -> Response:
    """`record/<timestamp>/<address>`; another timestamp than that of a capture leads to the nearest."""
    asked = _asked(visit.rest)
    told = _capture(visit, asked)
    if told.timestamp != asked.timestamp:
        reading, name = visit.site.settings.reading, visit.collection.name
        return RedirectResponse(
            f"{reading}/{name}/record/{told.timestamp}/{link_address(told.line.url or asked.url)}", 302
        )
    seen = visit.view.seen(told.line)
    if seen is None:  # taken down since a moment ago
        raise NotFound(message("There is no such capture."))
    _check(seen)
    return _sent(visit, seen)


def _asked(rest: str) -> Archival:
    try:
        asked = parse_archival(rest.partition("/")[2])
    except NotArchival:
        asked = None
    if not isinstance(asked, Archival):
        raise NotFound(
            message("The address names no record: write record/, the timestamp, / and the address.")
        )
    return asked


def _capture(visit: Visit, asked: Archival) -> ListedCapture:
    view, key = visit.view, surt(asked.url)
    found = (
        nearest(view, key, asked.timestamp, Patience())
        if asked.timestamp
        else captures(view, lines.Span.of_key(key), Patience(), reverse=True)
    )
    restricted: ListedCapture | None = None
    for told in found:
        if not told.restricted:
            return told
        if told.timestamp == asked.timestamp:
            restricted = told
            break
        restricted = restricted or told
    if restricted is not None:
        visit.site.uses.note("record", "restricted", collection=visit.collection.name, reader=visit.reader)
        raise Restricted(view.decide(restricted.line))
    visit.site.uses.note("record", "missing", collection=visit.collection.name, reader=visit.reader)
    raise NotFound(message("The archive has no capture of %(url)s.", url=asked.url[:200]))


def _check(seen: Seen) -> None:
    if not seen.allowed:
        raise Restricted(seen.decision)
    if seen.decision.no_downloads or seen.decision.one_reader:
        raise Forbidden(message("You may read this capture here, but not download it."))
    if not seen.line.length or seen.line.offset is None or not seen.line.filename:
        raise NotFound(message("The index does not say where this record begins and ends."))
    if seen.line.length > MOST_BYTES:
        raise Refused(message("The record is too large to download. Ask the library for its file."))


def _sent(visit: Visit, seen: Seen) -> Response:
    line = seen.line
    length = line.length or 0
    ending, kind = _kind(line.filename or "")
    host = _UNFIT.sub("-", (line.url or "").partition("://")[2].partition("/")[0].lower())[:80]
    headers = {
        "Content-Disposition": f'attachment; filename="{line.timestamp}-{host or "record"}{ending}"',
        "Accept-Ranges": "bytes",
        "Content-Type": kind,
    }
    try:
        part = asked_span(visit.request.headers.get("range"), length)
    except NotSatisfiable:
        return Response(status_code=416, headers={"Content-Range": f"bytes */{length}"})
    if visit.request.method == "HEAD":
        return Response(headers={**headers, "Content-Length": str(length)})
    if length > SHORT:
        current_work().go_on()
    span = part or Span(0, length - 1)
    pieces = visit.view.record_pieces(seen, span.first, span.last)
    visit.site.uses.note(
        "record", "shown", collection=visit.collection.name, reader=visit.reader, size=span.length
    )
    headers["Content-Length"] = str(span.length)
    if part is not None:
        headers["Content-Range"] = part.content_range(length)
    return Stream(pieces, 200 if part is None else 206, headers=headers)


def _kind(filename: str) -> tuple[str, str]:
    for ending, kind in _KINDS:
        if filename.lower().endswith(ending):
            return ending, kind
    return ".warc.gz" if filename.endswith(".gz") else ".warc", "application/octet-stream"
