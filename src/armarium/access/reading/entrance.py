"""From one origin to the next: tickets that tell who comes, for a minute."""

import secrets
from datetime import timedelta
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from armarium.access.door.site import Asking, Visit
from armarium.access.reading.cookies import Cookies
from armarium.access.reading.readers import LiveReaders, Shown, facts_of
from armarium.access.reading.seals import Purpose, Seals
from armarium.access.reading.sessions import begin_of
from armarium.access.settings import AccessSettings
from armarium.accounts.keys import new_key
from armarium.accounts.model import Session

ENTER = "/-/enter"
LEAVE = "/-/leave"
TICKET_TIME = timedelta(seconds=60)


class Entrance:
    def __init__(
        self, settings: AccessSettings, seals: Seals, cookies: Cookies, readers: LiveReaders
    ) -> None:
        self._settings = settings
        self._seals = seals
        self._cookies = cookies
        self._readers = readers

    def src(self, visit: Visit, path: str, *, one_reader: bool = False) -> str:
        shown = self._readers.shown(asking_of(visit))
        if one_reader and not shown.visit:
            shown = Shown(visit=self._seals.word("visit", self.visit_key(visit.request)))
        if not (shown.session or shown.terms or one_reader):
            return self._settings.content + path
        ticket = self._seals.seal(Purpose.ENTER, facts_of(shown), TICKET_TIME)
        return f"{self._settings.content}{ENTER}?{urlencode({'ticket': ticket, 'to': path})}"

    def dress(self, visit: Visit, response: Response) -> None:
        if new := getattr(visit.request.state, "new_visit", None):
            self._cookies.put(response, self._cookies.visit, new)

    def visit_key(self, request: Request) -> str:
        """What tells this browser from others before anybody signs in, made when there is none."""
        known = request.cookies.get(self._cookies.visit) or getattr(request.state, "new_visit", None)
        if known is None:
            known = request.state.new_visit = new_key()
        return known

    def leave_src(self, *, staff: bool) -> str:
        """The address that wipes what archived pages left in the browser.

        A browser deletes cookies for a whole registered domain (Clear Site Data, 3.1). If that is the
        content's alone, they go. If it is the library's, they go on its own machines, but not with those of
        staff, who would be out on the staff site too.
        """
        whole = not self._cookies.same_site or (self._settings.kiosk and not staff)
        ticket = self._seals.seal(Purpose.LEAVE, {"whole": int(whole)}, TICKET_TIME)
        return f"{self._settings.content}{LEAVE}?{urlencode({'ticket': ticket})}"


def staff_address(settings: AccessSettings, seals: Seals, session: Session, to: str) -> str:
    """Where somebody who is signed in on the staff site comes to the readers' site without a password."""
    facts = {"session": session.id, "since": begin_of(session), "once": secrets.token_urlsafe(12)}
    ticket = seals.seal(Purpose.STAFF, facts, TICKET_TIME)
    return f"{settings.reading}{ENTER}?{urlencode({'ticket': ticket, 'to': to})}"


def asking_of(visit: Visit) -> Asking:
    return Asking(visit.request.cookies, visit.request.headers, "")
