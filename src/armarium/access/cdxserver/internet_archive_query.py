"""What the parameters of the Internet Archive's dialect ask for, and where an earlier answer ended."""

import re
from dataclasses import dataclass, replace
from urllib.parse import quote_plus, unquote_plus

from armarium.access.captures.lines import AFTER_ALL, ListedCapture, Span
from armarium.access.cdxserver import steps
from armarium.access.cdxserver.parameters import (
    CaptureQuery,
    Parameters,
    capture_query,
    collapse_of,
    filter_of,
)
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx.line import ENCODING, ERRORS
from armarium.formats.cdx.query import Filter, Operator

# Where an answer ended, so that the next one can go on behind it.


_RESUME = re.compile(r"(?P<key>\S+) (?P<timestamp>[0-9]{1,17})(?: (?P<nth>[0-9]{1,9}))?!\Z")
_ALL = 10**9  # of the captures of one moment


@dataclass(frozen=True)
class ResumeMark:
    """The capture at which an answer ended. Lines in a row may share key and time: which of them it was."""

    key: str
    timestamp: str
    nth: int = 1

    @classmethod
    def parse(cls, text: str) -> "ResumeMark":
        # What has been decoded once as a parameter may have been encoded twice.
        found = _RESUME.match(text) or _RESUME.match(unquote_plus(text, ENCODING, ERRORS))
        if found is None:
            raise Refused(
                message("No answer ended at this resumeKey; ask again from the beginning."), field="resumeKey"
            )
        return cls(found["key"], found["timestamp"], int(found["nth"] or 0) or _ALL)

    @classmethod
    def behind(cls, last: ListedCapture, following: ListedCapture | None) -> "ResumeMark":
        """`following` is the first that the next answer has, if it is known."""
        alike = following is not None and (following.key, following.timestamp) == (last.key, last.timestamp)
        return cls(last.key, last.timestamp, last.nth if alike or following is None else _ALL)

    def __str__(self) -> str:
        """As the Internet Archive spells it, but for captures of one moment that are not all told."""
        place = "" if self.nth == _ALL else f" {self.nth}"
        return quote_plus(f"{self.key} {self.timestamp}{place}!", encoding=ENCODING, errors=ERRORS)

    def narrowed(self, question: CaptureQuery) -> CaptureQuery:
        """The question without what lies before the mark; its neighbours of the same time are still there."""
        start = f"{self.key} {self.timestamp}"
        span = question.span
        if question.reverse:
            end = f"{start}{AFTER_ALL}"
            return replace(question, span=Span(span.start, min(end, span.end) if span.end else end))
        return replace(question, span=Span(max(start, span.start), span.end))

    def is_behind(self, told: ListedCapture) -> bool:
        """Whether an earlier answer had this capture already."""
        return told.key == self.key and told.timestamp == self.timestamp and told.nth <= self.nth


MOST = 150_000  # lines of one answer
BLOCKS = 50  # in a page
FIELDS = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
_COLUMNS = (*FIELDS[:6], "redirect", "robotflags", "length", "offset", "filename")
_OPERATORS = {"": Operator.REGEX}
_ORIGINALS = ("orig.length", "orig.offset", "orig.filename")
#: Columns that are asked for by parameters of their own.
_COUNTS = {
    "dupecount": "showDupeCount",
    "skipcount": "showSkipCount",
    "groupcount": "showGroupCount",
    "uniqcount": "showUniqCount",
    "endtimestamp": "lastSkipTimestamp",
}


@dataclass(frozen=True)
class InternetArchiveQuery:
    """What the parameters ask for."""

    asked: CaptureQuery
    filters: list[Filter]
    value: steps.Value | None  # by which is collapsed
    fields: tuple[str, ...]
    limit: int
    last: bool  # the last lines, not the first
    offset: int
    counts: frozenset[str]
    originals: bool
    mark: ResumeMark | None
    page: int | None
    blocks: int

    @classmethod
    def of(cls, parameters: Parameters) -> "InternetArchiveQuery":
        collapses = [collapse_of(text) for text in parameters.several("collapse")]
        limit = parameters.number("limit", MOST, least=-MOST)
        if not limit:
            raise Refused(message("The number of lines must be at least 1."), field="limit")
        question = capture_query(parameters)
        mark = ResumeMark.parse(text) if (text := parameters.text("resumeKey")) else None
        if mark is not None and question.closest:
            raise Refused(message("An answer by distance cannot be resumed."), field="resumeKey")
        counts = frozenset(name for name, parameter in _COUNTS.items() if parameters.flag(parameter))
        originals = parameters.flag("resolveRevisits")
        shown = (*FIELDS, *(_ORIGINALS if originals else ()))
        return cls(
            asked=mark.narrowed(question) if mark else question,
            filters=[_filter(text) for text in parameters.several("filter")],
            value=steps.value_by(collapses) if collapses else None,
            fields=(parameters.names("fl") or shown) + tuple(name for name in _COUNTS if name in counts),
            limit=min(abs(limit), MOST),
            last=limit < 0 or parameters.flag("fastLatest"),
            offset=parameters.number("offset", 0, least=0),
            counts=counts,
            originals=originals,
            mark=mark,
            page=parameters.number("page", 0, least=0) if parameters.text("page") else None,
            blocks=parameters.number("pageSize", BLOCKS, most=BLOCKS),
        )


def _filter(text: str) -> Filter:
    """A field may be named by its place in the line."""
    found = filter_of(text, _OPERATORS)
    if found.field.isascii() and found.field.isdigit() and int(found.field[:3]) < len(_COLUMNS):
        return filter_of(text.replace(found.field, _COLUMNS[int(found.field)], 1), _OPERATORS)
    return found
