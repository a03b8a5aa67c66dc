"""Requests that no browser would send: always a clear answer, never a traceback, never status 500."""

import itertools
import json
import re
from collections.abc import Iterator

import pytest

from armarium.accounts.model import Permission, Role
from tests.integration.web.routes import routes_of
from tests.integration.web.steps import (
    PROBLEM,
    Lines,
    assert_clear,
    enter,
    execute,
    rows,
    token_of,
    with_token,
)
from tests.integration.web.wire import connect, exchange, host_of, read_answer, request
from tests.site import Client, RunningSite, wait_until

FORM = (b"Content-Type", b"application/x-www-form-urlencoded")
MEGABYTE = 1_000_000


@pytest.fixture
def chief(site: RunningSite) -> Client:
    return enter(site, "chief", Role.ADMINISTRATOR)


@pytest.fixture
def program(site: RunningSite, chief: Client) -> Client:
    return with_token(site, token_of(site, "chief", *Permission))


@pytest.fixture(autouse=True)
def no_fault_of_ours(lines: Lines, site: RunningSite) -> Iterator[None]:
    """Whatever was sent: nothing failed, and whatever was refused is in the log."""
    yield
    # Where the server hung up on what was no HTTP, it tells itself that our answer was not sent.
    ours = [line for line in lines if line["logger"] != "uvicorn.error"]
    failed = [line for line in ours if line["event"] == "failed" or line["level"] in {"error", "critical"}]
    assert not failed


# Large ----------------------------------------------------------------------------------------------


def test_a_form_of_ten_megabytes_is_refused_with_a_page(
    lines: Lines, site: RunningSite, chief: Client
) -> None:
    values = {"csrf_token": chief.token("/account"), "display_name": "x" * (10 * MEGABYTE)}
    answer = chief.post("/account/profile", data=values)
    assert_clear(answer, 413)
    assert "larger than this site accepts" in answer.text
    assert [line["status"] for line in lines.with_event("refused")] == [413]
    assert site.house.accounts.named("chief").display_name == "chief"


def test_ten_megabytes_without_a_declared_length_are_refused(site: RunningSite, chief: Client) -> None:
    pieces = itertools.repeat(b"x" * 100_000, 100)
    headers = {"Content-Type": "application/x-www-form-urlencoded", "X-CSRF-Token": chief.token("/account")}
    assert_clear(chief.post("/account/profile", content=pieces, headers=headers), 413)
    json_headers = {**headers, "Content-Type": "application/json"}
    again = itertools.repeat(b"x" * 100_000, 100)
    assert_clear(chief.post("/api/accounts", content=again, headers=json_headers), 413)


def test_a_stranger_cannot_send_ten_megabytes_either(site: RunningSite) -> None:
    pieces = itertools.repeat(b"x" * 100_000, 100)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert_clear(site.client().post("/sign-in", content=pieces, headers=headers), 413)
    assert_clear(site.client().post("/api/accounts", content=b"x" * (2 * MEGABYTE)), 413)


def test_a_body_that_never_ends_is_answered_before_its_end(site: RunningSite) -> None:
    head = f"POST /sign-in HTTP/1.1\r\nHost: {host_of(site)}\r\nTransfer-Encoding: chunked\r\n"
    with connect(site) as connection:
        connection.sendall(f"{head}Content-Type: {FORM[1].decode()}\r\n\r\n".encode())
        for _ in range(12):
            connection.sendall(b"186A0\r\n" + b"x" * 100_000 + b"\r\n")
        answer = read_answer(connection)
    assert answer.status == 413
    assert "Error 413" in answer.body


def test_headers_that_never_end_are_cut_off(site: RunningSite) -> None:
    def endless() -> list[bytes]:
        return [b"X-%d: " % number + b"x" * 1000 + b"\r\n" for number in range(2000)]

    answer = exchange(site, f"GET / HTTP/1.1\r\nHost: {host_of(site)}\r\n".encode(), *endless())
    assert answer.status == 400
    long = exchange(site, b"GET /", *itertools.repeat(b"a" * 50_000, 20))
    assert long.status == 400


def test_a_form_of_very_many_fields_is_refused(chief: Client) -> None:
    body = "&".join(f"f{number}=1" for number in range(3000)) + f"&csrf_token={chief.token('/account')}"
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert_clear(chief.post("/account/profile", content=body, headers=headers), 422)


# Not UTF-8, and NUL ---------------------------------------------------------------------------------

BAD_BYTES = [b"%ff", b"%c3%28", b"%ed%a0%80", b"%00", b"%f8%a1%a1%a1%a1", b"a%00b"]


