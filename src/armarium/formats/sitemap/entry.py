"""One URL of a sitemap, and where it stands in relation to the sitemap."""

import enum
import math
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from armarium.formats.text.dates import parse_date
from armarium.formats.text.xml import End, Start
from armarium.formats.url import InvalidUrl, parse, resolve

# sitemaps.org: a URL "must be less than 2,048 characters"; longer ones exist and are kept up to this.
_LONGEST = 16_384


class Role(enum.StrEnum):
    """What an address is to the entry it stands in."""

    PAGE = "page"
    SITEMAP = "sitemap"
    IMAGE = "image"
    VIDEO = "video"
    PLAYER = "player"
    THUMBNAIL = "thumbnail"
    ALTERNATE = "alternate"  # the same page in another language or for another device
    FEED = "feed"
    OTHER = "other"


class Place(enum.StrEnum):
    """Whether a sitemap may speak about a URL: sitemaps.org, "Sitemap file location"."""

    BELOW = "below"  # under the folder of the sitemap
    HOST = "host"  # the same scheme and host, another folder
    FOREIGN = "foreign"  # another host or scheme
    INVALID = "invalid"  # not a URL


class Link(NamedTuple):
    """A further address inside an entry."""

    url: str
    role: Role


class Entry(NamedTuple):
    """One URL that a sitemap names."""

    url: str  # absolute; as written when it is no URL
    role: Role  # PAGE or SITEMAP
    written: str
    place: Place
    relative: bool = False  # it was written relative to the sitemap, which the protocol does not allow
    modified_text: str | None = None  # the date as written
    frequency: str | None = None
    priority: float | None = None
    title: str | None = None
    links: tuple[Link, ...] = ()

    @property
    def modified(self) -> datetime | None:
        """When the page was last changed, if the date can be understood."""
        return parse_date(self.modified_text) if self.modified_text else None


class Address(NamedTuple):
    """A written address, resolved."""

    url: str
    place: Place
    relative: bool


class Locator:
    """Resolves addresses of one sitemap."""

    def __init__(self, sitemap: str) -> None:
        self._base = sitemap
        try:
            base = parse(sitemap)
        except InvalidUrl:
            self._origin = self._folder = ""
            return
        port = f":{base.port}" if base.port is not None else ""
        self._origin = f"{base.scheme}://{base.host}{port}"
        self._folder = base.href.partition("?")[0].rpartition("/")[0] + "/"

    def address(self, written: str) -> Address:
        """Where a written address leads."""
        written = written[:_LONGEST]
        relative = "://" not in written[:64]
        try:
            url = resolve(self._base, written) if self._origin else parse(written).href
        except InvalidUrl:
            return Address(written, Place.INVALID, relative)
        if not url.startswith(("http:", "https:", "ftp:")):
            return Address(url, Place.INVALID if relative else Place.FOREIGN, relative)
        if self._folder and url.startswith(self._folder):
            return Address(url, Place.BELOW, relative)
        same = bool(self._origin) and url.startswith(self._origin + "/")
        return Address(url, Place.HOST if same else Place.FOREIGN, relative)

    def link(self, written: str, role: Role) -> Link | None:
        """A further address, or None when it is not one."""
        found = self.address(written.strip())
        return Link(found.url, role) if written.strip() and found.place is not Place.INVALID else None


# --- Putting an entry together from the elements between its beginning and its end.


_CONTAINERS = {"url": Role.PAGE, "sitemap": Role.SITEMAP, "item": Role.PAGE, "entry": Role.PAGE}
NO_URL = "an entry names no URL"
_MAX_TEXT = 16_384
_MAX_LINKS = 1_000

# Elements of the extensions that hold an address, by the name of their namespace's or prefix's subject
_ADDRESSES = {
    ("image", "loc"): Role.IMAGE,
    ("image", "license"): Role.OTHER,
    ("video", "thumbnail_loc"): Role.THUMBNAIL,
    ("video", "content_loc"): Role.VIDEO,
    ("video", "player_loc"): Role.PLAYER,
    ("video", "gallery_loc"): Role.OTHER,
    ("media", "content"): Role.OTHER,
}
# Fields of an entry: sitemap, RSS and Atom elements for the same things, the better one first
_DATES = ("lastmod", "updated", "modified", "pubdate", "date", "published", "issued", "publication_date")
_FIELDS = frozenset((*_DATES, "changefreq", "priority", "title", "loc", "guid", "link", "id"))


