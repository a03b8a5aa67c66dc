"""What is in files without a house: their hosts, and a page of each to begin with."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from armarium.access.model import Seen
from armarium.access.search import links
from armarium.access.search.narrowing import kind_of
from armarium.access.view import View
from armarium.formats.cdx.query import Match, Query

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
