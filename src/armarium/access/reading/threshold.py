"""The two addresses of ours on the content's origin that readers pass: coming in, and leaving.

Neither asks the database: what they need is in the ticket.
"""

from datetime import timedelta
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from armarium.access.reading.cookies import Cookies
from armarium.access.reading.entrance import ENTER, LEAVE
from armarium.access.reading.readers import facts_of, from_facts
from armarium.access.reading.seals import Purpose, Seals
from armarium.access.settings import AccessSettings
from armarium.web.sign_in import inside

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


class Threshold:
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
