"""The limit that a reader sets for the parts of a page: how many days they may be from it."""

from urllib.parse import parse_qs, urlsplit

from armarium.access.reading.cookies import is_same_site
from armarium.access.replay.guarding import Guards
from armarium.access.replay.model import Reply
from armarium.access.settings import AccessSettings

ADDRESS = "/-/spread"  # ?days=30&to=/all/20200101000000mp_/http://example.com/
COOKIE = "armarium_spread"
MOST_DAYS = 36_500


def chosen_days(cookie: str | None) -> int:
    """0 where none was chosen, or what stands there is no number of days."""
    if not cookie or not (cookie.isascii() and cookie.isdigit()) or len(cookie) > 5:
        return 0
    return min(int(cookie), MOST_DAYS)


def choose(settings: AccessSettings, guards: Guards, query: str) -> Reply:
    """Remember the choice, and go back to the page."""
    asked = parse_qs(query)
    days = chosen_days(asked.get("days", ["0"])[-1])
    target = asked.get("to", ["/"])[-1]
    if not target.startswith("/") or target.startswith(("//", "/\\", "/-/")) or not target.isprintable():
        target = "/"
    age = f"Max-Age={365 * 86_400}" if days else "Max-Age=0"
    cookie = f"{COOKIE}={days}; Path=/; {age}; HttpOnly{_sent_into_frames(settings)}"
    location = target.encode("utf-8").decode("latin-1")
    return Reply(303, [*guards.of_own_page, ("Location", location), ("Set-Cookie", cookie)])


def _sent_into_frames(settings: AccessSettings) -> str:
    """As with the cookie of who reads: of another site than the page around it, it must say so."""
    parts = urlsplit(settings.content)
    secure = parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1")
    if is_same_site(settings.reading, settings.content) or not secure:
        return "; SameSite=Lax"
    return "; SameSite=None; Secure; Partitioned"
