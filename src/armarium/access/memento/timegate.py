"""The TimeGate: from an address to the capture that is nearest to a moment (RFC 7089 4.2.1)."""

from starlette.responses import Response

from armarium.access.captures.lines import ListedCapture, Patience, Span, captures, nearest
from armarium.access.memento.links import (
    date_of,
    digits_of,
    frame_address,
    memento_address,
    memento_links,
    mementos,
    neighbours,
    original_links,
)
from armarium.access.requests.site import Visit
from armarium.access.rewrite.archival_addresses import Archival, Asked, NotArchival, parse_archival
from armarium.access.view import Restricted
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.formats.url import surt

VARY = "accept-datetime, prefer"


def timegate(visit: Visit) -> Response:
    url = asked_address(visit.rest)
    wanted = visit.request.headers.get("accept-datetime")
    mod = preferred(visit.request.headers.get("prefer", ""))
    told = _found(visit, url, wanted)
    settings, collection, line = visit.site.settings, visit.collection, told.line
    links = original_links(settings, collection, url)
    links += memento_links(settings, collection, line, neighbours(visit.view, line), mod or "mp_", url)
    if wanted is None and not mod:
        location = frame_address(settings, collection, line, url)
    else:
        location = memento_address(settings, collection, line, mod or "mp_", url)
    # RFC 7089 4.2.1: Vary says that the answer depends on the moment; Memento-Datetime must not be here.
    headers = {"Location": location, "Vary": VARY, "Link": ", ".join(links)}
    if mod:
        headers[APPLIED] = preference(mod)
    visit.site.uses.note("page", "shown", collection=collection.name, reader=visit.reader)
    return Response(status_code=302, headers=headers)


def asked_address(rest: str) -> str:
    """The address behind the collection's name."""
    try:
        asked: Archival | Asked = parse_archival(rest)
    except NotArchival as error:
        raise NotFound(
            message("The address names no page: write it behind the collection’s name.")
        ) from error
    return asked.url


def _found(visit: Visit, url: str, wanted: str | None) -> ListedCapture:
    """RFC 7089 4.5.3: a moment before the first capture leads to that, one behind the last to the last."""
    view, key = visit.view, surt(url)
    if wanted is None:
        found = captures(view, Span.of_key(key), Patience(), reverse=True)
    else:
        date = date_of(wanted)
        if date is None:
            raise Refused(
                message(
                    "The header Accept-Datetime is no date of HTTP, such as Thu, 31 May 2007 20:35:00 GMT."
                ),
                field="Accept-Datetime",
            )
        found = nearest(view, key, digits_of(date), Patience())
    restricted: ListedCapture | None = None
    for told in mementos(found):
        if not told.restricted and told.line.date is not None:
            return told
        restricted = restricted or told
    if restricted is not None:
        visit.site.uses.note("page", "restricted", collection=visit.collection.name, reader=visit.reader)
        raise Restricted(view.decide(restricted.line))
    visit.site.uses.note("page", "missing", collection=visit.collection.name, reader=visit.reader)
    visit.note_missing(url)
    raise NotFound(message("The archive has no capture of %(url)s.", url=url[:200]))


# What a client would rather have of a capture (RFC 7240): its own bytes, or the page as readers see it.


#: What a client may prefer, and the modifier that gives it.
PREFERENCES = {"raw": "id_", "banner-only": "bn_", "rewritten": "mp_"}
APPLIED = "Preference-Applied"


def preferred(header: str) -> str:
    """The modifier for what is preferred. RFC 7240 2: what is not understood is passed over."""
    for one in header.split(","):
        name = one.partition(";")[0].strip().lower()
        if name in PREFERENCES:
            return PREFERENCES[name]
    return ""


def preference(mod: str) -> str:
    return next(name for name, one in PREFERENCES.items() if one == mod)
