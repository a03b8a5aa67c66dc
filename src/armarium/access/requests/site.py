"""The site, its routes, and one visit to it, as everything behind the door knows them; errors as readers see
them; and a site for those who have the files, without a house."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from armarium.access.model import EVERYTHING, OPEN, Archive, Collection, Decision, Policy, Reader
from armarium.access.rewrite.archival_addresses import Archival, NotArchival, parse_archival
from armarium.access.settings import AccessSettings
from armarium.access.view import Restricted, View
from armarium.accounts.model import Session, Throttled
from armarium.core.errors import ArmariumError, Forbidden, NotFound, Refused, Unavailable
from armarium.core.message import Message, message
from armarium.formats.cdx import CdxLine
from armarium.formats.url import surt

_NUMBER = re.compile(r"[0-9]{1,12}\Z", re.ASCII)


@dataclass(frozen=True)
class Caller:
    """What a request tells of who asks."""

    cookies: Mapping[str, str]
    headers: Mapping[str, str]  # names in lower case
    address: str  # of the client
    content: bool = False  # on the origin of the content


@dataclass(frozen=True)
class Guest:
    """Who asks: what the rules need to know, and what the readers' own pages show."""

    reader: Reader
    name: str = ""
    session: Session | None = None
    language: str = ""


class Readers(Protocol):
    def of(self, asking: Caller) -> Guest: ...


class Uses(Protocol):
    """Figures of use; nothing that is kept says who."""

    def note(
        self, kind: str, outcome: str, *, collection: str, reader: Reader, size: int = 0, domain: str = ""
    ) -> None: ...


class Locks(Protocol):
    """Pages that only one reader may have at a time."""

    def take(self, key: str, reader: Reader) -> bool:
        """Have it, or go on having it; False: another reader has it."""

    def release(self, reader: Reader, key: str | None = None) -> None: ...


class Viewings(Protocol):
    """Looking at what some jobs brought."""

    def collection(self, number: int, reader: Reader) -> Collection:
        """Raises `NotFound` unless it is this reader's."""

    def note_missing(self, number: int, url: str, key: str, referrer: str) -> None: ...


class Pictures(Protocol):
    """Of captures that somebody looked for before."""

    def newest(self, view: View, pages: Iterable[CdxLine]) -> Mapping[str, str]:
        """Of each key, the timestamp of its newest picture among these that this reader may see."""


@dataclass(frozen=True)
class Site:
    settings: AccessSettings
    archive: Archive
    policy: Policy
    readers: Readers
    uses: Uses
    locks: Locks
    viewings: Viewings | None = None  # None: files without a house
    pictures: Pictures | None = None  # None: likewise
    library: str = ""
    contact: str = ""
    time_zone: str = "UTC"
    staff_url: str | None = None

    def view(self, name: str, reader: Reader) -> View:
        """A collection as this reader may see it; raises `NotFound` if there is none of that name."""
        return View(self.archive, self.policy, reader, self.collection(name, reader))

    def collection(self, name: str, reader: Reader) -> Collection:
        kind, _, number = name.partition("-")
        if kind == "viewing" and self.viewings is not None and _NUMBER.match(number):
            return self.viewings.collection(int(number), reader)
        return self.archive.collection(name)


@dataclass(frozen=True)
class Visit:
    """One request on the readers' origin."""

    site: Site
    guest: Guest
    view: View
    rest: str  # what stands behind the collection's name, with its query, as it came
    request: Request
    body: bytes = b""

    @property
    def reader(self) -> Reader:
        return self.guest.reader

    @property
    def collection(self) -> Collection:
        return self.view.collection

    def note_missing(self, url: str) -> None:
        """In a viewing, what is asked for and not there is what somebody looks for."""
        number = self.collection.viewing
        if number is not None and self.site.viewings is not None:
            referrer = self.request.headers.get("referer", "")
            self.site.viewings.note_missing(number, url, surt(url), referrer)


#: Called in a thread. What it raises of the house's errors, the door puts into words.
Handler = Callable[[Visit], Response]


class ContentAddresses(Protocol):
    """How the frame leads its reader to archived content."""

    def src(self, visit: Visit, path: str, *, one_reader: bool = False) -> str:
        """The address for the frame. `path` lies on the content's origin."""

    def dress(self, visit: Visit, response: Response) -> None:
        """Give the page that has the frame the cookie that the address needs, if any."""


class PlainContentAddresses:
    """Without a house everybody is the same."""

    def __init__(self, settings: AccessSettings) -> None:
        self._settings = settings

    def src(self, visit: Visit, path: str, *, one_reader: bool = False) -> str:  # noqa: ARG002
        return self._settings.content + path

    def dress(self, visit: Visit, response: Response) -> None: ...


#: Which status an error of the house has; the first class that fits.
STATUS: tuple[tuple[type[ArmariumError], int], ...] = (
    (Restricted, 451),
    (Throttled, 429),
    (Refused, 400),
    (NotFound, 404),
    (Forbidden, 403),
    (Unavailable, 503),
)

TITLES = {
    400: message("This request cannot be understood"),
    403: message("Not allowed"),
    404: message("Not found"),
    429: message("Too many attempts"),
    451: message("In the archive, but not available here"),
    500: message("Something went wrong on our side"),
    503: message("Not available at the moment"),
}


@dataclass(frozen=True)
class Problem:
    status: int
    text: Message

    @property
    def title(self) -> Message:
        return TITLES[self.status]

    @classmethod
    def ours(cls) -> "Problem":
        return cls(500, message("The error has been logged. If it happens again, tell the library."))


def problem_of(error: ArmariumError) -> Problem:
    return Problem(next((status for kind, status in STATUS if isinstance(error, kind)), 500), error.message)


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


class OpenPolicy:
    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:  # noqa: ARG002
        return OPEN


class Everybody:
    def of(self, asking: Caller) -> Guest:  # noqa: ARG002
        return Guest(Reader(sees_everything=True))


class NoFigures:
    def note(
        self, kind: str, outcome: str, *, collection: str, reader: Reader, size: int = 0, domain: str = ""
    ) -> None:
        """Nobody asks for them."""


class NoLocks:
    def take(self, key: str, reader: Reader) -> bool:  # noqa: ARG002
        return True

    def release(self, reader: Reader, key: str | None = None) -> None:
        """None was taken."""
