"""What a page says of itself: title, language, and where it sends its readers."""

import re
import unicodedata
from typing import NamedTuple

from turbohtml import TokenType, tokenize

from armarium.formats.http import Response
from armarium.formats.text import Kind, charset_of_content_type, decode
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.extract.headers import refresh_url

LONGEST_TITLE = 300
READ = 512 * 1024  # bytes: titles and refreshes stand in the head
# A page that is to be read first is no redirect: news reload themselves after some minutes.
MOST_REFRESH_SECONDS = 10
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}")
SECONDS = re.compile(r"\s*([0-9]{1,9})")
HTML = frozenset(("text/html", "application/xhtml+xml"))


class PageFacts(NamedTuple):
    title: str = ""
    language: str = ""
    refresh: str = ""  # the address, absolute


def read_page(url: str, head: Response, media_type: str, content: bytes) -> PageFacts:
    """Never raises for what a site sends, and takes time in proportion to `READ` at most."""
    fields = head.fields
    facts = PageFacts(
        language=language_of((fields.get("content-language") or "").partition(",")[0]),
        refresh=_target(url, fields.get("refresh") or ""),
    )
    if media_type not in HTML:
        return facts
    charset = charset_of_content_type(head.content_type) if head.content_type else None
    text = decode(content[:READ], declared_charset=charset, kind=Kind.HTML).text
    found = _read(text, url)
    return PageFacts(found.title, found.language or facts.language, facts.refresh or found.refresh)


def _read(text: str, url: str) -> PageFacts:
    title = language = refresh = ""
    base = url
    in_title, titled = False, False
    for token in tokenize(text):
        tag = token.tag
        if tag is None:
            if in_title and token.data:
                title += token.data[: LONGEST_TITLE * 4 - len(title)]
        elif tag == "title":
            in_title = token.type is TokenType.START_TAG and not titled
            titled = True
        elif tag in ("html", "meta", "base") and token.attrs:
            values = {name: value or "" for name, value in reversed(token.attrs)}
            if tag == "html":
                language = language or language_of(values.get("lang") or values.get("xml:lang", ""))
            elif tag == "base":
                base = _resolved(url, values.get("href", "")) or base
            else:
                name = values.get("http-equiv", "").strip().lower()
                if name == "refresh" and not refresh:
                    refresh = _target(base, values.get("content", ""))
                elif name == "content-language":
                    language = language or language_of(values.get("content", ""))
    return PageFacts(cleaned(title), language, refresh)


def cleaned(text: str) -> str:
    """On one line, without what moves or hides other characters, and of bounded length."""
    # Categories C*: controls, formats (which turn the direction of the text around), surrogates, unassigned.
    plain = "".join(" " if each.isspace() else each for each in text[: LONGEST_TITLE * 4])
    shown = "".join(each for each in plain if unicodedata.category(each)[0] != "C")
    line = " ".join(shown.split())
    return line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1].rstrip() + "…"


def language_of(text: str) -> str:
    """A language tag in its usual letters; empty for what is none."""
    found = LANGUAGE.fullmatch(text.strip()[:40].replace("_", "-"))
    if found is None:
        return ""
    first, *others = found[0].split("-")
    return "-".join([first.lower(), *(each.upper() if len(each) == 2 else each for each in others)])


def _target(url: str, refresh: str) -> str:
    """Where a refresh leads, if it does so before one has read the page."""
    seconds = SECONDS.match(refresh[:40])
    if seconds and int(seconds[1]) > MOST_REFRESH_SECONDS:
        return ""
    reference = refresh_url(refresh[:65_536])
    target = _resolved(url, reference) if reference else ""
    return "" if target == url else target


def _resolved(url: str, reference: str) -> str:
    """Absolute and on the web, without its fragment; empty for anything else."""
    try:
        target = resolve(url, reference.strip()).partition("#")[0]
    except InvalidUrl:
        return ""
    return target if target.startswith(("http://", "https://")) else ""