def test_addresses_that_are_not_utf8_or_hold_a_nul_are_refused(site: RunningSite) -> None:
    for bad in BAD_BYTES:
        for target in (b"/" + bad, b"/welcome/" + bad, b"/sign-in?next=/" + bad, b"/static/" + bad):
            answer = request(site, b"GET", target)
            assert answer.status == 400, target
            assert "Error 400" in answer.body
        for target in (b"/api/accounts/" + bad, b"/api/accounts?text=" + bad):
            answer = request(site, b"GET", target)
            assert (answer.status, answer.headers["content-type"]) == (400, PROBLEM), target


def test_bytes_that_are_no_ascii_in_the_request_line_are_refused(site: RunningSite) -> None:
    for target in (b"/caf\xc3\xa9", b"/\xff", b"/a\x00b", b"/?q=\xff", b"/a b"):
        assert request(site, b"GET", target).status == 400


def test_forms_that_are_not_utf8_or_hold_a_nul_are_refused(site: RunningSite, chief: Client) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "X-CSRF-Token": chief.token("/account")}
    for bad in [*BAD_BYTES, b"\xff", b"caf\xc3\xa9"]:
        answer = chief.post("/account/profile", content=b"display_name=" + bad, headers=headers)
        assert_clear(answer, 422)
        visitor = site.client()
        body = f"csrf_token={visitor.token()}&password=x&name=".encode() + bad
        assert_clear(visitor.post("/sign-in", content=body, headers={"Content-Type": FORM[1].decode()}), 422)
    assert site.house.accounts.named("chief").display_name == "chief"


def test_json_that_is_not_utf8_or_holds_a_nul_or_half_a_character_is_refused(
    site: RunningSite, program: Client
) -> None:
    for field in ("name", "display_name", "mail", "language"):
        for text in ("a\\u0000b", "a\\u0000@b", "\\ud800", "a\\udfff@b", "\\u202e"):
            body = f'{{"name": "eve", "{field}": "{text}"}}'
            answer = program.post("/api/accounts", content=body, headers={"Content-Type": "application/json"})
            assert_clear(answer, 422)
    raw = program.post(
        "/api/accounts", content=b'{"name": "\xff"}', headers={"Content-Type": "application/json"}
    )
    assert raw.status_code in {400, 422}
    assert raw.headers["content-type"] == PROBLEM
    assert rows(site, "SELECT count(*) FROM account") == [(1,)]


def test_headers_and_cookies_may_hold_any_bytes(site: RunningSite) -> None:
    for name in (
        b"Cookie",
        b"Accept-Language",
        b"User-Agent",
        b"X-CSRF-Token",
        b"Sec-Fetch-Site",
        b"Referer",
    ):
        for value in (
            b"\xff\xfe",
            b"armarium_session=\xff; armarium_language=\xc3\xa9",
            b'"\\777"; ;=;',
            b"q=;,;",
        ):
            assert request(site, b"GET", b"/sign-in", [(name, value)]).status == 200, (name, value)
    assert request(site, b"GET", b"/api/me", [(b"Authorization", b"Bearer \xff\xfe")]).status == 401
    assert request(site, b"GET", b"/account", [(b"Cookie", b"armarium_session=\xff")]).status == 303
    for value in (b"a\x00b", b"a\x0bb\x00"):
        assert request(site, b"GET", b"/sign-in", [(b"User-Agent", value)]).status == 400


def test_a_strange_browser_can_sign_in(site: RunningSite) -> None:
    site.account("ada")
    visitor = site.client()
    visitor.headers["User-Agent"] = "ÿ<script>" + "x" * 5000
    visitor.headers["Accept-Language"] = ",".join(f"x{n};q=nan" for n in range(500))
    assert visitor.sign_in("ada").status_code == 303
    assert "<script>x" not in visitor.get("/account").text


# JSON -----------------------------------------------------------------------------------------------


def test_json_that_is_nested_without_end_is_refused(program: Client) -> None:
    headers = {"Content-Type": "application/json"}
    for depth in (500, 2000, 100_000):
        for body in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth, "[" * depth):
            answer = program.post("/api/accounts", content=body, headers=headers)
            assert answer.status_code in {400, 422}, depth
            assert_clear(answer, answer.status_code)


UNFIT = (
    "", "null", "[]", '"text"', "NaN", "{", '{"name": 5}', '{"name": "eve", "roles": "reader"}', "1e999",
     '{"name": "eve", "roles": ["king"]}', '{"name": "eve", "unknown": 1}', '{"name": "' + "e" * 65 + '"}',
    '{"name": "eve", "active": "perhaps"}',
)  # fmt: skip


def test_json_that_does_not_fit_is_refused_with_the_place(program: Client) -> None:
    headers = {"Content-Type": "application/json"}
    for body in UNFIT:
        answer = program.post("/api/accounts", content=body, headers=headers)
        assert_clear(answer, 422)
        assert answer.json()["errors"]
    huge = program.post("/api/accounts", content='{"name": ' + "9" * 5000 + "}", headers=headers)
    assert_clear(huge, 400)


