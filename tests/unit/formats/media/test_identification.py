"""What a payload is."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.media import Agreement, Basis, MimeType, identify, parse_mime_type, sniff
from armarium.formats.media.identification import AVAILABLE, pronom_match

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + b"\0" * 30


def archive(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name in names:
            packed.writestr(name, "x")
    return file.getvalue()


@pytest.mark.parametrize(
    ("head", "mime"),
    [
        (PNG, "image/png"),
        (b"GIF89a", "image/gif"),
        (b"%PDF-1.4\n", "application/pdf"),
        (b"WARC/1.1\r\n", "application/warc"),
        (b"filedesc://x.arc 0.0.0.0 20000101000000 text/plain 1\n", "application/x-ia-arc"),
        (b"\x1f\x8b\x08\0", "application/gzip"),
        (b"\0\0\0\x18ftypavif\0\0\0\0", "image/avif"),
        (b"\0\0\0\x18ftypisom\0\0\0\0", "video/mp4"),
        (b"wOF2\0", "font/woff2"),
        (b"{\\rtf1", "application/rtf"),
        (
            archive("[Content_Types].xml", "word/document.xml"),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (archive("META-INF/MANIFEST.MF"), "application/java-archive"),
        (archive("a.txt"), "application/zip"),
        (b"<!doctype html><title>x", "text/html"),
        (b"  <HTML>", "text/html"),
        (b'<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
        ("<svg/>".encode("utf-16"), "image/svg+xml"),
        (b"<rss version='2.0'>", "application/rss+xml"),
        (b'<?xml version="1.0"?><urlset/>', "text/xml"),
        (b'{"a": 1}', "application/json"),
        (b"a { color: red; }", "text/css"),
        (b"var a = function () { return 1; };", "text/javascript"),
        (b"Hello, world.", "text/plain"),
        (b"\x00\x01\x02\x03", "application/octet-stream"),
        (b"", "application/x-empty"),
    ],
)
def test_bytes_alone_tell(head: bytes, mime: str) -> None:
    assert identify(head).mime == mime


@pytest.mark.parametrize(
    ("head", "declared", "name", "mime", "basis", "agreement"),
    [
        (PNG, "text/html", "x.gif", "image/png", Basis.SIGNATURE, Agreement.DIFFERENT),
        (b"<html>", "image/png", None, "text/html", Basis.CONTENT, Agreement.DIFFERENT),
        (
            b"<html>",
            "text/css",
            "a.css",
            "text/html",
            Basis.CONTENT,
            Agreement.DIFFERENT,
        ),  # a page of an error
        (b"x", "application/javascript", None, "text/javascript", Basis.DECLARED, Agreement.SAME),
        (b"x", "text/plain", "a.css", "text/css", Basis.NAME, Agreement.COMPATIBLE),
        (
            b'{"@context": 1}',
            "application/ld+json",
            None,
            "application/ld+json",
            Basis.DECLARED,
            Agreement.SAME,
        ),
        (b"\0\1\2", "application/x-special", None, "application/x-special", Basis.DECLARED, Agreement.SAME),
        (b"\0\1\2", "text/html", "a.mp3", "audio/mpeg", Basis.NAME, Agreement.DIFFERENT),
        (
            archive("a"),
            "application/x-zip-compressed",
            None,
            "application/zip",
            Basis.SIGNATURE,
            Agreement.SAME,
        ),
        (b"x", "nonsense", None, "text/plain", Basis.NONE, Agreement.UNDECLARED),
        (b"Dear all,\n<b>x</b>", "text/html", None, "text/html", Basis.DECLARED, Agreement.SAME),
    ],
)
def test_bytes_declaration_and_name_are_weighed(
    head: bytes, declared: str, name: str | None, mime: str, basis: Basis, agreement: Agreement
) -> None:
    found = identify(head, declared=declared, name=name)
    assert (found.mime, found.basis, found.agreement) == (mime, basis, agreement)


@pytest.mark.skipif(not AVAILABLE, reason="pygfried is not installed: no PRONOM identifiers")
def test_pronom_names_the_format() -> None:
    assert identify(PNG + b"\0\0\0\0IEND\xaeB`\x82").puid in ("fmt/11", "fmt/12", "fmt/13")
    record = b"WARC/1.1\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    assert identify(record).puid == "fmt/1281"
    assert identify(b"a { b: c; }", name="x.css").puid == "x-fmt/224"
    assert pronom_match(b"") is None


def test_without_pronom_the_type_is_the_same() -> None:
    assert identify(PNG, pronom=False).mime == "image/png"


def test_a_browser_does_not_guess_when_forbidden() -> None:
    assert str(sniff(b"<html>", "text/plain")) == "text/plain"
    assert str(sniff(b"<html>")) == "text/html"
    assert str(sniff(b"<html>", no_sniff=True)) == "text/plain"
    assert str(sniff(PNG, "image/gif", no_sniff=True)) == "image/gif"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Text/HTML;Charset=UTF-8", "text/html;charset=UTF-8"),
        ('text/html; a="x;y"; b="\\"" ; a=z', 'text/html;a="x;y";b="\\""'),
        ("text/html;;=x;b", "text/html"),
        ("text/", None),
        ("/html", None),
        ("text html", None),
    ],
)
def test_a_content_type_is_parsed_as_the_standard_asks(written: str, read: str | None) -> None:
    found = parse_mime_type(written)
    assert (None if found is None else str(found)) == read


@given(st.text(alphabet='abc/;="\\ ,\t', max_size=40))
def test_a_type_that_was_written_is_read_again(text: str) -> None:
    found = parse_mime_type(text)
    assert found is None or parse_mime_type(str(found)) == found


@given(st.binary(max_size=300), st.none() | st.text(max_size=30), st.none() | st.text(max_size=30))
def test_any_bytes_are_something(head: bytes, declared: str | None, name: str | None) -> None:
    found = identify(head, declared=declared, name=name, pronom=False)
    assert parse_mime_type(found.mime) is not None
    assert isinstance(sniff(head, declared), MimeType)
