"""The CDX server in the dialect of OutbackCDX, and of OpenWayback's remote index."""

from collections.abc import Iterator, Sequence
from itertools import islice
from urllib.parse import unquote

from starlette.responses import Response

from armarium.access.cdxserver import steps, writing
from armarium.access.cdxserver.answering import answer, complaining, text_complaint
from armarium.access.cdxserver.lines import Patience, Told
from armarium.access.cdxserver.openwayback import xml_answer
from armarium.access.cdxserver.parameters import OUR_NAMES, Parameters, collapse_of, filter_of
from armarium.access.cdxserver.reading import Asked, asked
from armarium.access.door.site import Visit
from armarium.access.memento.links import link_address
from armarium.access.model import EVERYTHING
from armarium.access.view import View
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.formats.cdx.line import ABSENT
from armarium.formats.cdx.query import Match, Operator
from armarium.formats.cdx.requests import RequestBody
from armarium.formats.url import asked_for, surt

LIMIT = 100_000  # lines, if nobody says
FIELDS = (
    *("urlkey", "timestamp", "url", "mime", "status", "digest"),
    *("redirecturl", "robotflags", "length", "offset", "filename"),
)
_OPERATORS = {"": Operator.REGEX, "~": Operator.CONTAINS}
_TYPES = {
    "cdx": "text/plain",
    "text": "text/plain",
    "json": "application/json",
    "jsondict": "application/json",
    "cdxj": "text/x-cdxj",
}


@complaining(text_complaint)
def outback_cdx(visit: Visit) -> Response:
    """`<collection>`, or with the access point that a client is used to: who asks is known otherwise here."""
    path, _, query = visit.rest.partition("?")
    name, *more = unquote(path).strip("/").split("/")
    if more and (more[0] != "ap" or len(more) != 2):
        raise NotFound(message("There is nothing at this address. It may have been mistyped."))
    view = visit.site.view(name or EVERYTHING, visit.reader)
    parameters = Parameters.of(query)
    visit.site.uses.note("list", "shown", collection=view.collection.name, reader=visit.reader)
    if parameters.text("q"):
        return xml_answer(view, parameters)
    question = _asked(parameters)
    output = parameters.choice("output", *_TYPES)
    headers = {"outbackcdx-urlkey": link_address(question.key)} if question.key else {}
    return answer(_lines(view, parameters, question, output), _TYPES[output], headers)


def _asked(parameters: Parameters) -> Asked:
    """By address, by key, or by address and the body of a request."""
    key = parameters.text("urlkey")
    if " " in key:
        raise Refused(message("A key has no space in it."), field="urlkey")
    if key and parameters.text("url"):
        raise Refused(message("Name the address or its key, not both."), field="urlkey")
    method = parameters.text("method").upper()
    url = asked_for(parameters.text("url"))
    if url and method and method != "GET":
        body = RequestBody(method, parameters.text("requestBody"))
        key = surt(body.appended_to(url))
    return asked(parameters, key=key, matches=(*Match,))


def _lines(view: View, parameters: Parameters, question: Asked, output: str) -> Iterator[bytes]:
    found = question.captures(view, Patience())
    if output != "cdxj":
        found = steps.with_bare_digests(found)
    filters = [filter_of(text, _OPERATORS, mark_first=True) for text in parameters.several("filter")]
    found = steps.passing(found, filters)
    if parameters.flag("omitSelfRedirects"):
        found = steps.without_self_redirects(found)
    for name in ("collapse", "collapseToFirst", "collapseToLast"):
        if wanted := parameters.several(name):
            value = steps.value_by([collapse_of(text) for text in wanted])
            found = steps.lasts(found, value) if name == "collapseToLast" else steps.firsts(found, value)
    found = islice(found, parameters.number("limit", LIMIT))
    return _written(found, output, parameters.names("fl"))


def _written(found: Iterator[Told], output: str, fields: Sequence[str]) -> Iterator[bytes]:
    match output:
        case "json":
            shown = fields or FIELDS
            rows = (writing.numbered_cells(told, shown) for told in found)
            return writing.json_rows(rows, header=list(shown))
        case "jsondict":
            return writing.json_rows(_dictionary(told, fields) for told in found)
        case "cdxj":
            write = writing.cdxj_of(fields) if fields else writing.cdxj
        case _:
            write = writing.columns(fields) if fields else writing.cdx11
    return (write(told) for told in found)


def _dictionary(told: Told, fields: Sequence[str]) -> dict[str, str | int | None]:
    """What a line does not tell is left out."""
    names = fields or ("urlkey", "timestamp", *(name for name in told.line.fields))
    values = zip(names, writing.numbered_cells(told, [OUR_NAMES.get(n, n) for n in names]), strict=True)
    return {name: value for name, value in values if value not in (None, ABSENT)}
