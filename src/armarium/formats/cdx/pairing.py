"""Request and answer: which two records belong together, and what the request gives to the answer's key."""

from armarium.formats.cdx.capture import Capture
from armarium.formats.url import surt
from armarium.formats.warc.records import Request, Response


def pair(first: Capture, second: Capture) -> bool:
    """Join two neighbouring captures if one answers the other; True if so."""
    if isinstance(first.record, Request) and isinstance(second.record, Response):
        request, answer = first, second
    elif isinstance(first.record, Response) and isinstance(second.record, Request):
        request, answer = second, first
    else:
        return False
    if first.url != second.url or first.record.record_id not in second.record.concurrent_to:
        return False
    if request.body is not None and request.url is not None:
        answer.body = request.body
        answer.key = request.key = surt(request.body.appended_to(request.url))
    return True
