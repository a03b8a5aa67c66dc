"""Requests that left the archive's addresses: `/a.css` instead of `/all/2020…cs_/http://example.com/a.css`.

A script may put an address together that no rewriting sees. Inside our origin it still comes to us, and the
page from which it comes (Referer) says whose it was.
"""

from urllib.parse import urlsplit

from armarium.access.rewrite.archival import Archival, NotArchival, parse_archival
from armarium.formats.url import InvalidUrl, resolve


def home_of(content: str, path: str, referrer: str) -> str | None:
    """Where such a request belongs, as a path of the content's origin; None where that cannot be told.

    `path` is the path with its query, as it came.
    """
    if not referrer.startswith(f"{content}/"):
        return None
    parts = urlsplit(referrer)
    collection, _, rest = parts.path.lstrip("/").partition("/")
    try:
        page = parse_archival(f"{rest}?{parts.query}" if parts.query else rest)
        if not isinstance(page, Archival) or not page.mod or page.url.startswith(f"{content}/"):
            return None
        meant = resolve(page.url, path)
    except (InvalidUrl, NotArchival):
        return None
    return f"/{collection}/{page.timestamp}{page.mod}/{meant}"
