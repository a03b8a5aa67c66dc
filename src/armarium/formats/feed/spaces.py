"""Namespaces and versions of feeds."""

_ATOM = (
    "http://www.w3.org/2005/atom",
    "http://purl.org/atom/ns",
    "http://example.com/newformat",
    "http://example.com/necho",
    "http://purl.org/echo",
    "uri/of/echo/namespace",
    "atom",
)
_RSS = (
    "http://backend.userland.com/rss",
    "http://blogs.law.harvard.edu/tech/rss",
    "http://purl.org/rss/1.0/",
    "http://my.netscape.com/rdf/simple/0.9/",
    "http://example.com/rss",
    "http://channel.netscape.com/rdf/simple/0.9/",
    "http://purl.org/net/rss1.1",
)
# What a namespace begins with (in lower case) → the short name used here; prefixes that nobody declared
# included
_SPACES = (
    *((uri, "atom") for uri in _ATOM),
    ("http://purl.org/rss/1.0/modules/content", "content"),
    ("http://purl.org/rss/1.0/modules/", "?"),
    *((uri, "rss") for uri in _RSS),
    ("http://www.w3.org/1999/02/22-rdf-syntax-ns", "rdf"),
    ("http://purl.org/dc/terms", "dcterms"),
    ("http://purl.org/dc/", "dc"),
    ("http://search.yahoo.com/mrss", "media"),
    ("http://www.rssboard.org/media-rss", "media"),
    ("http://www.itunes.com/dtds/podcast", "itunes"),
    ("http://wellformedweb.org/commentapi", "wfw"),
    ("http://purl.org/syndication/thread", "thr"),
    ("http://rssnamespace.org/feedburner", "feedburner"),
    ("http://www.w3.org/1999/xhtml", "xhtml"),
)
_PREFIXES = frozenset(
    ("content", "dc", "dcterms", "media", "itunes", "wfw", "thr", "feedburner", "xhtml", "rdf")
)


def short_space(space: str) -> str:
    """The short name of a namespace: "" for none, "?" for one that feeds do not use."""
    if not space:
        return ""
    lower = space.lower()
    if lower in _PREFIXES:
        return lower
    found = next((short for uri, short in _SPACES if lower.startswith(uri)), "?")
    return "" if found == "rss" else found


def version_of(root: str, space: str, attributes: dict[str, str]) -> str:
    """The name of a format and version, from the root element; empty when it is not a feed."""
    version = attributes.get("version", "").strip()
    if root == "rss":
        return {"0.90": "rss090", "0.91": "rss091", "0.92": "rss092", "0.93": "rss093", "0.94": "rss094"}.get(
            version, "rss20" if version.startswith("2") else "rss"
        )
    if root == "feed":
        if "2005" in space:
            return "atom10"
        return {"0.1": "atom01", "0.2": "atom02", "0.3": "atom03"}.get(version, "atom")
    if root == "rdf":
        spaces = " ".join(attributes.values()).lower()
        return "rss090" if "rdf/simple/0.9" in spaces else "rss10"
    return "cdf" if root == "channel" else ""
