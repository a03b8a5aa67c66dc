"""TLS with real certificates: each policy takes what it should, and says what it found."""

import ssl
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from armarium.core.crawl_order import TlsPolicy
from armarium.harvest.fetch import Exchange, Fetcher
from armarium.harvest.model import Status
from tests.integration.harvest.fetch.fetching import ordered, wire_of, with_fetcher
from tests.sites.certificates import Authority
from tests.sites.serving import Visit, page, serving

NAME = "www.library.example"
Contexts = Callable[[Authority], ssl.SSLContext]


async def behaviour(visit: Visit) -> None:
    while await visit.request():
        await visit.send(page())


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority.create(tmp_path)


def taken(authority: Authority, context: ssl.SSLContext, policy: TlsPolicy, times: int = 1) -> list[Exchange]:
    """Fetches of https://www.library.example from a server with this certificate."""

    async def work(fetcher: Fetcher) -> list[Exchange]:
        url = f"https://{NAME}:{site.port}/"
        return [await fetcher.fetch(url, addresses=("127.0.0.1",)) for _ in range(times)]

    with serving(behaviour, tls=context) as site:
        order = ordered(tls=policy, tls_authorities=str(authority.file))
        exchanges = with_fetcher(authority.folder, work, order)
        assert b"".join(map(wire_of, exchanges)) == b"".join(bytes(visit.sent) for visit in site.visits)
    return exchanges


@pytest.mark.parametrize("policy", TlsPolicy)
def test_a_good_certificate_is_taken_and_recorded_as_verified(
    authority: Authority, policy: TlsPolicy
) -> None:
    first, second = taken(authority, authority.server(NAME), policy, 2)

    assert (first.status, second.status, second.reused) == (200, 200, True)
    assert first.tls is not None
    assert (first.tls.verified, first.tls.problem) == (True, "")
    assert first.tls.protocol == "TLSv1.3"
    assert len(first.tls.fingerprint) == 64
    assert first.tls.cipher
    assert second.tls == first.tls


@pytest.mark.parametrize(
    ("context", "problem", "normal"),
    [
        (lambda authority: authority.server("other.example"), "Hostname mismatch", True),
        (lambda authority: authority.server(NAME, days=-1), "certificate has expired", False),
        (lambda authority: authority.self_signed(NAME), "self-signed certificate", False),
    ],
)
def test_a_bad_certificate_is_taken_as_the_policy_says_and_its_fault_recorded(
    authority: Authority, context: Contexts, problem: str, normal: bool
) -> None:
    served = context(authority)
    strict = taken(authority, served, TlsPolicy.STRICT)[0]
    lenient = taken(authority, served, TlsPolicy.NORMAL)[0]
    opened, again = taken(authority, served, TlsPolicy.OPEN, 2)

    assert strict.status == Status.CONNECT_FAILED
    assert problem in strict.error
    assert lenient.status == (200 if normal else Status.CONNECT_FAILED)
    assert opened.status == again.status == 200
    for exchange in (opened, again):
        assert exchange.tls is not None
        assert not exchange.tls.verified
        assert problem in exchange.tls.problem


def test_a_chain_that_nobody_knows_is_not_verified(authority: Authority, tmp_path: Path) -> None:
    (tmp_path / "stranger").mkdir()
    stranger = Authority.create(tmp_path / "stranger")
    opened = taken(authority, stranger.server(NAME), TlsPolicy.OPEN)[0]

    assert opened.tls is not None
    assert not opened.tls.verified
    assert "issuer" in opened.tls.problem or "self-signed" in opened.tls.problem


def test_a_server_that_knows_only_an_old_protocol_is_still_taken_by_open(authority: Authority) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        old = authority.server(NAME, versions=ssl.TLSVersion.TLSv1)
    opened = taken(authority, old, TlsPolicy.OPEN)[0]

    assert opened.status == 200
    assert opened.tls is not None
    assert (opened.tls.protocol, opened.tls.verified) == ("TLSv1", False)


def test_the_server_is_told_the_name_of_the_url_though_the_connection_goes_to_an_address(
    authority: Authority,
) -> None:
    told: list[str | None] = []
    context = authority.server(NAME)
    context.sni_callback = lambda _socket, name, _context: told.append(name)

    taken(authority, context, TlsPolicy.STRICT)

    assert told == [NAME]


def test_a_server_that_breaks_off_at_a_name_it_does_not_know_is_asked_without_one(
    authority: Authority,
) -> None:
    def refusing(_socket: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> int | None:
        return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME if name else None

    context = authority.server("other.example")
    context.sni_callback = refusing

    opened = taken(authority, context, TlsPolicy.OPEN)[0]

    assert opened.status == 200


def test_an_address_in_the_url_is_verified_as_an_address(authority: Authority) -> None:
    with serving(behaviour, tls=authority.server("127.0.0.1")) as site:
        order = ordered(tls=TlsPolicy.STRICT, tls_authorities=str(authority.file))
        exchange = with_fetcher(authority.folder, lambda fetcher: fetcher.fetch(site.address), order)

    assert exchange.status == 200
    assert exchange.tls is not None
    assert exchange.tls.verified


def test_a_server_without_tls_is_a_failure_that_says_so(authority: Authority) -> None:
    async def plain(visit: Visit) -> None:
        await visit.reader.read(1)
        await visit.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    with serving(plain) as site:
        url = site.address.replace("http:", "https:")
        exchange = with_fetcher(authority.folder, lambda fetcher: fetcher.fetch(url), ordered())

    assert exchange.status == Status.CONNECT_FAILED
    assert "TLS" in exchange.error
