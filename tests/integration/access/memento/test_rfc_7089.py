"""The archive as a client of Memento meets it: the checks that a validator makes, over HTTP.

Numbers are those of sections of RFC 7089.
"""

import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

import httpx
import pytest

from tests.integration.access.cdxserver.serving import HOME, SECURE, Served, served
from tests.site import trusted

_ENTRY = re.compile(r'<([^>]+)>((?:\s*;\s*[a-z]+="[^"]*")*)\s*(?:,|\Z)')
_ATTRIBUTE = re.compile(r'([a-z]+)="([^"]*)"')
WANTED = {"Accept-Datetime": "Tue, 01 Oct 2002 00:00:00 GMT"}

Links = list[tuple[str, dict[str, str]]]


def links_of(text: str) -> Links:
    """RFC 6690 and RFC 8288; everything has to be understood."""
    found = [(entry[1], dict(_ATTRIBUTE.findall(entry[2]))) for entry in _ENTRY.finditer(text)]
    assert _ENTRY.sub("", text).strip() == "", text
    return found


def related(links: Links, rel: str) -> list[str]:
    return [address for address, attributes in links if rel in attributes["rel"].split()]


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("news")) as running:
        yield running


@pytest.fixture
def gate(news: Served) -> str:
    return f"{news.reading}/all/{HOME}"


@pytest.fixture
def answer(gate: str) -> httpx.Response:
    return httpx.get(gate, headers=WANTED, verify=trusted())


@pytest.fixture
def memento(answer: httpx.Response) -> httpx.Response:
    return httpx.get(answer.headers["location"], verify=trusted())


def test_4_2_1_the_timegate_redirects_with_302_and_says_what_it_depends_on(answer: httpx.Response) -> None:
    assert answer.status_code == 302
    assert "accept-datetime" in answer.headers["vary"].lower()


def test_4_2_1_the_timegate_is_no_memento(answer: httpx.Response) -> None:
    assert "memento-datetime" not in answer.headers
    assert related(links_of(answer.headers["link"]), "original") == [HOME]


def test_2_1_1_the_memento_says_its_date(memento: httpx.Response) -> None:
    assert memento.status_code == 200
    date = memento.headers["memento-datetime"]
    assert date.endswith(" GMT")
    assert parsedate_to_datetime(date).year == 2003
    assert "the second" in memento.text


def test_2_1_1_the_date_is_that_of_the_address(memento: httpx.Response) -> None:
    assert f"{parsedate_to_datetime(memento.headers['memento-datetime']):%Y%m%d%H%M%S}" in str(memento.url)


def test_2_2_1_the_memento_links_to_its_original_once(memento: httpx.Response) -> None:
    assert related(links_of(memento.headers["link"]), "original") == [HOME]


def test_2_2_2_the_memento_links_to_a_timegate_that_answers(memento: httpx.Response, gate: str) -> None:
    assert related(links_of(memento.headers["link"]), "timegate") == [gate]


def test_2_2_3_the_memento_links_to_a_timemap_that_answers(memento: httpx.Response) -> None:
    found = [one for one in links_of(memento.headers["link"]) if one[1]["rel"] == "timemap"]
    assert [attributes["type"] for _, attributes in found] == ["application/link-format"]
    assert httpx.get(found[0][0], verify=trusted()).status_code == 200


def test_2_2_4_mementos_have_dates_and_can_be_got(memento: httpx.Response) -> None:
    links = links_of(memento.headers["link"])
    for rel in ("first", "prev", "next", "last"):
        (address,) = related(links, rel)
        assert httpx.get(address, verify=trusted()).headers["memento-datetime"]
    for address, attributes in links:
        if "memento" in attributes["rel"].split():
            assert httpx.get(address, verify=trusted()).headers["memento-datetime"] == attributes["datetime"]


def test_2_2_4_walking_to_next_ends_at_the_last(answer: httpx.Response) -> None:
    address = related(links_of(answer.headers["link"]), "first")[0]
    seen = [address]
    while following := related(links_of(httpx.get(address, verify=trusted()).headers["link"]), "next"):
        address = following[0]
        seen.append(address)
    assert len(seen) == 4
    assert related(links_of(httpx.get(address, verify=trusted()).headers["link"]), "last") == [address]


