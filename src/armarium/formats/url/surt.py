"""SURT keys: the names under which web archives sort and find captures, `com,example)/path?query`.

The Wayback convention has no written standard. It is what the indexes of the world's web archives hold,
made by the Internet Archive's canonicaliser: the keys here equal those of `surt` 0.3.1, which pywb and
cdxj-indexer use, flaws included, because a key that is better is a key that is not found. Two things
differ. Nothing is ever looked up in the DNS. And this function is total: what `surt` answers with an
exception has a key here, too.

In this order:
  white space around and tabs and line ends inside removed; a missing scheme taken as http;
  `http://https://` and the like taken as the last of them; scheme, user, password and fragment dropped;
  host: unescaped, in punycode (IDNA 2003), small letters, `..` to `.`, outer dots dropped, numeric IPv4 forms
    written as four numbers, one `www`, `www1`, … dropped, reversed with commas;
  port kept unless it is that of http or https;
  path: unescaped until nothing is left, `.`, `..` and empty segments resolved, escaped once, small letters,
    ASP.NET session removed, last slash dropped;
  query: unescaped until nothing is left, escaped once, session ids removed, small letters, sorted;
  what has no host (`dns:`, `urn:`, `mailto:`, `data:`, …) keeps its scheme, and its path is only cleaned.
"""

import re
from functools import lru_cache
from operator import methodcaller
from typing import NamedTuple

from armarium.formats.url.canonical import escaped, keyed, unescaped
from armarium.formats.url.sessions import without_path_session, without_query_session

NO_KEY = "-"  # CDX: a dash is an empty field

# Nearly every URL: nothing in scheme, host and port that would need thought.
_usual = re.compile(
    r"(https?)://([A-Za-z0-9_-][A-Za-z0-9_.-]*)(?::([0-9]{1,4}))?(/[^\0-\x20?#\x7f]*)?"
    r"(?:\?([^\0-\x20#\x7f]*))?(?:#.*)?"
).fullmatch
_LONGEST_CACHED = 255  # RFC 1035, 2.3.4: no real name is longer

_SURROUNDING = " \t\n\r\x0b\x0c"
_removed = re.compile(r"[\t\n\r]")
_has_scheme = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:").match
_repeated_scheme = re.compile(r"(https?://)+")
# RFC 2396, appendix B, up to the fragment.
_pieces = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?").match
_DEFAULT_PORTS = {"http": 80, "https": 443}

_www = re.compile(r"www[0-9]*\.").match
_ipv4_form = re.compile(r"[1-9][0-9]*(?:\.[0-9]+){0,3}|0[0-7]*(?:\.[0-7]+){0,3}").fullmatch
_LONGEST_NUMBER = 4000  # digits; Python refuses to read much longer ones
_LONGEST_INTERNATIONAL = 500  # characters; the codec needs a time that grows with the square
_by_name_then_value = methodcaller("partition", "=")


def surt(
    url: str | bytes, *, with_scheme: bool = False, trailing_comma: bool = False, strip_www: bool = True
) -> str:
    """The key of a URL; never raises. With the options, the forms other tools of the field write."""
    if isinstance(url, bytes):
        url = url.decode("utf-8", "surrogateescape")
    found = _usual(url)
    if found is None or with_scheme or trailing_comma or not strip_www:
        return _thorough(url, _Form(with_scheme, trailing_comma, strip_www))
    scheme, host, port, path, query = found.groups()
    key = (_usual_host_key if len(host) <= _LONGEST_CACHED else _host_key)(host)
    if not key:
        return _thorough(url, _Form())
    if port is not None and (number := int(port)) and number != _DEFAULT_PORTS[scheme]:
        key = f"{key}:{number}"
    if path and path != "/":
        path = _path_key(path.lower() if path.isascii() and "%" not in path else keyed(path))
    if query:
        query = _query_key(query.lower() if query.isascii() and "%" not in query else keyed(query))
    return f"{key}){path or '/'}{query or ''}"


class _Form(NamedTuple):
    with_scheme: bool = False
    trailing_comma: bool = False
    strip_www: bool = True


class _Pieces(NamedTuple):
    scheme: str
    host: str
    port: str
    path: str
    query: str


def _thorough(url: str, form: _Form) -> str:
    if url.startswith("filedesc"):  # the first record of an ARC file keeps its name as it is
        return url
    url = _removed.sub("", url.strip(_SURROUNDING))
    if not url:
        return NO_KEY
    pieces = _taken_apart(url)
    host = _canonical_host(pieces.host) if pieces.host else ""
    query = _query_key(keyed(pieces.query))
    if not host:
        path = _trimmed(keyed(pieces.path)) or ("/" if query else "")
        return f"{pieces.scheme}:{path}{query}"
    if form.strip_www and pieces.scheme != "dns":
        host = _without_www(host)
    key = _reversed(host) + pieces.port
    if form.trailing_comma:
        key += ","
    if form.with_scheme:
        key = f"{pieces.scheme}:{'' if pieces.scheme == 'dns' else '//'}({key}"
    return f"{key}){_path_key(keyed(pieces.path))}{query}"


def _taken_apart(url: str) -> _Pieces:
    if not _has_scheme(url):
        url = f"http://{url}"
    url = _repeated_scheme.sub(lambda found: found[1], url, count=1) if url.startswith("http") else url
    found = _pieces(url)
    assert found is not None, url
    scheme, authority, path, query = found.groups()
    host, port = _host_and_port((authority or "").rstrip(":"))
    if not host and scheme.startswith("http"):
        # http:////////www.example.com: the host is the first thing that is something.
        host, _, rest = path.lstrip("/").partition("/")
        path = f"/{rest}" if path else path
    return _Pieces(scheme, host, _port_key(port, scheme), path, query or "")


