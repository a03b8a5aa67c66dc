"""Which expressions may be crawler traps, and which of them finds an address. No input or output."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import re2  # type: ignore[import-untyped]
from pydantic import Field

from armarium.core.entities import Described
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.url import InvalidUrl, normal

LONGEST_TRAP = 1000
MOST_TRAPS = 1000
MOST_ADDRESSES = 200  # that are tried at a time
_trap_memory = 32 * 1024 * 1024


@dataclass(frozen=True)
class TrapList(Described):
    id: int = 0
    name: Annotated[str, Field(max_length=100)] = ""
    description: Annotated[str, Field(max_length=30_000)] = ""
    active: bool = True
    expressions: Annotated[Sequence[str], Field(max_length=1000)] = ()
    edition: int = 1


def check_traps(patterns: Iterable[str]) -> tuple[str, ...]:
    """Expressions that the crawler can search in every address; each once, in the order given.

    They go through RE2, as in the crawler: what it cannot read would fail every job of the domain.
    """
    kept: dict[str, None] = {}
    for number, pattern in enumerate(patterns, 1):
        stripped = pattern.strip()
        if stripped:
            _check_trap(stripped, number)
            kept[stripped] = None
    if len(kept) > MOST_TRAPS:
        raise Refused(message("There are at most %(most)s traps.", most=MOST_TRAPS), field="traps")
    return tuple(kept)


def _check_trap(pattern: str, number: int) -> None:
    if len(pattern) > LONGEST_TRAP:
        raise Refused(
            message(
                "The trap in line %(line)s has %(length)s characters, more than %(most)s. Split it.",
                line=number,
                length=len(pattern),
                most=LONGEST_TRAP,
            ),
            field="traps",
        )
    if not pattern.isascii() or not pattern.isprintable():
        raise Refused(
            message(
                "The trap in line %(line)s has a character that stands in no address. In a path it is "
                "written as in %%C3%%A9; international names of hosts begin with xn--.",
                line=number,
            ),
            field="traps",
        )
    if (fault := _unreadable(pattern)) is not None:
        raise Refused(
            message(
                "The trap in line %(line)s is no regular expression that can be used: %(fault)s. Expressions "
                "may neither look around nor refer back.",
                line=number,
                fault=fault,
            ),
            field="traps",
        )


@lru_cache(maxsize=4096)
def _unreadable(pattern: str) -> str | None:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _trap_memory
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return None


# Tried on addresses that somebody pasted --------------------------------------------------------------


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
