"""Where an answer ended, so that the next one can go on behind it."""

import re
from dataclasses import dataclass, replace
from urllib.parse import quote_plus, unquote_plus

from armarium.access.cdxserver.lines import AFTER_ALL, Span, Told
from armarium.access.cdxserver.reading import Asked
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx.line import ENCODING, ERRORS

_RESUME = re.compile(r"(?P<key>\S+) (?P<timestamp>[0-9]{1,17})(?: (?P<nth>[0-9]{1,9}))?!\Z")
_ALL = 10**9  # of the captures of one moment


@dataclass(frozen=True)
class Mark:
    """The capture at which an answer ended. Lines in a row may share key and time: which of them it was."""

    key: str
    timestamp: str
    nth: int = 1

    @classmethod
    def parse(cls, text: str) -> "Mark":
        # What has been decoded once as a parameter may have been encoded twice.
        found = _RESUME.match(text) or _RESUME.match(unquote_plus(text, ENCODING, ERRORS))
        if found is None:
            raise Refused(
                message("No answer ended at this resumeKey; ask again from the beginning."), field="resumeKey"
            )
        return cls(found["key"], found["timestamp"], int(found["nth"] or 0) or _ALL)

    @classmethod
    def behind(cls, last: Told, following: Told | None) -> "Mark":
        """`following` is the first that the next answer has, if it is known."""
        alike = following is not None and (following.key, following.timestamp) == (last.key, last.timestamp)
        return cls(last.key, last.timestamp, last.nth if alike or following is None else _ALL)

    def __str__(self) -> str:
        """As the Internet Archive spells it, but for captures of one moment that are not all told."""
        place = "" if self.nth == _ALL else f" {self.nth}"
        return quote_plus(f"{self.key} {self.timestamp}{place}!", encoding=ENCODING, errors=ERRORS)

    def narrowed(self, question: Asked) -> Asked:
        """The question without what lies before the mark; its neighbours of the same time are still there."""
        start = f"{self.key} {self.timestamp}"
        span = question.span
        if question.reverse:
            end = f"{start}{AFTER_ALL}"
            return replace(question, span=Span(span.start, min(end, span.end) if span.end else end))
        return replace(question, span=Span(max(start, span.start), span.end))

    def is_behind(self, told: Told) -> bool:
        """Whether an earlier answer had this capture already."""
        return told.key == self.key and told.timestamp == self.timestamp and told.nth <= self.nth
