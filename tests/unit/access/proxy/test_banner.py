import pytest

from armarium.access.proxy.archived import LOOKED_AT, page_insert, place_in, with_banner


def _page(page: bytes) -> bytes:
    return b"".join(with_banner(iter([page]), b"[B]"))


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        (b"<!doctype html><html><head><title>x", b"<!doctype html><html><head>[B]<title>x"),
        (b"<HTML lang=de><HEAD profile='x'>", b"<HTML lang=de><HEAD profile='x'>[B]"),
        (b"<html><body>x", b"<html>[B]<body>x"),
        (b"<!-- a --><!DOCTYPE html><p>x", b"<!-- a --><!DOCTYPE html>[B]<p>x"),
        (b"<header>x</header>", b"[B]<header>x</header>"),
        (b"\xef\xbb\xbf<p>x", b"\xef\xbb\xbf[B]<p>x"),
        (b"", b"[B]"),
    ],
)
def test_the_insert_comes_as_early_as_the_page_allows(page: bytes, shown: bytes) -> None:
    assert _page(page) == shown


def test_pages_in_utf_16_are_left_alone() -> None:
    page = "<html><head>".encode("utf-16")
    assert _page(page) == page
    assert place_in("<html>".encode("utf-16-le")) is None


def test_a_long_page_streams_by_and_keeps_every_byte() -> None:
    pieces = [b"<html><head>", b"x" * LOOKED_AT, b"y" * LOOKED_AT, b"</html>"]
    stream = iter(pieces)
    shown = with_banner(stream, b"[B]")
    assert next(shown).startswith(b"<html><head>[B]x")
    assert next(stream) == pieces[2]  # not read yet
    assert b"".join(shown) == b"</html>"


def test_the_insert_is_ascii_and_cannot_be_left_by_what_it_says() -> None:
    made = page_insert("</script><!-- Ü", home="http://armarium.invalid/", label="x", close="y")
    assert made.isascii()
    assert made.count(b"</script>") == 1
    assert b"<!--" not in made
