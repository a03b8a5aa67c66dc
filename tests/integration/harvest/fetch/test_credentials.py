"""Logins and cookies on a real server."""

import hashlib
import re
from pathlib import Path
from urllib.parse import parse_qs

from pydantic import SecretStr

from armarium.core.crawl_order import Credential
from armarium.harvest.fetch import Exchange, Fetcher
from tests.integration.harvest.fetch.fetching import ordered, with_fetcher
from tests.sites.serving import Site, Visit, page, serving

HOST = "127.0.0.1"
FIELDS = {"user": SecretStr("reader"), "password": SecretStr("let me in")}


def refused(challenge: str) -> bytes:
    return (
        f"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: {challenge}\r\nContent-Length: 2\r\n\r\nno".encode()
    )


def fetched_with(folder: Path, site: Site, credential: Credential, paths: str = "ab") -> list[Exchange]:
    async def work(fetcher: Fetcher) -> list[Exchange]:
        return [await fetcher.fetch(site.address + path) for path in paths]

    return with_fetcher(folder, work, ordered(credentials=(credential,)))


async def wants_basic(visit: Visit) -> None:
    while request := await visit.request():
        right = b"\r\nAuthorization: Basic cmVhZGVyOnNlY3JldA==\r\n" in request
        await visit.send(page() if right else refused('Basic realm="Readers"'))


def test_basic_credentials_are_given_when_asked_for_and_not_recorded(tmp_path: Path) -> None:
    credential = Credential(domain=HOST, kind="basic", user="reader", password=SecretStr("secret"))
    with serving(wants_basic) as site:
        first, second = fetched_with(tmp_path, site, credential)

    assert (first.status, second.status) == (200, 200)
    assert len(site.requests) == 3, "asked once, then known"
    assert len(site.visits) == 1
    assert b"Authorization: Basic withheld\r\n" in first.request
    assert first.entity() == second.entity() == b"<p>A page.</p>"


def test_a_wrong_password_is_tried_once(tmp_path: Path) -> None:
    credential = Credential(domain=HOST, kind="basic", user="reader", password=SecretStr("wrong"))
    with serving(wants_basic) as site:
        (exchange,) = fetched_with(tmp_path, site, credential, "a")

    assert (exchange.status, exchange.entity()) == (401, b"no")
    assert len(site.requests) == 2


async def wants_digest(visit: Visit) -> None:
    def md5(text: str) -> str:
        return hashlib.md5(text.encode()).hexdigest()

    while request := await visit.request():
        given = dict(re.findall(r'(\w+)="?([^",\r\n]*)', request.decode()))
        path = request.decode().split(" ")[1]
        secret = md5("reader:Readers:secret")
        middle = f"n1:{given.get('nc')}:{given.get('cnonce')}:auth"
        right = given.get("response") == md5(f"{secret}:{middle}:{md5(f'GET:{path}')}")
        await visit.send(page() if right else refused('Digest realm="Readers", qop="auth", nonce="n1"'))


def test_digest_credentials_satisfy_a_server_that_computes_them(tmp_path: Path) -> None:
    credential = Credential(domain=HOST, kind="digest", user="reader", password=SecretStr("secret"))
    with serving(wants_digest) as site:
        exchanges = fetched_with(tmp_path, site, credential, "abc")

    assert [exchange.status for exchange in exchanges] == [200] * 3
    assert len(site.requests) == 4


async def wants_login(visit: Visit) -> None:
    while request := await visit.request():
        head, _, body = request.partition(b"\r\n\r\n")
        if head.startswith(b"POST /login "):
            given = parse_qs(body.decode())
            right = given == {"user": ["reader"], "password": ["let me in"]}
            cookie = "Set-Cookie: session=42; Path=/\r\n" if right else ""
            answer = f"HTTP/1.1 302 Found\r\nLocation: /welcome\r\n{cookie}Content-Length: 0\r\n\r\n"
            await visit.send(answer.encode())
        elif b"\r\nCookie: session=42" in head:
            await visit.send(page(b"<p>For readers.</p>"))
        else:
            await visit.send(page(b"<p>Please log in.</p>"))


