"""What may go wrong on our side, and answers that nobody has thought of."""

import asyncio
import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import pytest
from pydantic import SecretStr

from armarium.core.crawl_order import Credential
from armarium.harvest.fetch import Exchange, Fetcher
from armarium.harvest.fetch.exchange import IN_MEMORY
from armarium.harvest.model import Status
from tests.integration.harvest.fetch.fetching import ordered, wire_of, with_fetcher
from tests.sites.anything import anything
from tests.sites.full import full
from tests.sites.large import large
from tests.sites.serving import Site
from tests.sites.silence import silence
from tests.sites.well_behaved import well_behaved

ANSWER = (
    b"HTTP/1.1 401 Unauthorized\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n"
    b"Transfer-Encoding: chunked\r\nContent-Length: 20\r\nSet-Cookie: a=1; Expires=Thu, 01 Jan 2099\r\n"
    b'Set-Cookie: b=2; Domain=x; Max-Age=7\r\nWWW-Authenticate: Digest realm="x", nonce="y", qop="auth"\r\n'
    b"Location: /x\r\n\r\n5\r\nfirst\r\n6;x=y\r\nsecond\r\n0\r\nX: y\r\n\r\n"
)


CREDENTIAL = Credential(domain="127.0.0.1", kind="digest", user="me", password=SecretStr("secret"))


def open_files() -> int:
    return psutil.Process().num_fds()


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  (nobody tells of it)
            await asyncio.sleep(0.02)


def mutated(chance: random.Random) -> bytes:
    data = bytearray(ANSWER)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(data) + 1)
        match chance.randint(0, 4):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at : at + chance.randint(1, 30)]
            case 2:
                data[at:at] = bytes(chance.choices(b'\r\n :;,="0aF\0\xff', k=chance.randint(1, 8)))
            case 3:
                data[at:at] = data[chance.randrange(len(data) + 1) :][: chance.randint(1, 60)]
            case _:
                data = data[: max(20, at)]
    return bytes(data)


def test_no_answer_makes_a_fetch_raise_and_what_is_kept_is_what_was_sent(tmp_path: Path) -> None:
    chance = random.Random(20261115)
    answers = [mutated(chance) for _ in range(300)]

    async def work(fetcher: Fetcher) -> None:
        for _ in answers:
            exchange = await fetcher.fetch(site.address)
            assert bytes(site.visits[-1].sent).find(wire_of(exchange)) >= 0
            assert len(exchange.content(10_000)) <= 10_000
            exchange.entity()
            exchange.response.close()

    with anything(*answers) as site:
        with_fetcher(tmp_path, work, ordered(silence_seconds=5, credentials=(CREDENTIAL,)))


@pytest.mark.parametrize("line", [b"HTTP/1.1 1 Odd", b"HTTP/1.1 0", b"HTTP/1.1 OK", b"HTTP/1.1 abc"])
def test_a_status_that_is_none_is_neither_taken_for_a_code_of_ours_nor_for_success(
    tmp_path: Path, line: bytes
) -> None:
    with anything(line + b"\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok") as site:
        exchange = with_fetcher(tmp_path, lambda fetcher: fetcher.fetch(site.address))

    assert exchange.status == Status.CONNECTION_LOST
    assert repr(line) in exchange.error


@pytest.mark.parametrize("host", ["a" * 64 + ".example", ".example", "a..example", "x" * 300, "-.example"])
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("proxy", ["", "socks5://127.0.0.1:1", "http://127.0.0.1:1"])
def test_no_host_makes_a_fetch_raise(tmp_path: Path, host: str, scheme: str, proxy: str) -> None:
    async def work(fetcher: Fetcher) -> list[Exchange]:
        url = f"{scheme}://{host}:{site.port}/"
        return [await fetcher.fetch(url), await fetcher.fetch(url, addresses=("127.0.0.1",))]

    with well_behaved() as site:
        order = ordered(proxy=proxy, proxy_resolves=True, connect_seconds=0.5)
        resolved, given = with_fetcher(tmp_path, work, order)

    assert resolved.status < 0
    assert given.status < 0 or given.status == 200


def test_a_fetch_that_is_cancelled_leaves_nothing_open(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> None:
        none = open_files()
        task = asyncio.ensure_future(fetcher.fetch(site.address))
        await eventually(lambda: open_files() >= none + 2)  # the server runs in this process too
        before = open_files()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The connection is closed, perhaps at both ends.
        await eventually(lambda: open_files() <= before - 1)

    with silence() as site:
        with_fetcher(tmp_path, work)


def test_connections_that_time_out_leave_nothing_open(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> list[Exchange]:
        return await asyncio.gather(*[fetcher.fetch(site.address) for _ in range(50)])

    before = open_files()
    with silence() as site:
        exchanges = with_fetcher(tmp_path, work, ordered(silence_seconds=0.3))

    assert {exchange.status for exchange in exchanges} == {Status.TIMEOUT}
    assert open_files() <= before + 2


def test_an_answer_for_which_there_is_no_room_on_our_disk_is_our_error(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> None:
        with pytest.raises(OSError, match="no-such-folder"):
            await fetcher.fetch(site.address)

    with large() as site:
        with_fetcher(tmp_path / "no-such-folder", work)


def test_many_fetches_at_once_share_what_connections_there_are(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> list[Exchange]:
        async def one() -> list[Exchange]:
            return [await fetcher.fetch(site.address) for _ in range(20)]

        return [exchange for each in await asyncio.gather(*[one() for _ in range(20)]) for exchange in each]

    with well_behaved() as site:
        exchanges = with_fetcher(tmp_path, work)

    assert {exchange.status for exchange in exchanges} == {200}
    assert len(site.visits) <= 20
    assert all(exchange.response.length < IN_MEMORY for exchange in exchanges)


def test_idle_connections_are_no_more_than_the_order_allows(tmp_path: Path) -> None:
    async def work(fetcher: Fetcher) -> int:
        await asyncio.gather(*[fetcher.fetch(site.address) for _ in range(20)])
        return fetcher.idle_connections

    with well_behaved() as site:
        assert with_fetcher(tmp_path, work, ordered(connections=7)) == 7


@pytest.mark.parametrize(("sin", "scheme"), [(full, "http"), (full, "https"), (silence, "https")])
def test_a_connection_that_never_comes_about_is_given_up_and_closed(
    tmp_path: Path, sin: Callable[[], AbstractContextManager[Site]], scheme: str
) -> None:
    async def work(fetcher: Fetcher) -> list[Exchange]:
        url = site.address.replace("http:", f"{scheme}:")
        before = open_files()
        exchanges = await asyncio.gather(*[fetcher.fetch(url) for _ in range(20)])
        await eventually(lambda: open_files() <= before + 1)
        return list(exchanges)

    with sin() as site:
        exchanges = with_fetcher(tmp_path, work, ordered(connect_seconds=0.4))

    assert {exchange.status for exchange in exchanges} == {Status.CONNECT_FAILED}
    assert "within 0.4 s" in exchanges[0].error
    assert max(exchange.duration for exchange in exchanges) < 3
