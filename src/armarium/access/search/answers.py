"""Which captures there are: of one address, or of all below a beginning, a host, a domain."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from armarium.access.model import EVERYTHING, Seen
from armarium.access.pictures.reading import ONE
from armarium.access.requests.site import Visit
from armarium.access.requests.threads import current_work
from armarium.access.rewrite.archival_addresses import Archival, parse_archival
from armarium.access.search import addresses, calendar, dates, home, listing, shell
from armarium.access.search.addresses import Entry
from armarium.access.search.calendar import Tally
from armarium.access.search.day_table import DayTable, YearStrip
from armarium.access.search.listing import Listing, closest
from armarium.access.search.question import KINDS, STATUSES, Question
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.formats.cdx.query import Match, Query
from armarium.formats.cdx.timestamps import clipped, moment
from armarium.formats.url import registered_domain
from armarium.formats.url.whatwg import InvalidUrl, parse
from armarium.web.forms import filled
from armarium.web.lists import csv_answer

LAST_YEAR = 9998  # of which a calendar can be drawn
_ONE_PERIOD = re.compile(r"[0-9]+\*/")
SORTS: dict[str, Message] = {
    "": message("By address"),
    "count": message("Most captures first"),
    "first": message("By first capture"),
    "last": message("By last capture"),
}


def asked(visit: Visit) -> Response:
    """`/<collection>/*/<url>`, `/<collection>/2010*/<url>`, `/<collection>/2010-2012/<url>`, `…<url>*`"""
    found = parse_archival(visit.rest)
    if isinstance(found, Archival):
        return RedirectResponse(f"/{visit.collection.name}/", 303)
    to = found.from_ if not found.to and _ONE_PERIOD.match(visit.rest) else found.to
    typed = {"url": found.url, "from": _bound(found.from_, "0"), "to": _bound(to, "9")}
    return answer(visit, typed | {"match": "prefix" if found.prefix else ""})


def _bound(digits: str, missing: str) -> str:
    """Any digits in an address, `/201*/`, as the first or last moment that they may mean."""
    return digits if not digits or moment(digits) else clipped(digits.ljust(14, missing))


def search(visit: Visit) -> Response:
    """`/<collection>/search?url=…&match=…`"""
    return answer(visit, dict(visit.request.query_params))


def answer(visit: Visit, typed: dict[str, str]) -> Response:
    try:
        question = Question.of(typed)
    except Refused as refusal:
        form = filled(**typed).refuse(refusal)
        return shell.page(visit, "reading/unanswered.html", status=422, form=form, **_form_choices(visit))
    exact = question.match is Match.EXACT
    if typed.get("export") == "csv":
        return _captures_csv(visit, question) if exact else _addresses_csv(visit, question)
    return of_one_address(visit, question) if exact else of_many(visit, question)


def of_one_address(visit: Visit, question: Question) -> Response:
    whole = question.with_(from_="", to="", resume="")
    # The list first: what may be read of the index for one request is not to go into counting alone.
    listed = listing.captures(visit.view, question)
    counted = calendar.count(visit.view, whole)
    if not counted.total:
        return nothing(visit, question)
    _note(visit, question, "shown" if counted.restricted < counted.total else "restricted")
    year = _year_of(question, counted)
    drawn = counted if counted.complete else _of_year(visit, question, year)
    table = DayTable(visit.collection.name, question, year)
    years = calendar.years(counted, clock.now().year)
    leading = {one.number: f"{table.span_of(f'{one.number:04}')}#by-day" for one in years if one.count}
    return shell.page(
        visit,
        "reading/captures.html",
        form=filled(**question.values),
        question=question,
        tally=counted,
        years=YearStrip(years, year).items(leading),
        several_years=len(years) > 1,
        year=year,
        months=calendar.months(drawn, year, dates.locale().first_week_day),
        table=table,
        listing=listed,
        nearest=nearest(visit, question, listed),
        statuses=list(STATUSES.items()),
        kinds=list(KINDS.items()),
        **_form_choices(visit),
    )


def of_many(visit: Visit, question: Question) -> Response:
    found = addresses.find(visit.view, question)
    _note(visit, question, "shown" if found.entries else "missing")
    around = None
    known = bool(found.entries or question.resume or found.resume or found.stuck)
    if not known:
        around = addresses.look_around(visit.view, question.url)
    return shell.page(
        visit,
        "reading/addresses.html",
        status=200 if known else 404,
        form=filled(**question.values),
        question=question,
        found=found,
        pictures=pictures_of(visit, found.entries),
        around=around,
        sorts=list(SORTS.items()),
        kinds=KINDS,
        **_form_choices(visit),
    )


def pictures_of(visit: Visit, entries: Sequence[Entry]) -> dict[str, str]:
    """Where the newest picture of each address lies, by its key, as far as there are any."""
    if visit.site.pictures is None:
        return {}
    newest = visit.site.pictures.newest(visit.view, (page for one in entries for page in one.pages))
    return {key: f"{ONE}?{urlencode({'key': key, 'at': at})}" for key, at in newest.items()}


# What an answer lists, as a file: as far as the index may be read for one request, and by the same rules.


MOST_EXPORTED = 5000  # captures
NOT_ALL = message("There is more than fits into one file. Narrow the search.")


def _captures_csv(visit: Visit, question: Question) -> Response:
    rows: list[tuple[object, ...]] = []
    listed = listing.captures(visit.view, question)
    while True:
        rows += [
            (row.url, row.timestamp, row.status, row.mime, row.size, row.restricted or "")
            for row in listed.rows
        ]
        if listed.resume is None:
            break
        if len(rows) >= MOST_EXPORTED or visit.view.budget.spent:
            rows.append((NOT_ALL,))
            break
        current_work().go_on()
        listed = listing.captures(visit.view, question.with_(resume=listed.resume))
    head = (*_ADDRESS_AND_DATE, message("Answer"), message("Type"), message("Bytes"), message("Restricted"))
    return csv_answer("captures", head, rows)


def _addresses_csv(visit: Visit, question: Question) -> Response:
    found = addresses.find(visit.view, question, addresses.MOST_SORTED)
    rows: list[tuple[object, ...]] = [
        (one.url, one.count, one.first, one.last, " ".join(sorted(one.kinds)), "" if one.allowed else _CLOSED)
        for one in found.entries
    ]
    if found.resume or found.sorted_among or found.stuck:
        rows.append((NOT_ALL,))
    head = (message("Address"), message("Captures"), message("First"), message("Last"), message("Type"))
    return csv_answer("addresses", (*head, message("Restricted")), rows)


_ADDRESS_AND_DATE = (message("Address"), message("Captured"))
_CLOSED = message("restricted")


def nothing(visit: Visit, question: Question, *, noted: bool = False) -> Response:
    """The address has no captures, or none that fits: what there is instead."""
    if not noted:
        _note(visit, question, "missing")
    unfiltered = question.with_(status="", kind="", changes=False, from_="", to="", resume="")
    others = calendar.count(visit.view, unfiltered) if question.narrowed else Tally()
    return shell.page(
        visit,
        "reading/nothing.html",
        status=404,
        form=filled(**question.values),
        question=question,
        others=others,
        unfiltered=unfiltered.href(visit.collection.name),
        around=addresses.look_around(visit.view, question.url) if not others.total else addresses.Nearby(),
        elsewhere=_elsewhere(visit, question),
        **_form_choices(visit),
    )


def nearest(visit: Visit, question: Question, listed: Listing) -> Seen | None:
    """To the date that was asked for, or to the year, month or day in which there is nothing."""
    if not (question.date or listed.rows or listed.resume):
        question = question.with_(date=question.period)
    return closest(visit.view, question.url, question.date) if question.date else None


def domain_of(url: str) -> str:
    """For figures of use, which know no more of an address than this."""
    try:
        return registered_domain(parse(url).host or "") or ""
    except InvalidUrl:
        return ""


def _year_of(question: Question, counted: Tally) -> int:
    """Of the chosen dates; else of the date that was asked for; else that of the last capture."""
    chosen = question.from_ or question.to or question.date or counted.last
    return min(max(int(chosen[:4]), 1), LAST_YEAR) if chosen[:4].isdecimal() else clock.now().year


def _of_year(visit: Visit, question: Question, year: int) -> Tally:
    digits = f"{year:04}"
    return calendar.count(visit.view, question.with_(from_=digits, to=digits, resume=""))


def _elsewhere(visit: Visit, question: Question) -> bool:
    """Whether the whole archive has it, when only some collections were asked."""
    if visit.collection.everything or visit.collection.viewing is not None:
        return False
    everything = visit.site.view(EVERYTHING, visit.reader)
    return bool(everything.search(Query(question.url, limit=1)).captures)


def _note(visit: Visit, question: Question, outcome: str) -> None:
    visit.site.uses.note(
        "search",
        outcome,
        collection=visit.collection.name,
        reader=visit.reader,
        domain=domain_of(question.url),
    )


def _form_choices(visit: Visit) -> dict[str, Any]:
    return {
        "patterns": [(match.value, text) for match, text in home.HOW_MUCH.items()],
        "collections": home.choices(visit),
    }
