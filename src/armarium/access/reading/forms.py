"""Forms of the readers' origin, and the proof that they come from a page of ours.

The content's origin may lie beside the readers' (reading.example.org, content.example.org), and archived
pages run there: cookies alone prove nothing.
"""

import hmac

from armarium.access.door.site import Visit
from armarium.access.reading.cookies import Cookies
from armarium.access.reading.entrance import Entrance
from armarium.access.reading.seals import Seals
from armarium.core.errors import Forbidden
from armarium.core.message import message
from armarium.web.foreign import is_foreign
from armarium.web.forms import Form, parse_form


class Forms:
    def __init__(self, seals: Seals, cookies: Cookies, entrance: Entrance) -> None:
        self._seals = seals
        self._cookies = cookies
        self._entrance = entrance

    def token(self, visit: Visit) -> str:
        """Tied to the session, or to this browser as long as nobody has signed in."""
        if visit.guest.session:
            return self._seals.word("form of session", visit.guest.session.id)
        return self._seals.word("form of visit", self._entrance.visit_key(visit.request))

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
