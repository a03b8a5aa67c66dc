"""`/<collection>/files?url=…&match=…`: what there is of a site, by type and year, with captures and bytes."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starlette.responses import Response

from armarium.access.model import Seen
from armarium.access.requests.site import Visit
from armarium.access.requests.threads import current_work
from armarium.access.search import answers, links, shell
from armarium.access.search.listing import Onward
from armarium.access.search.question import KINDS, Question, kind_of
from armarium.core.message import Message, message
from armarium.formats.cdx.query import Match, Query
from armarium.formats.url import Match as UrlMatch
from armarium.formats.url import search_range
from armarium.web.forms import filled
from armarium.web.lists import csv_answer

LINES = 5000  # in a page of the index
SOON = 20_000  # captures up to which this takes no time
RESTRICTED, UNKNOWN = "restricted", "unknown"  # no kinds that one can ask for
TITLES: dict[str, Message] = {
    **{kind: title for kind, title in KINDS.items() if kind},
    UNKNOWN: message("Unchanged since an earlier capture"),
    RESTRICTED: message("Restricted"),
}


@dataclass
class Amount:
    captures: int = 0
    size: int = 0  # bytes in the archive, compressed

    def add(self, size: int) -> None:
        self.captures += 1
        self.size += size


@dataclass(frozen=True)
class Kind:
    name: str
    title: Message
    total: Amount
    by_year: Sequence[Amount]

    @property
    def asked(self) -> str | None:
        """By which its addresses are listed; None: they cannot be."""
        return None if self.name in (RESTRICTED, UNKNOWN) else self.name


@dataclass(frozen=True)
class Holdings:
    years: Sequence[str]
    kinds: Sequence[Kind]
    total: Amount
    complete: bool


def page(visit: Visit) -> Response:
    typed = dict(visit.request.query_params)
    question = Question.of(typed)
    if question.match is Match.EXACT:
        question = question.with_(match=Match.HOST)
    found = holdings(visit, question)
    if not found.total.captures:
        return answers.nothing(visit, question)
    if typed.get("export") == "csv":
        return _csv(found)
    return shell.page(
        visit,
        "reading/files.html",
        form=filled(**question.values),
        question=question,
        found=found,
        hrefs=_Hrefs(visit.collection.name, question),
    )


def holdings(visit: Visit, question: Question) -> Holdings:
    """As far as the index may be read for one request."""
    start, end = search_range(question.url, UrlMatch(question.match))
    query = Query(key=start, match=Match.RANGE, to_key=end, limit=LINES)
    captures = Onward(visit.view, query)
    amounts = _counted(captures)
    years = sorted({year for _, year in amounts})
    kinds = []
    for name, title in TITLES.items():
        by_year = [amounts.get((name, year), Amount()) for year in years]
        if any(each.captures for each in by_year):
            kinds.append(Kind(name, title, _sum(by_year), by_year))
    kinds.sort(key=lambda kind: -kind.total.captures)
    return Holdings(years, kinds, _sum([kind.total for kind in kinds]), not captures.short)


def _counted(captures: Iterable[Seen]) -> dict[tuple[str, str], Amount]:
    found: dict[tuple[str, str], Amount] = defaultdict(Amount)
    for nth, seen in enumerate(captures):
        if nth >= SOON and nth % SOON == 0:
            current_work().go_on()
        line = seen.line
        name = RESTRICTED
        if seen.allowed:
            name = UNKNOWN if line.is_revisit else kind_of(line.mime) or "other"
        found[name, line.timestamp[:4]].add(line.length or 0)
    return found


def _sum(amounts: Iterable[Amount]) -> Amount:
    found = Amount()
    for each in amounts:
        found.captures += each.captures
        found.size += each.size
    return found


class _Hrefs:
    """Where a type of a year is listed, address by address."""

    def __init__(self, collection: str, question: Question) -> None:
        self._collection = collection
        self._question = Question(question.url, question.match)

    def of(self, kind: str, year: str = "") -> str:
        return self._question.with_(kind=kind, from_=year, to=year).href(self._collection)

    @property
    def csv(self) -> str:
        values = self._question.values
        return links.files(self._collection, **values, export="csv")


def _csv(found: Holdings) -> Response:
    head = (message("Type"), message("Year"), message("Captures"), message("Bytes"))
    rows: list[tuple[object, ...]] = [
        (kind.title, year, amount.captures, amount.size)
        for kind in found.kinds
        for year, amount in zip(found.years, kind.by_year, strict=True)
        if amount.captures
    ]
    if not found.complete:
        rows.append((answers.NOT_ALL,))
    return csv_answer("files", head, rows)
