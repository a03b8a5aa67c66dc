"""Cookies of archived answers: kept where the page that set them is replayed, and no longer than the visit.

An archived cookie must reach the archived scripts that ask for it (some pages show nothing without), and
nobody else: it gets a path inside the archive, loses its domain, and becomes a cookie of the session.
"""

import re
from enum import StrEnum

from armarium.access.rewrite.links import Links

# RFC 6265, 4.1.1: cookie-name is a token.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f]")
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
    pair, _, rest = _FORBIDDEN.sub("", value).partition(";")
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
