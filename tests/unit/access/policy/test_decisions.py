"""The decision, and people who try to get around it."""

from datetime import UTC, date, datetime

import pytest

from armarium.access.model import Collection, Effect, Reader
from armarium.access.policy.decisions import RuleBook
from armarium.access.policy.matching import Membership, end_of
from armarium.access.policy.model import Audience, Period
from armarium.accounts.model import Role
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.requests import request_body
from armarium.formats.url import surt
from tests.unit.access.policy.writing import ALL, ANYBODY, NOW, SCHOLAR, capture, decided, rule

# Addresses ------------------------------------------------------------------------------------------

SPELT = [
    "http://example.org/secret/page",
    "https://example.org/secret/page",
    "https://WWW.Example.ORG/secret/page",
    "https://www2.example.org/Secret/PAGE",
    "https://example.org./secret/page",
    "https://example.org:8443/secret/page",
    "https://ada:word@example.org/secret/page",
    "https://example.org/secret/page/",
    "https://example.org//secret///page",
    "https://example.org/open/../secret/page",
    "https://example.org/%73ecret/pag%65",
    "https://example.org/%2573ecret/page",
    "https://example.org/secret/page#fragment",
    "https://example.org/secret/page?",
    "https://example.org/secret/page?PHPSESSID=0123456789abcdef0123456789abcdef",
    "urn:text:https://example.org/secret/page",
    "screenshot:https://example.org/secret/page",
    "urn:pageinfo:https://www.example.org/secret/page",
]


@pytest.mark.parametrize("pattern", ["https://example.org/secret/page", "example.org/secret/", "example.org"])
@pytest.mark.parametrize("url", SPELT)
def test_a_rule_holds_however_the_address_is_spelt(pattern: str, url: str) -> None:
    assert decided([rule(1, "hide", pattern)], url).effect is Effect.HIDDEN


def test_a_folder_is_covered_itself_and_with_a_query() -> None:
    rules = [rule(1, "restrict", "example.org/secret/")]
    for url in ("/secret/", "/secret", "/secret/?page=2", "/secret?page=2", "/secret/deep/er"):
        assert not decided(rules, f"https://example.org{url}").allowed, url
    for url in ("/", "/secretary", "/secrets/", "/public/secret/"):
        assert decided(rules, f"https://example.org{url}").allowed, url


def test_what_was_sent_to_an_address_is_covered_by_its_rule() -> None:
    url = "https://example.org/search?lang=fr"
    sent = request_body("POST", "application/x-www-form-urlencoded", b"a=1&q=word").appended_to(url)
    with_own_address = CdxLine(surt(sent), "20200131120000", {"url": url, "method": "POST"})
    with_body_in_address = CdxLine(surt(sent), "20200131120000", {"url": sent})
    without_address = CdxLine(
        surt("https://example.org/search?__wb_method=POST&q=word"), "20200131120000", {}
    )
    for pattern in (url, "https://example.org/search?lang*", "example.org/search*"):
        book = RuleBook([rule(1, "restrict", pattern)], "everyone")
        for line in (with_own_address, with_body_in_address):
            assert not book.decide(ANYBODY, ALL, line, NOW).allowed, pattern
    book = RuleBook([rule(1, "restrict", "https://example.org/search")], "everyone")
    assert not book.decide(ANYBODY, ALL, without_address, NOW).allowed


def test_a_key_that_others_made_is_not_trusted_alone() -> None:
    line = CdxLine("example.org/secret", "20200131120000", {"url": "http://example.org/secret"})
    assert not RuleBook([rule(1, "hide", "example.org")], "everyone").decide(ANYBODY, ALL, line, NOW).allowed


def test_a_rule_that_names_a_port_covers_only_that_port() -> None:
    rules = [rule(1, "hide", "example.org:8080")]
    assert not decided(rules, "http://example.org:8080/x").allowed
    assert decided(rules, "http://example.org/x").allowed
    assert decided(rules, "http://example.org:8081/x").allowed


def test_a_numeric_address_is_covered_with_any_port() -> None:
    rules = [rule(1, "hide", "[2001:db8::1]"), rule(2, "hide", "192.0.2.1")]
    for url in (
        "http://[2001:db8::1]/x",
        "http://[2001:db8::1]:8080/x",
        "http://192.0.2.1:81/",
        "http://3221225985/",
    ):
        assert not decided(rules, url).allowed, url
    assert decided(rules, "http://[2001:db8::2]/x").allowed


