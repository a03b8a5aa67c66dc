"""The links of the small web, as a browser would follow them, read with lxml: not with a parser of ours."""

import re
from collections.abc import Iterator

from lxml import html  # type: ignore[import-untyped]

from armarium.demo.web.answering import answered
from armarium.demo.web.model import TOP, Answer, Edition, Site

_ADDRESS = re.compile(rb"url\(\"?([^)\"]+)\"?\)|@import url\(\"([^\"]+)\"\)")
_IN_SCRIPT = re.compile(rb"\"(/[a-z][^\"]*)\"")


def links(answer: Answer) -> Iterator[str]:
    """Paths of the same site, and `site:word/path`."""
    if answer.location:
        yield answer.location
    if answer.status != 200:
        return
    if answer.kind.startswith("text/html"):
        yield from _of_page(answer)
    elif answer.kind == "text/css":
        yield from ((one or other).decode() for one, other in _ADDRESS.findall(answer.body))
    elif answer.kind in ("text/javascript", "application/json"):
        yield from (found.decode() for found in _IN_SCRIPT.findall(answer.body))
    elif answer.kind.endswith("xml"):
        yield from re.findall(r"site:[a-z-]+/[^<\"]*", answer.body.decode())


def _of_page(answer: Answer) -> Iterator[str]:
    charset = answer.kind.partition("charset=")[2]
    page = html.document_fromstring(answer.body.decode(charset))
    for element, _, address, _ in page.iterlinks():
        if element.tag not in ("form", "meta"):
            yield address
    for styles in page.iter("style"):
        yield from re.findall(r"url\(\"([^\"]+)\"\)", styles.text or "")
    for source in page.xpath("//@srcset"):
        yield from (part.split()[0] for part in source.split(", "))
    yield from page.xpath("//@poster")
    yield from page.xpath("substring-after(//meta[@http-equiv='refresh']/@content, 'url=')").split()


def reached(site: Site, edition: Edition) -> dict[str, Answer]:
    """What can be reached from the first page without leaving the site; the first steps into a trap too."""
    found: dict[str, Answer] = {}
    waiting = ["/", "/robots.txt"] + (["/sitemap.xml"] if site.has_map else [])
    while waiting:
        path = waiting.pop().partition("#")[0]
        if path in found or not path.startswith("/") or (site.trap and path.startswith(site.trap[1])):
            continue
        found[path] = answered(site, edition, path)
        own = f"site:{site.word}"
        waiting += [link.removeprefix(own) for link in links(found[path])]
    return found


def elsewhere(answer: Answer) -> Iterator[tuple[str, str]]:
    """The links to other sites: the word of the site, the path."""
    for link in links(answer):
        if link.startswith("site:"):
            word, slash, path = link.removeprefix("site:").partition("/")
            yield word, slash + path.partition("#")[0]
        assert TOP not in link
