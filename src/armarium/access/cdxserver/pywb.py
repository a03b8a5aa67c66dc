"""The CDX server in the dialect of pywb."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice

from starlette.responses import Response

from armarium.access.cdxserver import steps, writing
from armarium.access.cdxserver.answering import answer, complaining, json_complaint
from armarium.access.cdxserver.lines import Patience, Told
from armarium.access.cdxserver.parameters import Parameters, filter_of
from armarium.access.cdxserver.reading import Asked, asked
from armarium.access.cdxserver.similar import or_similar
from armarium.access.door.site import Visit
from armarium.access.memento.links import LINK_FORMAT, timemap_entry
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
    question = asked(parameters)
    output = parameters.choice("output", *_TYPES)
    if parameters.flag("showNumPages"):
        return _pages(visit, question, _page_size(parameters))
    lines = _lines(visit, parameters, question, output)
    visit.site.uses.note("list", "shown", collection=visit.collection.name, reader=visit.reader)
    return answer(lines, _TYPES[output])


def _lines(visit: Visit, parameters: Parameters, question: Asked, output: str) -> Iterator[bytes]:
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


def _writer(visit: Visit, output: str, fields: Sequence[str]) -> writing.Line:
    match output:
        case "json":
            return writing.ndjson_of(fields) if fields else writing.ndjson
        case "text":
            return writing.columns(fields or _TEXT)
        case "link":
            return lambda told: _linked(visit, told)
    return writing.cdxj_of(fields) if fields else writing.cdxj


def _linked(visit: Visit, told: Told) -> bytes:
    """The captures of a TimeMap; a restricted one is no memento that anybody could get here."""
    if told.restricted:
        return b""
    return timemap_entry(visit.site.settings, visit.collection, told.line) + b",\n"


def _page_size(parameters: Parameters) -> int:
    return parameters.number("pageSize", BLOCKS, most=MOST_BLOCKS)


def _pages(visit: Visit, question: Asked, blocks_in_page: int) -> Response:
    """Counted are the captures that this reader may know, before filters."""
    if question.closest:
        raise Refused(message("Pages are not counted by distance. Leave closest out."), field="closest")
    blocks = steps.blocks_of(question.captures(visit.view, Patience()))
    pages = {"pages": -(-blocks // blocks_in_page), "pageSize": blocks_in_page, "blocks": blocks}
    return Response(json.dumps(pages) + "\n", media_type="application/json")