def test_a_domain_covers_its_hosts_and_not_its_neighbours() -> None:
    rules = [rule(1, "hide", "*.example.org")]
    for url in ("example.org/", "a.example.org/", "a.b.example.org:99/x", "dns:a.example.org"):
        assert not decided(rules, url if ":" in url[:4] else f"http://{url}").allowed, url
    for url in ("http://notexample.org/", "http://example.org.uk/", "http://org/"):
        assert decided(rules, url).allowed, url


# Order ----------------------------------------------------------------------------------------------


def test_the_most_specific_address_decides() -> None:
    rules = [
        rule(1, "hide", "*"),
        rule(2, "allow", "*.example.org"),
        rule(3, "restrict", "*.b.example.org"),
        rule(4, "allow", "a.b.example.org"),
        rule(5, "hide", "a.b.example.org/x*"),
        rule(6, "allow", "a.b.example.org/x/y*"),
        rule(7, "restrict", "https://a.b.example.org/x/y/z"),
    ]
    asked = {
        "http://else.net/": 1,
        "http://example.org/": 2,
        "http://b.example.org/": 3,
        "http://a.b.example.org/": 4,
        "http://a.b.example.org/x": 5,
        "http://a.b.example.org/x/yes": 6,
        "http://a.b.example.org/x/y/z": 7,
    }
    assert {url: decided(rules, url).rule for url in asked} == asked


def test_the_narrowest_audience_decides_then_the_strictest() -> None:
    rules = [
        rule(1, "hide", "example.org"),
        rule(2, "restrict", "example.org", audience=Audience(networks=frozenset({3}))),
        rule(3, "hide", "example.org", audience=Audience(accredited=True)),
        rule(4, "allow", "example.org", audience=Audience(accredited=True, networks=frozenset({3}))),
        rule(5, "restrict", "example.org", audience=Audience(accounts=frozenset({7}))),
        rule(6, "allow", "example.org", audience=Audience(accounts=frozenset({7}))),
    ]
    winners = []
    while rules:
        winners.append(decided(rules, "http://example.org/", SCHOLAR).rule)
        rules = [one for one in rules if one.id != winners[-1]]
    assert winners == [5, 6, 4, 3, 2, 1]
    assert decided([rule(4, "hide", "*", audience=Audience(accredited=True))], "http://x.org/").allowed


def test_a_take_down_holds_against_everybody_but_those_who_look_after_the_rules() -> None:
    rules = [
        rule(1, "restrict", "*.example.org", take_down=True, public_message="Removed."),
        rule(2, "allow", "https://example.org/page", audience=Audience(accounts=frozenset({7}))),
    ]
    assert decided(rules, "https://example.org/page", SCHOLAR).rule == 1
    assert decided(rules, "https://example.org/page", SCHOLAR).message == "Removed."
    assert decided(rules, "https://example.org/page", Reader(sees_everything=True)).allowed


def test_what_several_allowing_rules_ask_for_holds_together() -> None:
    rules = [
        rule(1, "allow", "example.org", no_downloads=True),
        rule(2, "allow", "example.org", one_reader=True),
        rule(3, "allow", "*", one_reader=True, no_downloads=True),
        rule(4, "restrict", "example.org", captured_to="1999"),
    ]
    found = decided(rules, "http://example.org/")
    assert (found.one_reader, found.no_downloads) == (True, True)
    found = decided(rules[1:], "http://example.org/")
    assert (found.one_reader, found.no_downloads) == (True, False)


# Dates ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("day", "period", "end"),
    [
        ("20200131", Period(months=1), date(2020, 2, 29)),
        ("20200229", Period(years=1), date(2021, 2, 28)),
        ("20191231", Period(days=1), date(2020, 1, 1)),
        ("20191231", Period(1, 13, 31), date(2022, 3, 3)),
        ("20200230", Period(years=1), None),
        ("20200131", Period(years=9000), None),
    ],
)
def test_an_embargo_ends_on_the_day_that_a_calendar_says(day: str, period: Period, end: date | None) -> None:
    assert end_of(day, period) == end


def test_an_embargo_restricts_until_its_day_and_tells_it() -> None:
    rules = [rule(1, "embargo", "example.org", embargo=Period(years=1))]
    found = decided(rules, "http://example.org/", timestamp="20251116000000")
    assert (found.effect, found.until) == (Effect.RESTRICTED, date(2026, 11, 16))
    assert decided(rules, "http://example.org/", timestamp="20251115235959").rule is None


