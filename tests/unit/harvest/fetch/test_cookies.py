"""Cookies go back where they came from, and nowhere else."""

from pathlib import Path

import pytest

from armarium.harvest.fetch import cookies
from armarium.harvest.fetch.cookies import MOST_PER_DOMAIN, CookieJar
from armarium.harvest.fetch.request import target_of


def header(jar: CookieJar, url: str) -> str:
    return jar.header(target_of(url))


def jar_with(url: str, *lines: str) -> CookieJar:
    jar = CookieJar()
    jar.take(target_of(url), lines)
    return jar


@pytest.mark.parametrize(
    ("line", "to", "sent"),
    [
        ("a=1", "http://www.library.org/", "a=1"),
        ("a=1", "http://other.library.org/", ""),
        ("a=1; Domain=library.org", "http://other.library.org/", "a=1"),
        ("a=1; Domain=.library.org", "http://library.org/", "a=1"),
        ("a=1; Domain=library.org", "http://notlibrary.org/", ""),
        ("a=1; Domain=other.org", "http://other.org/", ""),
        ("a=1; Domain=org", "http://www.library.org/", ""),
        ("a=1; Path=/x", "http://www.library.org/x/y", "a=1"),
        ("a=1; Path=/x", "http://www.library.org/x?y", "a=1"),
        ("a=1; Path=/x", "http://www.library.org/xy", ""),
        ("a=1; Secure", "http://www.library.org/", ""),
        ("a=1; Secure", "https://www.library.org/", "a=1"),
        ("a=1; Max-Age=0", "http://www.library.org/", ""),
        ("a=1; Max-Age=--1", "http://www.library.org/", "a=1"),
        ("a=1; Max-Age=\u00b2", "http://www.library.org/", "a=1"),
        ("a=1; Max-Age=100; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://www.library.org/", "a=1"),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://www.library.org/", ""),
        (
            "a=1; Expires=Wed, 01-Jan-2098 00:00:00 GMT; HttpOnly; SameSite=Lax",
            "http://www.library.org/",
            "a=1",
        ),
        ("justvalue", "http://www.library.org/", "justvalue"),
        ("a=1\x07", "http://www.library.org/", ""),
        ("", "http://www.library.org/", ""),
        ("=", "http://www.library.org/", ""),
        ("a=" + "x" * 5000, "http://www.library.org/", ""),
    ],
)
def test_a_cookie_goes_where_it_may(line: str, to: str, sent: str) -> None:
    assert header(jar_with("http://www.library.org/", line), to) == sent


def test_a_cookie_of_a_folder_stays_in_the_folder() -> None:
    jar = jar_with("http://www.library.org/a/page", "x=1")

    assert header(jar, "http://www.library.org/a/other") == "x=1"
    assert header(jar, "http://www.library.org/b") == ""


def test_a_new_value_replaces_the_old_one_and_an_expired_one_removes_it() -> None:
    jar = jar_with("http://www.library.org/", "a=1", "a=2")
    assert header(jar, "http://www.library.org/") == "a=2"

    jar.take(target_of("http://www.library.org/"), ["a=; Max-Age=-1"])
    assert len(jar) == 0


def test_longer_paths_come_first() -> None:
    jar = jar_with("http://www.library.org/", "a=1; Path=/", "b=2; Path=/x")

    assert header(jar, "http://www.library.org/x") == "b=2; a=1"


def test_a_flood_of_cookies_is_kept_within_bounds() -> None:
    jar = jar_with("http://www.library.org/", *[f"c{number}={'x' * 1000}" for number in range(500)])

    assert len(jar) == MOST_PER_DOMAIN
    assert len(header(jar, "http://www.library.org/")) <= 8192


def test_cookies_of_very_many_domains_are_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cookies, "MOST_BYTES", 100_000)
    jar = CookieJar()
    for number in range(1000):
        jar.take(target_of(f"http://www.library{number}.org/"), ["a=" + "x" * 1000])

    assert 50 < len(jar) < 100
    assert header(jar, "http://www.library999.org/")
    assert not header(jar, "http://www.library0.org/")


def test_a_cookie_of_an_address_stays_with_it() -> None:
    jar = jar_with("http://127.0.0.1/", "a=1; Domain=127.0.0.1")

    assert header(jar, "http://127.0.0.1/") == "a=1"
    assert header(jar, "http://127.0.0.2/") == ""


def test_a_file_is_read_and_written(tmp_path: Path) -> None:
    jar = jar_with(
        "https://www.library.org/", "a=1", "b=2; Domain=library.org; Secure; Path=/x; Max-Age=1000"
    )
    jar.save(tmp_path / "cookies.txt")
    again = CookieJar()
    again.load(tmp_path / "cookies.txt")

    assert header(again, "https://www.library.org/x") == "b=2; a=1"
    assert header(again, "https://other.library.org/x") == "b=2"
    assert (tmp_path / "cookies.txt").read_text().startswith("# Netscape HTTP Cookie File\n")


def test_what_came_from_a_file_is_not_overwritten_by_a_server(tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    file.write_text("#HttpOnly_.library.org\tTRUE\t/\tFALSE\t0\tsession\tmine\n# a comment\nnonsense\n")
    jar = CookieJar()
    jar.load(file)

    jar.take(target_of("http://www.library.org/"), ["session=yours; Domain=library.org"])

    assert header(jar, "http://www.library.org/") == "session=mine"
