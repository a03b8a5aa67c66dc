"""The pages of the readers' origin at which readers come in, accept the terms, and go."""

import hmac
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from urllib.parse import parse_qs, quote

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from armarium.access.readers.cookies import Cookies, Purpose, Seals
from armarium.access.readers.identification import LiveReaders, Terms, begins
from armarium.access.readers.locks import LiveLocks
from armarium.access.readers.sessions import ReaderSessions, begin_of
from armarium.access.readers.tickets import Tickets, asking_of, staff_address
from armarium.access.requests.site import Handler, Visit
from armarium.access.settings import AccessSettings
from armarium.accounts.model import Throttled
from armarium.core.errors import Forbidden, Refused, Unavailable
from armarium.core.message import message
from armarium.core.services import Services
from armarium.formats.url import surt
from armarium.languages import speech
from armarium.settings import Settings
from armarium.web.forms import Form, parse_form
from armarium.web.guard import Visitor, in_person, is_foreign
from armarium.web.routes import Router
from armarium.web.shell import PageShell
from armarium.web.sign_in import inside

COOKIE_TIME = timedelta(days=90)  # at most; the session in it ends sooner
TERMS_TIME = timedelta(days=7)
LEFT = "/-/left"
TERMS = "/-/terms"


class PageMaker(Protocol):
    """The shell of the readers' pages."""

    def __call__(self, visit: Visit, template: str, *, status: int = 200, **context: Any) -> Response: ...


