"""The small web as its visitors meet it: browsers, crawlers, name clients, and the rude."""

import gzip
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import dns.message
import dns.query
import dns.rcode
import dns.rdatatype
import pytest

from armarium.demo.web import Edition, Web, read_edition, running, write_edition
from tests import forked

PATIENCE = 60.0


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with running(0, tmp_path) as found:
        yield found


def ask(
    web: Web, host: str, path: str, method: str = "GET", body: str | None = None, **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE)
    named = {
        "Host": f"{host}:{web.port}",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection.request(method, path, body, named)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def test_the_host_header_says_which_site_is_meant(web: Web) -> None:
    assert b"The Crooked Loaf" in ask(web, "bakery.localhost", "/")[1]
    assert b"Saltmarsh Gazette" in ask(web, "gazette.localhost", "/")[1]
    assert ask(web, "nobody.localhost", "/")[0].status == 404


def test_links_to_other_sites_carry_the_port(web: Web) -> None:
    page = ask(web, "bakery.localhost", "/")[1].decode()

    assert f'href="http://gazette.localhost:{web.port}/"' in page
    assert "site:" not in page


def test_a_redirect_leads_to_another_site(web: Web) -> None:
    response, _ = ask(web, "ferry.localhost", "/bread")

    assert response.status == 301
    assert response.headers["Location"] == f"http://bakery.localhost:{web.port}/bread.html"


def test_the_edition_of_the_file_is_served_at_once(web: Web, tmp_path: Path) -> None:
    assert b"October rye" in ask(web, "bakery.localhost", "/")[1]
    write_edition(tmp_path, Edition.SECOND)
    assert b"November chestnut" in ask(web, "bakery.localhost", "/")[1]


def test_what_has_not_changed_is_not_sent_again(web: Web, tmp_path: Path) -> None:
    first, _ = ask(web, "bakery.localhost", "/bread.html")
    write_edition(tmp_path, Edition.SECOND)
    again, body = ask(web, "bakery.localhost", "/bread.html", If_None_Match=first.headers["ETag"])

    assert (again.status, body) == (304, b"")
    assert again.headers["Last-Modified"] == first.headers["Last-Modified"]


def test_gzip_is_sent_to_those_who_take_it(web: Web) -> None:
    plain, words = ask(web, "gazette.localhost", "/")
    zipped, packed = ask(web, "gazette.localhost", "/", Accept_Encoding="gzip")

    assert plain.headers["Content-Encoding"] is None
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed) == words


def test_a_part_of_a_film_can_be_had(web: Web) -> None:
    _, whole = ask(web, "kanal.localhost", "/films/dusk.mp4")
    response, part = ask(web, "kanal.localhost", "/films/dusk.mp4", Range="bytes=100-199")

    assert response.status == 206
    assert response.headers["Content-Range"] == f"bytes 100-199/{len(whole)}"
    assert part == whole[100:200]


def test_head_brings_no_body_and_a_form_is_taken(web: Web) -> None:
    response, body = ask(web, "bakery.localhost", "/", "HEAD")
    assert (response.status, body) == (200, b"")
    assert ask(web, "gazette.localhost", "/letters.html", "POST", "name=a&letter=b")[0].status == 200
    assert ask(web, "gazette.localhost", "/", "DELETE")[0].status == 405


def test_the_front_page_names_all_sites_and_turns_the_month(web: Web, tmp_path: Path) -> None:
    own = f"http://localhost:{web.port}"
    page = ask(web, "localhost", "/")[1].decode()
    assert f"http://bakery.localhost:{web.port}/" in page
    assert "observatory.localhost" not in page
    assert "Let a month pass" in page

    response, _ = ask(web, "localhost", "/edition", "POST", "edition=second", Origin=own)
    assert response.status == 303
    assert read_edition(tmp_path) is Edition.SECOND
    after = ask(web, "localhost", "/")[1].decode()
    assert "observatory.localhost" in after
    assert "Go back a month" in after


@pytest.mark.parametrize("origin", ["http://bakery.localhost:{port}", "null", ""])
def test_no_other_page_turns_the_month(web: Web, tmp_path: Path, origin: str) -> None:
    said = {"Origin": origin.format(port=web.port)} if origin else {}
    response, _ = ask(web, "localhost", "/edition", "POST", "edition=second", **said)

    assert response.status == 403
    assert read_edition(tmp_path) is Edition.FIRST


def test_names_lead_to_the_loopback_over_both_ways(web: Web) -> None:
    host, _, port = web.name_server.partition(":")
    for way in (dns.query.udp, dns.query.tcp):
        answer = way(dns.message.make_query("bakery.localhost", "A"), host, PATIENCE, int(port))
        assert [str(each) for each in answer.answer[0]] == ["127.0.0.1"]
        none = way(dns.message.make_query("bakery.localhost", "AAAA"), host, PATIENCE, int(port))
        assert (none.rcode(), none.answer) == (dns.rcode.NOERROR, [])
        foreign = way(dns.message.make_query("library.org", "A"), host, PATIENCE, int(port))
        assert foreign.rcode() == dns.rcode.NXDOMAIN


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"GET /" + b"x" * 100_000,
        b"GET / HTT",
    ],
)
def test_the_rude_do_not_disturb_the_others(web: Web, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", web.port), PATIENCE) as rude:
        rude.sendall(sent)
        rude.shutdown(socket.SHUT_WR)
        assert rude.recv(100).startswith(b"HTTP/1.1 400 ")
    assert ask(web, "bakery.localhost", "/")[0].status == 200


def test_those_who_hang_up_do_not_disturb_the_others(web: Web) -> None:
    for _ in range(30):
        gone = socket.create_connection(("127.0.0.1", web.port), PATIENCE)
        gone.sendall(b"GET /films/dusk.mp4 HTTP/1.1\r\nHost: kanal.localhost\r\n\r\n")
        gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset
        gone.close()
    assert ask(web, "kanal.localhost", "/")[0].status == 200


def started(folder: Path, *options: str, **more: object) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "armarium.demo.web", "--folder", str(folder), *options]
    return forked.Popen(command, **more)  # type: ignore[call-overload, no-any-return]


def told(folder: Path) -> Web:
    until = time.monotonic() + PATIENCE
    while not (folder / "web.json").exists():
        assert time.monotonic() < until, "The web did not come up."
        time.sleep(0.05)
    return Web(**json.loads((folder / "web.json").read_text()))


def test_as_a_process_it_says_where_it_is_and_comes_back_after_a_kill(tmp_path: Path) -> None:
    process = started(tmp_path)
    web = told(tmp_path)
    assert ask(web, "bakery.localhost", "/")[0].status == 200
    process.kill()
    process.wait(PATIENCE)
    again = started(tmp_path, "--port", str(web.port))
    try:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                assert ask(told(tmp_path), "bakery.localhost", "/")[0].status == 200
                break
            except OSError:
                time.sleep(0.05)
    finally:
        again.send_signal(signal.SIGTERM)
        assert again.wait(PATIENCE) == 0


def test_it_ends_with_whoever_started_it(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    process = started(tmp_path, "--lifeline", str(reading), pass_fds=(reading,))
    os.close(reading)
    told(tmp_path)
    os.close(writing)
    assert process.wait(PATIENCE) == 0
