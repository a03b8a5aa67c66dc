"""Taking a port before anything else is started."""

import socket

from armarium.core.errors import Misconfigured
from armarium.core.message import message


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
