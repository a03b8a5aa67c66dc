"""Answers that are sent piece by piece while they are read."""

import structlog
from starlette.responses import StreamingResponse
from starlette.types import Send

from armarium.core.errors import Unavailable

log = structlog.get_logger(__name__)


class Stream(StreamingResponse):
    """If what it is read from turns out to be damaged or away, it breaks off before the end that HTTP
    announces: no client takes a part for the whole. The program is not at fault, so the log has a line of it
    and no traceback.
    """

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        except Unavailable as reason:
            log.warning("answer broken off", reason=str(reason))
