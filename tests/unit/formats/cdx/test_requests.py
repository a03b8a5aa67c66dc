"""POST keys: those of pywb and cdxj-indexer."""

import base64
import io
import json
import tracemalloc
from urllib.parse import urlencode

import pyamf  # type: ignore[import-untyped]
import pytest
from cdxj_indexer.amf import amf_parse
from cdxj_indexer.postquery import append_method_query
from hypothesis import given
from hypothesis import strategies as st
from pyamf.flex.messaging import RemotingMessage  # type: ignore[import-untyped]
from pyamf.remoting import Envelope, Request, encode  # type: ignore[import-untyped]

from armarium.formats.cdx.requests import LONGEST_QUERY, request_body

BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
MULTIPART = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1 & 2\r\n'
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="été"\r\n\r\nx\r\ny\r\n'
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="p.png"\r\n'
    f"Content-Type: image/png\r\n\r\n\x00\x01PNG\r\n--{BOUNDARY}--\r\n"
).encode()


def theirs(content_type: str, body: bytes) -> str:
    """What cdxj-indexer makes of the same request."""
    query, _ = append_method_query("POST", content_type, str(len(body)), io.BytesIO(body), "http://e.com/")
    return query or ""


def ours(content_type: str, body: bytes) -> str:
    return request_body("POST", content_type, body).query


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/x-www-form-urlencoded", b"foo=bar&dir=%2Fbaz&a+b=%C3%A9"),
        ("application/x-www-form-urlencoded; charset=UTF-8", b"foo=%ff"),
        ("application/x-www-form-urlencoded", b"foo=\xff\xfe"),
        ("application/x-www-form-urlencoded", b"x" * 5000),
        (f"multipart/form-data; boundary={BOUNDARY}", MULTIPART),
        ("multipart/form-data", b"no boundary"),
        ("application/json", b'{"a": "b", "list": [1, 2, {"a": "c", "d": "e"}], "n": {"a": "x y&z"}}'),
        ("application/json", b'{"a": 1}\n{"a": 2, "b": "c"}'),
        ("application/json", b"not json"),
        ("application/json", b'{"": "nameless", "a": ""}'),
        ("application/json", b"[1, 2]"),
        ("text/plain", b'{"a": "b"}'),
        ("text/plain;charset=UTF-8", b"plain text"),
        ("application/octet-stream", bytes(range(256))),
        ("", b"abc"),
        ("image/png", b"\x89PNG" * 2000),
        ("application/x-amf", b"no amf"),
    ],
)
def test_the_query_is_that_of_cdxj_indexer(content_type: str, body: bytes) -> None:
    assert ours(content_type, body) == theirs(content_type, body)


def test_method_and_body_are_appended_to_the_address() -> None:
    body = request_body("post", "application/x-www-form-urlencoded", b"foo=bar")
    assert body.appended_to("http://e.com/") == "http://e.com/?__wb_method=POST&foo=bar"
    assert body.appended_to("http://e.com/?a=b") == "http://e.com/?a=b&__wb_method=POST&foo=bar"
    assert request_body("PUT", "application/json", b"").appended_to("http://e.com/") == (
        "http://e.com/?__wb_method=PUT"
    )


def test_json_constants_are_written_as_current_pywb_does() -> None:
    body = json.dumps({"yes": True, "no": False, "none": None, "whole": 44.0, "half": 0.5}).encode()
    assert ours("application/json", body) == "yes=true&no=false&none=null&whole=44&half=0.5"


def test_repeated_names_are_numbered() -> None:
    assert ours("application/json", b'{"a": [1, 2, 3]}') == "a=1&a.2_=2&a.3_=3"


def test_a_quoted_boundary_and_bare_line_feeds_are_understood() -> None:
    body = b'--x y\nContent-Disposition: form-data; name="a"\n\n1\n--x y--\n'.replace(b"x y", b"xy")
    assert ours('multipart/form-data; boundary="xy"; charset=utf-8', body) == "a=1"


def test_no_query_is_longer_than_pywb_cuts_it() -> None:
    for content_type in ("application/json", "text/plain", "application/octet-stream", "application/x-amf"):
        body = json.dumps({f"name{number}": "value" * 20 for number in range(500)}).encode()
        assert len(ours(content_type, body)) <= LONGEST_QUERY


def test_deeply_nested_json_does_not_break_the_index() -> None:
    assert ours("application/json", b"[" * 100_000) == ""
    assert ours("text/plain", b"[" * 30).startswith("__wb_post_data=")
    assert ours("application/json", b'{"a":' * 900 + b"1" + b"}" * 900) in ("a=1", "")


leaves = st.text(st.characters(codec="utf-8"), max_size=10) | st.integers(-(10**9), 10**9)
documents = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(documents)
def test_any_json_is_flattened_as_by_cdxj_indexer(document: object) -> None:
    body = json.dumps(document).encode()
    expected = theirs("application/json", body)
    assert ours("application/json", body) == expected


@given(st.binary(max_size=200), st.sampled_from(["multipart/form-data; boundary=x", "application/json", ""]))
def test_no_body_makes_it_raise(body: bytes, content_type: str) -> None:
    ours(content_type, body.replace(b"\x00", b"--x\r\n"))


