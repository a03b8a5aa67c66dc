"""Staff site, readers' site and archived pages must not share what browsers keep for a host name."""

from urllib.parse import urlsplit

from armarium.access.settings import AccessSettings
from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.settings import Settings
from armarium.web.addresses import site_address
from armarium.web.settings import WebSettings


def content_hosts(settings: Settings) -> frozenset[str]:
    """Names under which archived pages are served, and the staff site is not."""
    name = host_of(settings[AccessSettings].content)
    return frozenset({name} - {host_of(site_address(settings[WebSettings]))})


def check_origins(settings: Settings) -> None:
    """Refuse settings under which an archived page could reach cookies of ours."""
    access = settings[AccessSettings]
    content = host_of(access.content)
    for name, address in (
        ("access.reading_url", access.reading),
        ("web.public_url", site_address(settings[WebSettings])),
    ):
        if host_of(address) == content:
            raise Misconfigured(
                message(
                    "Archived pages would be served under %(host)s, as %(address)s is. Cookies are kept by "
                    "host name: give access.content_url a name of its own, another than that of %(name)s.",
                    host=content,
                    address=address,
                    name=name,
                )
            )


def host_of(address: str) -> str:
    return (urlsplit(address).hostname or "").lower()
