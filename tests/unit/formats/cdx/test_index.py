"""The index of W/ARC files made here: what is told of each kind of record."""

import gzip
import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.cdx import CDX9, CDX11
from armarium.formats.cdx.capture import Capture, Dialect, field_of, usual_answer
from armarium.formats.cdx.index import Index, index
from armarium.formats.cdx.line import CdxLine
from armarium.formats.http import parse_response
from armarium.formats.warc.reader import ArchiveReader

URL = "http://www.example.org/a?b=c"
EMPTY_SHA1 = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\nhello"
HELLO_SHA1 = "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"


def record(kind: str, block: bytes = b"", *, url: str | None = URL, **fields: str) -> bytes:
    given_fields = {name.replace("_", "-"): value for name, value in fields.items()}
    lines = {
        "WARC-Type": kind,
        "WARC-Date": "2020-01-02T03:04:05Z",
        **({"WARC-Target-URI": url} if url else {}),
        "Content-Type": "application/http",
        **given_fields,
        "Content-Length": str(len(block)),
    }
    header = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"WARC/1.1\r\n{header}\r\n".encode() + block + b"\r\n\r\n"


def compressed(*records: bytes) -> io.BytesIO:
    return io.BytesIO(b"".join(zlib.compress(one, wbits=31) for one in records))


def indexed(
    *records: bytes, dialect: Dialect = Dialect.CDXJ, every_record: bool = False, requests: bool = False
) -> Index:
    reader = ArchiveReader(compressed(*records))
    return index(reader, "f.warc.gz", dialect=dialect, every_record=every_record, requests=requests)


def lines(*records: bytes, dialect: Dialect = Dialect.CDXJ, every_record: bool = False) -> list[CdxLine]:
    return list(indexed(*records, dialect=dialect, every_record=every_record))


def test_a_response_gives_the_line_of_cdxj_indexer() -> None:
    (line,) = lines(record("response", HTTP, WARC_Payload_Digest="sha1:X"))
    length = len(zlib.compress(record("response", HTTP, WARC_Payload_Digest="sha1:X"), wbits=31))
    assert line.to_cdxj().decode() == (
        'org,example)/a?b=c 20200102030405 {"url": "http://www.example.org/a?b=c", "mime": "text/html", '
        f'"status": "200", "digest": "sha1:X", "length": "{length}", "offset": "0", "filename": "f.warc.gz"}}'
    )


def test_a_missing_digest_is_computed_over_the_body_without_chunks() -> None:
    plain = record("response", HTTP)
    chunked = record(
        "response", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    )
    assert [line.fields["digest"] for line in lines(plain, chunked)] == [HELLO_SHA1, HELLO_SHA1]


def test_a_revisit_has_its_own_type_and_the_digest_of_its_header_only() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    with_digest, without = lines(record("revisit", head, WARC_Payload_Digest="sha1:X"), record("revisit"))
    assert (with_digest.mime, with_digest.status, with_digest.text("digest")) == (
        "warc/revisit",
        200,
        "sha1:X",
    )
    assert "digest" not in without.fields
    assert "status" not in without.fields


def test_resources_and_metadata_have_the_type_of_their_record() -> None:
    found = lines(
        record("resource", b"hello", url="urn:X-test:1", Content_Type="text/plain; x=y"),
        record("metadata", b"hello", Content_Type="text/anvl"),
        record("metadata", b"a: b\r\n", Content_Type="application/warc-fields"),
    )
    assert [(line.mime, line.text("digest")) for line in found] == [
        ("text/plain", HELLO_SHA1),
        ("text/anvl", HELLO_SHA1),
    ]


def test_requests_and_warcinfo_are_indexed_only_on_demand() -> None:
    records = (
        record("warcinfo", b"software: x\r\n", url=None, Content_Type="application/warc-fields"),
        record("request", b"GET / HTTP/1.1\r\n\r\n"),
        record("response", HTTP),
    )
    assert [line.status for line in lines(*records)] == [200]
    everything = lines(*records, every_record=True)
    assert [line.key for line in everything] == ["-", "org,example)/a?b=c", "org,example)/a?b=c"]
    assert [line.text("digest") for line in everything] == [None, EMPTY_SHA1, HELLO_SHA1]


def test_a_dns_record_has_a_type_only_in_columns() -> None:
    dns = record(
        "response", b"20200102\nwww.example.org. 1.2.3.4\n", url="dns:x.org", Content_Type="text/dns"
    )
    assert [line.mime for line in lines(dns)] == [None]
    assert [line.mime for line in lines(dns, dialect=Dialect.WAYBACK)] == ["text/dns"]


