"""Whether a request was begun by a page of another site, as far as the browser says so."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers

#: The Referrer-Policy of a page whose address holds a secret: nobody learns more of it than the host. With
#: "no-referrer" its forms would be sent from the origin "null", and be taken for foreign.
ADDRESS_HIDDEN = "strict-origin"
OWN = frozenset({"same-origin", "none"})  # none: typed by a person


def is_foreign(headers: Headers, address: str) -> bool:
    """`address`: of our site, as people outside see it. Each header that names another site is believed."""
    if headers.get("sec-fetch-site", "same-origin") not in OWN:
        return True
    origin = headers.get("origin")
    return origin is not None and not _is_own(origin, headers.get("host", ""), address)


def _is_own(origin: str, host: str, address: str) -> bool:
    try:
        named = urlsplit(origin.lower())
        own = {host.lower(), urlsplit(address.lower()).netloc}
        # A proxy may have left the port out of the Host header.
        return named.netloc in own or named.hostname == host.lower()
    except ValueError:
        return False
