"""Rules and captures, written down in a line."""

from datetime import UTC, datetime

from armarium.access.model import Collection, Decision, Reader
from armarium.access.policy import patterns
from armarium.access.policy.decisions import RuleBook
from armarium.access.policy.model import AddressMatch, Rule, RuleEffect, Terms
from armarium.accounts.model import Role
from armarium.formats.cdx import CdxLine
from armarium.formats.url import surt

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
ALL = Collection("all", "Everything", everything=True)
ANYBODY = Reader()
SCHOLAR = Reader(account=7, roles=frozenset({Role.READER}), accredited=True, networks=frozenset({3}))


def rule(number: int, effect: str, pattern: str, **more: object) -> Rule:
    match = more.pop("match", None)
    found = patterns.read(pattern, AddressMatch(str(match)) if match else None)
    return Rule(number, Terms(RuleEffect(effect), found.match, found.text, found.key, **more))  # type: ignore[arg-type]


def capture(url: str, timestamp: str = "20200131120000", **fields: str) -> CdxLine:
    return CdxLine(surt(url), timestamp, {"url": url, "filename": "a.warc.gz", **fields})


def decided(
    rules: list[Rule], url: str, reader: Reader = ANYBODY, timestamp: str = "20200131120000"
) -> Decision:
    return RuleBook(rules, "everyone").decide(reader, ALL, capture(url, timestamp), NOW)
