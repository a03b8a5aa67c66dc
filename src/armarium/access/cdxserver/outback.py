"""The CDX server in the dialect of OutbackCDX, and the XML that OpenWayback reads from a remote index."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar
from urllib.parse import unquote, unquote_plus
from xml.sax.saxutils import escape

from starlette.responses import Response

from armarium.access.captures import responses
from armarium.access.captures.lines import ListedCapture, Patience
from armarium.access.captures.responses import OUR_NAMES, answer, complaining, readable, text_complaint
from armarium.access.cdxserver import steps
from armarium.access.cdxserver.parameters import (
    CaptureQuery,
    Parameters,
    capture_query,
    collapse_of,
    filter_of,
)
from armarium.access.memento.links import link_address
from armarium.access.model import EVERYTHING
from armarium.access.requests.site import Visit
from armarium.access.view import View
from armarium.core import clock
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.formats.cdx.line import ABSENT
from armarium.formats.cdx.query import Match, Operator, value_of
from armarium.formats.cdx.requests import RequestBody
from armarium.formats.cdx.timestamps import clipped, moment
from armarium.formats.url import asked_for, surt

MOST_RESULTS = 10_000  # results, if nobody says: all of them are read before the first is sent
T = TypeVar("T")
_QUERY_TYPES = {"urlquery": "exact", "prefixquery": "prefix"}
_START = '<?xml version="1.0" encoding="UTF-8"?>\n<wayback>\n'
#: What OpenWayback calls the fields of a result.
_ELEMENTS = (
    ("compressedoffset", "offset"),
    ("compressedendoffset", "length"),
    ("mimetype", "mime"),
    ("file", "filename"),
    ("redirecturl", "redirect"),
    ("urlkey", "urlkey"),
    ("digest", "digest"),
    ("httpresponsecode", "status"),
    ("robotflags", "robotflags"),
    ("url", "url"),
    ("capturedate", "timestamp"),
)


@dataclass(frozen=True)
class OpenWaybackQuery:
    type: str
    url: str
    date: str
    limit: int
    offset: int

    @classmethod
    def of(cls, parameters: Parameters) -> "OpenWaybackQuery":
        """Words with a colon in them; addresses are encoded once more than the rest."""
        words: dict[str, str] = {}
        for word in parameters.text("q").split():
            name, _, value = word.partition(":")
            words[name] = value
        kind = words.get("type", "urlquery")
        if kind not in _QUERY_TYPES or not words.get("url"):
            told = message(
                "This query cannot be answered: write q=type:urlquery url:… or type:prefixquery url:…."
            )
            raise Refused(told, field="q")
        numbers = Parameters({name: [value] for name, value in words.items()})
        count = parameters.number("count", 0, least=0)
        limit = min(count or numbers.number("limit", MOST_RESULTS), MOST_RESULTS)
        page = parameters.number("start_page", 1)
        offset = numbers.number("offset", 0, least=0) or (page - 1) * limit
        return cls(kind, asked_for(unquote_plus(words["url"])), numbers.date("date"), limit, offset)

    def question(self) -> CaptureQuery:
        return capture_query(Parameters({"url": [self.url], "matchType": [_QUERY_TYPES[self.type]]}))


@dataclass
class Address:
    """All captures of one address, as a search below a prefix tells of them."""

    first: ListedCapture
    last: ListedCapture
    captures: int = 1
    versions: int = 1

    def take(self, told: ListedCapture) -> None:
        self.versions += told.line.text("digest") != self.last.line.text("digest")
        self.captures += 1
        self.last = told

    def elements(self) -> Iterator[str]:
        yield _element("urlkey", self.last.key)
        yield _element("originalurl", value_of(self.last.line, "url"))
        yield _element("numversions", str(self.versions))
        yield _element("numcaptures", str(self.captures))
        yield _element("firstcapturets", self.first.timestamp)
        yield _element("lastcapturets", self.last.timestamp)


def addresses(captures: Iterable[ListedCapture]) -> Iterator[Address]:
    current: Address | None = None
    for told in captures:
        if current is not None and current.last.key == told.key:
            current.take(told)
            continue
        if current is not None:
            yield current
        current = Address(told, told)
    if current is not None:
        yield current


def xml_answer(view: View, parameters: Parameters) -> Response:
    sought = OpenWaybackQuery.of(parameters)
    captures = steps.with_bare_digests(sought.question().captures(view, Patience()))
    if sought.type == "prefixquery":
        below, number = _page(sought, addresses(captures))
        results = [list(one.elements()) for one in below]
    else:
        shown, number = _page(sought, captures)
        closest = _closest(sought.date, shown)
        results = [list(_capture(told, closest=told is closest)) for told in shown]
    text = "".join(_document(sought, results, number) if number else _nothing())
    return Response(text.encode("utf-8", "replace"), media_type="application/xml")


def _page(sought: OpenWaybackQuery, found: Iterator[T]) -> tuple[list[T], int]:
    """The results of one page, and how many there are in all."""
    skipped = sum(1 for _ in islice(found, sought.offset))
    shown = list(islice(found, sought.limit))
    return shown, skipped + len(shown) + sum(1 for _ in found)


def _document(sought: OpenWaybackQuery, results: list[list[str]], number: int) -> Iterator[str]:
    kind = "resultstypeurl" if sought.type == "prefixquery" else "resultstypecapture"
    yield f"{_START}<request>\n"
    yield _element("startdate", "19960101000000")
    yield _element("enddate", f"{clock.now():%Y%m%d%H%M%S}")
    yield _element("type", sought.type)
    yield _element("firstreturned", str(sought.offset))
    yield _element("url", surt(sought.url))
    yield _element("resultsrequested", str(sought.limit))
    yield _element("resultstype", kind)
    yield _element("numreturned", str(len(results)))
    yield _element("numresults", str(number))
    yield "</request>\n<results>\n"
    for result in results:
        yield from ("<result>\n", *result, "</result>\n")
    yield "</results>\n</wayback>\n"


def _nothing() -> Iterator[str]:
    """The words by which OpenWayback knows that there is no capture."""
    yield f"{_START}<error>\n"
    yield _element("title", "Resource Not In Archive")
    yield _element("message", "The Resource you requested is not in this archive.")
    yield "</error>\n</wayback>\n"


def _capture(told: ListedCapture, *, closest: bool) -> Iterator[str]:
    yield from (_element(name, value_of(told.line, ours)) for name, ours in _ELEMENTS)
    if closest:
        yield _element("closest", "true")


def _closest(date: str, shown: list[ListedCapture]) -> ListedCapture | None:
    target = moment(clipped(date)) if date else None
    dated = [(one, told) for told in shown if (one := moment(told.timestamp)) is not None]
    if target is None or not dated:
        return None
    return min(dated, key=lambda pair: abs(pair[0] - target))[1]


def _element(name: str, value: str) -> str:
    # XML has no way to write most control characters.
    sound = "".join(letter for letter in readable(value) if letter >= " ")
    return f"<{name}>{escape(sound)}</{name}>\n"


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


def _asked(parameters: Parameters) -> CaptureQuery:
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
    return capture_query(parameters, key=key, matches=(*Match,))


def _lines(view: View, parameters: Parameters, question: CaptureQuery, output: str) -> Iterator[bytes]:
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


def _written(found: Iterator[ListedCapture], output: str, fields: Sequence[str]) -> Iterator[bytes]:
    match output:
        case "json":
            shown = fields or FIELDS
            rows = (responses.numbered_cells(told, shown) for told in found)
            return responses.json_rows(rows, header=list(shown))
        case "jsondict":
            return responses.json_rows(_dictionary(told, fields) for told in found)
        case "cdxj":
            write = responses.cdxj_of(fields) if fields else responses.cdxj
        case _:
            write = responses.columns(fields) if fields else responses.cdx11
    return (write(told) for told in found)


def _dictionary(told: ListedCapture, fields: Sequence[str]) -> dict[str, str | int | None]:
    """What a line does not tell is left out."""
    names = fields or ("urlkey", "timestamp", *(name for name in told.line.fields))
    values = zip(names, responses.numbered_cells(told, [OUR_NAMES.get(n, n) for n in names]), strict=True)
    return {name: value for name, value in values if value not in (None, ABSENT)}
