"""How a capture is shown: body, header, ranges."""

import gzip
import io
import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from armarium.access.model import Collection, Decision, Effect, Reader
from armarium.access.replay.capture import open_capture
from armarium.access.replay.model import ReplayRequest, Reply
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Query
from tests.integration.access.replay.asking import DAY, Asker
from tests.integration.access.world import Page, world_of

URL = "http://example.com/a"
HTML = '<html><head></head><body><a href="/b">b</a></body></html>'


def asker(folder: Path, *pages: Page) -> Asker:
    return Asker(world_of(folder, pages))


def test_links_of_a_page_stay_in_the_archive(tmp_path: Path) -> None:
    answer = asker(tmp_path, Page(URL, HTML))(URL)
    assert f'<a href="http://127.0.0.1:8090/all/{DAY}mp_/http://example.com/b">' in answer.text
    assert '"top_url":"http://localhost:8090/all/20200101000000/http://example.com/a"' in answer.text
    assert answer.headers["content-length"] == str(len(answer.body))


def test_a_long_address_does_not_stand_again_in_every_link(tmp_path: Path) -> None:
    name = "u" * 5000
    answer = asker(tmp_path, Page(URL, HTML * 10))(f"http://{name}@example.com/a")
    assert (answer.status, answer.text.count(f"/{DAY}mp_/http://example.com/b")) == (200, 10)
    assert len(answer.body) < 5 * len(name)


def test_the_bytes_as_recorded_are_given_untouched(tmp_path: Path) -> None:
    packed = gzip.compress(HTML.encode())
    ask = asker(tmp_path, Page(URL, packed, headers=(("Content-Encoding", "gzip"),)))
    answer = ask(URL, mod="id_")
    assert (answer.body, answer.headers["content-encoding"]) == (packed, "gzip")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_a_browser_that_goes_to_raw_bytes_sees_them_as_text(tmp_path: Path) -> None:
    answer = asker(tmp_path, Page(URL, HTML))(URL, mod="id_", sec_fetch_mode="navigate")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_transfer_coding_is_undone_and_never_announced(tmp_path: Path) -> None:
    chunked = b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
    fields = (("Transfer-Encoding", "chunked"), ("Content-Length", "999"))
    answer = asker(tmp_path, Page(URL, chunked, type="text/plain", headers=fields))(URL)
    assert (answer.body, answer.headers["content-length"]) == (b"hello world", "11")
    assert "transfer-encoding" not in answer.headers


@pytest.mark.parametrize("mod", ["mp_", "im_"])
def test_a_packed_body_is_unpacked_for_the_page(tmp_path: Path, mod: str) -> None:
    packed = gzip.compress(b"body {}")
    answer = asker(tmp_path, Page(URL, packed, type="text/css", headers=(("Content-Encoding", "gzip"),)))(
        URL, mod=mod
    )
    assert answer.body == b"body {}"
    assert "content-encoding" not in answer.headers


def test_of_a_broken_packed_body_is_shown_what_can_be_read(tmp_path: Path) -> None:
    packed = gzip.compress(bytes(range(256)) * 400)[:-300]
    answer = asker(tmp_path, Page(URL, packed, type="text/plain", headers=(("Content-Encoding", "gzip"),)))(
        URL
    )
    assert answer.status == 200
    assert answer.body.startswith(bytes(range(256)))


def test_a_body_that_is_not_packed_though_it_says_so_is_shown(tmp_path: Path) -> None:
    answer = asker(tmp_path, Page(URL, "plain", type="text/plain", headers=(("Content-Encoding", "gzip"),)))(
        URL
    )
    assert answer.body == b"plain"


def test_a_few_bytes_that_unpack_to_a_flood_come_in_pieces(tmp_path: Path) -> None:
    bomb = zlib.compress(b"\0" * (40 << 20), 9)
    ask = asker(tmp_path, Page(URL, bomb, type="text/plain", headers=(("Content-Encoding", "deflate"),)))
    reply = ask.replay.answer(ReplayRequest(ask.world.view(), URL, DAY))
    assert isinstance(reply.body, Iterator)
    assert max(len(piece) for piece in reply.body) < 8 << 20