class ReaderPages:
    def __init__(
        self,
        sessions: ReaderSessions,
        seals: Seals,
        cookies: Cookies,
        terms: Terms,
        readers: LiveReaders,
        locks: LiveLocks,
        tickets: Tickets,
        page: PageMaker,
    ) -> None:
        self._sessions = sessions
        self._seals = seals
        self._cookies = cookies
        self._terms = terms
        self._readers = readers
        self._locks = locks
        self._tickets = tickets
        self._page = page
        self._forms = OwnForms(seals, cookies, tickets)

    @property
    def pages(self) -> dict[str, Handler]:
        return {
            "/-/sign-in": self._by_method(self.sign_in_page, self.sign_in),
            "/-/sign-out": self._by_method(self.sign_out_page, self.sign_out),
            TERMS: self._by_method(self.terms_page, self.accept),
            "/-/enter": self.enter,
            LEFT: self.left_page,
            "/-/part/lock": self.lock,
            "/-/part/session": self.session,
        }

    @property
    def methods(self) -> dict[str, frozenset[str]]:
        takes = ("/-/sign-in", "/-/sign-out", TERMS, "/-/part/lock")
        return {path: frozenset({"POST"}) for path in takes}

    def gated(self, handler: Handler) -> Handler:
        """The handler of a page to which readers come: it counts visits, and is shown when the terms, if
        there are any, have been accepted."""

        def gate(visit: Visit) -> Response:
            shown = self._readers.shown(asking_of(visit))
            settings = visit.site.settings
            if not shown.session and begins(visit.request.headers, (settings.reading, settings.content)):
                _note_visit(visit)
            if visit.reader.sees_everything or self._readers.has_accepted(shown):
                return handler(visit)
            return RedirectResponse(f"{TERMS}?next={quote(_here(visit), safe='/')}", status_code=303)

        return gate

    # Coming in

    def sign_in_page(self, visit: Visit) -> Response:
        target = inside(_asked(visit).get("next", "/"))
        if visit.guest.session:
            return RedirectResponse(target, status_code=303)
        return self._show(visit, "reading/sign_in.html", Form(), next=target)

    def sign_in(self, visit: Visit) -> Response:
        form = self._forms.posted(visit)
        target = inside(form.get("next"))
        try:
            session = self._sessions.sign_in(
                form.get("name"),
                form.get("password"),
                address=_address(visit),
                agent=visit.request.headers.get("user-agent", ""),
            )
        except Unavailable as away:
            refused = form.refuse(Refused(away.message))
            return self._show(visit, "reading/sign_in.html", refused, 503, next=target)
        except Refused as refusal:
            status = 429 if isinstance(refusal, Throttled) else 422
            answer = self._show(visit, "reading/sign_in.html", form.refuse(refusal), status, next=target)
            if isinstance(refusal, Throttled):
                answer.headers["Retry-After"] = str(refusal.seconds)
            return answer
        self._end(visit)
        _note_visit(visit)
        return self._entered(target, session.id, begin_of(session))

    def enter(self, visit: Visit) -> Response:
        """With a ticket of the staff site, which is good once. Whoever shows it again is there already."""
        asked = _asked(visit)
        target = inside(asked.get("to", "/"))
        facts = self._seals.opened(Purpose.STAFF, asked.get("ticket"))
        if facts is None or not self._locks.spend(facts["once"], datetime.fromtimestamp(facts["until"], UTC)):
            return RedirectResponse(target, status_code=303)
        if visit.guest.session and visit.guest.session.id != facts["session"]:
            self._end(visit)
        _note_visit(visit)
        return self._entered(target, facts["session"], facts["since"], staff=True)

    def _entered(self, target: str, session: int, since: int, *, staff: bool = False) -> Response:
        """A new cookie for a new session: neither one that was planted before nor the old one opens it."""
        response = RedirectResponse(target, status_code=303)
        facts = {"session": session, "since": since, "staff": int(staff)}
        sealed = self._seals.seal(Purpose.READING, facts, COOKIE_TIME)
        self._cookies.put(response, self._cookies.reading, sealed)
        return response

    # The terms

    def terms_page(self, visit: Visit) -> Response:
        paragraphs = self._terms.paragraphs(speech.language().code)
        target = inside(_asked(visit).get("next", "/"))
        return self._show(visit, "reading/terms.html", Form(), next=target, paragraphs=paragraphs)

    def accept(self, visit: Visit) -> Response:
        form = self._forms.posted(visit)
        response = RedirectResponse(inside(form.get("next")), status_code=303)
        shown = self._readers.shown(asking_of(visit))
        word = shown.visit or self._seals.word("visit", self._tickets.visit_key(visit.request))
        sealed = self._seals.seal(Purpose.TERMS, {"visit": word, "terms": self._terms.mark}, TERMS_TIME)
        self._cookies.put(response, self._cookies.terms, sealed)
        self._tickets.dress(visit, response)
        return response

    # Going

    def sign_out_page(self, visit: Visit) -> Response:
        return self._show(visit, "reading/sign_out.html", Form())

    def sign_out(self, visit: Visit) -> Response:
        self._forms.posted(visit)
        return self._gone(visit)

    def left_page(self, visit: Visit) -> Response:
        """Where a page leads by itself when the session has ended. A link to it ends no session."""
        if visit.guest.session:
            return RedirectResponse("/-/sign-out", status_code=303)
        return self._gone(visit)

    def _gone(self, visit: Visit) -> Response:
        """The page that wipes, in a frame, what archived pages left in the browser."""
        shown = self._readers.shown(asking_of(visit))
        self._end(visit)
        src = self._tickets.leave_src(staff=shown.staff)
        response = self._page(visit, "reading/left.html", leave_src=src)
        self._cookies.drop(response, self._cookies.reading, self._cookies.terms, self._cookies.visit)
        return response

    def _end(self, visit: Visit) -> None:
        """End the session, and free what it held. One of the staff site goes on there."""
        self._locks.release(visit.reader)
        shown = self._readers.shown(asking_of(visit))
        if shown.session and not shown.staff:
            self._sessions.end(shown.session, shown.since, _address(visit))

    # What pages ask by themselves

    def lock(self, visit: Visit) -> Response:
        """The page in the frame is still open, or is left."""
        form = self._forms.from_own_page(visit)
        key = surt(form.get("url"))
        if form.get("do") == "release":
            self._locks.release(visit.reader, key)
            return Response(status_code=204)
        return Response(status_code=204 if self._locks.renew(visit.reader, key) else 409)

    def session(self, visit: Visit) -> Response:
        return Response(status_code=204 if visit.guest.session else 401)

    # Steps

    def _by_method(self, get: Handler, post: Handler) -> Handler:
        def either(visit: Visit) -> Response:
            return post(visit) if visit.request.method == "POST" else get(visit)

        return either

    def _show(self, visit: Visit, template: str, form: Form, status: int = 200, **context: Any) -> Response:
        token = self._forms.token(visit)
        response = self._page(
            visit, template, status=status, form=form, csrf_token=token, contact=visit.site.contact, **context
        )
        self._tickets.dress(visit, response)
        return response


