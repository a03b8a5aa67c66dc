"""Which address of the readers' origin leads to which area."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from armarium.access.model import EVERYTHING
from armarium.access.requests.site import Handler
from armarium.access.rewrite.archival_addresses import Archival, NotArchival, parse_archival

OWN = "/-/"  # below it nothing is a collection


@dataclass(frozen=True)
class Routes:
    pages: Mapping[str, Handler]  # whole paths
    below: Mapping[str, Handler]  # beginnings of paths
    of_collection: Mapping[str, Handler]  # by the first word behind the collection's name
    asked: Handler  # `…/*/url`: which captures there are
    timegate: Handler  # `…/url`
    frame: Handler  # `…/20260131000000/url`
    content: Handler  # with a modifier: to the other origin
    methods: Mapping[str, frozenset[str]] = field(default_factory=dict)  # of pages that take more than GET


@dataclass(frozen=True)
class Found:
    handler: Handler
    collection: str
    rest: str


def find(routes: Routes, path: str, query: str) -> Found | None:
    """`path` and `query` as they came. The rest of a collection's address keeps its query."""
    whole = unquote(path)
    if handler := routes.pages.get(whole):
        return Found(handler, EVERYTHING, f"?{query}" if query else "")
    for beginning, handler in routes.below.items():
        if whole.startswith(beginning):
            return Found(handler, EVERYTHING, _with_query(path[len(beginning) :], query))
    if whole.startswith(OWN):
        return None
    collection, _, rest = path.removeprefix("/").partition("/")
    handler = _of_collection(routes, rest, query)
    return None if handler is None else Found(handler, unquote(collection), _with_query(rest, query))


def _of_collection(routes: Routes, rest: str, query: str) -> Handler | None:
    word = rest.partition("/")[0]
    if word in routes.of_collection:
        return routes.of_collection[word]
    try:
        asked = parse_archival(_with_query(rest, query))
    except NotArchival:
        return None
    if not isinstance(asked, Archival):
        return routes.asked
    if asked.mod:
        return routes.content
    return routes.frame if asked.timestamp else routes.timegate


def _with_query(rest: str, query: str) -> str:
    return f"{rest}?{query}" if query else rest
