import pytest

from armarium.web.middleware import host_name, is_clean


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8000", "localhost"),
        ("archive.example:", "archive.example"),
        ("[::1]", "::1"),
        ("[::1]:8000", "::1"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("", None),
        (":80", None),
        ("localhost:80@evil.example", None),
        ("localhost:evil", None),
        ("localhost:80:80", None),
        ("a b", None),
        ("[::1", None),
        ("localhost/x", None),
        ("localhost\\x", None),
    ],
)
def test_the_name_in_a_host_header(header: str, name: str | None) -> None:
    assert host_name(header) == name


@pytest.mark.parametrize("raw", [b"%ff", b"\xff", b"%00", b"\x00", b"%ed%a0%80", b"%c0%80", b"a%e2%82"])
def test_bytes_that_are_no_text(raw: bytes) -> None:
    assert not is_clean(raw)


@pytest.mark.parametrize("raw", [b"", b"/a", b"%c3%a9", b"\xc3\xa9", b"%", b"%zz", b"%2500"])
def test_bytes_that_are_text(raw: bytes) -> None:
    assert is_clean(raw)
