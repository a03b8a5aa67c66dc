"""Rules of one group, prepared once and matched in time that a hostile file cannot blow up."""

import enum
import re
from datetime import timedelta
from typing import NamedTuple

# --- Paths of rules and of URLs, brought to one form in which their octets can be compared.


# RFC 3986, 2.3: unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"; 2.2: reserved = gen-delims / sub-delims
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PLAIN = re.compile(rb"[A-Za-z0-9\-._~:/?#\[\]@!&'()+,;=]*")
_PLAIN_PATTERN = re.compile(rb"[A-Za-z0-9\-._~:/?#\[\]@!&'()+,;=*]*")
_TO_CHANGE = re.compile(rb"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#\[\]@!&'()+,;=%*$]|\$|\*")
_TO_ESCAPE = re.compile(rb"%[0-9A-Fa-f]{2}|[\x80-\xff]")


def _decoded(found: re.Match[bytes]) -> bytes:
    octets = found.group()
    if len(octets) == 1:
        return b"%%%02X" % octets[0]
    value = int(octets[1:], 16)
    return bytes((value,)) if value in _UNRESERVED else octets.upper()


def _escaped(found: re.Match[bytes]) -> bytes:
    octets = found.group()
    return octets.upper() if len(octets) == 3 else b"%%%02X" % octets[0]


def _pattern_octets(found: re.Match[bytes]) -> bytes:
    return b"*" if found.group() == b"*" else _decoded(found)


def normal_path(path: bytes, *, decoded: bool) -> str:
    """A URL's path and query in the form for comparison."""
    # RFC 9309, 2.2.2: octets outside ASCII "MUST be percent-encoded"; "If a percent-encoded ASCII octet is
    # encountered in the URI, it MUST be unencoded prior to comparison, unless it is a reserved character".
    if not decoded:
        return path.decode("latin-1")
    if _PLAIN.fullmatch(path):
        return path.decode("ascii")
    # 2.2.3: a rule writes %2A and %24 for a star and a dollar that mean themselves, so the URL's are written
    # so too.
    return _TO_CHANGE.sub(_decoded, path).decode("ascii", "replace")


def normal_pattern(value: bytes, *, decoded: bool) -> tuple[str, bool]:
    """A rule's path in the form for comparison, and whether it ends at ``$``."""
    anchored = value.endswith(b"$")
    body = value[:-1] if anchored else value
    if not decoded:
        return _TO_ESCAPE.sub(_escaped, body).decode("ascii"), anchored
    if _PLAIN_PATTERN.fullmatch(body):
        return body.decode("ascii"), anchored
    return _TO_CHANGE.sub(_pattern_octets, body).decode("ascii", "replace"), anchored


def path_of(url: str) -> bytes:
    """Path and query of a URL (or of a bare path), from its first slash: what rules are compared with."""
    start = 2 if url.startswith("//") else 0
    first = _first_of(url, start)
    scheme_end = url.find("://", start)
    if scheme_end >= 0 and (first < 0 or first > scheme_end):
        first = _first_of(url, scheme_end + 3)
    fragment = url.find("#", start)
    if first < 0 or 0 <= fragment < first:
        return b"/"
    path = url[first:fragment] if fragment >= 0 else url[first:]
    octets = path.encode("utf-8", "surrogatepass")  # a lone surrogate must not raise
    return octets if octets.startswith(b"/") else b"/" + octets


_PATH_START = re.compile(r"[/?;]")


def _first_of(url: str, start: int) -> int:
    found = _PATH_START.search(url, start)
    return found.start() if found else -1


# --- Rules of one group, prepared once and matched in time that a hostile file cannot blow up.


# No line of a robots.txt is read beyond this (Google's limit: eight times the longest URL of old browsers),
# so no rule can tell apart URLs that differ only further on.
MAX_PATH = 16_664
# What stands between stars is sought in the whole path while that is little work: rules times characters.
# With 25,000 such rules, about the most that a file can hold, it is sought in the beginning of the path only.
_MAX_WORK = 16_000_000
_LEAST_REACH = 2_048


class Rule(NamedTuple):
    """One ``Allow`` or ``Disallow`` line."""

    allow: bool
    path: bytes  # as written, without blanks around it
    line: int  # from 1

    @property
    def text(self) -> str:
        """The rule as one would write it."""
        return f"{'Allow' if self.allow else 'Disallow'}: {self.path.decode('utf-8', 'replace')}"


class _Pattern(NamedTuple):
    """A rule with wildcards. Sorted so that the first one that matches decides."""

    length: (
        int  # in octets; RFC 9309, 2.2.2: "The most specific match … is the match that has the most octets"
    )
    allow: bool
    head: str  # before the first star
    first: str  # a piece that must follow somewhere; empty: none
    pieces: tuple[str, ...]  # the other pieces between stars, in this order
    tail: str | None  # after the last star, at the end of the path; None: anything may follow
    rule: Rule


def _matches(path: str, reach: int, pattern: _Pattern) -> bool:
    """Leftmost search for each piece is enough for ``*``: nothing has to be tried twice."""
    at = len(pattern.head)
    for piece in (pattern.first, *pattern.pieces):
        at = path.find(piece, at, reach)
        if at < 0:
            return False
        at += len(piece)
    tail = pattern.tail
    return tail is None or (len(path) - at >= len(tail) and path.endswith(tail))


class _Literal(NamedTuple):
    length: int
    allow: bool
    rule: Rule


