"""What the rules keep is kept, whichever way somebody asks the archive: real index, real records."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from armarium.access.model import Collection, Decision, Reader
from armarium.access.policy.decisions import RuleBook
from armarium.access.policy.model import Period, Rule, RuleEffect, Terms
from armarium.access.rules.checks import checked
from armarium.access.view import Restricted, View
from armarium.core.errors import NotFound
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Filter, Match, Query
from tests.integration.access.world import Page, world_of

SECRET = "the secret"
URL = "https://www.example.org/secret/page"
PAGES = (
    Page(URL, SECRET),
    Page("https://example.org/secret/", SECRET),
    Page("https://example.org/secret/?page=2", SECRET),
    Page("http://example.org:8080/Secret/Page", SECRET),
    Page("https://example.org/%73ecret/p%61ge?x=1", SECRET),
    Page("https://example.org/secret/form", SECRET, method="POST", sent=b"q=word"),
    Page("urn:text:https://example.org/secret/page", SECRET, type="text/plain"),
    Page(
        "https://mirror.net/copy",
        timestamp="20210101000000",
        revisit_of=(URL, "20200101000000"),
        digest_of=SECRET,
    ),
    Page("https://example.org/open", "open to all"),
)
ASKED = (
    Query(key="", match=Match.RANGE),
    Query(url="example.org", match=Match.HOST),
    Query(url="example.org", match=Match.DOMAIN),
    Query(url="https://example.org/sec", match=Match.PREFIX),
    Query(url="https://example.org/", match=Match.PREFIX, reverse=True),
    Query(key="org,example)/secret", to_key="org,example)/secrez", match=Match.RANGE),
    Query(key="urn:", to_key="urn;", match=Match.RANGE),
    Query(url="https://example.org/", match=Match.DOMAIN, filters=(Filter("mime", "text/html"),)),
    *(Query(url=page.url) for page in PAGES),
    *(Query(url=page.url, closest="20200101") for page in PAGES),
)


class Written:
    """The policy of rules that are written in the test."""

    def __init__(self, *terms: Terms) -> None:
        rules = [Rule(number, checked(one)) for number, one in enumerate(terms, 1)]
        self._book = RuleBook(rules, "everyone")

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        return self._book.decide(reader, collection, line, datetime(2026, 11, 15, tzinfo=UTC))


def read(view: View) -> list[str]:
    """All that a reader can get hold of, by every question and every record that answers it."""
    found = []
    for query in ASKED:
        for seen in view.all(query):
            try:
                record = view.record(seen)
                view.check(record, "pages.warc.gz")
                original = view.original(seen) if seen.line.is_revisit else None
                if original is not None:
                    record = view.record(original)
                found.append(b"".join(record.block).decode())
                found.append(str(b"".join(view.record_pieces(seen))))
            except (Restricted, NotFound):
                continue
    return found


@pytest.mark.parametrize(
    "terms",
    [
        Terms(RuleEffect.RESTRICT, pattern="example.org/secret/"),
        Terms(RuleEffect.HIDE, pattern="example.org/secret/"),
        Terms(RuleEffect.HIDE, pattern="example.org/secret/", take_down=True, reason="Court"),
        Terms(RuleEffect.EMBARGO, pattern="example.org/secret/", embargo=Period(years=100)),
    ],
    ids=["restricted", "hidden", "taken down", "under embargo"],
)
def test_no_question_leads_to_what_a_rule_keeps(tmp_path: Path, terms: Terms) -> None:
    world = world_of(tmp_path, PAGES)
    assert sum(SECRET in text for text in read(world.view())) > 20
    kept = read(world.under(Written(terms)).view())
    assert any("open to all" in text for text in kept)
    assert not [text for text in kept if SECRET in text]


def test_of_what_is_hidden_nothing_is_told_and_of_what_is_restricted_only_that_it_exists(
    tmp_path: Path,
) -> None:
    world = world_of(tmp_path, PAGES)
    everything = Query(match=Match.RANGE)
    hidden = world.under(Written(Terms(RuleEffect.HIDE, pattern="example.org/secret/"))).view()
    assert sorted(seen.line.url or "" for seen in hidden.all(everything)) == [
        "https://example.org/open",
        "https://mirror.net/copy",
    ]
    restricted = world.under(Written(Terms(RuleEffect.RESTRICT, pattern="example.org/secret/"))).view()
    told = [seen.line.fields for seen in restricted.all(everything) if not seen.allowed]
    assert len(told) == 7
    assert {name for fields in told for name in fields} == {"url"}
