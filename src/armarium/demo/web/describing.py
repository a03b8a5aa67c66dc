"""Reads the files in `sites/`: a head of `key: value`, then pages after `===` and files after `---`."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from armarium.demo.web.model import Colours, Edition, Look, Page, Site

_PART = re.compile(r"^(===|---) (?P<path>/\S*) ?(?P<rest>.*)$", re.MULTILINE)
_EDITION = re.compile(r" ?@(first|second)$")
_DATE = re.compile(r"\Adate: (\S+)\n")


def described(word: str, text: str) -> Site:
    """The site that a file describes. A mistake in it is an error of this module's caller: ValueError."""
    first = _PART.search(text)
    if first is None:
        raise ValueError(f"The site {word} has no page.")
    head = _head(text[: first.start()])
    pages, given = _parts(text)
    return Site(
        word=word,
        title=head["title"][0],
        theme=head["theme"][0],
        description=head["description"][0],
        language=head.get("language", ["en"])[0],
        looks=_looks(head),
        pages=tuple(pages),
        files=given,
        menu=tuple(_menu(head)),
        neighbours=tuple(_words(head, "neighbours")),
        redirects=tuple(_redirects(head)),
        broken=frozenset(_words(head, "broken")),
        forbidden=tuple(_words(head, "forbidden")),
        replaced=frozenset(_words(head, "replaced")),
        slow={path: float(seconds) for path, seconds in map(str.split, head.get("slow", []))},
        trap=_pair(head, "trap"),
        charset=head.get("charset", ["utf-8"])[0],
        feed=head.get("feed", [""])[0],
        has_map="sitemap" in head,
        zipped="zipped" in head,
        opened=Edition(head.get("opened", ["first"])[0]),
        end=head.get("end", [""])[0],
    )


def _head(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in filter(None, text.splitlines()):
        key, _, value = line.partition(": ")
        found.setdefault(key, []).append(value.strip())
    return found


def _parts(text: str) -> tuple[list[Page], dict[str, str]]:
    pages: list[Page] = []
    given: dict[str, str] = {}
    starts = [*_PART.finditer(text)]
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=True):
        body = text[start.end() : end].strip("\n") + "\n"
        path, rest = start["path"], start["rest"]
        if start[1] == "---":
            given[path + rest] = body  # "/data.json @second" is the file of that edition
        else:
            pages.append(_page(path, rest, body))
    return pages, given


def _page(path: str, rest: str, body: str) -> Page:
    limit = _EDITION.search(rest)
    dated = _DATE.match(body)
    return Page(
        path=path,
        title=_EDITION.sub("", rest),
        text=_DATE.sub("", body),
        date=dated[1] if dated else "",
        editions=frozenset({Edition(limit[1])}) if limit else frozenset(Edition),
    )


def _looks(head: dict[str, list[str]]) -> dict[Edition, Look]:
    """The second design is given as `layout@second` and `colours@second`, if it is another one."""
    layout, colours = head["layout"][0], head["colours"][0]
    later = head.get("layout@second", [layout])[0], head.get("colours@second", [colours])[0]
    return {
        Edition.FIRST: Look(layout, Colours(*colours.split())),
        Edition.SECOND: Look(later[0], Colours(*later[1].split())),
    }


def _menu(head: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    for entry in filter(None, head.get("menu", [""])[0].split("; ")):
        path, _, label = entry.partition(" ")
        yield path, label


def _redirects(head: dict[str, list[str]]) -> Iterator[tuple[int, str, str]]:
    for line in head.get("redirect", []):
        status, source, target = line.split()
        yield int(status), source, target


def _words(head: dict[str, list[str]], key: str) -> list[str]:
    return " ".join(head.get(key, [])).split()


def _pair(head: dict[str, list[str]], key: str) -> tuple[str, str] | None:
    words = _words(head, key)
    return (words[0], words[1]) if words else None


@cache
def all_sites() -> tuple[Site, ...]:
    """Every site of the small web, by name."""
    folder = files("armarium.demo.web") / "sites"
    found = {
        entry.name.removesuffix(".txt"): entry for entry in folder.iterdir() if entry.name.endswith(".txt")
    }
    return tuple(described(word, found[word].read_text("utf-8")) for word in sorted(found))
