"""What an extractor has found so far in one document."""

import re
from itertools import chain
from typing import NamedTuple

from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.model import Hop, Link

# RFC 3986, 3.1. A reference that begins so is absolute; of those only the web's own schemes can be fetched.
_scheme = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:").match
_FETCHABLE = frozenset(("http:", "https:"))
# WHATWG URL, "basic URL parser": these are removed wherever they stand.
_TABS_AND_LINE_ENDS = str.maketrans("", "", "\t\r\n")
# A browser gives up on longer ones, and a scope rejects far shorter ones.
_LONGEST = 65_536
# Places of a template that was never filled in: `{{url}}`, `${url}`, `<%= url %>`, `[[url]]`.
_PLACEHOLDERS = ("{{", "${", "<%", "<?")
# C0 controls and the space, which the URL parser trims.
_TRIMMED = "".join(map(chr, range(0x21)))


_new = tuple.__new__  # half the time of Link(…), for what happens ninety times a page


# Paths from the root, without anything that `fetchable` would look at: most links of most pages.
_simple = re.compile(r"[!\"$-;=?-z|~]{1,1000}+").fullmatch
# Links beyond the limit that are known by name, of one document: whoever asks is told of them.
NOTED = 10_000
MAX_LINKS = "max-links"


class Found(NamedTuple):
    """The outcome of an extraction."""

    base: str  # the URL against which `links` are to be resolved
    encoding: str  # in which a browser would percent-encode the queries of `links`
    links: list[Link]  # redirects first, then embeds, manifests, links, guesses, the icon
    annotations: tuple[str, ...] = ()  # words for the log
    discarded: int = 0  # links beyond a limit
    dropped: tuple[Link, ...] = ()  # those of them that are known by name, the first ones
    limit: str = MAX_LINKS  # which limit it was
    by: tuple[
        tuple[str, int], ...
    ] = ()  # the extractors that read the document, and how many links each found

    def without(self, hop: Hop, limit: str) -> "Found":
        """The same; but links of a kind are dropped by another limit, if there are any."""
        dropped = tuple(link for link in self.links if link.hop is hop)
        if not dropped:
            return self
        links = [link for link in self.links if link.hop is not hop]
        return self._replace(
            links=links, discarded=self.discarded + len(dropped), dropped=dropped, limit=limit
        )


