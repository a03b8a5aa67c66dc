"""Traps tried on addresses that somebody pasted."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import re2  # type: ignore[import-untyped]

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.url import InvalidUrl, normal
from armarium.planning.domains.traps_queries import TrapList

MOST_ADDRESSES = 200


@dataclass(frozen=True)
class Verdict:
    """What becomes of an address; without an expression, it is followed."""

    url: str
    list_name: str = ""
    expression: str = ""


def tried(lists: Iterable[TrapList], text: str) -> list[Verdict]:
    """For each address, one a line, the first expression that finds it, as the crawler would search it."""
    urls = [line.strip() for line in text.splitlines() if line.strip()]
    if len(urls) > MOST_ADDRESSES:
        text_of_fault = message("At most %(most)s addresses at a time.", most=MOST_ADDRESSES)
        raise Refused(text_of_fault, field="urls")
    compiled = [(found.name, one, _compiled(one)) for found in lists for one in found.expressions]
    return [_verdict(url, compiled) for url in urls]


def _verdict(url: str, compiled: Iterable[tuple[str, str, re2._Regexp]]) -> Verdict:
    try:
        address = normal(url)
    except InvalidUrl:
        address = url
    found: Iterator[Verdict] = (
        Verdict(url, name, expression) for name, expression, one in compiled if one.search(address)
    )
    return next(found, Verdict(url))


def _compiled(expression: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    return re2.compile(expression, options)
