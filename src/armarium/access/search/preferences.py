"""Language and appearance, which a browser keeps for a year; and how far apart the parts of a page may be.

In a house with accounts the desk of the reading room keeps the first two; files without a house need this.
"""

from urllib.parse import parse_qs

from starlette.responses import RedirectResponse, Response

from armarium.access.door.site import Visit
from armarium.access.search.shell import THEMES
from armarium.languages.catalogues import languages

ADDRESS = "/-/language"
SPREAD = "armarium_spread"  # days that the parts of a page may be from it
SPREAD_ADDRESS = "/-/spread"  # on either origin
MOST_DAYS = 36_500
_YEAR = 365 * 24 * 3600


def keep(visit: Visit) -> Response:
    """Nothing of it needs proof that our own form was sent: a foreign one could only change the language."""
    chosen = {name: values[0] for name, values in parse_qs(visit.body.decode("utf-8", "replace")).items()}
    response = RedirectResponse(back_to(chosen.get("back", "/")), 303)
    if chosen.get("language") in languages():
        put(visit, response, "armarium_language", chosen["language"])
    if chosen.get("theme") in THEMES:
        put(visit, response, "armarium_theme", chosen["theme"])
    return response


def keep_spread(visit: Visit) -> Response:
    """How far from a page its parts may be, for the reader's frames; they tell it to the content's origin."""
    asked = visit.request.query_params
    days = asked.get("days", "0")
    response = RedirectResponse(back_to(asked.get("back", "/")), 303)
    if days.isascii() and days.isdigit() and int(days[:6]) <= MOST_DAYS:
        put(visit, response, SPREAD, str(int(days[:6])))
    return response


def back_to(path: str) -> str:
    """A page of ours. Browsers read `//host` and `/\\host` as another site."""
    is_ours = path.startswith("/") and path[1:2] not in {"/", "\\"} and path.isprintable()
    return path if is_ours else "/"


def put(visit: Visit, response: Response, name: str, value: str) -> None:
    secure = visit.site.settings.reading.startswith("https:")
    response.set_cookie(name, value, max_age=_YEAR, httponly=True, secure=secure, samesite="lax")
