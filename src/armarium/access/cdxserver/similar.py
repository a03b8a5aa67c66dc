"""Captures of an address that differs only in what does not matter, where there are none of its own."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from armarium.access.cdxserver.lines import Patience, Span, Told, TooMuch, captures
from armarium.access.cdxserver.reading import Asked
from armarium.access.replay import fuzzy
from armarium.access.view import View
from armarium.core import clock

MOST_EXAMINED = 20_000  # lines among which a similar address is looked for
FUZZY = "is_fuzzy"  # the field by which pywb says so


def or_similar(view: View, question: Asked) -> Iterator[Told]:
    found = question.captures(view, Patience())
    first = next(found, None)
    if first is not None or not question.key:
        return chain([first] if first is not None else [], found)
    moment = question.closest or question.to or f"{clock.now():%Y%m%d%H%M%S}"
    denied = view.keeps_back(question.key, question.url, moment, from_=question.from_, to=question.to)
    key = _similar(view, question.key) if not denied else None
    if key is None:
        return iter(())
    other = replace(question, key=key, span=Span.of_key(key, question.from_, question.to))
    return (_marked(told) for told in other.captures(view, Patience()))


def _similar(view: View, key: str) -> str | None:
    known: dict[str, None] = {}
    patience = Patience(MOST_EXAMINED)
    try:
        for start, end in fuzzy.search_ranges(key):
            known.update((told.key, None) for told in captures(view, Span(start, end), patience))
    except TooMuch:
        return None
    best = fuzzy.best(key, known)
    return best[0] if best is not None else None


def _marked(told: Told) -> Told:
    return told.changed({**told.line.fields, FUZZY: "1"})
