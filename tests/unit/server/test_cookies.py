"""Cookies that were made to keep a process busy."""

import asyncio

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from armarium.server.serving import PlainCookies
from tests.growth import assert_linear


def read(cookie: bytes) -> dict[str, str]:
    """The cookies that an application behind it reads."""
    found: dict[str, str] = {}

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        found.update(Request(scope).cookies)

    async def nothing(*_: object) -> None: ...

    scope = {"type": "http", "headers": [(b"host", b"\\"), (b"cookie", cookie)]}
    asyncio.run(PlainCookies(application)(scope, nothing, nothing))  # type: ignore[arg-type]
    return found


def test_cookies_are_read_in_time_that_grows_with_their_length() -> None:
    assert_linear(lambda data: read(b'a="' + data + b'"'), ["\\", '\\"', "\\041", '"', "a", ";", "a="])


def test_plain_cookies_stay_as_they_are() -> None:
    assert read(b'a=b; armarium_session="c"') == {"a": "b", "armarium_session": "c"}
