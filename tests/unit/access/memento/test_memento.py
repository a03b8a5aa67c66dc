"""Memento: the rules of RFC 7089, one by one."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from armarium.access.cdxserver.pywb import pywb_cdx
from armarium.access.memento import timemap as timemap_module
from armarium.access.memento.links import date_of, http_date, link_address, memento_headers
from armarium.access.memento.timegate import preferred, timegate
from armarium.access.memento.timemap import timemap
from armarium.access.model import Decision, Effect, Seen
from armarium.access.settings import AccessSettings
from armarium.access.view import Restricted
from armarium.core.errors import NotFound, Refused
from armarium.formats.cdx import CdxLine
from tests.unit.access.cdxserver.shelf import READER, Asking, Rules, line, site_of

HOME = "http://a.example/"
KEY = "example,a)/"
STAMPS = ("20010101000000", "20020101000000", "20030101000000", "20040101000000")
WEEKDAYS = (("Mon", 2001), ("Tue", 2002), ("Wed", 2003), ("Thu", 2004))
PAGES = [line(HOME, stamp) for stamp in STAMPS]
SETTINGS = AccessSettings(port=8090)
CONTENT = f"{SETTINGS.content}/all"
READING = f"{SETTINGS.reading}/all"


def gate(folder: Path, rules: Rules | None = None) -> Asking:
    return Asking(site_of(folder, PAGES, rules), timegate, path="http://a.example/")


def mapping(folder: Path, lines: list[bytes] = PAGES, rules: Rules | None = None) -> Asking:
    return Asking(site_of(folder, lines, rules), timemap, path="timemap/link/http://a.example/")


def links(header: str) -> dict[str, str]:
    """The addresses by what they are."""
    found = {}
    for entry in header.replace(",\n", ", ").split(", <"):
        address, _, rest = entry.strip("<, \n").partition(">")
        found[rest.partition('rel="')[2].partition('"')[0]] = address
    return found


# 2.1.1, 2.1.2: dates ------------------------------------------------------------------------------


def test_2_1_1_a_date_is_that_of_rfc_1123_in_gmt() -> None:
    assert date_of("Thu, 31 May 2007 20:35:00 GMT") == datetime(2007, 5, 31, 20, 35, tzinfo=UTC)
    for wrong in ("", "2007", "20070531203500", "Thu, 31 May 2007", "31 Feb 2007 20:35:00 GMT"):
        assert date_of(wrong) is None, wrong
    for wrong in (
        "Thu, 31 Feb 2007 20:35:00 GMT",
        "Thu, 31 May 2007 20:35:00 +0100",
        "Thu, 31 Mai 2007 20:35:00 GMT",
    ):
        assert date_of(wrong) is None, wrong


def test_a_date_is_written_as_it_is_read() -> None:
    date = datetime(1996, 1, 9, 3, 4, 5, tzinfo=UTC)
    assert date_of(http_date(date)) == date


# 4.2.1: TimeGate ----------------------------------------------------------------------------------


def test_4_2_1_a_timegate_leads_to_the_nearest_memento(tmp_path: Path) -> None:
    response = gate(tmp_path)(accept_datetime="Tue, 01 Oct 2002 00:00:00 GMT")
    assert response.status_code == 302
    assert response.headers["location"] == f"{CONTENT}/20030101000000mp_/http://a.example/"
    assert "accept-datetime" in response.headers["vary"]
    assert "memento-datetime" not in response.headers


def test_4_2_1_its_links_name_original_timemap_and_mementos(tmp_path: Path) -> None:
    found = links(gate(tmp_path)(accept_datetime="Tue, 01 Oct 2002 00:00:00 GMT").headers["link"])
    assert found == {
        "original": HOME,
        "timegate": f"{READING}/{HOME}",
        "timemap": f"{READING}/timemap/link/{HOME}",
        "first memento": f"{CONTENT}/20010101000000mp_/{HOME}",
        "prev memento": f"{CONTENT}/20020101000000mp_/{HOME}",
        "memento": f"{CONTENT}/20030101000000mp_/{HOME}",
        "next last memento": f"{CONTENT}/20040101000000mp_/{HOME}",
    }


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("Mon, 01 Jan 1990 00:00:00 GMT", "2001"),
        ("Mon, 01 Jan 2035 00:00:00 GMT", "2004"),
        ("Tue, 01 Jan 2002 00:00:00 GMT", "2002"),
    ],
)
def test_4_5_3_a_date_outside_leads_to_the_first_or_last(tmp_path: Path, wanted: str, found: str) -> None:
    assert f"/{found}0101000000mp_/" in gate(tmp_path)(accept_datetime=wanted).headers["location"]


def test_4_5_3_a_date_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    ask = gate(tmp_path)
    for wrong in ("", "yesterday", "20020101", "Tue, 01 Oct 2002 00:00:00 CET"):
        with pytest.raises(Refused):
            ask(accept_datetime=wrong)


def test_an_unknown_original_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        gate(tmp_path).at("http://nowhere.example/")()


def test_without_a_date_people_are_led_to_the_newest_in_its_frame(tmp_path: Path) -> None:
    assert gate(tmp_path)().headers["location"] == f"{READING}/20040101000000/http://a.example/"


@pytest.mark.parametrize(("name", "mod"), [("raw", "id_"), ("banner-only", "bn_"), ("rewritten", "mp_")])
def test_a_preference_is_applied_and_said(tmp_path: Path, name: str, mod: str) -> None:
    response = gate(tmp_path)(
        accept_datetime="Tue, 01 Oct 2002 00:00:00 GMT", prefer=f"respond-async, {name}"
    )
    assert f"0{mod}/" in response.headers["location"]
    assert response.headers["preference-applied"] == name
    assert "prefer" in response.headers["vary"]


def test_rfc_7240_an_unknown_preference_is_passed_over() -> None:
    assert preferred("return=minimal; x=1, wait=5") == preferred("") == ""


def test_a_timegate_passes_over_what_may_not_be_seen(tmp_path: Path) -> None:
    for number, rules in enumerate(
        (Rules(hidden=(KEY,), until="2004"), Rules(restricted=(KEY,), until="2004"))
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        response = gate(folder, rules)(accept_datetime="Tue, 01 Oct 2002 00:00:00 GMT")
        assert "/20040101000000mp_/" in response.headers["location"]
        assert "200301" not in response.headers["link"]
        assert "200101" not in response.headers["link"]


def test_where_all_is_restricted_it_is_said_and_where_all_is_hidden_nothing_is_there(tmp_path: Path) -> None:
    with pytest.raises(Restricted):
        gate(tmp_path, Rules(restricted=(KEY,)))()
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(NotFound):
        gate(other, Rules(hidden=(KEY,)))()


# 5: TimeMaps --------------------------------------------------------------------------------------


def test_5_a_timemap_names_original_timegate_itself_and_all_mementos(tmp_path: Path) -> None:
    response = mapping(tmp_path)()
    assert response.headers["content-type"] == "application/link-format"
    dates = [f"{day}, 01 Jan {year} 00:00:00 GMT" for day, year in WEEKDAYS]
    rels = ("first memento", "memento", "memento", "last memento")
    mementos = [
        f'<{CONTENT}/{stamp}mp_/{HOME}>; rel="{rel}"; datetime="{date}"'
        for stamp, rel, date in zip(STAMPS, rels, dates, strict=True)
    ]
    own = f'<{READING}/timemap/link/{HOME}>; rel="self"; type="application/link-format"'
    assert bytes(response.body).decode().rstrip("\n").split(",\n") == [
        f'<{HOME}>; rel="original"',
        f'<{READING}/{HOME}>; rel="timegate"',
        f'{own}; from="{dates[0]}"; until="{dates[-1]}"',
        *mementos,
    ]


def test_5_a_timemap_of_nothing_is_not_found(tmp_path: Path) -> None:
    ask = mapping(tmp_path)
    for form in ("link", "cdxj", "json"):
        with pytest.raises(NotFound):
            ask.at(f"timemap/{form}/http://nowhere.example/")()


def test_a_form_that_is_none_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        mapping(tmp_path).at("timemap/rdf/http://a.example/")()


def test_timemaps_for_programs_are_lines_of_the_index(tmp_path: Path) -> None:
    ask = mapping(tmp_path)
    assert ask.at("timemap/cdxj/http://a.example/").text().encode().splitlines() == PAGES
    assert len(ask.at("timemap/json/a.example").lines()) == 4


def test_5_long_timemaps_come_in_pages_that_name_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timemap_module, "MOST_IN_PAGE", 2)
    ask = mapping(tmp_path)
    first = ask.text()
    assert first.count('memento"') == 2
    assert 'rel="first memento"' in first
    assert 'rel="last' not in first
    assert f'<{READING}/timemap/link/2/{HOME}>; rel="timemap"' in first
    second = ask.at("timemap/link/2/http://a.example/").text()
    assert f'<{READING}/timemap/link/2/{HOME}>; rel="self"' in second
    assert f'<{READING}/timemap/link/1/{HOME}>; rel="timemap"' in second
    assert 'rel="last memento"' in second
    with pytest.raises(NotFound):
        ask.at("timemap/link/3/http://a.example/")()


def test_timemaps_end_at_what_may_be_seen(tmp_path: Path) -> None:
    for number, rules in enumerate(
        (Rules(hidden=(KEY,), until="2003"), Rules(restricted=(KEY,), until="2003"))
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        text = mapping(folder, rules=rules).text()
        assert '20030101000000mp_/http://a.example/>; rel="first memento"' in text
        assert "2001" not in text
        assert "2002" not in text


def test_a_timemap_of_restricted_captures_says_so(tmp_path: Path) -> None:
    with pytest.raises(Restricted, match="librarian"):
        mapping(tmp_path, rules=Rules(restricted=(KEY,)))()


def test_a_single_memento_is_the_first_and_the_last(tmp_path: Path) -> None:
    assert 'rel="first last memento"' in mapping(tmp_path, PAGES[:1]).text()


# 2.1.1, 2.2: headers of a memento -----------------------------------------------------------------


def headers(
    folder: Path, stamp: str, rules: Rules | None = None, with_neighbours: bool = True
) -> dict[str, str]:
    site = site_of(folder, PAGES, rules)
    seen = Seen(CdxLine(KEY, stamp, {"url": HOME}))
    return dict(
        memento_headers(site.view("all", READER), seen, site.settings, with_neighbours=with_neighbours)
    )


def test_2_1_1_a_memento_says_when_it_was_captured(tmp_path: Path) -> None:
    assert headers(tmp_path, STAMPS[1])["Memento-Datetime"] == "Tue, 01 Jan 2002 00:00:00 GMT"


def test_2_2_a_memento_links_to_original_timegate_timemap_and_neighbours(tmp_path: Path) -> None:
    found = links(headers(tmp_path, STAMPS[1])["Link"])
    assert found["original"] == HOME
    assert found["timegate"] == f"{READING}/{HOME}"
    assert found["timemap"] == f"{READING}/timemap/link/{HOME}"
    assert found["first prev memento"] == f"{CONTENT}/20010101000000mp_/{HOME}"
    assert found["memento"] == f"{CONTENT}/20020101000000mp_/{HOME}"
    assert found["next memento"] == f"{CONTENT}/20030101000000mp_/{HOME}"
    assert found["last memento"] == f"{CONTENT}/20040101000000mp_/{HOME}"


def test_a_part_of_a_page_does_without_neighbours(tmp_path: Path) -> None:
    assert set(links(headers(tmp_path, STAMPS[1], with_neighbours=False)["Link"])) == {
        *("original", "timegate", "timemap", "memento")
    }


def test_neighbours_that_may_not_be_seen_are_not_named(tmp_path: Path) -> None:
    found = headers(tmp_path, STAMPS[3], Rules(restricted=(KEY,), until="2004"))["Link"]
    assert "first last memento" in found
    assert "2001" not in found


def test_what_is_not_shown_has_no_headers_of_a_memento(tmp_path: Path) -> None:
    site = site_of(tmp_path, PAGES)
    seen = Seen(CdxLine(KEY, STAMPS[0], {"url": HOME}), Decision(Effect.RESTRICTED))
    assert memento_headers(site.view("all", READER), seen, site.settings) == []


def test_addresses_cannot_break_out_of_a_header() -> None:
    assert link_address('http://a/"><b>\r\nX: 1, \xe9\udce9') == (
        "http://a/%22%3E%3Cb%3E%0D%0AX:%201,%20%C3%A9%E9"
    )


def test_what_a_crawler_noted_about_a_page_is_no_memento_of_it(tmp_path: Path) -> None:
    notes = [line(HOME, stamp, mime="text/anvl", status="-") for stamp in ("20050101000000", STAMPS[1])]
    site = site_of(tmp_path, [*PAGES, *notes])
    told = Asking(site, timemap, path="timemap/link/http://a.example/").text()
    assert told.count('memento"') == len(PAGES)
    assert Asking(site, timemap, path="timemap/cdxj/http://a.example/").text().count("\n") == len(PAGES)
    newest = Asking(site, timegate, path="http://a.example/")()
    assert newest.headers["location"] == f"{READING}/20040101000000/{HOME}"
    assert len(Asking(site, pywb_cdx).lines(f"url={HOME}")) == len(PAGES) + len(notes)
