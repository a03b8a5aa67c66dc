"""Paths of rules and of URLs, brought to one form in which their octets can be compared."""

import re

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