def test_wayback_columns_tell_the_target_of_a_redirect() -> None:
    redirect = record(
        "response", b"HTTP/1.1 302 Found\r\nLocation: ../c d\r\n\r\n", WARC_Payload_Digest="sha1:X"
    )
    (line,) = lines(redirect, dialect=Dialect.WAYBACK)
    assert line.to_cdx(CDX9).split(b" ")[3:7] == [b"unk", b"302", b"X", b"http://www.example.org/c%20d"]
    assert line.to_cdx(CDX11).split(b" ")[7] == b"-"


def test_an_address_with_spaces_or_brackets_makes_a_whole_line() -> None:
    spaced, bracketed = lines(
        record("response", HTTP, url="http://a.org/b c"), record("response", HTTP, url="<http://a.org/>")
    )
    assert (spaced.url, bracketed.url) == ("http://a.org/b%20c", "http://a.org/")


def test_a_record_without_a_date_is_named_and_left_out() -> None:
    found = indexed(record("response", HTTP, WARC_Date="yesterday"), record("response", HTTP))
    assert len(list(found)) == 1
    assert [problem.code for problem in found.problems] == ["cdx-date"]


def test_records_in_one_gzip_member_are_named_because_no_offset_leads_to_them() -> None:
    data = gzip.compress(record("response", HTTP) + record("response", HTTP))
    found = index(ArchiveReader(io.BytesIO(data)), "f.warc.gz")
    assert list(found) == []
    assert [problem.code for problem in found.problems] == ["cdx-unreachable"]


def test_the_empty_lines_after_a_plain_record_do_not_count() -> None:
    first, second = record("response", HTTP), record("response", HTTP)
    found = list(index(ArchiveReader(io.BytesIO(first + second)), "f.warc"))
    assert [(line.offset, line.length) for line in found] == [
        (0, len(first) - 4),
        (len(first), len(second) - 4),
    ]


def test_the_length_of_a_plain_record_counts_the_line_ends_that_it_really_has() -> None:
    head, _, _ = record("response", HTTP).partition(b"\r\n\r\n")
    odd = (head + b"\r\n\r\n").replace(b"\r\n", b"\r\r\n") + HTTP
    (line,) = index(ArchiveReader(io.BytesIO(odd + b"\r\n\r\n")), "f.warc")
    assert (line.mime, line.length) == ("text/html", len(odd))


def arc_line(block: bytes, url: str, noted: str, dialect: Dialect = Dialect.CDXJ) -> tuple[CdxLine, int]:
    """The line of the one capture of an ARC file, and how long the capture is."""
    version = b"1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n"
    head = f"filedesc://t.arc 0.0.0.0 20200102030405 text/plain {len(version)}\n".encode()
    capture = f"{url} 1.2.3.4 20200102030405 {noted} {len(block)}\n".encode() + block
    data = io.BytesIO(head + version + b"\n" + capture + b"\n")
    (line,) = index(ArchiveReader(data), "t.arc", dialect=dialect)
    return line, len(capture)


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize(
    ("block", "url", "noted", "mime", "status"),
    [
        (b"HTTP/1.0 200 OK\r\nServer: x\r\n\r\nhello", "http://a.org/", "text/html", "text/html", 200),
        (b"<html>HTTP/0.9", "http://a.org/", "text/html", "text/html", None),
        (b"GIF89a", "ftp://a.org/a.gif", "image/gif", "image/gif", None),
        (b"HTTP/1.0 200 OK\r\n\r\nhello", "ftp://a.org/a.gif", "image/gif", "image/gif", 200),
    ],
)
def test_an_arc_record_without_a_declared_type_has_the_one_that_was_noted(
    dialect: Dialect, block: bytes, url: str, noted: str, mime: str, status: int | None
) -> None:
    line, _ = arc_line(block, url, noted, dialect)
    assert (line.mime, line.status) == (mime, status)


def test_what_a_crawler_notes_when_it_cannot_tell_is_no_type() -> None:
    answer = b"HTTP/1.0 200 OK\r\nServer: x\r\n\r\nhello"
    assert arc_line(answer, "http://a.org/", "no-type")[0].mime is None
    assert arc_line(answer, "http://a.org/", "no-type", Dialect.WAYBACK)[0].mime == "unk"


