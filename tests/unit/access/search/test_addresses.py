"""Addresses below a beginning; and what is offered when there is nothing."""

from pathlib import Path

import pytest

from armarium.access.model import OPEN, Decision
from armarium.access.search import addresses
from armarium.access.search.question import Question
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Match
from tests.unit.access.search.shelves import HIDDEN, RESTRICTED, line, view_of

SITE = [
    line("http://www.example.org/", "20100101120000"),
    line("http://www.example.org/", "20120101120000"),
    line("http://www.example.org/news/1", "20110101120000"),
    line("http://www.example.org/news/2.png", "20110101120000", mime="image/png"),
    line("http://shop.example.org/", "20110101120000"),
    line("http://example.com/", "20110101120000"),
]
DOMAIN = Question("http://example.org/", Match.DOMAIN)


def urls(found: addresses.Addresses) -> list[str]:
    return [entry.url for entry in found.entries]


def test_a_domain_has_the_addresses_of_all_its_hosts(tmp_path: Path) -> None:
    found = addresses.find(view_of(tmp_path, SITE), DOMAIN)
    assert urls(found) == [
        "http://www.example.org/",
        "http://www.example.org/news/1",
        "http://www.example.org/news/2.png",
        "http://shop.example.org/",
    ]
    first = found.entries[0]
    assert (first.count, first.first, first.last) == (2, "20100101120000", "20120101120000")
    assert found.resume is None


def test_addresses_are_narrowed_by_words_types_and_time(tmp_path: Path) -> None:
    view = view_of(tmp_path, SITE)
    assert urls(addresses.find(view, DOMAIN.with_(words="NEWS", kind="image"))) == [
        "http://www.example.org/news/2.png"
    ]
    assert urls(addresses.find(view, DOMAIN.with_(from_="2012"))) == ["http://www.example.org/"]
    prefix = Question("http://www.example.org/news/", Match.PREFIX)
    assert len(urls(addresses.find(view, prefix))) == 2


def test_addresses_are_sorted_by_captures(tmp_path: Path) -> None:
    found = addresses.find(view_of(tmp_path, SITE), DOMAIN.with_(sort="count"))
    assert urls(found)[0] == "http://www.example.org/"


def test_pages_of_addresses_follow_each_other(tmp_path: Path) -> None:
    lines = [line(f"http://example.org/{n:03}", f"201{m}0101120000") for n in range(120) for m in range(3)]
    view, question, found = view_of(tmp_path, lines), DOMAIN, []
    while True:
        page = addresses.find(view, question)
        found += urls(page)
        if page.resume is None:
            break
        question = question.with_(resume=page.resume)
    assert found == [f"http://example.org/{n:03}" for n in range(120)]


def test_an_address_with_very_many_captures_is_passed_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "MOST_COUNTED", 20)
    monkeypatch.setattr(addresses, "LINES", 8)
    busy = [line("http://example.org/busy", f"20100101{n // 60:02}{n % 60:02}00") for n in range(200)]
    found = addresses.find(
        view_of(tmp_path, [*busy, line("http://example.org/calm", "2011010112000")]), DOMAIN
    )
    assert [(entry.count, entry.more) for entry in found.entries] == [(20, True), (1, False)]
    assert found.entries[0].last == "20100101031900"


def test_a_search_that_finds_little_in_very_much_can_be_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "MOST_PAGES", 3)
    monkeypatch.setattr(addresses, "LINES", 10)
    lines = [line(f"http://example.org/{n:03}", "20110101120000") for n in range(100)]
    view, question = view_of(tmp_path, lines), DOMAIN.with_(words="/099")
    found, rounds = addresses.find(view, question), 1
    while not found.entries:
        assert found.resume is not None
        found, rounds = addresses.find(view, question.with_(resume=found.resume)), rounds + 1
    assert urls(found) == ["http://example.org/099"]
    assert rounds > 2


def test_hidden_addresses_are_not_there_and_restricted_ones_say_so(tmp_path: Path) -> None:
    def decide(line: CdxLine) -> Decision:
        return HIDDEN if "news" in line.key else RESTRICTED if "shop" in line.key else OPEN

    found = addresses.find(view_of(tmp_path, SITE, decide), DOMAIN)
    assert [(entry.url, entry.allowed) for entry in found.entries] == [
        ("http://www.example.org/", True),
        ("http://shop.example.org/", False),
    ]
    assert found.entries[1].kinds == set()


def test_a_page_that_is_missing_leads_to_others_of_its_site(tmp_path: Path) -> None:
    view = view_of(tmp_path, SITE)
    near = addresses.look_around(view, "http://www.example.org/news/3")
    assert [entry.url for entry in near.pages] == [
        "http://www.example.org/news/1",
        "http://www.example.org/news/2.png",
    ]
    above = addresses.look_around(view, "http://www.example.org/gone/deep/page?x=1")
    assert above.pages[0].url == "http://www.example.org/"


@pytest.mark.parametrize(
    "typed", ["exmaple.org", "examplee.org", "exampel.org", "examplf.org", "example.orgg"]
)
def test_a_misspelt_name_leads_to_the_one_that_was_meant(tmp_path: Path, typed: str) -> None:
    lines = [line("http://example.org/", "20110101120000")]
    assert addresses.look_around(view_of(tmp_path, lines), f"http://{typed}/x").hosts == ["example.org"]


def test_nothing_hidden_is_offered_instead(tmp_path: Path) -> None:
    near = addresses.look_around(view_of(tmp_path, SITE, lambda line: HIDDEN), "http://exmaple.org/")
    assert (near.pages, near.hosts) == ([], [])
    assert addresses.look_around(view_of(tmp_path, []), "x").hosts == []


def test_slips_are_counted() -> None:
    assert addresses.slips("example", "exmaple") == 1
    assert addresses.slips("example", "examples") == 1
    assert addresses.slips("example", "sample") == 2
    assert addresses.slips("example", "elsewhere") == 3
