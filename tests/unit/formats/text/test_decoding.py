"""Bytes to text, by mark, header, declaration or guess."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.text import (
    ENCODINGS,
    Basis,
    Kind,
    Text,
    charset_of_content_type,
    declared_in_html,
    decode,
    decode_as,
    encoding_of,
    whatwg_encoding,
)

FRENCH = (
    "La bibliothèque nationale conserve les pages du réseau, où chaque lecteur peut les consulter à l'été."
)
RUSSIAN = "Национальная библиотека собирает страницы сети и хранит их для будущих читателей."


def test_a_byte_order_mark_is_above_everything_and_no_part_of_the_text() -> None:
    data = "\ufeffé".encode()
    assert decode(data, declared_charset="latin1") == Text("é", "utf-8", Basis.BOM)
    assert decode("\ufeffé".encode("utf-16-le")) == Text("é", "utf-16le", Basis.BOM)


def test_the_header_is_above_the_declaration() -> None:
    data = '<meta charset="utf-8">é'.encode("windows-1252")
    assert decode(data, declared_charset="ISO-8859-1")[1:] == ("windows-1252", Basis.HTTP, 0)


def test_a_label_that_means_nothing_is_passed_over() -> None:
    assert decode(b'<meta charset="koi8-r">', declared_charset="none")[1:3] == ("koi8-r", Basis.DECLARED)


def test_undeclared_utf_8_is_recognised_by_its_validity() -> None:
    assert decode(FRENCH.encode()) == Text(FRENCH, "utf-8", Basis.VALID)
    assert (
        decode(FRENCH.encode()[:-1] + "é".encode()[:1]).encoding == "utf-8"
    )  # cut inside its last character


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "windows-1252"),
        (RUSSIAN, "windows-1251"),
        (RUSSIAN, "koi8-r"),
        ("国立国会図書館は資料を収集します。", "euc-jp"),
    ],
)
def test_undeclared_bytes_are_weighed(text: str, encoding: str) -> None:
    found = decode(text.encode(encoding))
    assert found.text == text
    assert found.basis is Basis.DETECTED


def test_invalid_places_are_replaced_and_counted_and_genuine_ones_are_not() -> None:
    assert decode_as(b"a\xffb\xef\xbf\xbd", "utf-8") == Text("a\ufffdb\ufffd", "utf-8", Basis.HTTP, 1)
    assert decode_as(b"a\xff", "gb18030").replacements == 1


def test_old_names_mean_their_supersets() -> None:
    assert decode(b"\x80", declared_charset="latin1").text == "€"
    assert decode("镕".encode("gbk"), declared_charset="gb2312").text == "镕"
    assert decode_as(b"\x81", "windows-1252").text == "\x81"


@pytest.mark.parametrize(
    ("data", "kind", "encoding"),
    [
        (b'<?xml version="1.0" encoding="koi8-r"?><a/>', Kind.XML, "koi8-r"),
        (b"<\0?\0x\0", Kind.XML, "utf-16le"),
        (b"\0\0\0<\0\0\0a", Kind.XML, "utf-32be"),
        (b'@charset "koi8-r";a{}', Kind.CSS, "koi8-r"),
        (b'@charset "utf-16";a{}', Kind.CSS, "utf-8"),
        (b"<meta charset=koi8-r>", Kind.PLAIN, "windows-1252"),
    ],
)
def test_each_kind_of_text_has_its_own_declaration(data: bytes, kind: Kind, encoding: str) -> None:
    assert decode(data, kind=kind).encoding == encoding


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        ("<meta charset=koi8-r>", "koi8-r"),
        ("<!--<meta charset=koi8-r>--><meta charset=big5>", "big5"),
        ('<meta http-equiv=content-type content="text/html; charset=koi8-r">', "koi8-r"),
        ('<meta content="text/html; charset=koi8-r">', None),
        ("<meta charset=utf-16>", "utf-8"),
        ("<meta charset=x-user-defined>", "windows-1252"),
        ('<a title="<meta charset=koi8-r>">', None),
        ("<!--><meta charset=koi8-r>", "koi8-r"),
        (
            "<!--" + "x" * 2000 + "--><meta charset=koi8-r>",
            "koi8-r",
        ),  # beyond the prescan: a browser starts again
        ("x" * 2000 + "<script>'<meta charset=koi8-r>'</script>", None),
        ('<?xml version="1.0" encoding="koi8-r"?><html>', "koi8-r"),
        ('<meta charset="koi8-r', None),
    ],
)
def test_a_page_declares_its_encoding_as_browsers_read_it(page: str, encoding: str | None) -> None:
    assert declared_in_html(page.encode()) == encoding


def test_the_charset_of_a_header_is_found_between_other_things() -> None:
    assert (
        charset_of_content_type('text/html; x="charset=big5"; Charset = "KOI8-R"; charset=utf-8') == "koi8-r"
    )
    assert charset_of_content_type("text/html") is None
    assert charset_of_content_type("text/html; charset=nothing") is None


def test_labels_are_those_of_the_standard_and_a_little_more() -> None:
    assert whatwg_encoding(" LATIN1\n") == "windows-1252"
    assert whatwg_encoding("latin-1") is None
    assert encoding_of("Latin-1") == "windows-1252"
    assert len(ENCODINGS) == 40


@given(st.binary(max_size=500), st.sampled_from([None, *sorted(ENCODINGS)]), st.sampled_from(list(Kind)))
def test_any_bytes_are_a_text(data: bytes, charset: str | None, kind: Kind) -> None:
    found = decode(data, declared_charset=charset, kind=kind)
    assert 0 <= found.replacements <= found.text.count("\ufffd")


@given(st.text(max_size=200))
def test_utf_8_comes_back_as_it_was(text: str) -> None:
    data = text.encode("utf-8", "replace")
    assert decode(data, declared_charset="utf-8", kind=Kind.PLAIN).text == data.decode().removeprefix(
        "\ufeff"
    )


@given(st.text(max_size=100))
def test_any_header_may_be_asked_for_its_charset(value: str) -> None:
    assert charset_of_content_type(value) in (*ENCODINGS, None)