@pytest.mark.parametrize(
    ("asked", "status", "body", "said"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=-2", 206, b"89", "bytes 8-9/10"),
        ("bytes=2-", 206, b"23456789", "bytes 2-9/10"),
        ("bytes=10-", 416, b"", "bytes */10"),
        ("bytes=0-1,3-4", 200, b"0123456789", None),
        ("lines=1-2", 200, b"0123456789", None),
    ],
)
def test_a_player_gets_the_part_that_it_asks_for(
    tmp_path: Path, asked: str, status: int, body: bytes, said: str | None
) -> None:
    answer = asker(tmp_path, Page(URL, b"0123456789", type="video/mp4"))(URL, mod="oe_", range=asked)
    assert (answer.status, answer.body, answer.headers.get("content-range")) == (status, body, said)


def test_a_part_of_a_long_record_comes_without_holding_it(tmp_path: Path) -> None:
    film = bytes(range(256)) * 20_000  # 5 MB
    ask = asker(tmp_path, Page(URL, film, type="video/mp4"))
    answer = ask(URL, mod="oe_", range="bytes=5000000-5000009")
    assert (answer.status, answer.body) == (206, film[5_000_000:5_000_010])
    assert answer.headers["content-range"] == f"bytes 5000000-5000009/{len(film)}"


def recorded_parts(folder: Path) -> Asker:
    return asker(
        folder,
        *(
            Page(
                URL,
                str(n).encode() * 10,
                f"2020010100000{n}",
                "video/mp4",
                "206 Partial Content",
                (("Content-Range", f"bytes {n}0-{n}9/30"),),
            )
            for n in range(3)
        ),
    )


@pytest.mark.parametrize("asked", ["bytes=20-", "bytes=40-"])
def test_a_part_that_was_not_captured_is_not_made_up_of_another(tmp_path: Path, asked: str) -> None:
    part = ("206 Partial Content", (("Content-Range", "bytes 0-9/30"),))
    ask = asker(tmp_path, Page(URL, b"0" * 10, "20200101000000", "video/mp4", *part))
    answer = ask(URL, mod="oe_", range=asked)
    assert (answer.status, answer.body, answer.headers["content-range"]) == (416, b"", "bytes */30")


@pytest.mark.parametrize(
    ("asked", "body", "said"),
    [
        ("bytes=0-", b"0" * 10, "bytes 0-9/30"),
        ("bytes=12-14", b"111", "bytes 12-14/30"),
        ("bytes=25-99", b"22222", "bytes 25-29/30"),
    ],
)
def test_a_film_that_was_captured_in_parts_is_answered_by_the_right_one(
    tmp_path: Path, asked: str, body: bytes, said: str
) -> None:
    answer = recorded_parts(tmp_path)(URL, mod="oe_", range=asked)
    assert (answer.status, answer.body, answer.headers["content-range"]) == (206, body, said)


def test_a_recorded_part_that_is_all_of_it_is_the_whole(tmp_path: Path) -> None:
    fields = (("Content-Range", "bytes 0-3/4"),)
    ask = asker(tmp_path, Page(URL, b"film", type="video/mp4", status="206 Partial Content", headers=fields))
    answer = ask(URL, mod="oe_")
    assert (answer.status, answer.body) == (200, b"film")
    assert "content-range" not in answer.headers


def test_head_says_everything_but_the_body(tmp_path: Path) -> None:
    ask = asker(tmp_path, Page(URL, HTML))
    whole, head = ask(URL), ask(URL, method="HEAD")
    assert head.body == b""
    assert head.headers == whole.headers


