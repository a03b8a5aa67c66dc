"""What a page says of itself is read from hostile hands, in bounded time."""

import time

import pytest

from armarium.formats.http import Response, parse_response
from armarium.workflow.looking_page import LONGEST_TITLE, READ, cleaned, language_of, read_page

URL = "https://site.example/folder/page"


def head(*fields: str) -> Response:
    lines = ["HTTP/1.1 200 OK", "Content-Type: text/html", *fields]
    return parse_response(("\r\n".join(lines) + "\r\n\r\n").encode())


def test_title_and_language_are_read() -> None:
    facts = read_page(URL, head(), "text/html", b'<html lang="pt-br"><title>\n Uma &amp; duas\t</title>')
    assert (facts.title, facts.language, facts.refresh) == ("Uma & duas", "pt-BR", "")


def test_the_first_title_counts_and_not_that_of_a_drawing() -> None:
    facts = read_page(URL, head(), "text/html", b"<title>Page</title><svg><title>Drawing</title></svg>")
    assert facts.title == "Page"


def test_the_server_tells_the_language_where_the_page_does_not() -> None:
    assert read_page(URL, head("Content-Language: de, en"), "text/html", b"<p>").language == "de"
    assert read_page(URL, head("Content-Language: de"), "text/html", b"<html lang=fr>").language == "fr"


@pytest.mark.parametrize("text", ["", "x", "français", "toolongalanguage", "<b>", "en--", "a" * 1000])
def test_what_is_no_language_is_none(text: str) -> None:
    assert language_of(text) == ""


def test_titles_lose_what_moves_or_hides_other_characters() -> None:
    assert cleaned("a\x00b\u202ec\u200bd\x1b[31m\u2028e\u00a0f") == "abcd[31m e f"
    assert len(cleaned("word " * 10_000)) <= LONGEST_TITLE


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/home", "https://site.example/home"),
        ("0;URL='other'", "https://site.example/folder/other"),
        ("5", ""),  # reloads itself
        ("0; url=/folder/page#part", ""),
        ("300; url=/home", ""),  # to be read first
        ("0; url=javascript:alert(1)", ""),
        ("0; url=file:///etc/passwd", ""),
        ("0; url=https://[broken", ""),
    ],
)
def test_a_refresh_leads_on_only_at_once_and_to_the_web(content: str, target: str) -> None:
    page = f'<meta http-equiv="Refresh" content="{content}">'.encode()
    assert read_page(URL, head(), "text/html", page).refresh == target
    assert read_page(URL, head(f"Refresh: {content}"), "text/plain", b"").refresh == target


def test_what_is_only_for_browsers_without_scripts_does_not_lead_on() -> None:
    page = b"<noscript><meta http-equiv=refresh content='0;url=/noscript'></noscript>"
    assert read_page(URL, head(), "text/html", page).refresh == ""


@pytest.mark.parametrize(
    "piece",
    [b"<title>", b"<a ", b"<!--", b"<meta content=", b"&amp", b"<html lang=", b"<" * 100, b"\xff\xfe"],
)
def test_a_hostile_page_takes_time_in_proportion_to_its_length(piece: bytes) -> None:
    page = piece * (4 * READ // len(piece))
    began = time.process_time()
    facts = read_page(URL, head(), "text/html", page)
    assert len(facts.title) <= LONGEST_TITLE
    assert time.process_time() - began < 20  # it takes a fraction of a second; squared it would take hours