@pytest.mark.parametrize("wrong", ["", "soon", "2002-10-01", "Tue, 41 Oct 2002 00:00:00 GMT"])
def test_4_5_3_a_date_that_cannot_be_read_is_400(gate: str, wrong: str) -> None:
    response = httpx.get(gate, headers={"Accept-Datetime": wrong}, verify=trusted())
    assert response.status_code == 400
    assert "memento-datetime" not in response.headers


def test_an_original_without_mementos_is_404_without_headers_of_memento(news: Served) -> None:
    response = httpx.get(f"{news.reading}/all/http://nowhere.example/", headers=WANTED, verify=trusted())
    assert response.status_code == 404
    assert not {"memento-datetime", "link"} & set(response.headers)


def test_head_is_answered_as_get(gate: str) -> None:
    assert (
        httpx.head(gate, headers=WANTED).headers["location"]
        == httpx.get(gate, headers=WANTED, verify=trusted()).headers["location"]
    )


def test_4_5_5_an_archived_error_is_a_memento(news: Served) -> None:
    response = httpx.get(
        f"{news.reading}/all/{HOME}gone", headers=WANTED, follow_redirects=True, verify=trusted()
    )
    assert response.status_code == 404
    assert response.headers["memento-datetime"] == "Thu, 01 Jan 2004 00:00:00 GMT"


def test_5_the_timemap_can_be_read_and_is_complete(news: Served, gate: str) -> None:
    address = f"{news.reading}/all/timemap/link/{HOME}"
    response = httpx.get(address, verify=trusted())
    assert response.headers["content-type"] == "application/link-format"
    links = links_of(response.text)
    assert related(links, "original") == [HOME]
    assert related(links, "timegate") == [gate]
    assert related(links, "self") == [address]
    dates = [parsedate_to_datetime(one["datetime"]) for _, one in links if "memento" in one["rel"].split()]
    assert dates == sorted(dates)
    assert len(dates) == 4
    (own,) = (one for _, one in links if one["rel"] == "self")
    assert (parsedate_to_datetime(own["from"]), parsedate_to_datetime(own["until"])) == (dates[0], dates[-1])


@pytest.mark.parametrize(("name", "shown"), [("raw", b"<p>the second</p>"), ("rewritten", b"the second")])
def test_a_preference_leads_to_what_is_preferred(gate: str, name: str, shown: bytes) -> None:
    response = httpx.get(gate, headers={**WANTED, "Prefer": name}, follow_redirects=True, verify=trusted())
    assert shown in response.content
    assert (response.content == shown) == (name == "raw")
    assert response.history[0].headers["preference-applied"] == name


@pytest.mark.parametrize(("name", "shown"), [("raw", b"<p>the second</p>"), ("rewritten", b"the second")])
def test_a_memento_obeys_a_preference_too(news: Served, name: str, shown: bytes) -> None:
    response = httpx.get(
        f"{news.content}/all/20020101000000mp_/{HOME}", headers={"Prefer": name}, verify=trusted()
    )
    assert response.status_code == 200
    assert (response.content == shown) == (name == "raw")
    assert (response.headers["preference-applied"], response.headers["vary"]) == (name, "Prefer")


def test_a_memento_with_tls_names_the_original_of_its_timemap(news: Served) -> None:
    """5: whatever a TimeMap lists is a memento of the one original that it names."""
    timemap = links_of(httpx.get(f"{news.reading}/all/timemap/link/{SECURE}", verify=trusted()).text)
    (original,) = related(timemap, "original")
    assert original == SECURE
    (memento,) = related(timemap, "memento")
    assert related(links_of(httpx.get(memento, verify=trusted()).headers["link"]), "original") == [original]


def test_spaces_and_letters_of_all_languages_go_through_every_link(news: Served) -> None:
    address = f"{news.reading}/all/{HOME}a%20b?q=%C3%A9"
    first = httpx.get(address, headers=WANTED, verify=trusted())
    assert first.status_code == 302
    for found, _ in links_of(first.headers["link"]):
        if not found.startswith(HOME):
            assert httpx.get(found, headers=WANTED, verify=trusted()).status_code in (200, 302), found


def test_people_come_to_the_frame_of_the_newest(gate: str, news: Served) -> None:
    assert (
        httpx.get(gate, verify=trusted()).headers["location"] == f"{news.reading}/all/20040101000000/{HOME}"
    )
