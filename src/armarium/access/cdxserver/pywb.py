"""The CDX server in the dialect of pywb."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from starlette.responses import JSONResponse, Response

from armarium.access.captures import fuzzy, responses
from armarium.access.captures.lines import ListedCapture, Patience, Span, TooMuch, captures
from armarium.access.captures.responses import answer, complaining, json_complaint
from armarium.access.cdxserver import steps
from armarium.access.cdxserver.parameters import CaptureQuery, Parameters, capture_query, filter_of
from armarium.access.memento.links import LINK_FORMAT, timemap_entry
from armarium.access.requests.site import Visit
from armarium.access.view import View
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx.query import Filter, Operator

LIMIT = 100_000  # lines, if nobody says
BLOCKS = 5  # in a page, if nobody says
MOST_BLOCKS = 50
_OPERATORS = {"": Operator.CONTAINS, "=": Operator.EQUALS, "~": Operator.REGEX}
_TEXT = ("urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename")
_TYPES = {
    "cdxj": "text/x-cdxj",
    "json": "text/x-ndjson",
    "text": "text/plain",
    "link": LINK_FORMAT,
}


@complaining(json_complaint)
def pywb_cdx(visit: Visit) -> Response:
    parameters = Parameters.of(visit.rest.partition("?")[2])
    question = capture_query(parameters)
    output = parameters.choice("output", *_TYPES)
    if parameters.flag("showNumPages"):
        return _pages(visit, question, _page_size(parameters))
    lines = _lines(visit, parameters, question, output)
    visit.site.uses.note("list", "shown", collection=visit.collection.name, reader=visit.reader)
    return answer(lines, _TYPES[output])


def _lines(visit: Visit, parameters: Parameters, question: CaptureQuery, output: str) -> Iterator[bytes]:
    view = visit.view
    similar = parameters.flag("allowFuzzy")
    found = or_similar(view, question) if similar else question.captures(view, Patience())
    if parameters.text("page") or parameters.text("pageSize"):
        page = parameters.number("page", 0, least=0)
        found = steps.page_of(found, page, _page_size(parameters))
    found = steps.passing(found, [_filter(text) for text in parameters.several("filter")])
    if letters := parameters.number("collapseTime", 0, least=0, most=17):
        found = steps.firsts(found, lambda told: (told.timestamp[:letters], told.line.text("status")))
    if parameters.flag("resolveRevisits"):
        found = steps.with_originals(view, found)
    found = islice(found, parameters.number("limit", LIMIT))
    write = _writer(visit, output, parameters.names("fields", "fl"))
    return (write(told) for told in found)


def _filter(text: str) -> Filter:
    """A regular expression of pywb has to fit the beginning of the value, and ours the whole of it."""
    found = filter_of(text, _OPERATORS)
    if found.operator is not Operator.REGEX:
        return found
    widened = Filter(found.field, f"(?:{found.value})(?s:.*)", Operator.REGEX, negated=found.negated)
    widened.check()
    return widened


def _writer(visit: Visit, output: str, fields: Sequence[str]) -> responses.Line:
    match output:
        case "json":
            return responses.ndjson_of(fields) if fields else responses.ndjson
        case "text":
            return responses.columns(fields or _TEXT)
        case "link":
            return lambda told: _linked(visit, told)
    return responses.cdxj_of(fields) if fields else responses.cdxj


def _linked(visit: Visit, told: ListedCapture) -> bytes:
    """The captures of a TimeMap; a restricted one is no memento that anybody could get here."""
    if told.restricted:
        return b""
    return timemap_entry(visit.site.settings, visit.collection, told.line) + b",\n"


def _page_size(parameters: Parameters) -> int:
    return parameters.number("pageSize", BLOCKS, most=MOST_BLOCKS)


def _pages(visit: Visit, question: CaptureQuery, blocks_in_page: int) -> Response:
    """Counted are the captures that this reader may know, before filters."""
    if question.closest:
        raise Refused(message("Pages are not counted by distance. Leave closest out."), field="closest")
    blocks = steps.blocks_of(question.captures(visit.view, Patience()))
    pages = {"pages": -(-blocks // blocks_in_page), "pageSize": blocks_in_page, "blocks": blocks}
    return Response(json.dumps(pages) + "\n", media_type="application/json")


# Captures of an address that differs only in what does not matter, where there are none of its own.


MOST_EXAMINED = 20_000  # lines among which a similar address is looked for
FUZZY = "is_fuzzy"  # the field by which pywb says so


def or_similar(view: View, question: CaptureQuery) -> Iterator[ListedCapture]:
    found = question.captures(view, Patience())
    first = next(found, None)
    if first is not None or not question.key:
        return chain([first] if first is not None else [], found)
    moment = question.closest or question.to or f"{clock.now():%Y%m%d%H%M%S}"
    denied = view.keeps_back(question.key, question.url, moment, from_=question.from_, to=question.to)
    key = _similar(view, question.key) if not denied else None
    if key is None:
        return iter(())
    other = replace(question, key=key, span=Span.of_key(key, question.from_, question.to))
    return (_marked(told) for told in other.captures(view, Patience()))


def _similar(view: View, key: str) -> str | None:
    known: dict[str, None] = {}
    patience = Patience(MOST_EXAMINED)
    try:
        for start, end in fuzzy.search_ranges(key):
            known.update((told.key, None) for told in captures(view, Span(start, end), patience))
    except TooMuch:
        return None
    best = fuzzy.best(key, known)
    return best[0] if best is not None else None


def _marked(told: ListedCapture) -> ListedCapture:
    return told.changed({**told.line.fields, FUZZY: "1"})


# Which collections there are, in the form that pywb's clients read.


def collinfo(visit: Visit) -> Response:
    reading = visit.site.settings.reading
    told = [
        {
            "id": one.name,
            "name": one.title or one.name,
            "timegate": f"{reading}/{one.name}/",
            "timemap": f"{reading}/{one.name}/timemap/*/",
            "cdx-api": f"{reading}/{one.name}/cdx",
        }
        for one in visit.site.archive.collections()
    ]
    return JSONResponse(told)
