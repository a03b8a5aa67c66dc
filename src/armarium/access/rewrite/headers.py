"""The header of an archived answer, for the reader's browser, and its cookies.

Every field is one of four: kept, kept as `X-Archive-Orig-…` for whoever wants to know, rewritten, or taken
out. A field that nobody here has thought about is kept as `X-Archive-Orig-…` only: tomorrow's
`Delete-Everything` must not act today.
"""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from armarium.access.rewrite.links import Links

# Cookies of archived answers are kept where the page that set them is replayed, for the visit.
# An archived cookie must reach the archived scripts that ask for it (some pages show nothing without), and
# nobody else: it gets a path inside the archive, loses its domain, and becomes a cookie of the session.


# RFC 6265, 4.1.1: cookie-name is a token.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_FORBIDDEN_IN_COOKIES = re.compile(r"[\x00-\x1f\x7f]")
_ENDING = re.compile(r"-\d+\Z|0+\Z")
_PREFIXES = ("__secure-", "__host-", "__http-")


class CookieScope(StrEnum):
    """How far a cookie of one archived page reaches."""

    COLLECTION = "coll"  # its own path; one for a whole domain reaches the whole collection
    EXACT = "exact"  # only the page that set it
    HOST = "host"  # its own path; one for a whole domain reaches its host
    ROOT = "root"  # everything on this origin
    NONE = "removeall"


def replayed_cookie(value: str, links: Links, scope: CookieScope = CookieScope.COLLECTION) -> str | None:
    """A `Set-Cookie` value for the reader's browser; None where there is nothing to set."""
    pair, _, rest = _FORBIDDEN_IN_COOKIES.sub("", value).partition(";")
    name, equals, content = (part.strip() for part in pair.partition("="))
    # A name that promises `Secure` or no `Domain` would be refused by the browser.
    if scope is CookieScope.NONE or not equals or not _NAME.match(name) or name.lower().startswith(_PREFIXES):
        return None
    attributes = _attributes(rest)
    parts = [f"{name}={content}"]
    path = _path(attributes, links, scope)
    # To end one is all: none outlives the visit, to tell the next reader at this machine what was read.
    if _ENDING.match(attributes.get("max-age", "")):
        parts.append("Max-Age=0")
    if path is not None:
        parts.append(f"Path={path}")
    if "httponly" in attributes:
        parts.append("HttpOnly")
    return "; ".join(parts)


def _attributes(text: str) -> dict[str, str]:
    found = {}
    for part in text.split(";"):
        name, _, value = part.partition("=")
        if name.strip():
            found[name.strip().lower()] = value.strip()
    return found


def _path(attributes: dict[str, str], links: Links, scope: CookieScope) -> str | None:
    if scope is CookieScope.EXACT:
        return None
    if scope is CookieScope.ROOT:
        return "/"
    if "domain" in attributes:
        if scope is CookieScope.COLLECTION:
            return links.path
        return links.path_of(links.absolute("/"))
    written = attributes.get("path", "")
    if not written.startswith("/"):
        return None  # RFC 6265, 5.2.4: then it is the folder of the page
    return links.path_of(links.archived(written))


_PREFIX = "X-Archive-Orig-"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_FORBIDDEN = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")

# What a browser needs to show the body, and what harms nobody.
_KEPT = frozenset(
    {
        "accept-ranges",
        "allow",
        "content-disposition",
        "content-language",
        "content-range",
        "content-type",
        "x-content-type-options",
    }
)
# These say something about the bytes, and are true only as long as nobody has changed them.
_OF_THE_BODY = frozenset({"content-encoding", "content-length"})
# Scripts of a page read such fields (`X-WP-Total`), so they keep their names, but for those that a browser or
# a server in front of us would obey.
_OWN_FIELD = re.compile(
    r"x-(?!accel-|sendfile|lighttpd|litespeed|frame-|xss-|dns-|permitted-|content-security|webkit-csp|archive-|armarium"
    r"|request-id|forwarded|real-ip|original-|rewrite-|robots-|pingback|ua-compatible|http-method|proxy|host|reproxy|sourcemap|envoy-|varnish)[a-z0-9-]+\Z"
)
_ADDRESSES = frozenset({"content-base", "content-location", "location"})
# Nothing to learn from them, and a proxy might believe them even under another name.
_DROPPED = frozenset(
    {"transfer-encoding", "connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade"}
)
# An archived page warms no connections, and no address is asked for that the page itself does not use.
_LINKS_LEFT_OUT = frozenset(
    {"preconnect", "dns-prefetch", "prefetch", "prerender", "expect-ct", "compression-dictionary"}
)
_LINKS_LOADED = {
    "script": "js_",
    "style": "cs_",
    "image": "im_",
    "fetch": "mp_",
    "worker": "js_",
    "document": "if_",
}
# The targets that a browser itself looks up or loads; the others (`canonical`, `shortlink`) only inform.
_LINK = re.compile(r"<([^<>]*+)>((?:[^,<\"]++|\"[^\"]*+\")*+)")
_PARAMETER = re.compile(r";\s*+([\w*-]++)\s*+(?:=\s*+(?:\"([^\"]*+)\"|([^\s;,\"]*+)))?+")
_REFRESH = re.compile(r"\s*+[\d.]*+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+[\"']?+", re.IGNORECASE)