@pytest.mark.parametrize("url", ["HTTP://a.org/", "ws://a.org/", "chrome-extension://a/b.js", "urn:a:b"])
@pytest.mark.parametrize("dialect", Dialect)
def test_an_http_answer_is_one_under_any_address(url: str, dialect: Dialect) -> None:
    [line] = lines(record("response", HTTP, url=url), dialect=dialect)
    assert (line.mime, line.status, line.text("digest")) == ("text/html", 200, HELLO_SHA1)


def test_an_arc_record_takes_its_type_from_the_http_head() -> None:
    line, length = arc_line(HTTP, "http://www.example.org/", "text/plain")
    assert (line.key, line.timestamp, line.mime, line.status) == (
        "org,example)/",
        "20200102030405",
        "text/html",
        200,
    )
    assert (line.text("digest"), line.length) == (HELLO_SHA1, length)


POST = (
    b"POST /a HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n\r\nfoo=bar"
)


@pytest.mark.parametrize("request_first", [True, False])
def test_a_request_with_a_body_is_part_of_the_key_of_its_answer(request_first: bool) -> None:
    pair = [
        record(
            "response",
            HTTP,
            WARC_Record_ID="<urn:a>",
            **({"WARC_Concurrent_To": "<urn:b>"} if request_first else {}),
        ),
        record(
            "request",
            POST,
            WARC_Record_ID="<urn:b>",
            **({} if request_first else {"WARC_Concurrent_To": "<urn:a>"}),
        ),
    ]
    other = record("response", HTTP, url="http://www.example.org/other", WARC_Record_ID="<urn:c>")
    first, second = indexed(*(reversed(pair) if request_first else pair), other, requests=True)
    assert first.key == "org,example)/a?__wb_method=post&b=c&foo=bar"
    assert list(first.fields)[-2:] == ["requestBody", "method"]
    assert (first.text("requestBody"), first.text("method")) == ("foo=bar", "POST")
    assert second.key == "org,example)/other"


def test_records_that_only_stand_side_by_side_are_no_pair() -> None:
    found = indexed(
        record("request", POST, WARC_Record_ID="<urn:b>"), record("response", HTTP), requests=True
    )
    assert [line.key for line in found] == ["org,example)/a?b=c"]


names = st.sampled_from(
    ["Content-Type", "content-type", "CONTENT-TYPE", "Content-Type ", "X-Content-Type", "Date", ""]
)
values = st.sampled_from(
    ["text/html", " text/html; charset=x ", "", "a\r\n b", "a\n\tb", "é", "\x00", "a\n\nb", "a\r\r\nb"]
)
ends = st.sampled_from(["\r\n", "\n", "\r\r\n", ""])


@given(
    st.sampled_from(
        ["HTTP/1.1 200 OK", "HTTP/1.0 404 Not Found", "HTTP/1.1 200", "ICY 200 OK", "HTTP/1.1  302 x", "x"]
    ),
    st.lists(st.tuples(names, st.sampled_from([":", ": ", ":\t", ""]), values, ends), max_size=5),
    ends,
    st.sampled_from(["", "\r\n", "\n", "\r\n\r\nbody", " body"]),
)
def test_the_short_way_through_a_head_gives_what_the_parser_gives(
    status_line: str, fields: list[tuple[str, str, str, str]], end: str, rest: str
) -> None:
    data = (status_line + end + "".join("".join(field) for field in fields) + rest).encode()
    short = usual_answer(data)
    if short is not None:
        head = parse_response(data)
        assert short == (str(head.status), head.content_type)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["WARC-Date", "warc-date", "X-WARC-Date", "WARC-Payload-Digest"]),
            st.sampled_from([": ", ":", ":\t"]),
            st.sampled_from(["a", " a b ", "a\r\n b", "a\n\tb", "", "é"]),
            st.sampled_from(["\r\n", "\n"]),
        ),
        max_size=4,
    )
)
def test_the_short_way_to_a_field_gives_what_the_header_gives(
    fields: list[tuple[str, str, str, str]],
) -> None:
    header = "".join("".join(field) for field in fields if field[0] != "warc-date")
    data = f"WARC/1.1\r\nWARC-Type: response\r\n{header}Content-Length: 0\r\n\r\n\r\n\r\n".encode()
    for found in ArchiveReader(io.BytesIO(data)):
        assert field_of(found, "WARC-Date") == found.fields.get("WARC-Date")
        Capture(found)
