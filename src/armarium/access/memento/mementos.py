"""The captures that are mementos of a page: not the notes that crawlers left about them."""

from collections.abc import Iterator

from armarium.access.cdxserver.lines import Told
from armarium.access.view import describes

# Nearly no line has one of these, and to take a line apart takes longer than to look for them.
_MARKS = (b"text/anvl", b"application/warc-fields")


def mementos(found: Iterator[Told]) -> Iterator[Told]:
    return (told for told in found if not _is_note(told))


def _is_note(told: Told) -> bool:
    raw = told.raw
    return any(mark in raw for mark in _MARKS) and describes(told.line)
