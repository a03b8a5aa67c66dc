"""From one origin to the next: tickets that tell who comes, for a minute, and where they are shown."""

import secrets
from datetime import timedelta
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from armarium.access.readers.cookies import Cookies, Purpose, Seals
from armarium.access.readers.identification import Claims, LiveReaders, facts_of, from_facts
from armarium.access.readers.sessions import begin_of
from armarium.access.requests.site import Caller, Visit
from armarium.access.settings import AccessSettings
from armarium.accounts.keys import new_key
from armarium.accounts.model import Session
from armarium.web.sign_in import inside

ENTER = "/-/enter"
LEAVE = "/-/leave"
TICKET_TIME = timedelta(seconds=60)


class Tickets:
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
            shown = Claims(visit=self._seals.word("visit", self.visit_key(visit.request)))
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


def asking_of(visit: Visit) -> Caller:
    return Caller(visit.request.cookies, visit.request.headers, "")


# The two addresses of ours on the content's origin that readers pass: coming in, and leaving.
# Neither asks the database: what they need is in the ticket.


#: Archived pages share this origin: a document of it without a policy would be a window without one for them.
GUARD = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
CONTENT_TIME = timedelta(hours=12)
OWN = "/-/"
SCRIPT = "/-/leave.js"

#: For browsers that do not know Clear-Site-Data, or do not obey it over plain http.
WIPE = """\
localStorage.clear();
sessionStorage.clear();
for (const each of document.cookie.split(";")) {
  document.cookie = `${each.split("=")[0].trim()}=; Max-Age=0; Path=/`;
}
indexedDB.databases?.().then((all) => all.forEach((each) => indexedDB.deleteDatabase(each.name)));
globalThis.caches?.keys().then((all) => all.forEach((each) => caches.delete(each)));
"""


class TicketPages:
    def __init__(self, settings: AccessSettings, seals: Seals, cookies: Cookies) -> None:
        self._settings = settings
        self._seals = seals
        self._cookies = cookies
        self._pages = {ENTER: self._enter, LEAVE: self._leave, SCRIPT: self._script}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = self._pages.get(scope["path"])
        asked = {
            name: values[-1] for name, values in parse_qs(scope["query_string"].decode("latin-1")).items()
        }
        safe = scope["method"] in {"GET", "HEAD"}
        response = page(asked) if page and safe else Response(status_code=404)
        response.headers["Cache-Control"] = "no-store"
        response.headers["Referrer-Policy"] = "no-referrer"  # the address has a ticket in it
        for name, value in GUARD.items():
            response.headers.setdefault(name, value)
        await response(scope, receive, send)

    def _enter(self, asked: dict[str, str]) -> Response:
        """A ticket that is too old is no error: a page that is loaded again has its cookie already."""
        response = RedirectResponse(content_path(asked.get("to", "")), status_code=302)
        if facts := self._seals.opened(Purpose.ENTER, asked.get("ticket")):
            sealed = self._seals.seal(Purpose.CONTENT, facts_of(from_facts(facts)), CONTENT_TIME)
            self._cookies.put_content(response, sealed, CONTENT_TIME)
        return response

    def _leave(self, asked: dict[str, str]) -> Response:
        """Only for who was sent by us: another site must not be able to wipe what readers have."""
        facts = self._seals.opened(Purpose.LEAVE, asked.get("ticket"))
        if facts is None:
            return Response(status_code=404)
        page = f'<!doctype html><title>Armarium</title><script src="{SCRIPT}"></script>'
        response = HTMLResponse(page)
        cookies = ', "cookies"' if facts["whole"] else ""
        response.headers["Clear-Site-Data"] = f'"cache", "storage"{cookies}'
        policy = f"default-src 'none'; script-src 'self'; frame-ancestors {self._settings.reading}"
        response.headers["Content-Security-Policy"] = policy
        self._cookies.drop_content(response)
        return response

    def _script(self, _: dict[str, str]) -> Response:
        return Response(WIPE, media_type="text/javascript")


def content_path(target: str) -> str:
    """A path of archived content, never one of another site or of our own addresses."""
    path = inside(target)
    return "/" if path.startswith(OWN) else path
