"""An address as somebody types it."""

from armarium.formats.url import InvalidUrl, normal, parse

LONGEST = 4096  # characters; the harvester takes no longer ones


def address_of(text: str) -> str:
    """The address that a line means: on the web, normal, without fragment; raises `InvalidUrl`.

    Without a scheme, http is meant: servers that want https say so, and the chain of redirects shows it.
    """
    text = text.strip()
    if len(text) > LONGEST:
        raise InvalidUrl(text[:80], f"it has more than {LONGEST} characters")
    url = parse(text if "://" in text else f"http://{text}")
    if url.scheme not in ("http", "https"):
        raise InvalidUrl(text, "it is not an address of the web: those begin with http:// or https://")
    if url.username or url.password:
        # Pages and lists would show the password to everybody.
        raise InvalidUrl(text, "it holds a user name or a password")
    if not url.host or ("." not in url.host and not url.host.startswith("[") and url.host != "localhost"):
        raise InvalidUrl(text, "its host has no dot, as names on the web have")
    return normal(url.href).partition("#")[0]