Field = tuple[str, str]


def replayed_headers(
    fields: Iterable[Field],
    links: Links,
    *,
    rewritten: bool,
    redirects: bool = True,
    identity: bool = False,
    charset: str | None = None,
    cookies: CookieScope = CookieScope.COLLECTION,
) -> list[Field]:
    """The fields to send.

    `rewritten`: the body is not that of the record, so its length and coding are not either. `redirects`:
    addresses lead into the archive (`ir_` wants that although the body is untouched). `identity`: `id_`, the
    fields keep their own addresses. `charset`: the encoding of the rewritten body, if it must be said.
    """
    answer: list[Field] = []
    for name, value in fields:
        if not _TOKEN.match(name):
            continue
        clean = _clean(value)
        answer += _replayed(name, clean, links, rewritten, redirects and not identity, cookies)
    return [_with_charset(field, charset) for field in answer] if charset else answer


def _replayed(
    name: str, value: str, links: Links, rewritten: bool, redirects: bool, cookies: CookieScope
) -> Iterator[Field]:
    low = name.lower()
    if low in _KEPT or (low in _OF_THE_BODY and not rewritten) or _OWN_FIELD.match(low):
        yield name, value
    elif low in _ADDRESSES:
        yield name, links.archived(value) if redirects else value
    elif low == "refresh":
        yield name, _refresh(value, links) if redirects else value
    elif low == "link":
        yield from _link(name, value, links, redirects)
    elif low == "set-cookie":
        cookie = replayed_cookie(value, links, cookies)
        if cookie is not None:
            yield name, cookie
    elif low not in _DROPPED:
        yield name if low.startswith(_PREFIX.lower()) else _PREFIX + name, value


def refreshed(value: str, links: Links) -> str:
    """`10; url=/next` with its address inside the archive; the rest stays as it is."""
    found = _REFRESH.match(value)
    start = found.end() if found else 0
    address = value[start:].rstrip()
    if address[-1:] in ("'", '"'):
        address = address[:-1]
    if not address or not re.search(r"[;,=\"']", value[:start]):
        return value
    return value[:start] + links.archived(address) + value[start + len(address) :]


def _refresh(value: str, links: Links) -> str:
    return refreshed(value, links)


def _link(name: str, value: str, links: Links, redirects: bool) -> Iterator[Field]:
    """RFC 8288: `Link: </a.css>; rel=preload; as=style, <https://x>; rel=preconnect`."""
    kept = []
    for found in _LINK.finditer(value):
        parameters = {p[1].lower(): p[2] or p[3] or "" for p in _PARAMETER.finditer(found[2])}
        relations = set(parameters.get("rel", "").lower().split())
        if relations & _LINKS_LEFT_OUT or "memento" in relations or relations & {"timegate", "timemap"}:
            continue
        mod = "esm_" if "modulepreload" in relations else _LINKS_LOADED.get(parameters.get("as", "").lower())
        if "stylesheet" in relations:
            mod = "cs_"
        target = links.archived(found[1], mod) if redirects else found[1]
        kept.append(f"<{target}>{found[2].rstrip()}")
    if kept:
        yield name, ", ".join(kept)


def _clean(value: str) -> str:
    """RFC 9110, 5.5: no CR, LF or NUL. What is not latin-1 cannot be sent as one byte a character."""
    value = _FORBIDDEN.sub(" ", value).strip()
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        value = value.encode("utf-8", "replace").decode("latin-1")
        value = _FORBIDDEN.sub(" ", value)
    return value


def _with_charset(field: Field, charset: str | None) -> Field:
    name, value = field
    if name.lower() != "content-type":
        return field
    essence = value.split(";")[0].strip()
    return name, f"{essence}; charset={charset}"
