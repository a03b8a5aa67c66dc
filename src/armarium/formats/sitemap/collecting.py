"""Putting an entry together from the elements between its beginning and its end."""

import math
from functools import lru_cache

from armarium.formats.sitemap.entry import Entry, Link, Locator, Place, Role
from armarium.formats.text.xml import End, Start

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