class Findings:
    """Collects links, each (reference, hop) once, and no more addresses than the limit.

    A fragment is part of a page, not an address of its own: a list of a page's thousand sections is one; and
    so is what is spelled in many ways. Few documents come near the limit: spellings are only told from
    addresses once there are as many of them.
    """

    __slots__ = (
        "_addresses", "_dropped", "_groups", "_most", "annotations", "base", "discarded", "encoding", "limit",
        "room",
    )  # fmt: skip

    def __init__(self, base: str, room: int) -> None:
        self.base = base
        self.encoding = "utf-8"
        self.annotations: list[str] = []
        self.discarded = 0
        self.limit = MAX_LINKS
        self.room = self._most = room
        self._addresses: dict[str, set[Hop]] | None = None  # with their roles; None: no need to tell so far
        self._dropped: dict[str, Link] = {}  # by address
        # The order is that of the result: when a page both shows and links a file, the frontier is to see
        # the embed first.
        self._groups: dict[Hop, dict[str, Link]] = {
            hop: {} for hop in (Hop.REDIRECT, Hop.EMBED, Hop.MANIFEST, Hop.LINK, Hop.SPECULATIVE)
        }

    def add(self, reference: str, hop: Hop, context: str) -> bool:
        """Take a reference as a document holds it; False when it leads nowhere that can be fetched."""
        group = self._groups[hop]
        if reference in group:
            return True
        if reference[:1] != "/" or not _simple(reference):
            reference = fetchable(reference)
            if not reference:
                return False
            if reference in group:
                return True
        link = _new(Link, (reference, hop, context))
        if self._addresses is None and not self._known(reference):
            if self.room > 0:
                self.room -= 1
            else:
                self._tell_addresses()
        if self._addresses is None or self._has_room(link, self._addresses):
            group[reference] = link
        return True

    def allow(self, room: int, limit: str) -> None:
        """What kind of document this is has another limit."""
        self.room, self.limit = room, limit
        self._most = room + len(self)

    def _tell_addresses(self) -> None:
        """Count by address from now on: there is the room again that other spellings took."""
        self._addresses = {}
        for hop, group in self._groups.items():
            for reference in group:
                self._addresses.setdefault(self._address(reference), set()).add(hop)
        self.room = self._most - len(self._addresses)

    def _has_room(self, link: Link, addresses: dict[str, set[Hop]]) -> bool:
        """Whether a link leads to a new address for which there is room, or to a known one in a new role."""
        address = self._address(link.reference)
        hops = addresses.get(address)
        if hops is None:
            if self.room <= 0 or not address:
                self._drop(address, link)
                return False
            self.room -= 1
            hops = addresses[address] = set()
        elif link.hop in hops:
            return False
        hops.add(link.hop)
        return True

    def _address(self, reference: str) -> str:
        """Empty: it leads nowhere."""
        try:
            return resolve(self.base, reference, self.encoding).partition("#")[0]
        except InvalidUrl:
            return ""

    def _known(self, reference: str) -> bool:
        """Whether it stands there in another role, as a picture that is both shown and linked."""
        return any(reference in group for group in self._groups.values())

    def _drop(self, address: str, link: Link) -> None:
        """Past those that are noted, repeats can no longer be told from others."""
        if not address or address in self._dropped:
            return
        self.discarded += 1
        if len(self._dropped) < NOTED:
            self._dropped[address] = link

    def add_all(self, links: list[Link]) -> None:
        """Take links that are known to be fetchable, and for which there is room."""
        if self._addresses is not None:
            for link in links:
                self.add(*link)
            return
        groups = self._groups
        before = sum(map(len, groups.values()))
        for link in links:
            groups[link[1]].setdefault(link[0], link)
        self.room -= sum(map(len, groups.values())) - before

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def found(self) -> Found:
        """The result; a guess that is also a certainty is left out."""
        guesses = self._groups.pop(Hop.SPECULATIVE)
        certain = list(self._groups.values())
        links = list(chain.from_iterable(group.values() for group in certain))
        for reference, link in guesses.items():
            if not any(reference in group for group in certain):
                links.append(link)
        dropped = tuple(self._dropped.values())
        return Found(
            self.base, self.encoding, links, tuple(self.annotations), self.discarded, dropped, self.limit
        )


class Notes(Findings):
    """Findings in a part of a document, to be added to those of several."""

    __slots__ = ("_links",)

    def __init__(self) -> None:
        super().__init__("", 0)
        self._links: list[Link] = []

    def add(self, reference: str, hop: Hop, context: str) -> bool:
        if reference[:1] != "/" or not _simple(reference):
            reference = fetchable(reference)
            if not reference:
                return False
        self._links.append(_new(Link, (reference, hop, context)))
        return True

    def taken(self) -> tuple[Link, ...]:
        """The links since the last time, as they came."""
        if not self._links:
            return ()
        links = tuple(self._links)
        self._links.clear()
        return links


def fetchable(reference: str) -> str:
    """The reference without the space around it and without fragment; empty when a crawler has nothing to
    fetch there."""
    reference = reference.partition("#")[0].strip(_TRIMMED)
    if not reference or len(reference) > _LONGEST:
        return ""
    if ":" in reference:
        plain = reference.translate(_TABS_AND_LINE_ENDS) if not reference.isprintable() else reference
        scheme = _scheme(plain)
        if scheme is not None and scheme.group().lower() not in _FETCHABLE:
            return ""
    if ("{" in reference or "<" in reference) and any(mark in reference for mark in _PLACEHOLDERS):
        return ""
    return reference
