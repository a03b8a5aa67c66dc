"""Under which addresses a capture is looked for among the rules.

Its key first. Then that of the address it was captured from, since a key is not always that address's own:
- a POST request has its body in its key, and a rule for an address speaks of all that was asked there;
- what is said about a page (`urn:text:https://…`, `screenshot:https://…`, `dns:…`) shows the page;
- an index that others made may have keys of its own.
"""

import re
from functools import lru_cache

from armarium.formats.cdx import CdxLine
from armarium.formats.url import surt

_POSTED = re.compile(r"[?&]__wb_method=.*", re.DOTALL | re.IGNORECASE)
_WITHIN = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:.*?(https?://.*)", re.DOTALL | re.IGNORECASE)
_OF_A_HOST = re.compile(r"(?:dns|whois):(?://[^/]*/)?([^/?#]+)", re.IGNORECASE)
_PORT_OF_IPV6 = re.compile(r"\]:[0-9]+")


def addresses_of(line: CdxLine) -> tuple[str, ...]:
    """Keys, without doubles."""
    key = line.key
    url = line.fields.get("url")
    if not url or url == "-":
        return (key, _POSTED.sub("", key)) if "__wb_method=" in key else (key,)
    plain = _plain_key(str(url))
    return (key,) if plain == key else (key, plain)


@lru_cache(maxsize=8192)  # captures of one address come in rows
def _plain_key(url: str) -> str:
    if "__" in url:
        url = _POSTED.sub("", url)
    if not url.startswith("http"):
        url = _spoken_of(url)
    if "]:" in url:  # in the key of an IPv6 address nobody can tell the port
        url = _PORT_OF_IPV6.sub("]", url, count=1)
    return surt(url)


def _spoken_of(url: str) -> str:
    if within := _WITHIN.fullmatch(url):
        return within[1]
    about = _OF_A_HOST.fullmatch(url)
    return f"http://{about[1]}/" if about else url


def split(key: str) -> tuple[str, str, str]:
    """Host, port (empty: none is named) and the rest of a key; what has no host is all rest."""
    host, bracket, rest = key.partition(")")
    if not bracket or "/" in host:
        return "", "", key
    name, colon, port = host.partition(":")
    return (name, port, rest) if colon and ":" not in port else (host, "", rest)
