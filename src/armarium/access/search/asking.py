"""What a reader asked for, when something else is nearest to it.

The frame leads to the address of the capture that it shows, which says nothing of the date that was asked
for. A cookie that lasts for some seconds does: it holds two dates and nothing else.
"""

from datetime import timedelta

from starlette.responses import Response

from armarium.access.door.site import Visit
from armarium.core import clock
from armarium.formats.cdx.timestamps import moment

COOKIE = "armarium_asked"  # <date asked for>-<date shown>
FAR = timedelta(days=1)
_SECONDS = 30


def is_far(asked: str, shown: str) -> bool:
    """Whether it has to be said. Who asked for today wanted the newest, and got it."""
    wanted, found = moment(asked), moment(shown)
    if wanted is None or found is None or shown.startswith(asked) or wanted > clock.now() - FAR:
        return False
    return abs(found - wanted) > FAR


def remember(visit: Visit, response: Response, asked: str, shown: str) -> None:
    if is_far(asked, shown):
        secure = visit.site.settings.reading.startswith("https:")
        response.set_cookie(
            COOKIE, f"{asked}-{shown}", max_age=_SECONDS, httponly=True, secure=secure, samesite="lax"
        )


def remembered(visit: Visit, shown: str) -> str:
    """The date that led here, if it is far away; else nothing."""
    asked, _, found = visit.request.cookies.get(COOKIE, "").partition("-")
    return asked if found == shown and is_far(asked, shown) else ""


def forget(visit: Visit, response: Response) -> None:
    if COOKIE in visit.request.cookies:
        response.delete_cookie(COOKIE)
