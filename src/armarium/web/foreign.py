"""Whether a request was begun by a page of another site, as far as the browser says so."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers

#: The Referrer-Policy of a page whose address holds a secret: nobody learns more of it than the host. With
#: "no-referrer" its forms would be sent from the origin "null", and be taken for foreign.
ADDRESS_HIDDEN = "strict-origin"
OWN = frozenset({"same-origin", "none"})  # none: typed by a person
DEFAULT_PORTS = {"http": 80, "https": 443}


def is_foreign(headers: Headers, address: str) -> bool:
    """`address`: of our site, as people outside see it. Each header that names another site is believed."""
    if headers.get("sec-fetch-site", "same-origin") not in OWN:
        return True
    host = headers.get("host", "")
    return not all(_is_own(origin, host, address) for origin in headers.getlist("origin"))


def _is_own(origin: str, host: str, address: str) -> bool:
    try:
        named, port = urlsplit(origin.lower()), urlsplit(origin).port
        own = {host.lower(), urlsplit(address.lower()).netloc}
    except ValueError:
        return False
    if named.scheme not in DEFAULT_PORTS or "@" in named.netloc:
        return False
    # Whether people come by TLS only the proxy knows, which may leave its own port out of the Host header.
    plain = named.hostname if port in {None, DEFAULT_PORTS[named.scheme]} else None
    return named.netloc in own or plain in own
