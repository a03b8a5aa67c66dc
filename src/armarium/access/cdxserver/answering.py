"""Answers of any length: a short one at once, a long one piece by piece."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from itertools import chain

from starlette.responses import Response

from armarium.access.door.problems import problem_of
from armarium.access.door.site import Handler, Visit
from armarium.core.errors import ArmariumError
from armarium.languages.speech import say
from armarium.web.streams import Stream

PIECE = 32 * 1024  # bytes that are sent at a time

#: Says what went wrong in the way in which a dialect does it: status, and the sentence.
Complaint = Callable[[int, str], Response]


def pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines put together: each piece that is sent costs as much as a hundred lines."""
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= PIECE:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def answer(
    lines: Iterable[bytes], media_type: str, headers: Mapping[str, str] | None = None, *, gzip: bool = False
) -> Response:
    """What goes wrong before the first piece becomes an error page. If it goes wrong later, the connection
    breaks before the end that HTTP announces: no client takes a part for the whole."""
    sent = pieces(lines)
    told = dict(headers or {})
    if gzip:
        sent = pieces(_compressed(sent))
        told["Content-Encoding"] = "gzip"
    first = next(sent, b"")
    second = next(sent, None)
    if second is None:
        return Response(first, media_type=media_type, headers=told)
    return Stream(chain((first, second), sent), media_type=media_type, headers=told)


def _compressed(sent: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(level=5, wbits=31)  # 31: gzip
    for piece in sent:
        if compressed := compressor.compress(piece):
            yield compressed
    yield compressor.flush()


def complaining(complaint: Complaint) -> Callable[[Handler], Handler]:
    """Programs read the errors of their own dialect, not our pages."""

    def around(handler: Handler) -> Handler:
        @wraps(handler)
        def answered(visit: Visit) -> Response:
            try:
                return handler(visit)
            except ArmariumError as error:
                problem = problem_of(error)
                return complaint(problem.status, say(problem.text))

        return answered

    return around


def json_complaint(status: int, text: str) -> Response:
    return Response(json.dumps({"message": text}) + "\n", status, media_type="application/json")


def text_complaint(status: int, text: str) -> Response:
    return Response(text + "\n", status, media_type="text/plain")
