"""The query of a request, taken apart into terms that all dialects share; what cannot be read is refused."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs

from armarium.access.captures.lines import ListedCapture, Patience, Span, captures, nearest
from armarium.access.captures.responses import OUR_NAMES
from armarium.access.view import View
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx.query import Collapse, Filter, Match, Operator
from armarium.formats.url import Match as UrlMatch
from armarium.formats.url import asked_for, search_range, surt

MOST_PARAMETERS = 100
LONGEST_ADDRESS = 10_000  # characters
_DATE = re.compile(r"[0-9]{1,17}\Z")
_COLLAPSE = re.compile(r"([A-Za-z0-9._-]+)(?::([0-9]{1,4}))?\Z")
_FALSE = frozenset({"", "0", "false", "no", "off"})


class Parameters:
    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        self._values = values

    @classmethod
    def of(cls, query: str) -> "Parameters":
        """`query` is the text behind the question mark. Addresses may have bytes that are no UTF-8."""
        try:
            values = parse_qs(
                query, keep_blank_values=True, errors="surrogateescape", max_num_fields=MOST_PARAMETERS
            )
        except ValueError as error:
            raise Refused(message("The request has too many parameters.")) from error
        return cls(values)

    def text(self, *names: str) -> str:
        """The first value of the first of these names that has one."""
        for name in names:
            if values := self._values.get(name):
                return values[0]
        return ""

    def has(self, name: str) -> bool:
        return name in self._values

    def several(self, name: str) -> list[str]:
        return [value for value in self._values.get(name, ()) if value]

    def flag(self, name: str) -> bool:
        return self.text(name).lower() not in _FALSE

    def number(self, name: str, default: int, *, least: int = 1, most: int = 10**9) -> int:
        text = self.text(name)
        if not text:
            return default
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 12) or not least <= int(text) <= most:
            told = message(
                "%(name)s=%(value)s cannot be used: write a number from %(least)s to %(most)s.",
                name=name,
                value=text[:40],
                least=least,
                most=most,
            )
            raise Refused(told, field=name)
        return int(text)

    def date(self, name: str) -> str:
        """A moment, or its first digits."""
        text = self.text(name)
        if name == "closest" and text in ("now", "latest"):
            return f"{clock.now():%Y%m%d%H%M%S}"
        if text and not _DATE.match(text):
            told = message("“%(digits)s” is no date: write 1 to 14 digits, as in 20260131.", digits=text[:40])
            raise Refused(told, field=name)
        return text[:14]

    def choice(self, name: str, *choices: str) -> str:
        """One of the values that the parameter can have; the first if it is not given."""
        text = self.text(name) or choices[0]
        if text not in choices:
            told = message(
                "%(name)s=%(value)s is not supported. Choose from: %(choices)s.",
                name=name,
                value=text[:40],
                choices=", ".join(choices),
            )
            raise Refused(told, field=name)
        return text

    def names(self, *parameters: str) -> tuple[str, ...]:
        """A list of fields, with commas between."""
        text = self.text(*parameters)
        return tuple(name for name in map(str.strip, text.split(",")) if name)[:MOST_PARAMETERS]


def address(parameters: Parameters, *matches: str) -> tuple[str, Match]:
    """The address that is asked for, and how much is meant by it.

    Asterisks mean something only where `matchType` is not given: an address may end with one.
    """
    url = parameters.text("url").strip()
    if not url:
        raise Refused(message("Name the address to look for, in the parameter url."), field="url")
    if len(url) > LONGEST_ADDRESS:
        raise Refused(message("The address is too long."), field="url")
    if parameters.text("matchType"):
        return url, Match(parameters.choice("matchType", *matches))
    if url.startswith("*."):
        return url[2:], Match.DOMAIN
    if url.endswith("*") and len(url) > 1:
        return url[:-1], Match.PREFIX
    return url, Match.EXACT


def span_of(url: str, match: Match) -> Span:
    """The keys of an address and what lies around it. Of one address alone: see `Span.of_key`."""
    if match is Match.RANGE:
        return Span(surt(url))
    return Span(*search_range(url, UrlMatch(match)))


def filter_of(text: str, operators: Mapping[str, Operator], *, mark_first: bool = False) -> Filter:
    """`!` and the marks of the operators, a field, and what its value has to be.

    Without a field the whole line is meant. Where `mark_first`, the mark stands before `!`.
    """
    negated, mark, rest = _marks(text, operators, mark_first=mark_first)
    name, colon, value = rest.partition(":")
    if not colon:
        name, value = "", rest
    found = Filter(OUR_NAMES.get(name, name) or WHOLE, value, operators[mark], negated=negated)
    found.check()
    return found


WHOLE = "line"  # as the name of a field: all of them, with spaces between


def _marks(text: str, operators: Mapping[str, Operator], *, mark_first: bool) -> tuple[bool, str, str]:
    mark, negated = "", False
    for step in ("mark", "not") if mark_first else ("not", "mark"):
        if step == "not" and text[:1] == "!":
            negated, text = True, text[1:]
        elif step == "mark" and text[:1] in operators and text[:1]:
            mark, text = text[0], text[1:]
    return negated, mark, text


def collapse_of(text: str) -> Collapse:
    """`field`, or `field:letters`."""
    parts = _COLLAPSE.match(text)
    if parts is None:
        told = message("“%(text)s” cannot be collapsed by: write field or field:letters.", text=text[:100])
        raise Refused(told, field="collapse")
    return Collapse(OUR_NAMES.get(parts[1], parts[1]), int(parts[2] or 0))


MATCHES = (Match.EXACT, Match.PREFIX, Match.HOST, Match.DOMAIN)


@dataclass(frozen=True)
class CaptureQuery:
    """Which captures, in which order."""

    url: str
    match: Match
    key: str  # of the address; empty where more than one is asked for
    span: Span
    from_: str = ""
    to: str = ""
    closest: str = ""
    reverse: bool = False

    def captures(self, view: View, patience: Patience) -> Iterator[ListedCapture]:
        if self.closest:
            return nearest(view, self.key, self.closest, patience, from_=self.from_, to=self.to)
        # The span of one address ends at its dates; others have to look at each line.
        from_, to = ("", "") if self.key else (self.from_, self.to)
        return captures(view, self.span, patience, from_=from_, to=to, reverse=self.reverse)


def capture_query(
    parameters: Parameters, *, key: str = "", matches: tuple[str, ...] = MATCHES, from_url: str = ""
) -> CaptureQuery:
    """`key` or `from_url` where a dialect has another way to name the address."""
    url, match = (from_url, Match.EXACT) if from_url or key else address(parameters, *matches)
    url = asked_for(url)
    sort = parameters.choice("sort", "default", "reverse", "closest")
    from_, to, closest = parameters.date("from"), parameters.date("to"), parameters.date("closest")
    # A client that fills a template in leaves the moment empty where it wants all captures.
    if sort == "closest" and not closest and not parameters.has("closest"):
        raise Refused(message("Name the moment to be close to, in the parameter closest."), field="closest")
    if closest and match is not Match.EXACT:
        raise Refused(message("The nearest capture can be asked for one address only."), field="closest")
    exact = (key or surt(url)) if match is Match.EXACT else ""
    span = Span.of_key(exact, from_, to) if exact else span_of(url, match)
    reverse = sort == "reverse" or parameters.flag("reverse")
    return CaptureQuery(url, match, exact, span, from_, to, closest, reverse)
