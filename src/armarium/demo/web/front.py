"""The front page, at the name localhost itself: what it is, all sites, the button that turns a month."""

import asyncio
import contextlib
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from typing import cast
from urllib.parse import parse_qs

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

from armarium.demo.web.describing import all_sites
from armarium.demo.web.model import TOP, Edition, Site, write_edition
from armarium.demo.web.requests import Request, Response

POLICY = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
GUARDS = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Cache-Control", "no-store"),
)
SHEET = Path(__file__).with_name("front.css")
_PAGE = Template(Path(__file__).with_name("front.html").read_text("utf-8"))
SPOKEN = {
    Edition.FIRST: ("as it was a month ago", "Let a month pass"),
    Edition.SECOND: ("as it is today", "Go back a month"),
}


def front(request: Request, folder: Path, edition: Edition, port: int) -> Response:
    if request.path == "/" and request.method != "POST":
        return Response(200, body=_page(edition, port).encode(), headers=GUARDS)
    if request.path == "/front.css":
        return Response(200, "text/css", SHEET.read_bytes(), GUARDS)
    if request.path == "/edition" and request.method == "POST":
        return _turn(request, folder)
    return Response(404, "text/plain", b"The front page has only one page.\n", GUARDS)


def _turn(request: Request, folder: Path) -> Response:
    """Only a form of this very page may do it: a site of the small web that posts here is refused."""
    if request.headers.get("origin") != f"http://{request.headers.get('host', '')}":
        return Response(403, "text/plain", b"Only the button of the front page turns the month.\n", GUARDS)
    wanted = parse_qs(request.body.decode("latin-1")).get("edition", [""])[0]
    if wanted not in {edition.value for edition in Edition}:
        return Response(400, "text/plain", b"There are two editions: first and second.\n", GUARDS)
    write_edition(folder, Edition(wanted))
    return Response(303, "text/plain", b"", (*GUARDS, ("Location", "/")))


def _page(edition: Edition, port: int) -> str:
    now, button = SPOKEN[edition]
    living = [site for site in all_sites() if site.lives(Edition.FIRST) or edition is Edition.SECOND]
    themes = groupby(sorted(living, key=lambda site: (site.theme, site.title)), key=lambda site: site.theme)
    parts = "".join(
        f"<section><h2>{escape(theme)}</h2>"
        f"<ul>{''.join(_entry(site, edition, port) for site in sites)}</ul></section>"
        for theme, sites in themes
    )
    return _PAGE.substitute(
        number=len(living), now=now, other=edition.other.value, button=button, themes=parts
    )


def _entry(site: Site, edition: Edition, port: int) -> str:
    fate = "" if site.lives(edition) else f" <em>{_fate(site)}</em>"
    tongue = f'lang="{site.language}" dir="auto"'
    new = " <em>new</em>" if site.opened is Edition.SECOND else ""
    return (
        f'<li><a href="http://{site.name}:{port}/" {tongue}>{escape(site.title)}</a>{fate}{new}'
        f"<span {tongue}>{escape(site.description)}</span><code>{site.name}</code></li>"
    )


def _fate(site: Site) -> str:
    if site.end in {"gone", "sale"}:
        return "gone" if site.end == "gone" else "its name is for sale"
    return f"moved to {site.end}.{TOP}"


# --- The name server of the small web: it knows its sites, at the loopback, and denies every other name.


ADDRESS = "127.0.0.1"
SECONDS_TO_LIVE = 300
_ZONES = (dns.name.from_text(f"{TOP}."), dns.name.from_text("example."))


def answer(wire: bytes) -> bytes | None:
    """The response to a query; None: it is none, and nothing is said."""
    try:
        query = dns.message.from_wire(wire)
    except dns.exception.DNSException:
        return None
    if query.flags & dns.flags.QR or len(query.question) != 1:
        return None
    question = query.question[0]
    response = dns.message.make_response(query, recursion_available=True)
    if not any(question.name.is_subdomain(zone) for zone in _ZONES):
        response.set_rcode(dns.rcode.NXDOMAIN)
    elif question.rdtype == dns.rdatatype.A:
        response.answer.append(dns.rrset.from_text(question.name, SECONDS_TO_LIVE, "IN", "A", ADDRESS))
    return response.to_wire()


class _Datagrams(asyncio.DatagramProtocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        response = answer(data)
        if response is not None:
            self._transport.sendto(response, addr)


async def _over_tcp(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, OSError, TimeoutError):
        async with asyncio.timeout(10):
            length = int.from_bytes(await reader.readexactly(2), "big")
            response = answer(await reader.readexactly(length))
            if response is not None:
                writer.write(len(response).to_bytes(2, "big") + response)
                await writer.drain()
    writer.close()


class NameServer:
    """`address` is 127.0.0.1:port, as `fetching.dns_servers` wants it."""

    address: str

    async def start(self, wanted: int = 0) -> None:
        """On the port that is wanted; 0: on any free one."""
        self._listening = await asyncio.start_server(_over_tcp, ADDRESS, wanted)
        port = self._listening.sockets[0].getsockname()[1]
        loop = asyncio.get_running_loop()
        self._datagrams, _ = await loop.create_datagram_endpoint(_Datagrams, local_addr=(ADDRESS, port))
        self.address = f"{ADDRESS}:{port}"

    async def end(self) -> None:
        self._datagrams.close()
        self._listening.close()