def test_a_form_is_sent_once_before_anything_else_of_the_domain(tmp_path: Path) -> None:
    with serving(wants_login) as site:
        credential = Credential(domain=HOST, kind="form", login_url=site.address + "login", fields=FIELDS)
        exchanges = fetched_with(tmp_path, site, credential)

    assert [exchange.entity() for exchange in exchanges] == [b"<p>For readers.</p>"] * 2
    lines = [request.split(b" HTTP")[0] for request in site.requests]
    assert lines == [b"GET /login", b"POST /login", b"GET /welcome", b"GET /a", b"GET /b"]


TOKEN = "Zürich&1"


def with_token(action: str) -> bytes:
    """A page with a form as frameworks make them: a token for this visit, and a search before it."""
    return f"""<meta charset="utf-8"><form action="/search"><input name="user"></form>
        <form method="POST" action="{action}"><input type="hidden" name="token" value="Zürich&amp;1">
        <input name="user"><input type="password" name="password"><button name="go" value="in">Log in</button>
        </form>""".encode()


async def wants_token(visit: Visit) -> None:
    sent_right = {"token": [TOKEN], "user": ["reader"], "password": ["let me in"], "go": ["in"]}
    while request := await visit.request():
        head, _, body = request.partition(b"\r\n\r\n")
        if head.startswith(b"POST /session?a=1 "):
            origin = b"\r\nOrigin: http://127.0.0.1:" in head and b"/login\r\n" in head
            right = origin and b"Cookie: visit=7" in head and parse_qs(body.decode()) == sent_right
            await visit.send(page(b"<p>Done.</p>", "Set-Cookie: session=42; Path=/" if right else "X-No: 1"))
        elif b"session=42" in head:
            await visit.send(page(b"<p>For readers.</p>"))
        else:
            await visit.send(page(with_token("/session?a=1"), "Set-Cookie: visit=7; Path=/"))


def test_a_form_with_a_token_is_sent_with_it_and_with_its_cookie(tmp_path: Path) -> None:
    with serving(wants_token) as site:
        credential = Credential(domain=HOST, kind="form", login_url=site.address + "login", fields=FIELDS)
        exchanges = fetched_with(tmp_path, site, credential)

    assert [exchange.entity() for exchange in exchanges] == [b"<p>For readers.</p>"] * 2


def test_a_form_that_leads_to_another_site_is_not_sent(tmp_path: Path) -> None:
    async def thief(visit: Visit) -> None:
        while await visit.request():
            await visit.send(page(with_token(f"http://localhost:{site.port}/steal")))

    with serving(thief) as site:
        credential = Credential(domain=HOST, kind="form", login_url=site.address + "login", fields=FIELDS)
        exchanges = fetched_with(tmp_path, site, credential)

    assert [exchange.status for exchange in exchanges] == [200] * 2
    assert not [request for request in site.requests if b"let+me+in" in request]


def test_a_login_that_cannot_be_reached_does_not_stop_the_crawl(tmp_path: Path) -> None:
    with serving(wants_login) as site:
        credential = Credential(domain=HOST, kind="form", login_url="http://127.0.0.1:1/", fields=FIELDS)
        exchanges = fetched_with(tmp_path, site, credential, "abcde")

    assert {exchange.status for exchange in exchanges} == {200}


def test_cookies_are_sent_back_and_can_be_switched_off(tmp_path: Path) -> None:
    async def sets_cookie(visit: Visit) -> None:
        while await visit.request():
            await visit.send(page(b"x", "Set-Cookie: a=1; Path=/", "Set-Cookie: b=2"))

    async def work(fetcher: Fetcher) -> None:
        for path in ("x", "y"):
            await fetcher.fetch(site.address + path)

    with serving(sets_cookie) as site:
        with_fetcher(tmp_path, work)
        assert b"\r\nCookie: a=1; b=2\r\n" in site.requests[1]

    with serving(sets_cookie) as site:
        with_fetcher(tmp_path, work, ordered(cookies=False))
        assert b"Cookie" not in site.requests[1]