def test_head_of_the_raw_answer_tells_its_length(tmp_path: Path) -> None:
    chunked = (("Transfer-Encoding", "chunked"),)
    ask = asker(tmp_path, Page(URL, HTML), Page(URL + "c", b"3\r\nabc\r\n0\r\n\r\n", headers=chunked))
    for url, length in ((URL, len(HTML)), (URL + "c", 3)):
        head = ask(url, mod="id_", method="HEAD")
        assert (head.body, head.headers["content-length"]) == (b"", str(length))
        assert head.headers["accept-ranges"] == "bytes"


def test_a_part_says_that_there_are_parts(tmp_path: Path) -> None:
    packed = Page(
        URL, gzip.compress(b"0123456789"), type="text/plain", headers=(("Content-Encoding", "gzip"),)
    )
    part = asker(tmp_path, packed)(URL, mod="oe_", range="bytes=2-4")
    assert (part.status, part.body, part.headers["accept-ranges"]) == (206, b"234", "bytes")


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden", "500 Oops"])
def test_an_archived_error_is_replayed_as_it_was(tmp_path: Path, status: str) -> None:
    answer = asker(tmp_path, Page(URL, "an error", type="text/plain", status=status))(URL)
    assert (answer.status, answer.text) == (int(status[:3]), "an error")


def test_a_missing_page_offers_the_calendar_and_a_missing_part_one_line(tmp_path: Path) -> None:
    ask = asker(tmp_path, Page(URL, "x"))
    page, part = ask("http://example.com/missing"), ask("http://example.com/missing.png", mod="im_")
    assert (page.status, part.status) == (404, 404)
    assert "http://localhost:8090/all/*/http://example.com/missing" in page.text
    assert part.headers["content-type"] == "text/plain; charset=utf-8"
    assert "memento-datetime" not in page.headers


DANGEROUS = (
    ("Content-Security-Policy", "default-src *"),
    ("Strict-Transport-Security", "max-age=9"),
    ("Clear-Site-Data", '"*"'),
    ("Service-Worker-Allowed", "/"),
    ("Connection-Allowlist", "()"),
    ("Report-To", "{}"),
    ("Set-Cookie", "armarium_content=stolen; Path=/"),
    ("Set-Cookie", "__Host-armarium_content=stolen; Path=/"),
    ("X-Armarium-Reason", "missing"),
    ("Server-Timing", 'capture;desc="19990101000000"'),
    ("Access-Control-Allow-Origin", "*"),
)


def test_what_an_archived_server_orders_the_browser_is_not_passed_on(tmp_path: Path) -> None:
    answer = asker(tmp_path, Page(URL, "x", headers=DANGEROUS))(URL)
    names = [name.lower() for name, _ in answer.reply.headers]
    for name in ("content-security-policy", "server-timing", "connection-allowlist"):
        assert names.count(name) == 1
    for name in (
        "strict-transport-security",
        "clear-site-data",
        "service-worker-allowed",
        "report-to",
        "set-cookie",
        "x-armarium-reason",
        "access-control-allow-origin",
    ):
        assert name not in names
    assert answer.captured == DAY


class _Ruled:
    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    def decide(self, _reader: Reader, _collection: Collection, _line: CdxLine) -> Decision:
        return self._decision


def ruled(ask: Asker, decision: Decision) -> Asker:
    return Asker(ask.world.under(_Ruled(decision)))


@pytest.mark.parametrize("mod", ["id_", "ir_", "dl_"])
def test_where_nothing_may_be_taken_along_raw_bytes_are_refused(tmp_path: Path, mod: str) -> None:
    ask = ruled(asker(tmp_path, Page(URL, HTML)), Decision(Effect.ALLOWED, no_downloads=True))
    assert ask(URL, mod=mod).status == 403
    assert ask(URL).status == 200


