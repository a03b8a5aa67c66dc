"""A rule about a collection holds for its files whichever way they are asked for."""

from dataclasses import dataclass
from pathlib import Path

from armarium.access.captures.lines import Patience, Span, captures
from armarium.access.model import Collection, Decision, Reader
from armarium.access.policy.decisions import RuleBook
from armarium.access.policy.model import Rule, RuleEffect, Terms
from armarium.access.replay.capture import open_capture
from armarium.core import clock
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Query
from armarium.formats.url import surt
from tests.integration.access.world import Page, World, world_of

SECRET, REVISIT = "http://s.test/", "http://r.test/"
PAGES = [
    Page(SECRET, "secret"),
    Page(REVISIT, timestamp="20210101000000", revisit_of=(SECRET, "20200101000000"), digest_of="secret"),
]


@dataclass(frozen=True)
class OneRule:
    """All files belong to the collection “secret”, of which one rule speaks."""

    effect: RuleEffect
    default: str

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        book = RuleBook([Rule(1, Terms(self.effect, collection="secret"))], self.default)
        return book.decide(reader, collection, line, clock.now(), lambda _: frozenset({"secret"}))


def told(world: World, url: str) -> list[bool]:
    return [one.restricted for one in captures(world.view(), Span.of_key(surt(url)), Patience())]


def test_what_is_hidden_in_a_collection_is_in_no_list_of_everything(tmp_path: Path) -> None:
    world = world_of(tmp_path, PAGES, policy=OneRule(RuleEffect.HIDE, "everyone"))
    assert world.view().search(Query(SECRET)).captures == []
    assert told(world, SECRET) == []


def test_what_is_allowed_in_a_collection_is_allowed_in_everything(tmp_path: Path) -> None:
    world = world_of(tmp_path, PAGES, policy=OneRule(RuleEffect.ALLOW, "staff"))
    assert told(world, SECRET) == [False]
    [revisit] = world.view().search(Query(REVISIT)).captures
    assert open_capture(world.view(), revisit).record.body.read(10) == b"secret"
