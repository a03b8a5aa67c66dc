"""Find captures: the list, and pictures of an address by year and by month."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.db.database import Database
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Found, Match
from armarium.formats.cdx.query import Query as IndexQuery
from armarium.index.captures.parsing import MATCHES, Asked
from armarium.index.chain.model import MAIN
from armarium.index.chain.service import Chain
from armarium.index.upkeep import queries
from armarium.languages.catalogues import locale_of
from armarium.languages.speech import language
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, guarded
from armarium.web.plots.model import Plot, Series
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/index/lookup"
pages = Router(prefix=ADDRESS)

ChainService = Annotated[Chain, Depends(service(Chain))]
DatabaseService = Annotated[Database, Depends(service(Database))]

VIEW = guarded(Permission.INDEX_VIEW)
SHOWN = 50
TITLES: dict[Match, Message] = {
    Match.EXACT: message("This address"),
    Match.PREFIX: message("Addresses starting with this"),
    Match.HOST: message("The whole host"),
    Match.DOMAIN: message("The domain and its subdomains"),
}


class Typed:
    """The parameters of the page, as they were typed."""

    def __init__(
        self,
        url: str = "",
        match: str = Match.EXACT,
        from_: Annotated[str, Query(alias="from")] = "",
        to: str = "",
        closest: str = "",
        status: str = "",
        mime: str = "",
        order: str = "",
        collection: str = MAIN,
        resume: str = "",
    ) -> None:
        self.asked = Asked(url, match, from_, to, closest, status, mime, order == "newest", resume)
        self.collection = collection or MAIN

    @property
    def values(self) -> dict[str, str]:
        """By the names of the form, without those that say nothing."""
        asked = self.asked
        given = {
            "url": asked.url,
            "match": asked.match,
            "from": asked.from_,
            "to": asked.to,
            "closest": asked.closest,
            "status": asked.status,
            "mime": asked.mime,
            "order": "newest" if asked.newest else "",
            "collection": self.collection,
        }
        usual = {"match": Match.EXACT.value, "collection": MAIN}
        return {name: value for name, value in given.items() if value and usual.get(name) != value}

    def href(self, **others: str) -> str:
        kept = {name: value for name, value in {**self.values, **others}.items() if value}
        return f"{ADDRESS}?{urlencode(kept, errors='replace')}"


@pages.get("", dependencies=VIEW)
def lookup_page(
    page: Page, chain: ChainService, database: DatabaseService, typed: Annotated[Typed, Depends()]
) -> Response:
    form = filled(**typed.values)
    found: Found | None = None
    if typed.asked.url.strip():
        try:
            found = look_up(chain, typed)
        except Refused as refusal:
            form = form.refuse(refusal)
    captures = shown(database, found.lines) if found else []
    context: dict[str, Any] = {
        "found": found,
        "captures": captures,
        "next": typed.href(resume=found.resume) if found and found.resume else "",
        "begin": typed.href() if typed.asked.resume else "",
        "months": by_month(chain, typed) if found else None,
        "typed": typed,
        **choices(chain, form),
        "may_see_files": page.may(Permission.STORAGE_VIEW),
        "may_download": page.may(Permission.STORAGE_READ),
    }
    return page.show("index/lookup.html", form=form, **context)


def choices(chain: Chain, form: Form) -> dict[str, Any]:
    collections, _ = chain.collections.page(limit=1000)
    return {
        "match_options": [(match.value, TITLES[match]) for match in MATCHES],
        "order_options": [("", message("Oldest first")), ("newest", message("Newest first"))],
        "collection_options": [
            (one.name, one.title or (message("Everything") if one.everything else one.name))
            for one in collections
        ],
        "more": any(form.get(name) for name in ("from", "to", "closest", "status", "mime", "order")),
    }


def look_up(chain: Chain, typed: Typed) -> Found:
    chain.collections.named(typed.collection)  # one that is not there is not simply empty
    return chain.lookup(typed.collection).search(typed.asked.query(SHOWN))


def by_month(chain: Chain, typed: Typed) -> dict[str, Any] | None:
    """The picture, of one address, whatever else narrows the list."""
    query = typed.asked.query(SHOWN)
    if query.match is not Match.EXACT or typed.asked.resume:
        return None
    answers: Counter[tuple[str, str]] = Counter()
    lines = chain.lookup(typed.collection).raw(IndexQuery(query.url))
    drawing = drawn(*count_months(lines, answers=answers))
    if drawing is None:
        return None
    names = locale_of(language().code).months["stand-alone"]
    return {
        "drawing": drawing,
        "by_year": plot_of(answers, drawing),
        "names": names["wide"],
        "short": names["narrow"],
        "squares": [
            (one, typed.href(**{"from": one.digits, "to": one.digits, "closest": ""}))
            for one in drawing.squares
        ],
        "years": [
            (year, y, count, typed.href(**{"from": year, "to": year, "closest": ""}))
            for year, y, count in drawing.years
        ],
        "picture": {"WIDTH": WIDTH, "LABEL": LABEL, "STEP": STEP, "CELL": CELL},
    }


def shown(database: Database, lines: list[CdxLine]) -> list[dict[str, Any]]:
    names = {line.filename for line in lines if line.filename}
    with database.transaction() as connection:
        known = queries.known_names(connection, names)
    return [_capture(line, known) for line in lines]


def _capture(line: CdxLine, known: dict[str, int]) -> dict[str, Any]:
    file = line.filename or ""
    return {
        "url": line.url or line.key,
        "date": line.date,
        "timestamp": line.timestamp,
        "status": line.text("status") or "",
        "tone": _tone(line.text("status") or ""),
        "mime": line.mime or "",
        "revisit": line.is_revisit,
        "length": line.length,
        "digest": line.text("digest") or "",
        "file": file,
        "offset": line.offset,
        "known": file in known,
        # The readers' site finds it by address and date; others than web pages have none to be seen at.
        "seen_at": f"/all/{line.timestamp}/{line.url}" if (line.url or "").startswith("http") else "",
        "quoted": quote(file, safe=""),
    }


def _tone(status: str) -> str:
    return {"2": "good", "3": "busy", "4": "warning", "5": "bad"}.get(status[:1], "neutral")


# Captures of an address by month, as a picture: a row for each year, a square for each month


LEVELS = 5
CELL, GAP, LABEL = 26, 3, 44  # units of the drawing
STEP = CELL + GAP
WIDTH = LABEL + 12 * STEP
MOST = 200_000  # captures that are counted: more than one every two hours since there is a web
STATUS = re.compile(rb'"status": ?"?([0-9])')
#: What is told apart, with its tone.
ANSWERS = {
    "2": (message("Found (2xx)"), "good"),
    "3": (message("Redirect (3xx)"), "first"),
    "4": (message("Not found (4xx)"), "warning"),
    "5": (message("Server error (5xx)"), "bad"),
    "": (message("Other"), "soft"),
}
MOST_YEARS = 60  # dates that no web had are in some files


@dataclass(frozen=True)
class Square:
    year: str
    month: int
    count: int
    x: int
    y: int
    level: int  # 0: none; 1 … LEVELS

    @property
    def digits(self) -> str:
        return f"{self.year}{self.month:02}"


@dataclass(frozen=True)
class Months:
    squares: list[Square]
    years: list[tuple[str, int, int]]  # with y and the number of captures
    total: int
    complete: bool

    @property
    def height(self) -> int:
        return len(self.years) * STEP + 16


def count_months(
    lines: Iterable[bytes], most: int = MOST, answers: Counter[tuple[str, str]] | None = None
) -> tuple[Counter[str], bool]:
    """How many lines are of each month, and whether these are all. `answers`: filled, by year and status."""
    taken = iter(lines)
    counted: Counter[str] = Counter()
    for line in islice(taken, most):
        month = line.split(b" ", 2)[1][:6].decode("ascii", "replace")
        counted[month] += 1
        if answers is not None:
            answers[month[:4], status_of(line)] += 1
    return counted, next(taken, None) is None


def status_of(line: bytes) -> str:
    """The first digit of the status; empty for what has none. To parse each line takes ten times as long."""
    found = STATUS.search(line)
    return found[1].decode() if found else ""


def plot_of(answers: Counter[tuple[str, str]], drawing: Months) -> Plot:
    years = [year for year, *_ in drawing.years]
    seen = [name for name in ANSWERS if any(answers[year, name] for year in years)]
    series = [
        Series(ANSWERS[name][0], [answers[year, name] for year in years], ANSWERS[name][1]) for name in seen
    ]
    return Plot("by-year", message("Captures by year"), years, series, summed=True)


def drawn(counted: Counter[str], complete: bool) -> Months | None:
    """None if there is nothing to draw."""
    real = {name: n for name, n in counted.items() if name.isdecimal() and "01" <= name[4:] <= "12"}
    if not real:
        return None
    last = int(max(real)[:4])
    first = max(int(min(real)[:4]), last - MOST_YEARS + 1)
    most = max(real.values())
    squares, years = [], []
    for row, number in enumerate(range(first, last + 1)):
        year, y = f"{number:04}", row * STEP + 16
        counts = [real.get(f"{year}{month:02}", 0) for month in range(1, 13)]
        years.append((year, y, sum(counts)))
        squares += [
            Square(year, month, count, LABEL + (month - 1) * STEP, y, level(count, most))
            for month, count in enumerate(counts, 1)
        ]
    return Months(squares, years, sum(counted.values()), complete)


def level(count: int, most: int) -> int:
    """By the square root, so that one busy month does not make all others look empty."""
    return max(1, min(LEVELS, int((count / most) ** 0.5 * LEVELS + 0.999_999))) if count else 0
