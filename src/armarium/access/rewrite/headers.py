"""The header of an archived answer, for the reader's browser.

Every field is one of four: kept, kept as `X-Archive-Orig-…` for whoever wants to know, rewritten, or taken
out. A field that nobody here has thought about is kept as `X-Archive-Orig-…` only: tomorrow's
`Delete-Everything` must not act today.
"""

import re
from collections.abc import Iterable, Iterator

from armarium.access.rewrite.cookies import CookieScope, replayed_cookie
from armarium.access.rewrite.links import Links

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
