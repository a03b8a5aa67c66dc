"""Questions as people and programs write them."""

import re
from dataclasses import dataclass

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx.query import Collapse, Filter, Match, Operator, Query

LONGEST = 10_000  # characters of an address
_DATE_MARKS = re.compile(r"[-:/.\sTtZz]")
_STATUS = re.compile(r"[0-9xX]{3}\Z|-\Z")
_FILTER = re.compile(r"(!?)([=~]?)([A-Za-z.]+):(.*)\Z", re.DOTALL)
_OPERATORS = {"": Operator.CONTAINS, "=": Operator.EQUALS, "~": Operator.REGEX}
_COLLAPSE = re.compile(r"([A-Za-z.]+)(?::([0-9]{1,4}))?\Z")
MATCHES = (Match.EXACT, Match.PREFIX, Match.HOST, Match.DOMAIN)  # what can be asked for an address


@dataclass(frozen=True)
class Asked:
    """What the form of the look-up page has; all of it text, as it was typed."""

    url: str = ""
    match: str = Match.EXACT
    from_: str = ""
    to: str = ""
    closest: str = ""
    status: str = ""
    mime: str = ""
    newest: bool = False
    resume: str = ""

    def query(self, limit: int) -> Query:
        url, match = address_of(self.url, self.match)
        return Query(
            url=url,
            match=match,
            from_=digits_of(self.from_),
            to=digits_of(self.to),
            closest=digits_of(self.closest),
            reverse=self.newest and not self.closest,
            limit=limit,
            resume=self.resume,
            filters=filters_of(self.status, self.mime),
        )

    @property
    def narrowed(self) -> bool:
        return bool(self.from_ or self.to or self.closest or self.status or self.mime or self.resume)


def address_of(url: str, match: str) -> tuple[str, Match]:
    """The address without the asterisks by which others say how much they want: `*.domain`, `prefix*`."""
    url = url.strip()
    if len(url) > LONGEST:
        raise Refused(message("The address is too long."), field="url")
    if re.search(r"\s", url):
        raise Refused(message("“%(url)s” is not an address: it contains spaces.", url=url[:100]), field="url")
    if match not in MATCHES:
        raise Refused(
            message("“%(match)s” is not a known way to match addresses.", match=match[:40]), field="match"
        )
    if url.startswith("*."):
        return url[2:], Match.DOMAIN
    if url.endswith("*"):
        return url[:-1], Match.PREFIX
    return url, Match(match)


def digits_of(date: str) -> str:
    """A date as the index writes it: `2026-01-31 12:00` becomes `202601311200`."""
    return _DATE_MARKS.sub("", date)


def filters_of(status: str, mime: str) -> tuple[Filter, ...]:
    """`status`: 404, or 4xx for all that begin so; `mime`: a part of the type."""
    status, mime = status.strip(), mime.strip()
    found = []
    if status:
        if not _STATUS.match(status):
            told = message("“%(status)s” is not a status. Write 404, or 4xx.", status=status[:40])
            raise Refused(told, field="status")
        pattern = re.sub("[xX]", "[0-9]", status)
        found.append(Filter("status", pattern, Operator.REGEX))
    if mime:
        found.append(Filter("mime", mime, Operator.CONTAINS))
    return tuple(found)


def filter_of(text: str) -> Filter:
    """A filter in pywb's syntax, `[!][=|~]field:value`: contains, `=` equals, `~` a regular expression."""
    parts = _FILTER.match(text)
    if parts is None:
        told = message("“%(text)s” is not a filter. Write [!][=|~]field:value.", text=text[:100])
        raise Refused(told, field="filter")
    negated, operator, name, value = parts.groups()
    return Filter(name, value, _OPERATORS[operator], negated=bool(negated))


def collapse_of(text: str) -> Collapse:
    """`field`, or `field:letters`."""
    parts = _COLLAPSE.match(text)
    if parts is None:
        told = message(
            "“%(text)s” cannot be used to collapse. Write field or field:letters.", text=text[:100]
        )
        raise Refused(told, field="collapse")
    return Collapse(parts[1], int(parts[2] or 0))
