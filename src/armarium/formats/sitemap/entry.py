"""One URL of a sitemap, and where it stands in relation to the sitemap."""

import enum
from datetime import datetime
from typing import NamedTuple

from armarium.formats.text.dates import parse_date
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
