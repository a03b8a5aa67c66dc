"""Taking a port before anything else is started."""

import socket
from urllib.parse import urlsplit

from armarium.access.settings import AccessSettings
from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.settings import Settings
from armarium.web.addresses import site_address
from armarium.web.settings import WebSettings


def listen(host: str, port: int, *, setting: str) -> socket.socket:
    """Take the port first of all: if it is taken, say so before anything else is started."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio switches Nagle's delay off only for sockets that say TCP: without,
    # every answer takes 40 ms longer.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise Misconfigured(
            message(
                "The site cannot listen on %(host)s port %(port)s: %(reason)s. Stop what uses it, "
                "or choose another port: %(how)s.",
                host=host,
                port=port,
                reason=error.strerror or str(error),
                how=_other_port(setting, port + 80 if port < 65_000 else 8080),
            )
        ) from error
    return listening


def _other_port(setting: str, port: int) -> str:
    """How somebody says another one, on the command line or in the settings."""
    if setting.startswith("--"):
        return f"{setting} {port}"
    return f"{setting} = {port}, ARMARIUM_{setting.upper().replace('.', '_')}={port}"


# --- Staff site, readers' site and archived pages must not share what browsers keep for a host name.


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
