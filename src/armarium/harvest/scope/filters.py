"""Filters: regular expressions that people write, searched in every address without ever holding up a crawl.

RE2 reads each character once, whatever the expression; that is why it has no backreferences and does not look
around. All expressions of a set are searched in one pass (docs/decisions/filters-linear-time.md).
"""

from collections.abc import Iterable

import re2  # type: ignore[import-untyped]

from armarium.harvest.scope.faults import BadFilter, explained, foreign

LONGEST_FILTER = 4096
_MEMORY = 32 * 1024 * 1024  # for the states of one set, made as addresses need them
_PROBE = "\x01armarium\x01"  # in no address: shows that the states of a set fit into its memory


def check(pattern: str) -> None:
    """Raise `BadFilter` if this is no expression that could ever find an address."""
    if not pattern:
        raise BadFilter(pattern, 0, "it is empty and would find every address", "Write .* if that is meant.")
    if len(pattern) > LONGEST_FILTER:
        fault = f"it has {len(pattern)} characters, more than {LONGEST_FILTER}"
        raise BadFilter(pattern, LONGEST_FILTER, fault, "Make several filters of it.")
    for position, character in enumerate(pattern):
        if not character.isascii():
            raise foreign(pattern, position, character)
    try:
        re2.compile(pattern, _options())
    except re2.error as error:
        raise explained(pattern, _said(error)) from None


class FilterSet:
    """Expressions that are searched together, in one pass over the address."""

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = tuple(dict.fromkeys(patterns))
        for pattern in self.patterns:
            check(pattern)
        self._sets = list(_compiled(self.patterns)) if self.patterns else []

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def find(self, url: str) -> str:
        """The first expression that finds the address, or nothing."""
        text = url.encode("utf-8", "replace")
        for patterns, compiled in self._sets:
            if places := compiled.Match(text):
                return str(patterns[min(places)])
        return ""


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY
    return options


def _compiled(patterns: tuple[str, ...]) -> Iterable[tuple[tuple[str, ...], re2.Set]]:
    """Sets whose states fit into memory. One that does not would silently find nothing, so it is halved."""
    compiled = re2.Set.SearchSet(_options())
    for pattern in (*patterns, _PROBE):
        compiled.Add(pattern)
    compiled.Compile()
    if compiled.Match(_PROBE):
        yield patterns, compiled
    elif len(patterns) > 1:
        middle = len(patterns) // 2
        yield from _compiled(patterns[:middle])
        yield from _compiled(patterns[middle:])
    else:
        raise explained(patterns[0], "pattern too large")


def _said(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
