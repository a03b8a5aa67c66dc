"""The page shell: templates, what every page knows, and how a page is made."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Depends
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from armarium.accounts.model import Identity, Permission
from armarium.accounts.sessions import Sessions
from armarium.core import clock
from armarium.core.lately import Lately
from armarium.core.message import Message
from armarium.core.services import Services
from armarium.languages import speech
from armarium.languages.catalogues import languages
from armarium.web import cookies
from armarium.web.help.guides import guide
from armarium.web.overview import Asked
from armarium.web.plots.numbers import as_csv, wanted
from armarium.web.problems import Problem, page_before, request_id
from armarium.web.sections import Place, Section, navigation, places_that_wait
from armarium.web.templating import furnished

THEMES = ("auto", "light", "dark")


class Shell:
    def __init__(
        self,
        sections: Sequence[Section],
        template_packages: Sequence[str],
        library: str,
        environment: str = "",
    ) -> None:
        self.sections = sections
        self.library = library
        self.installation = environment  # empty for production, which needs no sign
        self.environment = furnished(tuple(template_packages))

    def page(self, request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
        """A page for this request, or the numbers of one of its plots (`?csv=ID`).

        Called from threads, since it may ask the database for notices.
        """
        if (name := request.query_params.get("csv")) and (plot := wanted(context, name)):
            return as_csv(plot)
        identity: Identity | None = getattr(request.state, "identity", None)
        known = {**self.surroundings(request, identity), "csrf_token": self._csrf(request, identity)}
        if identity and identity.session:
            services: Services = request.app.state.services
            waits = self._waits(request, identity)
            known["sections"] = navigation(self.sections, identity, request.url.path, services, waits)
            waiting = services.get(Sessions).take_notices(identity.session)
            known["notices"] = [{"kind": kind, "text": text} for kind, text in waiting]
        return self._rendered(request, template, status, {**known, **context})

    def part(self, request: Request, template: str, **context: Any) -> Response:
        """A piece of a page that its live part fetches again; waiting notices stay for the next page."""
        response = HTMLResponse(self.piece(request, template, **context))
        cookies.keep_visit(request, response)
        return response

    def piece(self, request: Request, template: str, **context: Any) -> Markup:
        """A piece of a page, for the page that it is put into."""
        identity: Identity | None = getattr(request.state, "identity", None)
        known = {**self.surroundings(request, identity), "csrf_token": self._csrf(request, identity)}
        return Markup(self.environment.get_template(template).render({**known, **context}))  # noqa: S704

    def problem_page(self, request: Request, problem: Problem) -> Response:
        """An error page that needs nothing but itself: the database may be the problem."""
        identity: Identity | None = getattr(request.state, "identity", None)
        signed_in = identity if identity and identity.session else None
        context = {
            **self.surroundings(request, signed_in),
            # Without a session no forms: whether somebody is signed in may be unknown here.
            "csrf_token": self._csrf(request, signed_in) if signed_in else "",
            "status": problem.status,
            "title": speech.say(problem.title),
            "text": speech.say(problem.text),
            "hint": "",
            "back": way_on(request, problem.status),
            "request_id": request_id(request),
        }
        response = self._rendered(request, "error.html", problem.status, context)
        response.headers.update(problem.headers)
        return response

    def surroundings(self, request: Request, identity: Identity | None) -> dict[str, Any]:
        """What the frame of every page shows."""
        theme = cookies.preference(request, "theme")
        query = f"?{request.url.query}" if request.url.query else ""
        return {
            "request": request,
            "guide": guide(request.url.path),
            "here": request.url.path + query if request.method == "GET" else page_before(request) or "/",
            "identity": identity,
            "me": identity.account if identity else None,
            "sections": navigation(self.sections, identity, request.url.path) if identity else [],
            "notices": [],
            "language": speech.language().code,
            "languages": [(language.code, language.name) for language in languages().values()],
            "theme": theme if theme in THEMES else "auto",
            "library": self.library,
            "installation": self.installation,
            "time_zone": speech.time_zone(),
        }

    def _waits(self, request: Request, identity: Identity) -> frozenset[Place]:
        """Where something waits for this person. It was asked lately: no page asks all rooms again."""
        kept: Lately[Any, frozenset[Place]] = request.app.state.waits
        asked = Asked(request.app.state.services, identity, clock.now(), speech.time_zone())
        return kept.get(whose(identity), lambda: places_that_wait(self.sections, asked))

    def _csrf(self, request: Request, identity: Identity | None) -> str:
        if identity and identity.session:
            return identity.session.csrf
        return cookies.ensure_visit(request)

    def _rendered(self, request: Request, template: str, status: int, context: dict[str, Any]) -> Response:
        response = HTMLResponse(self.environment.get_template(template).render(context), status)
        cookies.keep_visit(request, response)
        return response


def whose(identity: Identity) -> tuple[int, frozenset[Permission]]:
    """The key of what is kept for a person."""
    return identity.account.id, frozenset(identity.permissions)


def way_on(request: Request, status: int) -> dict[str, str] | None:
    if status == 401:
        return {"href": "/sign-in", "label": speech.gettext("Sign in")}
    if request.method == "POST" and (before := page_before(request)):
        return {"href": before, "label": speech.gettext("Back to the form")}
    return {"href": "/", "label": speech.gettext("To the home page")} if status != 503 else None


async def shell(request: Request) -> Shell:
    """FastAPI dependency: the shell of the running site."""
    found: Shell = request.app.state.shell
    return found


PageShell = Annotated[Shell, Depends(shell)]


def done(request: Request, href: str, text: Message, kind: str = "good") -> Response:
    """After a change: back to a page by address (so that reloading repeats nothing), with a notice."""
    identity: Identity | None = getattr(request.state, "identity", None)
    if identity and identity.session:
        services: Services = request.app.state.services
        services.get(Sessions).put_notice(identity.session, kind, text)
        request.app.state.waits.forget(whose(identity))  # what they have done may have been what waited
    return RedirectResponse(href, status_code=303)
