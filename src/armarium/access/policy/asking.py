"""“What would become of this capture for that reader?”: from what people and programs write to a question."""

from dataclasses import dataclass
from datetime import UTC

from armarium.access.model import EVERYTHING, Collection, Reader
from armarium.access.policy.checks import digits
from armarium.access.policy.patterns import LONGEST
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.timestamps import moment
from armarium.formats.url import asked_for, surt

_EARLIEST = "00000101000000"  # completes the first digits of a date


@dataclass(frozen=True)
class Wish:
    """Somebody wants to see something."""

    reader: Reader
    collection: Collection
    line: CdxLine


def wish(url: str, date: str, reader: Reader, collection: str = "") -> Wish:
    """`date`: digits or a date as people write it; nothing: this moment."""
    url = asked_for(url.strip())
    if not url or len(url) > LONGEST:
        raise Refused(message("Name the address of the capture."), field="url")
    name = collection.strip() or EVERYTHING
    place = Collection(name, name, everything=name == EVERYTHING)
    return Wish(reader, place, CdxLine(surt(url), timestamp(date), {"url": url}))


def timestamp(date: str) -> str:
    if not date.strip():
        return clock.now().astimezone(UTC).strftime("%Y%m%d%H%M%S")
    found = digits(date, "date")
    whole = found + _EARLIEST[len(found) :]
    if moment(whole) is None:
        raise Refused(message("“%(text)s” is not in the calendar.", text=date[:40]), field="date")
    return whole
