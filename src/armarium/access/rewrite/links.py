"""Addresses of a page, turned into addresses inside the archive.

An address is read as a browser reads it (URL Standard): white space around it and line ends in it do not
count, a backslash is a slash, `//host` takes the scheme of the page. What is plain is only put behind the
archive's prefix, character for character, because the browser will encode it the same way there as on the
live page. Everything else, above all `..`, which could climb out of the archive, goes through the parser.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from armarium.formats.url import InvalidUrl, resolve

# What an archive of the web may hold. Everything else (`data:`, `mailto:`, `about:`, `blob:`) stays as it is.
_ARCHIVED_SCHEMES = frozenset({"http", "https", "ftp", "ftps", "mms", "rtsp", "wais"})
# Of these the server must learn from the address what is asked for: a script with the type of a page is a
# script.
_SPOKEN_MODS = frozenset({"js_", "esm_", "if_", "fr_", "fw_", "wkr_", "wkrm_", "sw_"})

_PLAIN_ABSOLUTE = re.compile(r"[hH][tT][tT][pP][sS]?://[^/\\?#\x00-\x20][^\x00-\x20\\]*+\Z")
_PLAIN_ROOTED = re.compile(r"/(?![/\\])[^\x00-\x20\\]*+\Z")
_PLAIN_RELATIVE = re.compile(r"(?:[^/\\?#:\x00-\x20]++(?![:\\])|(?=[?#]))[^\x00-\x20\\]*+\Z")
_SEGMENT_OF_DOTS = re.compile(r"(?:^|/)(?:\.|%2[eE])")
_TWO_DOTS = re.compile(r"(?:\.|%2[eE]){2}")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_LINE_ENDS = re.compile(r"[\t\n\r]")
_WHITE_SPACE = "".join(map(chr, range(0x21)))
# A long base would be read and written again for every link of its page.
LONGEST_BASE = 2048
_ORIGIN = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)(/?)")
_BEHIND_PREFIX = re.compile(r"(?:\d{0,14}(?:[a-z]+\d?_)*/)?(?:https?|ftps?):/", re.IGNORECASE)


@dataclass(frozen=True)
class Links:
    """Where a page stands, and so where its links lead."""

    prefix: str  # of the collection, "http://localhost:8091/all/"
    timestamp: str  # 14 digits
    url: str  # the page, or what <base> says: the base of relative addresses
    mod: str = "mp_"
    charset: str = "utf-8"  # the encoding of queries with letters beyond ASCII
    # Asked now and then; raises where nobody waits for the page any more.
    go_on: Callable[[], None] | None = field(default=None, repr=False, compare=False)
    _start: str = field(init=False, repr=False, compare=False)
    _origin: str = field(init=False, repr=False, compare=False)
    _rooted: bool = field(init=False, repr=False, compare=False)
    _path: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found = _ORIGIN.match(self.url)
        object.__setattr__(self, "_start", self.prefix + self.timestamp)
        object.__setattr__(self, "_origin", found[1] if found else "")
        # Beside `…mp_/http://example.com`, a relative address would be that of a host.
        object.__setattr__(self, "_rooted", bool(found and found[2]))
        object.__setattr__(self, "_path", re.sub(r"^[a-z]+://[^/]*", "", self.prefix))

    def work_on(self) -> None:
        """Said now and then by what may take long without any address; raises where nobody waits for it."""
        if self.go_on is not None:
            self.go_on()

    def archived(self, address: str, mod: str | None = None) -> str:
        """The address as it is written in the archive; what leads nowhere is given back as it came."""
        self.work_on()
        if mod is None:
            mod = self.mod
        if _PLAIN_ABSOLUTE.match(address):
            if address.startswith(self.prefix):
                return self._already(address, mod)
            if not _SEGMENT_OF_DOTS.search(address):
                return f"{self._start}{mod}/{address}"
        elif _PLAIN_ROOTED.match(address):
            if not _SEGMENT_OF_DOTS.search(address) and self._origin and not self._is_rooted_inside(address):
                return f"{self._start}{mod}/{self._origin}{address}"
        elif self._stays_relative(address, mod):
            return address
        return self._thorough(address, mod)

    def based(self, base: str) -> "Links":
        """The same page after `<base href>`; one that is too long does not count."""
        if len(base) > LONGEST_BASE:
            return self
        try:
            url = resolve(self.url, base)
        except InvalidUrl:
            return self
        return replace(self, url=url) if url.startswith(("http:", "https:")) else self

    def absolute(self, address: str, mod: str | None = None) -> str:
        """The address inside the archive, in full even where a relative one would do."""
        return self._thorough(address, self.mod if mod is None else mod)

    @property
    def path(self) -> str:
        """The path of the collection on its origin, "/all/"."""
        return self._path

    def path_of(self, archived: str) -> str:
        """The path of an address inside the archive, without its origin."""
        origin = self.prefix[: len(self.prefix) - len(self._path)]
        return archived[len(origin) :] if origin and archived.startswith(origin + "/") else archived

    def _stays_relative(self, address: str, mod: str) -> bool:
        if mod != self.mod and mod in _SPOKEN_MODS:
            return False
        return self._rooted and bool(_PLAIN_RELATIVE.match(address)) and not _TWO_DOTS.search(address)

    def _is_rooted_inside(self, address: str) -> bool:
        return address.startswith(self._path) and bool(_BEHIND_PREFIX.match(address, len(self._path)))

    def _already(self, address: str, mod: str) -> str:
        """The rest behind our prefix decides: `…/all/../other` would not be inside."""
        if _BEHIND_PREFIX.match(address, len(self.prefix)) and not _TWO_DOTS.search(address):
            return address
        return self._thorough(address, mod, inside=False)

    def _thorough(self, address: str, mod: str, *, inside: bool = True) -> str:
        text = _LINE_ENDS.sub("", address).strip(_WHITE_SPACE)
        if not text or text[0] == "#":
            return address
        scheme = _SCHEME.match(text)
        if scheme and scheme[1].lower() not in _ARCHIVED_SCHEMES:
            return address
        if inside and self._is_rooted_inside(text) and not _TWO_DOTS.search(text):
            return address
        try:
            url = resolve(self.url, text, self.charset)
        except InvalidUrl:
            # No browser can follow it either; but what we cannot read must not lead out.
            url = quote(text, safe="%/:?#[]@!$&'()*+,;=-._~")
        if inside and url.startswith(self.prefix):
            return self._already(url, mod)
        return f"{self._start}{mod}/{url}"