@pytest.mark.parametrize("timestamp", ["", "-", "2020", "202001", "20200231000000", "2020x131120000"])
def test_where_the_date_is_not_known_what_denies_holds_and_what_allows_does_not(timestamp: str) -> None:
    url = "http://example.org/"
    assert not decided(
        [rule(1, "embargo", "example.org", embargo=Period(1))], url, timestamp=timestamp
    ).allowed
    if not (timestamp.isdigit() and len(timestamp) == 14):
        assert not decided(
            [rule(1, "hide", "example.org", captured_to="1999")], url, timestamp=timestamp
        ).allowed
        rules = [rule(1, "allow", "example.org", captured_from="1996"), rule(2, "hide", "*")]
        assert not decided(rules, url, timestamp=timestamp).allowed


def test_rules_hold_for_the_captures_of_their_dates_both_included() -> None:
    rules = [rule(1, "hide", "*", captured_from="2019", captured_to="20200131")]
    asked = ["20181231235959", "20190101000000", "20200131235959", "20200201000000"]
    found = [decided(rules, "http://example.org/", timestamp=one).allowed for one in asked]
    assert found == [True, False, False, True]


def test_rules_hold_from_their_first_moment_to_their_last() -> None:
    early, late = datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
    for first, last, holds in (
        (early, late, True),
        (late, None, False),
        (None, early, False),
        (NOW, late, True),
    ):
        rules = [rule(1, "hide", "*", valid_from=first, valid_until=last)]
        assert decided(rules, "http://example.org/").allowed is not holds


# Collections and the default ------------------------------------------------------------------------


def test_a_file_belongs_to_its_collections_whichever_way_leads_to_it() -> None:
    book = RuleBook([rule(1, "hide", "*", collection="private")], "everyone")
    where = {"a.warc.gz": frozenset({"private", "all"}), "b.warc.gz": frozenset({"all"})}
    for collection in (
        ALL,
        Collection("other", ""),
        Collection("other+private", ""),
        Collection("private", ""),
    ):
        line = capture("http://example.org/")
        assert not book.decide(ANYBODY, collection, line, NOW, where.get).allowed
    line = capture("http://example.org/", filename="b.warc.gz")
    assert book.decide(ANYBODY, ALL, line, NOW, where.get).allowed


def test_where_the_collections_of_a_file_are_not_known_what_denies_holds() -> None:
    line = capture("http://example.org/", filename="unknown.warc.gz")
    denying = RuleBook([rule(1, "hide", "*", collection="private")], "everyone")
    allowing = RuleBook([rule(1, "allow", "*", collection="private")], "staff")
    assert not denying.decide(ANYBODY, ALL, line, NOW, lambda _: None).allowed
    assert not allowing.decide(ANYBODY, ALL, line, NOW, lambda _: None).allowed
    both = Collection("other+private", "")
    nowhere: list[Membership | None] = [None, lambda _: frozenset()]
    for membership in nowhere:
        assert not denying.decide(ANYBODY, both, line, NOW, membership).allowed
        assert not allowing.decide(ANYBODY, both, line, NOW, membership).allowed
        assert denying.decide(ANYBODY, ALL, line, NOW, membership).allowed


def test_without_a_rule_the_default_decides() -> None:
    librarian = Reader(roles=frozenset({Role.LIBRARIAN}))
    line = capture("http://example.org/")
    allowed = {
        default: [
            RuleBook([], default).decide(one, ALL, line, NOW).allowed for one in (ANYBODY, SCHOLAR, librarian)
        ]
        for default in ("everyone", "accredited", "staff")
    }
    assert allowed == {
        "everyone": [True, True, True],
        "accredited": [False, True, True],
        "staff": [False, False, True],
    }


def test_why_names_every_rule_that_speaks_of_an_address_and_the_one_that_decides() -> None:
    rules = [
        rule(1, "hide", "*"),
        rule(2, "allow", "example.org", audience=Audience(accredited=True)),
        rule(3, "embargo", "example.org", embargo=Period(days=1)),
        rule(4, "restrict", "example.org"),
        rule(5, "hide", "else.org"),
    ]
    found = RuleBook(rules).explain(ANYBODY, ALL, capture("http://example.org/"), NOW)
    told = [(step.rule.id, step.misfit, step.decides) for step in found.steps]
    assert told == [(2, "audience", False), (4, None, True), (3, "embargo-over", False), (1, None, False)]
    assert found.decision.rule == 4
