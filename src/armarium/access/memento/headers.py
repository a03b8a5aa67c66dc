"""What an archived page says of its time, and of its neighbours (RFC 7089 2)."""

from armarium.access.memento.links import (
    LINK_FORMAT,
    PAGE,
    http_date,
    link,
    link_address,
    memento_address,
    timegate_address,
    timemap_address,
)
from armarium.access.memento.neighbours import Neighbours, neighbours
from armarium.access.model import Collection, Seen
from armarium.access.settings import AccessSettings
from armarium.access.view import View
from armarium.formats.cdx import CdxLine

Headers = list[tuple[str, str]]


def memento_headers(
    view: View,
    seen: Seen,
    settings: AccessSettings,
    *,
    url: str = "",
    mod: str = PAGE,
    with_neighbours: bool = True,
) -> Headers:
    """For a capture that is shown; `url` as it was asked for, which is the original that a TimeMap names.

    First, last, earlier and later captures have to be looked up: parts of a page do without them.
    """
    date = seen.line.date
    if not seen.allowed or date is None:
        return []
    around = neighbours(view, seen.line) if with_neighbours else None
    links = original_links(settings, view.collection, url or seen.line.url or "")
    links += memento_links(settings, view.collection, seen.line, around, mod, url)
    return [("Memento-Datetime", http_date(date)), ("Link", ", ".join(links))]


def original_links(settings: AccessSettings, collection: Collection, url: str) -> list[str]:
    return [
        link(link_address(url), "original"),
        link(timegate_address(settings, collection, url), "timegate"),
        link(timemap_address(settings, collection, url), "timemap", type=LINK_FORMAT),
    ]


def memento_links(
    settings: AccessSettings,
    collection: Collection,
    line: CdxLine,
    around: Neighbours | None,
    mod: str = PAGE,
    url: str = "",
) -> list[str]:
    """A capture may be several things at once: RFC 7089 2.2.4 writes `rel="prev first memento"`."""
    found: dict[str, tuple[CdxLine, list[str]]] = {line.timestamp: (line, [])}
    if around is not None:
        named = (
            ("first", around.first or line),
            ("prev", around.previous),
            ("next", around.next),
            ("last", around.last or line),
        )
        for rel, neighbour in named:
            if neighbour is not None:
                found.setdefault(neighbour.timestamp, (neighbour, []))[1].append(rel)
    return [
        link(
            memento_address(settings, collection, one, mod, url),
            " ".join([*rels, "memento"]),
            datetime=http_date(one.date) if one.date is not None else "",
        )
        for _, (one, rels) in sorted(found.items())
    ]