@lru_cache(maxsize=256)
def _subject(space: str) -> str:
    """Which extension a namespace is: image, video, news, xhtml; everything else is the sitemap itself."""
    for subject in ("image", "video", "news", "xhtml", "media"):
        if space == subject or f"sitemap-{subject}" in space or space.endswith(f"/{subject}"):
            return subject
    if "search.yahoo.com/mrss" in space:
        return "media"
    return ""


class EntryCollector:
    """Fed with the events of a document; gives an entry where one ends."""

    def __init__(self, locator: Locator) -> None:
        self.problems: dict[str, int] = {}  # each with the number of its cases
        self.cut = False  # an entry had more links than are taken
        self._locator = locator
        self._container: str | None = None
        self._fields: dict[str, str] = {}
        self._links: list[Link] = []
        self._text: list[str] = []
        self._length = 0

    def text(self, text: str) -> None:
        """Text of the element that is open."""
        if self._container is not None and self._length < _MAX_TEXT:
            self._text.append(text)
            self._length += len(text)

    def start(self, event: Start) -> None:
        """An element begins."""
        self._text, self._length = [], 0
        if self._container is None:
            if event.name in _CONTAINERS and not _subject(event.space):
                self._container, self._fields, self._links = event.name, {}, []
            return
        address = event.attributes.get("href")
        if event.name == "link" and address:
            self._linked(address, event)
        elif event.name in ("enclosure", "content", "thumbnail", "player") and event.attributes.get("url"):
            self._add(event.attributes["url"], Role.OTHER)

    def _linked(self, address: str, event: Start) -> None:
        relation = event.attributes.get("rel", "").lower()
        if self._container == "entry" and relation in ("", "alternate"):
            self._fields.setdefault("href", address)
        elif self._container == "url" or relation == "alternate":
            self._add(address, Role.ALTERNATE)
        else:
            self._fields.setdefault("any href", address)
            self._add(address, Role.OTHER)

    def end(self, event: End) -> Entry | None:
        """An element ends; the entry, if it was one."""
        if self._container is None:
            return None
        text = "".join(self._text).strip()[:_MAX_TEXT]
        self._text, self._length = [], 0
        subject = _subject(event.space)
        if event.name == self._container and not subject:
            return self._entry()
        role = _ADDRESSES.get((subject, event.name))
        if role is not None:
            self._add(text, role)
        elif event.name in _FIELDS and text and (subject in ("", "news")):
            self._fields.setdefault(event.name, text)
        return None

    def _add(self, address: str, role: Role) -> None:
        if len(self._links) >= _MAX_LINKS:
            self.cut = True
        elif (link := self._locator.link(address, role)) is not None:
            self._links.append(link)

    def _entry(self) -> Entry | None:
        role = _CONTAINERS[self._container or "url"]
        self._container = None
        fields = self._fields
        written = self._address()
        if not written:
            self._note(NO_URL)
            return None
        url, place, relative = self._locator.address(written)
        if place is Place.INVALID:
            self._note("an address is not a URL")
        date = next((fields[name] for name in _DATES if name in fields), None)
        return Entry(
            url=url,
            role=role,
            written=written,
            place=place,
            relative=relative,
            modified_text=date,
            frequency=fields.get("changefreq", "").lower() or None,
            priority=_priority(fields.get("priority", "")),
            title=fields.get("title"),
            links=tuple(self._links),
        )

    def _note(self, problem: str) -> None:
        self.problems[problem] = self.problems.get(problem, 0) + 1

    def _address(self) -> str:
        fields = self._fields
        # RSS: without a link, the guid may be one, whatever isPermaLink says: it is not followed by mistake.
        guid = fields.get("guid", fields.get("id", ""))
        named = fields.get("loc") or fields.get("link") or fields.get("href") or fields.get("any href")
        return named or (guid if guid.startswith(("http://", "https://")) else "")


def _priority(text: str) -> float | None:
    """sitemaps.org: "Valid values range from 0.0 to 1.0"."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 1 else None
