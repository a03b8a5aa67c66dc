"""The first page, that of a collection, and which hosts there are in files without a house."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from starlette.responses import RedirectResponse, Response

from armarium.access.model import EVERYTHING, Collection, Seen
from armarium.access.requests.site import Visit
from armarium.access.search import links, shell
from armarium.access.search.question import PATTERNS, Question, kind_of
from armarium.access.view import View
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.formats.cdx.query import Match, Query
from armarium.formats.cdx.timestamps import moment
from armarium.web.forms import filled

MOST_HOSTS = 200  # that are looked at
SHOWN = 20
MOST_COUNTED = 2000  # captures of one host; then “more than”
LINES = 500  # in a page of the index
_HOST = re.compile(r"https?://(?:www\.)?([^/?#]+)", re.IGNORECASE)


@dataclass
class Host:
    key: str
    name: str
    count: int = 0
    more: bool = False
    page: Seen | None = None  # the first that is one

    def add(self, seen: Seen) -> None:
        self.count += 1
        self.more = self.count == MOST_COUNTED
        line = seen.line
        if self.page is None and seen.allowed and line.status == 200 and kind_of(line.mime) == "page":
            self.page = seen


def hosts(view: View) -> list[Host]:
    """Those with most captures first."""
    found: dict[str, Host] = {}
    query = Query(match=Match.RANGE, limit=LINES)
    while len(found) < MOST_HOSTS:
        page = view.search(query)
        full = _add(found, page.captures)
        if full is not None:
            query = replace(query, key=f"{full.key}*", resume="")  # behind `)`
        elif page.resume is None or page.short:
            break
        else:
            query = replace(query, resume=page.resume)
    return sorted(found.values(), key=lambda host: -host.count)[:SHOWN]


def _add(found: dict[str, Host], captures: Iterable[Seen]) -> Host | None:
    """The host of which enough was counted, if there is one: what follows is of the same."""
    for seen in captures:
        key, _, _ = seen.line.key.partition(")")
        name = _HOST.match(seen.line.url or "")
        if name is None:
            continue  # what was recorded of names and of the crawl itself
        host = found.setdefault(key, Host(key, links.readable(name[1])))
        host.add(seen)
        if host.more:
            return host
    return None


_VIEWING = re.compile(r"viewing-[0-9]+\Z")
HOW_MUCH: dict[Match, Message] = {
    Match.EXACT: message("This address"),
    Match.PREFIX: message("All addresses that start like this"),
    Match.HOST: message("The whole host"),
    Match.DOMAIN: message("The whole domain, with all its hosts"),
}


def home(visit: Visit) -> Response:
    """`/`, also what its form is sent to: it leads to the answer, which has an address worth keeping."""
    asked = visit.request.query_params
    if "url" not in asked:
        return _page(visit, dict(asked))
    chosen = chosen_collections(visit, asked.getlist("collection"))
    try:
        question = Question.of(asked)
    except Refused as refusal:
        return _page(visit, {**asked, "collection": chosen.split("+")}, refusal)
    if asked.get("do") == "open" and question.match is Match.EXACT:
        return RedirectResponse(opening(question, chosen), 303)
    return RedirectResponse(question.href(chosen), 303)


def collection(visit: Visit) -> Response:
    """`/<collection>/`"""
    return _page(visit, {"collection": visit.collection.name.split("+")})


def opening(question: Question, collection_name: str) -> str:
    """Straight to the page: the capture nearest to the date, or to now."""
    at = moment(question.date) or clock.now()
    return links.frame(collection_name, f"{at.year:04}{at:%m%d%H%M%S}", question.url)


def chosen_collections(visit: Visit, names: list[str]) -> str:
    """As they stand in addresses; what is not there is left out."""
    known = {each.name for each in visit.site.archive.collections()}
    # Whether a viewing is this reader's is asked where the answer is given.
    viewing = next((name for name in names if _VIEWING.match(name)), "")
    chosen = [name for name in dict.fromkeys(names) if name in known and name != EVERYTHING]
    return viewing or "+".join(chosen) or EVERYTHING


def choices(visit: Visit) -> list[Collection]:
    """The collections that one can choose, without that of everything."""
    return [each for each in visit.site.archive.collections() if not each.everything]


def _page(visit: Visit, values: Mapping[str, Any], refusal: Refused | None = None) -> Response:
    form = filled(**values)
    if refusal is not None:
        form = form.refuse(refusal)
    return shell.page(
        visit,
        "reading/home.html",
        status=422 if refusal else 200,
        form=form,
        collections=choices(visit),
        hosts=hosts(visit.view) if visit.site.viewings is None else [],
        patterns=[(match.value, HOW_MUCH[match]) for match in PATTERNS],
    )
