"""From the bytes of a robots.txt to what it says."""

import re

from armarium.formats.robots.document import LENIENT, Dialect, Directive, Extras, Group, Robots, name_in_file
from armarium.formats.robots.rules import MAX_PATH, Rule

# RFC 9309, 2.5: "The parsing limit MUST be at least 500 kibibytes".
MAX_BYTES = 500 * 1024
_MAX_LINE = MAX_PATH - 1  # Google's parser: the rest of a longer line is not read
_MAX_OTHERS = 10_000

_AGENT, _ALLOW, _DISALLOW, _SITEMAP, _GROUP_EXTRA, _OTHER = range(6)

_RULES = (_ALLOW, _DISALLOW)

_KEYS = {
    b"user-agent": _AGENT,
    b"allow": _ALLOW,
    b"disallow": _DISALLOW,
    b"sitemap": _SITEMAP,
    b"crawl-delay": _GROUP_EXTRA,
    b"request-rate": _GROUP_EXTRA,
    b"visit-time": _GROUP_EXTRA,
    b"noindex": _GROUP_EXTRA,
}

# Frequent misspellings. Google's parser takes them, and words that only begin like these (``Disallowed``).
_TYPOS = {
    b"useragent": b"user-agent",
    b"user agent": b"user-agent",
    b"dissallow": b"disallow",
    b"dissalow": b"disallow",
    b"disalow": b"disallow",
    b"diasllow": b"disallow",
    b"disallaw": b"disallow",
    b"site-map": b"sitemap",
    b"crawldelay": b"crawl-delay",
    b"crawl delay": b"crawl-delay",
    b"request rate": b"request-rate",
    b"visit time": b"visit-time",
}
_SPELLINGS = {**{key: key for key in _KEYS}, **_TYPOS}
_NO_COLON = re.compile(
    rb"(user[- ]?agent|crawl[- ]?delay|request[- ]rate|[^\s]+)[ \t]+([^\s].*)", re.IGNORECASE
)
_SEVERAL_WORDS = frozenset((b"user-agent", b"crawl-delay", b"request-rate"))
_HTML = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body|script|title|meta|!--|\?xml)", re.IGNORECASE)


def parse(data: bytes, dialect: Dialect = LENIENT) -> Robots:
    """Read a robots.txt. Never raises: what cannot be understood is passed over, as RFC 9309, 2.2 asks."""
    reading = _Reading(Robots(dialect))
    text = _readable(data, reading.robots)
    for number, line in enumerate(text.splitlines(), 1):
        reading.take(number, line)
    return reading.robots


def _readable(data: bytes, robots: Robots) -> bytes:
    """The part that is read, without a byte order mark, in UTF-8."""
    robots.html = _HTML.match(data[:1024]) is not None
    robots.cut = len(data) > MAX_BYTES
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        # RFC 9309, 2.3: the file "MUST be UTF-8 encoded". Notepad's "Unicode" is UTF-16, and its mark tells.
        return data[:MAX_BYTES].decode("utf-16", "replace").encode("utf-8", "surrogatepass")
    if robots.cut:
        # A line that the limit cuts would forbid or allow something its author did not write.
        end = max(data.rfind(b"\n", 0, MAX_BYTES), data.rfind(b"\r", 0, MAX_BYTES))
        data = data[: end + 1]
    # Damaged marks of two bytes or one occur; they too are no part of the first line.
    for mark in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"):
        if data.startswith(mark):
            return data[len(mark) :]
    return data


class _Reading:
    """The state between two lines."""

    def __init__(self, robots: Robots) -> None:
        self.robots = robots
        self.dialect = robots.dialect
        self._kinds: dict[bytes, tuple[int, str]] = {}
        self._group: Group | None = None  # None: no user-agent line came yet; its rules belong to nobody
        self._extras = Extras()
        self._names: list[str] = []

    def take(self, number: int, line: bytes) -> None:
        """Read one line."""
        line = line[:_MAX_LINE]
        if b"#" in line:
            line = line[: line.index(b"#")]
        key, colon, value = line.partition(b":")
        if not colon:
            if not (self.dialect.missing_colon and (parts := self._without_colon(line))):
                return
            key, value = parts
        kind, name = self._kinds.get(key) or self._kind(key)
        value = value.strip()
        if kind in _RULES:
            if self._group is not None:
                self._group.rules.append(Rule(kind == _ALLOW, value, number))
        elif kind == _AGENT:
            self._agent(value.decode("utf-8", "replace"))
        else:
            self._other(kind, Directive(number, name, value.decode("utf-8", "replace")))

    def _kind(self, key: bytes) -> tuple[int, str]:
        word = key.strip().lower()
        if self.dialect.typos and word not in _KEYS:
            word = next((meant for spelling, meant in _SPELLINGS.items() if word.startswith(spelling)), word)
        kind = _KEYS.get(word, _OTHER)
        name = word.decode("utf-8", "replace")
        self._kinds[key] = (kind, name)
        return kind, name

    def _without_colon(self, line: bytes) -> tuple[bytes, bytes] | None:
        line = line.strip()
        found = _NO_COLON.fullmatch(line)
        if found is None or (not self.dialect.several_words and len(line.split()) > 2):
            return None
        key, value = found.groups()
        spelling = _SPELLINGS.get(key.lower())
        # A sentence that happens to begin with "allow" is no rule: a path has no blanks.
        if spelling not in _SEVERAL_WORDS and len(value.split()) > 1:
            return None
        return key, value

    def _agent(self, value: str) -> None:
        # RFC 9309, 2.2.1: a group is one or more user-agent lines "followed by one or more rules". Other
        # lines "MUST NOT interfere" (2.2.4), so only a rule ends the list of names.
        fresh = self._group is None or bool(self._group.rules)
        if self._group is None or fresh:
            self._group = Group()
            self._names = []
        if fresh or self._extras.lines:
            self._extras = Extras()
        name = name_in_file(value, whole=self.dialect.whole_names)
        if not name:
            return
        addressee = self.robots.addressee(name)
        if not addressee.groups or addressee.groups[-1] is not self._group:
            addressee.groups.append(self._group)
        if not addressee.extras or addressee.extras[-1] is not self._extras:
            addressee.extras.append(self._extras)

    def _other(self, kind: int, directive: Directive) -> None:
        if kind == _SITEMAP:
            if directive.value:
                self.robots.sitemaps.append(directive.value)
        elif kind == _GROUP_EXTRA and self._group is not None:
            self._extras.lines.append(directive)
        elif directive.key and len(self.robots.others) < _MAX_OTHERS:
            self.robots.others.append(directive)
