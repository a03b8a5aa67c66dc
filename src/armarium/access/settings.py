"""Settings of the reading room, and where wombat lies, which rewrites addresses inside the browser."""

import sys
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import field_validator

from armarium.settings import Section, key


class AccessSettings(Section, name="access"):
    """The readers' site, and archived pages, which have an address of their own: what runs in them must reach
    neither the staff site nor the readers' pages."""

    host: str = key("127.0.0.1", "Address on which the readers' site listens.", min_length=1)
    port: int = key(8090, "Port on which the readers' site listens.", ge=1, le=65535)
    reading_url: str | None = key(
        None,
        "Address under which people reach the readers' site, such as https://reading.example.org. "
        "Empty: http://localhost and the port.",
    )
    content_url: str | None = key(
        None,
        "Address under which archived pages are served. Its host must be another one than that of the "
        "readers' site and of the staff site, such as https://content.example.org. "
        "Empty: http://127.0.0.1 and the port.",
    )
    trusted_proxies: list[str] = key(
        [], "Addresses of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto headers are believed."
    )
    default: str = key(
        "staff",
        "Who may see captures of which no rule speaks: everyone, accredited (readers), or staff.",
        pattern="^(everyone|accredited|staff)$",
    )
    most_spread_days: int = key(
        0,
        "Parts of a page that were captured so many days before or after it are not shown with it. 0: any.",
        ge=0,
    )
    threads: int = key(8, "Requests that one process works on at the same time.", ge=1, le=200)
    lock_minutes: int = key(
        15,
        "Minutes after which a page that only one reader may have is free again, if nothing happens.",
        ge=1,
    )
    wombat: Path | None = key(
        None,
        "Folder with wombat.js, which rewrites addresses inside the browser. Empty: the one that was "
        "installed with Armarium.",
    )
    pictures: bool = key(
        True, "Take pictures of archived pages that people look for, where a Chromium is installed."
    )
    most_pictures: int = key(
        20_000, "Pictures of archived pages that are kept, of 10 to 50 kB each. The oldest go first.", ge=100
    )
    proxy_port: int = key(
        0, "Port on which the archive answers as an HTTP proxy. 0: there is no proxy.", ge=0, le=65535
    )
    proxy_host: str = key("127.0.0.1", "Address on which the proxy listens.", min_length=1)
    statistics_days: int = key(3650, "Days for which figures of use are kept.", ge=1)
    idle_minutes: int = key(
        60, "Minutes without a request after which somebody who signed in on the readers' site is out.", ge=5
    )
    kiosk: bool = key(
        False,
        "Whether readers use machines of the library. At the end of a session all cookies of the domain of "
        "archived pages are then deleted, those of other services of the same domain among them.",
    )
    terms: str = key(
        "",
        "Terms of use that readers accept once in each session. Until then they may see what anybody may. "
        "Empty: there are none, unless access.terms_file names them.",
    )
    terms_file: Path | None = key(
        None,
        "File with the terms of use, as text in UTF-8, paragraphs apart by empty lines. For another language "
        "put a file beside it with the language before the ending: terms.txt, terms.fr.txt.",
    )

    @field_validator("reading_url", "content_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "http://localhost")
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/"):
            raise ValueError("must be http:// or https:// and a host name, without a path")
        return value

    @property
    def reading(self) -> str:
        """Where the readers' pages are, without a slash at the end."""
        return (self.reading_url or f"http://localhost:{self.port}").rstrip("/")

    @property
    def content(self) -> str:
        """Where archived pages are, without a slash at the end."""
        return (self.content_url or f"http://127.0.0.1:{self.port}").rstrip("/")


FILES = ("wombat.js", "wombatWorkers.js", "wombatProxyMode.js", "autoFetchWorker.js")
_INSTALLED = Path("apart") / "pywb" / "static"  # below the environment, as ./run installs it


def wombat_folder(settings: AccessSettings) -> Path | None:
    """The folder; None where there is none: scripts of archived pages then meet addresses of the live web."""
    folder = settings.wombat or Path(sys.prefix) / _INSTALLED
    return folder if (folder / FILES[0]).is_file() else None