def _note_visit(visit: Visit) -> None:
    visit.site.uses.note("visit", "shown", collection=visit.collection.name, reader=visit.reader)


def _asked(visit: Visit) -> dict[str, str]:
    query = visit.request.url.query
    return {name: values[-1] for name, values in parse_qs(query).items()}


def _here(visit: Visit) -> str:
    """Path and query as they came: an archived address in them must not be decoded."""
    scope = visit.request.scope
    path: bytes = (scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0]
    query: bytes = scope["query_string"]
    return (path + (b"?" + query if query else b"")).decode("latin-1")


def _address(visit: Visit) -> str:
    host = visit.request.client.host if visit.request.client else ""
    return host.removeprefix("::ffff:")


# Forms of the readers' origin, and the proof that they come from a page of ours.
# The content's origin may lie beside the readers' (reading.example.org, content.example.org), and archived
# pages run there: cookies alone prove nothing.


class OwnForms:
    def __init__(self, seals: Seals, cookies: Cookies, tickets: Tickets) -> None:
        self._seals = seals
        self._cookies = cookies
        self._tickets = tickets

    def token(self, visit: Visit) -> str:
        """Tied to the session, or to this browser as long as nobody has signed in."""
        if visit.guest.session:
            return self._seals.word("form of session", visit.guest.session.id)
        return self._seals.word("form of visit", self._tickets.visit_key(visit.request))

    def posted(self, visit: Visit) -> Form:
        form = self.from_own_page(visit)
        given = form.get("csrf_token").encode()
        # The sign-in form may be from before another tab signed in.
        visitor = visit.request.cookies.get(self._cookies.visit)
        good = {self.token(visit), self._seals.word("form of visit", visitor) if visitor else ""} - {""}
        if not any(hmac.compare_digest(one.encode(), given) for one in good):
            raise _forged()
        return form

    def from_own_page(self, visit: Visit) -> Form:
        """For what does no harm and is not worth a token: it must still not be another origin's doing."""
        if is_foreign(visit.request.headers, self._cookies.reading_url):
            raise _forged()
        return parse_form(visit.body)


def _forged() -> Forbidden:
    return Forbidden(
        message(
            "This request does not come from a page that is still valid. Load the page again and repeat it."
        )
    )


# --- `/access/go`: from the staff site to the readers' site, signed in.


GO = "/access/go"
WELCOME = "/access/welcome"
pages = Router()


@pages.get(GO, dependencies=[Depends(in_person)])
def go(request: Request, visitor: Visitor, to: str = "/") -> Response:
    services: Services = request.app.state.services
    assert visitor.session is not None, "asked by the guard"
    settings = services.get(Settings)[AccessSettings]
    address = staff_address(settings, services.get(Seals), visitor.session, inside(to))
    return RedirectResponse(address, status_code=303, headers={"Referrer-Policy": "no-referrer"})


@pages.get(WELCOME, dependencies=[Depends(in_person)])
def welcome(request: Request, page: PageShell) -> Response:
    """A page on the way, as browsers let no form lead to another site, not even by a redirect."""
    response = page.page(request, "access/reading_welcome.html", address=GO)
    response.headers["Refresh"] = f"0; url={GO}"
    return response
