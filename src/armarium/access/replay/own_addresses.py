"""What is ours on the origin of content: scripts for its pages, and the choice how far parts may be."""

from importlib import resources
from urllib.parse import parse_qs, urlsplit

from armarium.access.readers.cookies import is_same_site
from armarium.access.replay.headers import Guards
from armarium.access.replay.model import Field, Reply
from armarium.access.settings import FILES, AccessSettings, wombat_folder

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


OWN = "content.js"
_KEPT: Field = ("Cache-Control", "public, max-age=3600")
_TYPE: Field = ("Content-Type", "text/javascript; charset=utf-8")


class Statics:
    """Read once: a page asks for them each time."""

    def __init__(self, settings: AccessSettings, guards: Guards) -> None:
        self._headers = [*guards.of_archived(None, downloads=False), _KEPT, _TYPE]
        script = resources.files("armarium.access") / "static" / OWN
        self._files = {OWN: script.read_bytes().replace(b"@READING@", settings.reading.encode("ascii"))}
        folder = wombat_folder(settings)
        if folder is not None:
            self._files |= {name: (folder / name).read_bytes() for name in FILES if (folder / name).is_file()}

    def get(self, name: str) -> Reply | None:
        content = self._files.get(name)
        if content is None:
            return None
        return Reply(200, [*self._headers, ("Content-Length", str(len(content)))], content)