@pytest.mark.parametrize(
    ("kind", "status"), [("application/zip", 403), ("image/png", 200), ("font/woff", 200)]
)
def test_where_nothing_may_be_taken_along_files_to_be_saved_are_refused(
    tmp_path: Path, kind: str, status: int
) -> None:
    fields = (("Content-Disposition", "attachment"),)
    ask = ruled(
        asker(tmp_path, Page(URL, b"x", type=kind, headers=fields)),
        Decision(Effect.ALLOWED, no_downloads=True),
    )
    answer = ask(URL, mod="oe_")
    assert answer.status == status
    assert "content-disposition" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
    assert "allow-downloads" not in answer.headers.get("content-security-policy", "")


def test_through_the_proxy_fields_and_addresses_are_as_recorded(tmp_path: Path) -> None:
    ask = asker(tmp_path, Page(URL, HTML, headers=(("X-Frame-Options", "DENY"),)))
    answer = ask(URL, proxied=True)
    assert answer.text == HTML
    assert answer.headers["x-frame-options"] == "DENY"
    assert "content-security-policy" not in answer.headers


def test_through_the_proxy_a_page_is_given_what_the_proxy_puts_in(tmp_path: Path) -> None:
    answer = asker(tmp_path, Page(URL, HTML))(URL, proxied=True, insert=b"<!--banner-->")
    assert answer.text == HTML.replace("<head>", "<head><!--banner-->")
    assert answer.headers["content-length"] == str(len(answer.body))


def first_byte(reply: Reply) -> bytes:
    assert isinstance(reply.body, Iterator)
    return next(reply.body)[:5]


def test_a_long_body_begins_before_all_of_it_was_read(tmp_path: Path) -> None:
    ask = asker(tmp_path, Page(URL, b"film!" * 1_000_000, type="video/mp4"))
    reply = ask.replay.answer(ReplayRequest(ask.world.view(), URL, DAY, "oe_"))
    assert first_byte(reply) == b"film!"
    assert dict(reply.headers)["Content-Length"] == "5000000"


def test_a_part_of_a_record_that_is_not_compressed_is_sought_and_not_read_up_to(tmp_path: Path) -> None:
    film = random.Random(1).randbytes(8 << 20)
    path = tmp_path / "film.warc"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=False)
        http = StatusAndHeaders("200 OK", [("Content-Type", "video/mp4")], protocol="HTTP/1.1")
        written = writer.create_warc_record(
            URL,
            "response",
            payload=io.BytesIO(film),
            http_headers=http,
            warc_headers_dict={"WARC-Date": "2020-01-01T00:00:00Z"},
        )
        writer.write_record(written)
    ask = Asker(world_of(tmp_path, [], files=[path]))
    answer = ask(URL, mod="oe_", range="bytes=8000000-8000099")
    assert (answer.status, answer.body) == (206, film[8_000_000:8_000_100])
    assert answer.headers["content-range"] == f"bytes 8000000-8000099/{len(film)}"
    capture = open_capture(ask.world.view(), next(ask.world.view().all(Query(URL))))
    assert capture.pass_over(8_000_000) == 8_000_000
    assert next(capture.entity())[:100] == film[8_000_000:8_000_100]


def test_a_long_page_is_rewritten_as_it_comes(tmp_path: Path) -> None:
    page = "<html><head></head><body>" + '<a href="/b">b</a>' * 100_000
    ask = asker(tmp_path, Page(URL, page))
    reply = ask.replay.answer(ReplayRequest(ask.world.view(), URL, DAY))
    assert first_byte(reply) == b"<html"
    assert b"".join(reply.body).count(b'href="http://127.0.0.1:8090/all/20200101000000mp_/') > 90_000  # type: ignore[arg-type]


def test_a_page_in_a_charset_that_cannot_be_searched_comes_in_another(tmp_path: Path) -> None:
    page = '<html><head></head><body>Grüße <a href="/b">b</a></body></html>'.encode("utf-16")
    answer = asker(tmp_path, Page(URL, page, type="text/html"))(URL)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "Grüße" in answer.text
    assert "mp_/http://example.com/b" in answer.text