def _host_and_port(authority: str) -> tuple[str, str]:
    host = authority.rpartition("@")[2]
    _, bracket, inside = host.partition("[")
    if bracket:
        address, _, after = inside.partition("]")
        return address, after.partition(":")[2]
    name, _, port = host.partition(":")
    return name, port


def _port_key(port: str, scheme: str) -> str:
    if not port:
        return ""
    if not (port.isascii() and port.isdigit() and len(port) < _LONGEST_NUMBER and int(port) <= 65535):
        return f":{keyed(port)}"  # no port at all, but part of what was asked for
    number = int(port)
    return "" if number in (0, _DEFAULT_PORTS.get(scheme.lower(), 0)) else f":{number}"


def _host_key(host: str) -> str:
    """The key of a host that has nothing but letters, digits, hyphens, underscores and dots."""
    if "0" <= host[0] <= "9" or ".." in host or host[-1] == ".":
        return _reversed(_without_www(_canonical_host(host)))
    host = host.lower()
    labels = (_without_www(host) if host[:3] == "www" else host).split(".")
    labels.reverse()
    return ",".join(labels)


_usual_host_key = lru_cache(maxsize=16384)(_host_key)


def _without_www(host: str) -> str:
    found = _www(host)
    return host[found.end() :] if found else host


def _reversed(host: str) -> str:
    return ",".join(reversed(host.split(".")))


def _canonical_host(host: str) -> str:
    if "%" in host or not host.isascii():
        host = _in_punycode(unescaped(host))
    host = host.replace("..", ".").strip(".")
    return _as_ipv4(host) or escaped(host)


def _in_punycode(host: str) -> str:
    """One character per byte comes in; a name that cannot be encoded stays as it is, and is escaped later."""
    if host.isascii() or len(host) > _LONGEST_INTERNATIONAL:
        return host
    try:
        return host.encode("latin-1").decode("utf-8", "ignore").encode("idna").decode("ascii")
    except ValueError:
        return host


def _as_ipv4(host: str) -> str | None:
    """The four numbers of an address that the C library's inet_aton would understand, written in digits."""
    if not host.isascii() or not host[:1].isdigit() or len(host) > _LONGEST_NUMBER:
        return None
    if host.isdigit():
        # Always taken as decimal and cut to four bytes: so it is in the indexes.
        return _dotted(int(host) & 0xFFFFFFFF)
    if not _ipv4_form(host):
        return None
    parts = host.split(".")
    try:
        numbers = [int(part, 8) if part[0] == "0" else int(part) for part in parts]
    except ValueError:  # 08 and 09
        return None
    last_limit = 1 << 8 * (5 - len(numbers))
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= last_limit:
        return None
    address = numbers[-1]
    for position, number in enumerate(numbers[:-1]):
        address |= number << 8 * (3 - position)
    return _dotted(address)


def _dotted(address: int) -> str:
    return ".".join(str(address >> shift & 0xFF) for shift in (24, 16, 8, 0))


def _path_key(path: str) -> str:
    if not path:
        return "/"
    if "//" in path or "/." in path:
        path = _without_dots(path)
    return _trimmed(path)


def _trimmed(path: str) -> str:
    if ".aspx" in path:
        path = without_path_session(path)
    return path[:-1] if len(path) > 1 and path[-1] == "/" else path


def _without_dots(path: str) -> str:
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == ".":
            continue
        if segment == ".." and kept:
            kept.pop()
        else:
            kept.append(segment)  # a `..` that leads above the root stays
    if not kept:
        return "/"
    last = kept.pop()
    return "/".join(["", *filter(None, kept), last])


def _query_key(query: str) -> str:
    """The query with its question mark, or nothing.

    It is unescaped before it is taken apart, so an escaped `&` separates like any other. That is a flaw,
    and it is in every index.
    """
    query = without_query_session(query)
    if "&" in query:
        query = "&".join(sorted(query.split("&"), key=_by_name_then_value))
    return f"?{query}" if query else ""


# --- The SURT form of Heritrix, `http://(fr,bnf,www,)/path`: its prefixes write the scope of a harvest.
#
# It is no key: nothing is canonicalised, `www` stays, and the comma after the host lets a prefix end at a
# label.


_parts = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]*://)(?:([^/?#]*)@)?(\[[^]/?#]*\]|[^:/?#]*)(:[0-9]*)?(.*)", re.DOTALL
)
_is_address = re.compile(r"\[.*\]|[0-9]{1,3}(?:\.[0-9]{1,3}){3}").fullmatch
_SLASHES_OF_A_PATH = 3


def surt_form(url: str) -> str:
    """`http://(org,archive,www,:8080@user)/path`; what has no host is given back as it is."""
    found = _parts.fullmatch(url.strip())
    if found is None:
        return url.strip() or NO_KEY
    scheme, user, host, port, rest = found.groups()
    if not _is_address(host):
        host = ",".join(reversed(host.split("."))) + ","
    return f"{scheme.lower()}({host.lower()}{port or ''}{f'@{user}' if user else ''}){rest}"


def implied_prefix(seed: str) -> str:
    """The prefix that a seed stands for: its folder; without a slash after the host, all hosts below, too."""
    if "://" not in seed:
        seed = f"http://{seed.strip()}"
    form = surt_form(seed)
    if form.count("/") >= _SLASHES_OF_A_PATH:
        return form[: form.rindex("/") + 1]
    return form.removesuffix(")")
