"""The XML that OpenWayback reads from a remote index: `q=type:urlquery url:…`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar
from urllib.parse import unquote_plus
from xml.sax.saxutils import escape

from starlette.responses import Response

from armarium.access.cdxserver import steps
from armarium.access.cdxserver.lines import Patience, Told
from armarium.access.cdxserver.parameters import Parameters
from armarium.access.cdxserver.reading import Asked, asked
from armarium.access.cdxserver.writing import readable
from armarium.access.view import View
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx.query import value_of
from armarium.formats.cdx.timestamps import clipped, moment
from armarium.formats.url import asked_for, surt

LIMIT = 10_000  # results, if nobody says: all of them are read before the first is sent
T = TypeVar("T")
_TYPES = {"urlquery": "exact", "prefixquery": "prefix"}
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
class Sought:
    type: str
    url: str
    date: str
    limit: int
    offset: int

    @classmethod
    def of(cls, parameters: Parameters) -> "Sought":
        """Words with a colon in them; addresses are encoded once more than the rest."""
        words: dict[str, str] = {}
        for word in parameters.text("q").split():
            name, _, value = word.partition(":")
            words[name] = value
        kind = words.get("type", "urlquery")
        if kind not in _TYPES or not words.get("url"):
            told = message(
                "This query cannot be answered: write q=type:urlquery url:… or type:prefixquery url:…."
            )
            raise Refused(told, field="q")
        numbers = Parameters({name: [value] for name, value in words.items()})
        count = parameters.number("count", 0, least=0)
        limit = min(count or numbers.number("limit", LIMIT), LIMIT)
        page = parameters.number("start_page", 1)
        offset = numbers.number("offset", 0, least=0) or (page - 1) * limit
        return cls(kind, asked_for(unquote_plus(words["url"])), numbers.date("date"), limit, offset)

    def question(self) -> Asked:
        return asked(Parameters({"url": [self.url], "matchType": [_TYPES[self.type]]}))


@dataclass
class Address:
    """All captures of one address, as a search below a prefix tells of them."""

    first: Told
    last: Told
    captures: int = 1
    versions: int = 1

    def take(self, told: Told) -> None:
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


def addresses(captures: Iterable[Told]) -> Iterator[Address]:
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
    sought = Sought.of(parameters)
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


def _page(sought: Sought, found: Iterator[T]) -> tuple[list[T], int]:
    """The results of one page, and how many there are in all."""
    skipped = sum(1 for _ in islice(found, sought.offset))
    shown = list(islice(found, sought.limit))
    return shown, skipped + len(shown) + sum(1 for _ in found)


def _document(sought: Sought, results: list[list[str]], number: int) -> Iterator[str]:
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


def _capture(told: Told, *, closest: bool) -> Iterator[str]:
    yield from (_element(name, value_of(told.line, ours)) for name, ours in _ELEMENTS)
    if closest:
        yield _element("closest", "true")


def _closest(date: str, shown: list[Told]) -> Told | None:
    target = moment(clipped(date)) if date else None
    dated = [(one, told) for told in shown if (one := moment(told.timestamp)) is not None]
    if target is None or not dated:
        return None
    return min(dated, key=lambda pair: abs(pair[0] - target))[1]


def _element(name: str, value: str) -> str:
    # XML has no way to write most control characters.
    sound = "".join(letter for letter in readable(value) if letter >= " ")
    return f"<{name}>{escape(sound)}</{name}>\n"
