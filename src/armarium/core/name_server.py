"""Name servers, as settings and crawl orders name them."""

import re
from ipaddress import ip_address
from typing import NamedTuple

PORT = 53
WRITTEN = re.compile(r"\[([0-9a-fA-F:.]+)\](?::([0-9]{1,5}))?|([0-9.]+)(?::([0-9]{1,5}))?|([0-9a-fA-F:.]+)")


class NameServer(NamedTuple):
    address: str
    port: int = PORT


def name_server(text: str) -> NameServer:
    """192.0.2.53, 192.0.2.53:5353, 2001:db8::53 or [2001:db8::53]:5353; raises ValueError for others."""
    found = WRITTEN.fullmatch(text)
    if found is None:
        raise _none(text)
    server = NameServer(found[1] or found[3] or found[5], int(found[2] or found[4] or PORT))
    try:
        ip_address(server.address)
    except ValueError:
        raise _none(text) from None
    if not 0 < server.port < 65_536:
        raise _none(text)
    return server


def _none(text: str) -> ValueError:
    return ValueError(
        f"{text!r} is no address of a name server; write it as 192.0.2.53, 192.0.2.53:5353 or "
        "[2001:db8::53]:5353."
    )