def test_what_was_sent_is_not_repeated(program: Client) -> None:
    answer = program.post("/api/accounts", json={"name": ["my secret"], "password": "my secret"})
    assert_clear(answer, 422)
    assert "my secret" not in answer.text


def test_a_wrong_content_type_is_refused(site: RunningSite, chief: Client, program: Client) -> None:
    proof = {"X-CSRF-Token": chief.token("/account")}
    for kind in ("text/plain", "multipart/form-data; boundary=x", "application/json", ""):
        answer = chief.post(
            "/account/profile", content="display_name=x", headers={**proof, "Content-Type": kind}
        )
        assert_clear(answer, 422)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/xml"):
        body = json.dumps({"name": "eve"})
        assert_clear(program.post("/api/accounts", content=body, headers={"Content-Type": kind}), 422)
    assert rows(site, "SELECT count(*) FROM account") == [(1,)]


# Numbers, methods, hosts ----------------------------------------------------------------------------


def test_numbers_beyond_the_database_are_simply_not_there(
    site: RunningSite, chief: Client, program: Client
) -> None:
    proof = {"X-CSRF-Token": chief.token("/account")}
    wrong = []
    # Each route meets two of them, each of them dozens of routes.
    numbers = itertools.cycle((2**63 - 1, 2**63, 10**30, 0, -1, "9" * 5000, "1.5", "abc", "0x10"))
    for route in routes_of(site.app):
        if "{number}" not in route.path or route.is_for_collectors:  # those want a proof first of all
            continue
        for number in (next(numbers), next(numbers)):
            path = route.path.replace("{number}", str(number))
            client = program if route.is_api else chief
            given = {"json": {"name": "eve"}} if route.method in {"PUT", "POST"} and route.is_api else {}
            headers = {} if route.is_api else proof
            answer = client.request(route.method, path, headers=headers, **given)  # type: ignore[arg-type]
            if "/account/sessions/" in path and number == 2**63 - 1:
                assert answer.status_code == 303  # it had ended before
            else:
                if answer.status_code not in {404, 422}:
                    wrong.append(f"{route.method} {path[:100]}: {answer.status_code}")
                    continue
                assert_clear(answer, answer.status_code)
    assert not wrong, "\n".join(wrong)


def test_numbers_in_queries_are_bounded(chief: Client, program: Client) -> None:
    for name, value in itertools.product(("limit", "offset"), ("-1", "99999999999999999999", "x", "")):
        assert_clear(program.get("/api/accounts", params={name: value}), 422)
    for page in ("0", "-1", "99999999999999999999", "x", ""):
        assert_clear(chief.get("/administration/accounts", params={"page": page}), 404)
    assert chief.get("/administration/accounts", params={"page": "1000000"}).status_code == 200


def test_dates_at_the_end_of_time_are_accepted(chief: Client, program: Client) -> None:
    for day in ("9999-12-31", "0001-01-01", "2026-02-30", "yesterday", "99999-01-01", "2026-W53-7"):
        days = {"from": day, "to": day}
        assert chief.get("/administration/audit", params=days).status_code == 200
        assert chief.get("/administration/audit.csv", params=days).status_code == 200
        assert program.get("/api/audit", params=days).status_code in {200, 422}


def test_unknown_methods_are_refused(site: RunningSite) -> None:
    for method in (b"PUT", b"PATCH", b"DELETE", b"TRACE", b"OPTIONS", b"PROPFIND", b"BREW"):
        answer = request(site, method, b"/sign-in")
        assert (answer.status, "Error 405" in answer.body) == (405, True)
        assert answer.headers["allow"]
        assert request(site, method, b"/api/me").headers["content-type"] == PROBLEM
        assert request(site, method, b"/static/live.js").status == 405
    assert request(site, b"G E T", b"/").status == 400
    assert request(site, b"CONNECT", b"evil.example:443").status in {400, 404}


def test_invented_methods_make_no_endless_series_of_figures(site: RunningSite) -> None:
    for number in range(5):
        request(site, b"BREW%d" % number, b"/sign-in")
    figures = site.client().get("/metrics").text
    assert "BREW" not in figures
    assert 'method="other"' in figures


FOREIGN_HOSTS = (
    "",
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "localhost:x",
    "[::1",
    "local host",
    "localhost/evil",
    "127.0.0.1:1:1",
)


