"""The site, and one visit to it, as everything behind the door knows them; errors as readers see them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response

from armarium.access.model import Collection, Reader
from armarium.access.protocols import Archive, Policy
from armarium.access.settings import AccessSettings
from armarium.access.view import Restricted, View
from armarium.accounts.model import Session, Throttled
from armarium.core.errors import ArmariumError, Forbidden, NotFound, Refused, Unavailable
from armarium.core.message import Message, message
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


@dataclass(frozen=True)
class Site:
    settings: AccessSettings
    archive: Archive
    policy: Policy
    readers: Readers
    uses: Uses
    locks: Locks
    viewings: Viewings | None = None  # None: files without a house
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
    451: message("In the archive, but not to be seen here"),
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