def flash_call(body: object, version: int = pyamf.AMF3) -> bytes:
    envelope = Envelope(version)
    envelope["/0"] = Request(target="UserService", body=body)
    message: bytes = encode(envelope).getvalue()
    return message


@pytest.mark.parametrize("version", [pyamf.AMF0, pyamf.AMF3])
@pytest.mark.parametrize(
    "arguments",
    [
        [{"the": "body", "a": 1}],
        ["text", 1, -5, 3.5, True, None],
        [[1, [2, "three"]], {"nested": {"list": [1, 2], "none": None}}],
        ["again", "again", {"again": "again"}],
        [RemotingMessage(operation="retrieveUser", messageId="RANDOM", body=[{"the": "body"}])],
        [],
    ],
)
def test_a_flash_call_is_described_as_by_pywb(arguments: list[object], version: int) -> None:
    message = flash_call(arguments, version)
    assert ours("application/x-amf", message) == amf_parse(message)


def test_a_flash_call_without_its_random_parts_is_stable() -> None:
    first, second = (
        flash_call([RemotingMessage(operation="get", messageId=name, body=["x"])]) for name in ("A", "B")
    )
    assert first != second
    assert ours("application/x-amf", first) == ours("application/x-amf", second)


def test_a_flash_object_that_contains_itself_ends() -> None:
    endless: list[object] = []
    endless.append(endless)
    assert ours("application/x-amf", flash_call([endless])) == ""


@given(st.binary(max_size=200))
def test_no_flash_bytes_make_it_raise(tail: bytes) -> None:
    start = b"\x00\x03\x00\x00\x00\x01\x00\x01T\x00\x02/0\x00\x00\x00\x00\x0a\x00\x00\x00\x01\x11"
    ours("application/x-amf", start + tail)
    ours("application/x-amf", tail)


def test_binary_bodies_are_base64() -> None:
    assert ours("application/octet-stream", b"\x00\x01") == urlencode(
        {"__wb_post_data": base64.b64encode(b"\x00\x01").decode()}, safe="="
    )


@pytest.mark.parametrize(
    "body",
    [
        "%F0%9F%8C%8D" * 6000,
        "%F0%9F%8C" * 6000,
        "a=%" * 6000,
        "a=%4" + "1%C3%A9+" * 9000,
        "é&" * 6000,
    ],
)
def test_a_long_form_is_cut_where_cdxj_indexer_cuts_it(body: str) -> None:
    kind = "application/x-www-form-urlencoded"
    assert ours(kind, body.encode()) == theirs(kind, body.encode())


@pytest.mark.parametrize("version", [pyamf.AMF0, pyamf.AMF3])
@pytest.mark.parametrize(
    "arguments",
    [
        ["x" * 10_000, "y"],
        [{"b": "é" * 5000, "a": 1, "c": ["x"] * 5000}],
        [{f"key{number * 7919 % 3000}": number for number in range(3000)}],
        [[None, [], {}] * 3000],
        [[{"a": {"b": [number, 0.5, True]}} for number in range(3000)]],
        [{"k" * 5000 + str(number): number for number in range(3)}],
        [RemotingMessage(operation="get" * 2000, body=[{"the": "body"}] * 1000)],
    ],
)
def test_a_long_flash_call_is_cut_where_pywb_cuts_it(arguments: list[object], version: int) -> None:
    message = flash_call(arguments, version)
    assert ours("application/x-amf", message) == amf_parse(message)[:LONGEST_QUERY]


def peak_of(content_type: str, body: bytes) -> int:
    """The most memory taken for a query, in bytes."""
    tracemalloc.start()
    try:
        assert len(ours(content_type, body)) <= LONGEST_QUERY
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def typed(name: bytes, depth: int) -> bytes:
    """Objects inside each other (AMF 0, 2.18)."""
    inner = typed(name, depth - 1) if depth else b"\x02\0\x01'"
    return b"\x10" + len(name).to_bytes(2, "big") + name + b"\0\x01a" + inner + b"\0\0\x09"


FLASH_START = b"\0\0\0\0\0\x01\0\x01T\0\x01R\0\0\0\0\x0a\0\0\0\x01"
# Content type, body, and what it may take at most, in bytes.
BOMBS = {
    # A string of 8,000 characters and 1,000 references to it (AMF 3, 1.3.2).
    "references": (
        "application/x-amf",
        FLASH_START + b"\x11\x09\x8f\x53\x01\x06\xfd\x01" + b"a" * 8000 + b"\x06\0" * 1000,
        500_000,
    ),
    "JSON in JSON": ("application/x-amf", FLASH_START + typed(b"flex.messaging.messages.M", 18), 500_000),
    "lists": ("application/json", b'{"a":[' + b"[]," * 30_000 + b"1]}", 3_000_000),
    "lines": ("application/json", b"{}\n" * 30_000 + b"1", 3_000_000),
    "form": ("application/x-www-form-urlencoded", b"a=%41" * 100_000, 4_000_000),
    "upload": (
        "multipart/form-data; boundary=x",
        b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n' + b"\xff" * 500_000,
        2_000_000,
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_body_takes_little_memory(bomb: str) -> None:
    content_type, body, most = BOMBS[bomb]
    assert peak_of(content_type, body) < most
