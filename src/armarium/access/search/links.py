"""Addresses of the readers' pages, and of archived pages on their own origin."""

import re
from urllib.parse import quote, urlencode

# A whole address stands at the end of ours. What it has of meaning of its own stays as it is, but for `#`:
# browsers would keep that to themselves.
_KEPT = ":/?[]@!$&'()*+,;=%~"
_HALF_PAIRS = re.compile(r"[\ud800-\udb7f\udb80-\udbff\udc00-\udc7f\udd00-\udfff]")


def in_path(url: str) -> str:
    """An archived address as it stands in one of ours. Bytes that are no UTF-8 come through unharmed."""
    return quote(_HALF_PAIRS.sub("�", url).encode("utf-8", "surrogateescape"), safe=_KEPT)


def readable(text: str) -> str:
    """Text of an index that can be put into a page, whatever bytes it has."""
    return text.encode("utf-8", "replace").decode("utf-8")


def in_name(collection: str) -> str:
    return quote(collection, safe="+")


def collection_page(collection: str) -> str:
    return f"/{in_name(collection)}/"


def calendar(collection: str, url: str, from_: str = "", to: str = "") -> str:
    """The captures of an address: `2010*` are those of a year, `2010*2012` those of three."""
    dates = f"{from_}*" if from_ == to else f"{from_}-{to}"
    return f"/{in_name(collection)}/{dates}/{in_path(url)}"


def frame(collection: str, timestamp: str, url: str) -> str:
    return f"/{in_name(collection)}/{timestamp}/{in_path(url)}"


def compare(collection: str, url: str, one: str, other: str) -> str:
    """Two captures beside each other."""
    asked = {"url": url, "one": one, "other": other}
    return f"/{in_name(collection)}/compare?{urlencode(asked, errors='replace')}"


def record(collection: str, timestamp: str, url: str) -> str:
    return f"/{in_name(collection)}/record/{timestamp}/{in_path(url)}"


def content(collection: str, timestamp: str, url: str, modifier: str = "mp_") -> str:
    """A path of the content's origin."""
    return f"/{in_name(collection)}/{timestamp}{modifier}/{in_path(url)}"


def files(collection: str, **asked: str) -> str:
    """What there is of a site."""
    return f"/{in_name(collection)}/files?{urlencode(asked, errors='replace')}"


def search(collection: str, **asked: str) -> str:
    kept = {name.rstrip("_"): value for name, value in asked.items() if value}
    return f"/{in_name(collection)}/search?{urlencode(kept, errors='replace')}"
