"""Pages of ours where an archived one should be: short, in the reader's language, with the next step.

Parts of a page (an image, a script) get the status and one line of text: nobody reads more of it.
"""

from dataclasses import dataclass

from armarium.access.model import Seen
from armarium.access.replay.headers import Guards
from armarium.access.replay.model import Field, ReplayRequest, Reply
from armarium.access.replay.resolving import NotCaptured
from armarium.access.requests.site import Site
from armarium.access.view import Restricted
from armarium.core.errors import ArmariumError, NotFound, Refused, Unavailable
from armarium.core.message import Message, message
from armarium.formats.cdx.timestamps import moment
from armarium.languages import catalogues, speech
from armarium.web.templating import furnished

REASON = "X-Armarium-Reason"  # for programs, and for the frame
RETRY_SECONDS = 30
_TEMPLATES = ("armarium.access", "armarium.web")


class Occupied(ArmariumError):  # noqa: N818  (reads as what happened)
    """Another reader has the page that only one may have."""


class NoDownload(ArmariumError):  # noqa: N818
    """It may be looked at, and not be taken along."""


@dataclass(frozen=True)
class Notice:
    """What is said, by which status and word."""

    status: int
    reason: str
    title: Message


_NOTICES: tuple[tuple[type[ArmariumError], Notice], ...] = (
    (Restricted, Notice(451, "restricted", message("In the archive, but not available here"))),
    (NotCaptured, Notice(404, "missing", message("Not captured"))),
    (Occupied, Notice(423, "occupied", message("Another reader has this page"))),
    (NoDownload, Notice(403, "download", message("For reading here only"))),
    (Unavailable, Notice(503, "unavailable", message("Not available at the moment"))),
    (Refused, Notice(400, "refused", message("This address cannot be understood"))),
    (NotFound, Notice(404, "missing", message("Not captured"))),
)
_OURS = Notice(500, "fault", message("Something went wrong on our side"))


def notice_of(error: ArmariumError) -> Notice:
    return next((notice for kind, notice in _NOTICES if isinstance(error, kind)), _OURS)


class Notices:
    def __init__(self, site: Site, guards: Guards) -> None:
        self._site = site
        self._guards = guards

    def of(self, error: ArmariumError, request: ReplayRequest) -> Reply:
        nearest = error.nearest if isinstance(error, NotCaptured) else ()
        reason = error.reason if isinstance(error, NotCaptured) else notice_of(error).reason
        prefix = f"{request.view.collection.name}/"
        return self._reply(error, reason, request, prefix, nearest)

    def without_view(self, error: ArmariumError, *, document: bool, wishes: str) -> Reply:
        """Before it is known who asks for what: there is no such collection, or the address cannot be read.

        `wishes`: the languages that the browser prefers.
        """
        return self._made(error, notice_of(error).reason, document, catalogues.choose([], wishes), {})

    def _reply(
        self,
        error: ArmariumError,
        reason: str,
        request: ReplayRequest,
        prefix: str,
        nearest: tuple[Seen, ...],
    ) -> Reply:
        content, reading = self._site.settings.content, self._site.settings.reading
        facts: dict[str, object] = {
            "url": request.url,
            "nearest": [
                {"address": f"{content}/{prefix}{seen.line.timestamp}mp_/{request.url}", "date": _told(seen)}
                for seen in nearest
                if reason != "circle"
            ],
            "calendar": "" if request.proxied else f"{reading}/{prefix}*/{request.url}",
        }
        language = catalogues.choose([request.language], request.headers.get("accept-language", ""))
        return self._made(error, reason, request.for_document, language, facts)

    def _made(
        self, error: ArmariumError, reason: str, document: bool, language: str, facts: dict[str, object]
    ) -> Reply:
        notice = notice_of(error)
        headers: list[Field] = [*self._guards.of_own_page, (REASON, reason)]
        if notice.status == 503:
            headers.append(("Retry-After", str(RETRY_SECONDS)))
        with speech.speaking(language):
            if not document:
                headers.append(("Content-Type", "text/plain; charset=utf-8"))
                text = f"{speech.say(notice.title)}. {speech.say(error.message)}\n"
                return Reply(notice.status, headers, text.encode(), found=False)
            headers.append(("Content-Type", "text/html; charset=utf-8"))
            return Reply(notice.status, headers, self._page(error, notice, reason, facts), found=False)

    def _page(self, error: ArmariumError, notice: Notice, reason: str, facts: dict[str, object]) -> bytes:
        context = {
            "url": "",
            "nearest": [],
            "calendar": "",
            **facts,
            "language": speech.language().code,
            "title": notice.title,
            "text": error.message,
            "reason": reason,
            "contact": self._site.contact,
        }
        return furnished(_TEMPLATES).get_template("replay/notice.html").render(context).encode()


def _told(seen: Seen) -> str:
    date = moment(seen.line.timestamp)
    return f"{speech.moment(date)} {speech.time_zone()}" if date is not None else seen.line.timestamp