class RuleSet:
    """The rules for one name, from all its groups."""

    def __init__(self, rules: list[Rule], *, decoded: bool, index_pages: bool) -> None:
        self._decoded = decoded
        self._prefixes: dict[str, _Literal] = {}
        self._whole: dict[str, _Literal] = {}
        self._patterns: list[_Pattern] = []
        # The same rule twice is one rule; one without a path ("Disallow:") is none.
        distinct = {(rule.allow, rule.path): rule for rule in reversed(rules) if rule.path}
        for (allow, path), rule in distinct.items():
            self._add(rule, path)
            if allow and index_pages and b"/index.htm" in path:
                self._add_index_page(rule)
        self._patterns.sort(key=lambda pattern: (-pattern.length, not pattern.allow))
        self._reach = max(_LEAST_REACH, _MAX_WORK // max(1, len(self._patterns)))
        self._sizes = sorted({len(prefix) for prefix in self._prefixes}, reverse=True)
        self._surplus = max((one.length - len(at) for at, one in self._prefixes.items()), default=0)

    def _add(self, rule: Rule, path: bytes) -> None:
        body, anchored = normal_pattern(path, decoded=self._decoded)
        length = len(body) + anchored
        stem = body.rstrip("*") if body[-1:] == "*" else body
        if "*" in stem or (anchored and stem != body):
            head, *pieces = body.split("*")
            tail = pieces.pop() if anchored else None
            first, *others = [piece for piece in pieces if piece] or [""]
            self._patterns.append(_Pattern(length, rule.allow, head, first, tuple(others), tail, rule))
            return
        table = self._whole if anchored else self._prefixes
        found = table.get(stem)
        if found is None or (length, rule.allow) > found[:2]:
            table[stem] = _Literal(length, rule.allow, rule)

    def _add_index_page(self, rule: Rule) -> None:
        """Google's parser: ``/folder/index.html`` names the page ``/folder/`` too."""
        slash = rule.path.rfind(b"/")
        if slash >= 0 and rule.path.startswith(b"/index.htm", slash):
            self._add(rule, rule.path[: slash + 1] + b"$")

    def match(self, url: str) -> Rule | None:
        """The rule that decides about a URL: the longest that matches; at equal length ``Allow``."""
        path = normal_path(path_of(url)[:MAX_PATH], decoded=self._decoded)
        best = self._whole.get(path)
        for size in self._sizes:
            if best is not None and size + self._surplus < best.length:
                break
            found = self._prefixes.get(path[:size])
            if found is not None and (best is None or found[:2] > best[:2]):
                best = found
        pattern = self._pattern(path, (best.length, best.allow) if best is not None else (0, False))
        if pattern is not None:
            return pattern.rule
        return best.rule if best is not None else None

    def _pattern(self, path: str, least: tuple[int, bool]) -> _Pattern | None:
        """The first pattern that matches and is worth more than what is found already."""
        beginning = path[: self._reach]
        for pattern in self._patterns:
            # Most patterns end here: a piece that must be there is not.
            if pattern.first in beginning and path.startswith(pattern.head):
                if pattern[:2] <= least:
                    return None
                if _matches(path, max(self._reach, len(pattern.head)), pattern):
                    return pattern
        return None


# --- What follows from the way the request for a robots.txt ended: RFC 9309, 2.3.1.


# 2.3.1.2: "crawlers SHOULD follow at least five consecutive redirects, even across authorities".
MAX_REDIRECTS = 5
# 2.3.1.4: "if the robots.txt file is undefined for a reasonably long period of time (for example, 30 days)".
LONG_ABSENCE = timedelta(days=30)


class Access(enum.StrEnum):
    """What the crawler may do now."""

    RULES = "rules"  # read the file and keep to it
    UNCHANGED = "unchanged"  # the copy read before still holds
    FOLLOW = "follow"  # a redirect: ask for the file at its target
    ALLOW_ALL = "allow-all"
    DISALLOW_ALL = "disallow-all"


class Outcome(NamedTuple):
    """The consequence, the clause it comes from, and whether asking again soon makes sense."""

    access: Access
    clause: str
    retry: bool = False


def outcome(status: int | None, *, redirects: int = 0, absent_for: timedelta | None = None) -> Outcome:
    """The consequence of a status; ``None`` for none at all (no address, no connection, TLS, timeout).

    ``redirects`` is the number already followed, ``absent_for`` how long the file has been out of reach.
    """
    if status is not None and 200 <= status <= 299:
        return Outcome(Access.RULES, "RFC 9309, 2.3.1.1")
    if status == 304:
        return Outcome(Access.UNCHANGED, "RFC 9309, 2.4")
    if status is not None and 300 <= status <= 399:
        if redirects < MAX_REDIRECTS:
            return Outcome(Access.FOLLOW, "RFC 9309, 2.3.1.2")
        # "If there are more than five consecutive redirects, crawlers MAY assume that the file is
        # unavailable."
        return Outcome(Access.ALLOW_ALL, "RFC 9309, 2.3.1.2")
    if status is not None and 400 <= status <= 499:
        # "Unavailable" covers 401 and 403 too. 429 means: slower; the request is worth repeating.
        return Outcome(Access.ALLOW_ALL, "RFC 9309, 2.3.1.3", retry=status in (408, 425, 429))
    if absent_for is not None and absent_for >= LONG_ABSENCE:
        return Outcome(Access.ALLOW_ALL, "RFC 9309, 2.3.1.4", retry=True)
    # "the crawler MUST assume complete disallow"
    return Outcome(Access.DISALLOW_ALL, "RFC 9309, 2.3.1.4", retry=True)