def test_other_hosts_are_refused(lines: Lines, site: RunningSite) -> None:
    port = host_of(site).rpartition(":")[2]
    for host in (*FOREIGN_HOSTS, f"evil.example:{port}", f"localhost:{port}@evil.example"):
        answer = request(site, b"GET", b"/sign-in", [(b"Host", host.encode())])
        assert answer.status == 400, host
    assert "web.allowed_hosts" in request(site, b"GET", b"/sign-in", [(b"Host", b"evil.example")]).body
    assert {line["reason"] for line in lines.with_event("refused")} == {"host"}
    for host in (f"localhost:{port}", "LOCALHOST", f"[::1]:{port}", "127.0.0.1"):
        assert request(site, b"GET", b"/sign-in", [(b"Host", host.encode())]).status == 200, host


def test_a_host_in_the_request_line_changes_nothing(site: RunningSite) -> None:
    answer = request(site, b"GET", b"http://evil.example/account")
    assert answer.status in {303, 400, 404}
    assert "evil" not in answer.headers.get("location", "")


DAYS = ("0001-01-01", "9999-12-31", "0001-01", "9999-12")
NAMES = frozenset({"from", "to", "since", "until", "day", "month", "date", "begin", "end"})


def test_days_at_the_ends_of_the_calendar_are_answered_everywhere(site: RunningSite, chief: Client) -> None:
    asked = [
        (re.sub(r"\{\w+\}", "1", route.path), name)
        for route in routes_of(site.app)
        if route.method == "GET"
        for name in route.queried & NAMES
    ]
    assert ("/api/access/use", "to") in asked
    for path, name in asked:
        for day in DAYS:
            assert chief.get(path, params={name: day}).status_code < 500, (path, name, day)


# Smuggling ------------------------------------------------------------------------------------------

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\n"
SMUGGLED = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


AMBIGUOUS = {
    "two lengths": POST + b"Content-Length: 4\r\nContent-Length: 60\r\n\r\nabcd",
    "two lengths in one": POST + b"Content-Length: 4, 60\r\n\r\nabcd",
    "signed length": POST + b"Content-Length: +4\r\n\r\nabcd",
    "negative length": POST + b"Content-Length: -1\r\n\r\n",
    "hexadecimal length": POST + b"Content-Length: 0x4\r\n\r\nabcd",
    "endless length": POST + b"Content-Length: 99999999999999999999999\r\n\r\nabcd",
    "space before the colon": POST + b"Content-Length : 4\r\n\r\nabcd",
    "unknown coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "chunked not last": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "bad chunk size": POST + b"Transfer-Encoding: chunked\r\n\r\nZ\r\nabcd\r\n0\r\n\r\n",
    "negative chunk size": POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n0\r\n\r\n",
    "two hosts": GET + b"Host: evil.example\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "NUL in a header": GET + b"X: a\x00b\r\n\r\n",
    "name that is no token": GET + b"X\xff: a\r\n\r\n",
    "header without a name": GET + b": a\r\n\r\n",
    "header without a colon": GET + b"nonsense\r\n\r\n",
    "TLS on a plain port": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


def test_requests_that_two_servers_could_read_differently_are_refused(site: RunningSite) -> None:
    for sin, sent in AMBIGUOUS.items():
        answer = exchange(site, sent)
        assert answer.status in {400, 413, 501}, sin
        assert "Traceback" not in answer.body


def test_a_request_with_both_a_length_and_chunks_smuggles_nothing(site: RunningSite) -> None:
    """RFC 9112, 6.1: it is refused, and the line closed; the rest of the body is no second request."""
    body = b"0\r\n\r\n" + SMUGGLED
    head = b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n" % len(body)
    with connect(site) as connection:
        connection.sendall(POST + head + body)
        said = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1 ") == 1


def test_a_database_that_refuses_a_value_shows_no_sql(site: RunningSite, chief: Client, lines: Lines) -> None:
    """Should a value slip through all checks, neither page nor log repeats it."""
    execute(site, "ALTER TABLE audit ADD CHECK (after->>'display_name' IS DISTINCT FROM 'my secret')")
    answer = chief.submit("/account/profile", {"display_name": "my secret", "mail": "", "language": ""})
    assert_clear(answer, 500)
    assert "CheckViolation" not in answer.text
    assert answer.headers["x-request-id"] in answer.text
    [line] = lines.with_event("failed")
    assert line["request"] == answer.headers["x-request-id"]
    assert "CheckViolation" in line["exception"]
    assert "[SQL parameters hidden" in line["exception"]
    lines.forget()  # this once, the fault was asked for


def test_who_goes_away_while_sending_is_no_fault_of_ours(site: RunningSite, lines: Lines) -> None:
    head = f"POST /api/collector/enrol HTTP/1.1\r\nHost: {host_of(site)}\r\nContent-Length: 1000\r\n\r\n"
    with connect(site) as connection:
        connection.sendall(head.encode() + b"{")
    wait_until(lambda: lines.with_event("client went away"))
