"""Redirects that lead back to themselves.

An index knows a page under one key, whether it was `http` or `https`, with `www` or without, with a slash at
the end or without. A server that sends from one of these to another is recorded as a redirect and a page
under the same key: to follow the redirect inside the archive would find the redirect again, for ever.
"""

from armarium.formats.url import InvalidUrl, resolve, surt

REDIRECTS = frozenset({301, 302, 303, 307, 308})


def leads_to_itself(key: str, url: str, status: int, location: str | None) -> bool:
    if status not in REDIRECTS or not location:
        return False
    try:
        target = resolve(url, location.strip())
    except InvalidUrl:
        return False
    return surt(target) == key
