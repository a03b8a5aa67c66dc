"""Filters: regular expressions that people write, searched in every address without ever holding up a crawl.

RE2 reads each character once, whatever the expression; that is why it has no backreferences and does not look
around. All expressions of a set are searched in one pass (docs/decisions/filters-linear-time.md).
"""

from collections.abc import Iterable
from typing import NamedTuple

import re2  # type: ignore[import-untyped]

# --- What can be wrong with a filter that somebody wrote: where it is wrong, and how to write it instead.


_SNIPPET = 120  # characters of a filter shown in an error
_BLANKS = dict.fromkeys(range(32), " ")


class _Fault(NamedTuple):
    begins: str  # of what RE2 says
    what: str
    advice: str


_NOT_SUPPORTED = "which is not supported: it would let an expression hold up the whole crawl"
# What stands where RE2 stopped; the longer before the shorter.
_UNSUPPORTED = (
    _Fault(
        "(?<!",
        f"it looks at what stands before, {_NOT_SUPPORTED}",
        "Write what may stand there: [^/] for anything but a slash, or [^0-9].",
    ),
    _Fault(
        "(?<=",
        f"it looks at what stands before, {_NOT_SUPPORTED}",
        "Write it as an ordinary part of the expression: a filter needs only to find, so (?<=/)x is /x.",
    ),
    _Fault(
        "(?!",
        f"it looks at what follows, {_NOT_SUPPORTED}",
        "Write what may follow: [^/] for anything but a slash, or [^0-9].",
    ),
    _Fault(
        "(?=",
        f"it looks at what follows, {_NOT_SUPPORTED}",
        "Write it as an ordinary part of the expression: a filter needs only to find, so x(?=/) is x/.",
    ),
    _Fault(
        "(?>",
        "it has an atomic group, which is not supported",
        "Write (?: instead: no expression goes back here, so nothing is lost.",
    ),
    _Fault(
        "(?P=",
        f"it refers back to a group, {_NOT_SUPPORTED}",
        "Segments that repeat themselves are rejected by max_repetitions; otherwise write the text twice.",
    ),
    _Fault(
        "(?",
        "this kind of group is not known",
        "Known are (?: for a group, (?P<name> for a named one, and (?i) for small and capital letters alike.",
    ),
    _Fault(
        "\\k",
        f"it refers back to a group, {_NOT_SUPPORTED}",
        "Segments that repeat themselves are rejected by max_repetitions; otherwise write the text twice.",
    ),
)
_FAULTS = (
    _Fault("missing ):", "a bracket ( is not closed", r"Close it with ), or write \( for the sign itself."),
    _Fault("unexpected ):", "a bracket ) was never opened", r"Write \) for the sign itself."),
    _Fault(
        "missing ]:",
        "a set of characters [ is not closed",
        r"Close it with ], or write \[ for the sign itself.",
    ),
    _Fault(
        "no argument for repetition",
        "there is nothing to repeat",
        r"Write \* \+ or \? for the sign itself; for anything at all write .*",
    ),
    _Fault(
        "bad repetition operator",
        "two signs of repetition follow each other",
        r"Keep one of them, or write \+ for the sign itself.",
    ),
    _Fault(
        "invalid repetition size",
        "it repeats something more than 1000 times",
        "Write a smaller number, or {2,} for two and more.",
    ),
    _Fault(
        "invalid character class range",
        "a range such as a-z runs backwards, or is not known",
        r"Put the smaller first; write \- for the sign itself.",
    ),
    _Fault(
        "invalid named capture group",
        "the name of a group is not right",
        "Names have letters, digits and _, each name once; a filter needs none.",
    ),
    _Fault("trailing \\", "it ends in a backslash", r"Write \\ for the sign itself."),
    _Fault(
        "invalid escape sequence",
        "this backslash has no meaning",
        "Leave the backslash away, or write two for the sign itself.",
    ),
    _Fault(
        "pattern too large",
        "it is too large: its repetitions of repetitions come to millions of states",
        "Use * instead of a large {number}.",
    ),
)
_UNKNOWN = _Fault("", "it cannot be read", "Compare it with https://github.com/google/re2/wiki/Syntax.")


class BadFilter(ValueError):  # noqa: N818  (reads as what happened)
    """A filter that cannot be used: what is wrong with it, where, and how to write it instead."""

    def __init__(self, pattern: str, position: int, fault: str, advice: str) -> None:
        self.pattern = pattern
        self.position = position  # of the character at fault
        self.advice = advice
        start = max(0, position - _SNIPPET // 2)
        shown = pattern[start : start + _SNIPPET].translate(_BLANKS)
        super().__init__(
            f"This filter cannot be used: {fault}.\n    {shown}\n    {' ' * (position - start)}^\n{advice}"
        )


def foreign(pattern: str, position: int, character: str) -> BadFilter:
    """Addresses are written in ASCII; a filter with any other character would never find one."""
    written = "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))
    fault = f"{character!r} stands in no address"
    advice = f"In a path it is written {written}; international names of hosts begin with xn--."
    return BadFilter(pattern, position, fault, advice)


def explained(pattern: str, text: str) -> BadFilter:
    """What RE2 says, in words for people."""
    fragment = text.partition(": ")[2]
    if fragment == "(?P" and "(?P=" in pattern:  # RE2 names only the letters before the fault
        fragment = "(?P="
    begins = "\\k" if fragment[:1] == "\\" and fragment[1:2].isdigit() else fragment
    candidates = [fault for fault in _FAULTS if text.startswith(fault.begins)]
    if text.startswith(("invalid perl", "invalid escape", "invalid named")):
        candidates = [fault for fault in _UNSUPPORTED if begins.startswith(fault.begins)] + candidates
    fault = candidates[0] if candidates else _UNKNOWN
    return BadFilter(pattern, _position(pattern, text, fragment), fault.what, fault.advice)


def _position(pattern: str, text: str, fragment: str) -> int:
    if text.startswith("missing )"):
        return _unclosed(pattern)
    if text.startswith("trailing"):
        return max(0, len(pattern) - 1)
    return max(0, pattern.find(fragment)) if fragment != pattern else _stray(pattern)


def _unclosed(pattern: str) -> int:
    """Where the last bracket stands that nothing closes."""
    opened = _brackets(pattern)[0]
    return opened[-1] if opened else 0


def _stray(pattern: str) -> int:
    """Where a bracket stands that closes nothing."""
    stray = _brackets(pattern)[1]
    return stray[0] if stray else 0


def _brackets(pattern: str) -> tuple[list[int], list[int]]:
    opened: list[int] = []
    stray: list[int] = []
    in_set = escaped = False
    for position, character in enumerate(pattern):
        if escaped or character == "\\":
            escaped = not escaped
        elif in_set or character == "[":
            in_set = character != "]"
        elif character == "(":
            opened.append(position)
        elif character == ")":
            if opened:
                opened.pop()
            else:
                stray.append(position)
    return opened, stray


# --- The filters themselves.


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
