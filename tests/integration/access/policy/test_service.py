"""Rules and networks in the database: kept, told to all processes, and never lost while it is away."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from armarium.access.model import Collection, Effect, Reader
from armarium.access.networks.model import NewNetwork
from armarium.access.networks.service import Networks
from armarium.access.policy import editions
from armarium.access.policy.editions import LivePolicy
from armarium.access.policy.model import AddressMatch, Audience, Period, RuleEffect, State, Terms
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules.service import Rules
from armarium.access.settings import AccessSettings
from armarium.accounts.model import Role
from armarium.audit.model import Question
from armarium.audit.service import Audit
from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound, Refused
from armarium.db.database import Database
from armarium.db.embedded.places import Places
from armarium.db.embedded.server import Server
from armarium.db.migrate import migrate
from armarium.formats.cdx import CdxLine
from armarium.formats.url import surt
from tests.cost import processor_seconds
from tests.site import wait_until

OPEN = AccessSettings(default="everyone")
ALL = Collection("all", "", everything=True)
HIDE = Terms(RuleEffect.HIDE, pattern="example.org")
FULL = Terms(
    RuleEffect.EMBARGO,
    pattern="https://www.example.org/a?b=1",
    collection="attic",
    captured_from="2019-01",
    captured_to="2020",
    audience=Audience(accredited=True, roles=frozenset({Role.READER, Role.RESEARCHER})),
    embargo=Period(1, 2, 3),
    valid_from=datetime(2026, 1, 1, tzinfo=UTC),
    valid_until=datetime(2030, 1, 1, tzinfo=UTC),
    public_message="Not yet.",
    reason="Agreement",
    legal_basis="§ 5",
)


def allowed(policy: LivePolicy, url: str = "http://example.org/", reader: Reader | None = None) -> bool:
    line = CdxLine(surt(url), "20200131120000", {"url": url})
    return policy.decide(reader or Reader(), ALL, line).allowed


def test_a_rule_is_kept_as_it_was_said(database: Database) -> None:
    rules = Rules(database)
    made = rules.add(SYSTEM, FULL)
    found = rules.get(made.id)
    expected = replace(
        FULL, match=AddressMatch.EXACT, key="org,example)/a?b=1", captured_from="201901", captured_to="2020"
    )
    assert found.terms == expected
    assert (found.edition, found.created_by, found.ended_at) == (1, SYSTEM.name, None)


def test_every_change_is_in_the_audit_log_with_what_was_before(database: Database) -> None:
    rules = Rules(database)
    made = rules.add(SYSTEM, HIDE)
    rules.change(SYSTEM, made.id, replace(HIDE, effect=RuleEffect.RESTRICT, reason="Letter of 3 May"), seen=1)
    rules.end(SYSTEM, made.id, "The owner agreed.")
    entries, _ = Audit(database).page(Question(object_kind="access-rule"), limit=10)
    assert [entry.action for entry in entries] == [
        "access-rule.ended",
        "access-rule.changed",
        "access-rule.made",
    ]
    assert ("effect", "hide", "restrict") in entries[1].differences()


def test_two_people_who_change_the_same_rule_notice_each_other(database: Database) -> None:
    rules = Rules(database)
    made = rules.add(SYSTEM, HIDE)
    rules.change(SYSTEM, made.id, replace(HIDE, reason="one"), seen=1)
    with pytest.raises(Refused, match="Somebody else changed"):
        rules.change(SYSTEM, made.id, replace(HIDE, reason="two"), seen=1)


def test_a_rule_that_has_ended_stays_and_cannot_be_changed(database: Database) -> None:
    rules = Rules(database)
    made = rules.add(SYSTEM, HIDE)
    with pytest.raises(Refused, match="Enter why"):
        rules.end(SYSTEM, made.id, "  ")
    rules.end(SYSTEM, made.id, "Over.")
    with pytest.raises(Refused, match="has ended"):
        rules.change(SYSTEM, made.id, HIDE)
    with pytest.raises(Refused, match="has ended"):
        rules.end(SYSTEM, made.id, "Again.")
    assert rules.get(made.id).ended_why == "Over."
    assert rules.page(RuleFilter(), limit=10)[1] == 0
    assert rules.page(RuleFilter(state=State.ENDED), limit=10)[1] == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"pattern": ""}, "pattern"),
        ({"effect": RuleEffect.EMBARGO}, "embargo_years"),
        ({"embargo": Period(1)}, "embargo_years"),
        ({"captured_from": "2020", "captured_to": "2019-12"}, "captured_to"),
        ({"captured_from": "yesterday"}, "captured_from"),
        ({"one_reader": True}, "one_reader"),
        ({"take_down": True}, "reason"),
        ({"take_down": True, "reason": "x", "audience": Audience(accredited=True)}, "audience"),
        ({"take_down": True, "reason": "x", "effect": RuleEffect.ALLOW}, "effect"),
        ({"audience": Audience(accounts=frozenset({99}))}, "accounts"),
        ({"audience": Audience(networks=frozenset({99}))}, "networks"),
        ({"valid_from": FULL.valid_until, "valid_until": FULL.valid_from}, "valid_until"),
    ],
)
def test_what_a_rule_cannot_mean_is_refused(
    database: Database, changes: dict[str, object], field: str
) -> None:
    with pytest.raises(Refused) as refusal:
        Rules(database).add(SYSTEM, replace(HIDE, **changes))  # type: ignore[arg-type]
    assert refusal.value.field == field


def test_rules_are_found_by_address_effect_state_and_collection(database: Database) -> None:
    rules = Rules(database)
    for terms in (
        HIDE,
        FULL,
        replace(HIDE, pattern="*.else.net", reason="100 % private"),
        replace(HIDE, valid_from=datetime(2100, 1, 1, tzinfo=UTC)),
        replace(HIDE, valid_until=datetime(2001, 1, 1, tzinfo=UTC)),
        replace(HIDE, take_down=True, reason="Court"),
    ):
        rules.add(SYSTEM, terms)
    asked = {
        RuleFilter(): 6,
        RuleFilter(text="0 %"): 1,
        RuleFilter(text="else"): 1,
        RuleFilter(effect=RuleEffect.EMBARGO): 1,
        RuleFilter(collection="attic"): 1,
        RuleFilter(state=State.IN_FORCE): 4,
        RuleFilter(state=State.PLANNED): 1,
        RuleFilter(state=State.EXPIRED): 1,
        RuleFilter(state=State.ENDED): 0,
        RuleFilter(take_down=True): 1,
    }
    assert {one: rules.page(one, limit=100)[1] for one in asked} == asked


# The policy of all processes ------------------------------------------------------------------------


def test_a_change_in_one_process_is_seen_in_another_within_a_second(
    database: Database, database_url: str
) -> None:
    elsewhere = Database(database_url, application="another")
    policy = LivePolicy(database, OPEN)
    assert allowed(policy)
    taken = []
    for _ in range(4):
        made = Rules(elsewhere).add(SYSTEM, HIDE)
        since = time.monotonic()
        wait_until(lambda: not allowed(policy))
        taken.append(time.monotonic() - since)
        Rules(elsewhere).end(SYSTEM, made.id, "Over.")
        since = time.monotonic()
        wait_until(lambda: allowed(policy))
        taken.append(time.monotonic() - since)
    elsewhere.close()
    assert sorted(taken)[3] < 1.0  # a busy machine may be slow, but not each time


def test_a_change_that_was_not_committed_is_never_seen(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editions, "FRESH", 0.0)
    policy = LivePolicy(database, OPEN)
    rules = Rules(database)
    with pytest.raises(Refused):
        rules.add_all(SYSTEM, [HIDE, replace(HIDE, audience=Audience(networks=frozenset({9})))])
    assert allowed(policy)


def test_while_the_database_is_away_the_last_known_rules_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editions, "FRESH", 0.0)
    monkeypatch.setattr(editions, "AWAY", 0.0)
    places = Places(tmp_path)
    places.make()
    server = Server(places)
    database = Database(server.ensure(), application="tests")
    try:
        migrate(database)
        Rules(database).add(SYSTEM, HIDE)
        policy, stranger = LivePolicy(database, OPEN), LivePolicy(database, OPEN)
        networks = Networks(database)
        networks.add(SYSTEM, NewNetwork("Reading room", ("192.0.2.0/24",)))
        room = networks.of("192.0.2.7")
        assert not allowed(policy)
        server.stop()
        assert not allowed(policy)
        assert allowed(policy, "http://else.net/")
        assert not allowed(stranger, "http://else.net/")  # who never read the rules may show nothing
        assert networks.of("192.0.2.7") == room
        assert Networks(database).of("192.0.2.7") == frozenset()
        server.ensure()
        assert allowed(stranger, "http://else.net/")
    finally:
        database.close()
        server.stop()


def test_staff_who_look_after_the_rules_see_what_was_taken_down(database: Database) -> None:
    Rules(database).add(SYSTEM, replace(HIDE, take_down=True, reason="Court"))
    policy = LivePolicy(database, OPEN)
    assert not allowed(policy, reader=Reader(account=1, roles=frozenset({Role.CURATOR})))
    assert allowed(policy, reader=Reader(sees_everything=True))


# Networks -------------------------------------------------------------------------------------------


def test_an_address_lies_in_every_network_that_has_it(database: Database) -> None:
    networks = Networks(database)
    house = networks.add(
        SYSTEM,
        NewNetwork(
            "House",
            (
                "192.0.2.0/24",
                "2001:db8::/32",
            ),
        ),
    ).id
    room = networks.add(
        SYSTEM,
        NewNetwork(
            "Room",
            (
                "192.0.2.64/26",
                "192.0.2.200",
            ),
        ),
    ).id
    networks = Networks(database)
    asked = {
        "192.0.2.1": {house},
        "192.0.2.70": {house, room},
        "192.0.2.200": {house, room},
        "::ffff:192.0.2.70": {house, room},
        "2001:db8::1": {house},
        "2001:db8::1%eth0": {house},
        "198.51.100.1": set(),
        "unknown": set(),
        "": set(),
    }
    assert {one: set(networks.of(one)) for one in asked} == asked


def test_a_network_of_which_a_rule_speaks_is_not_removed(database: Database) -> None:
    networks, rules = Networks(database), Rules(database)
    made = networks.add(SYSTEM, NewNetwork("Room", ("192.0.2.64/26",)))
    rule = rules.add(SYSTEM, replace(HIDE, audience=Audience(networks=frozenset({made.id}))))
    with pytest.raises(Refused, match=f"Rule {rule.id} uses Room"):
        networks.remove(SYSTEM, made.id)
    rules.end(SYSTEM, rule.id, "Over.")
    networks.remove(SYSTEM, made.id)
    with pytest.raises(NotFound):
        networks.get(made.id)


@pytest.mark.parametrize("ranges", [[], ["  "], ["192.0.2.0/33"], ["reading room"], ["192.0.2.1-9"]])
def test_what_is_no_range_is_refused(database: Database, ranges: list[str]) -> None:
    with pytest.raises(Refused) as refusal:
        Networks(database).add(SYSTEM, NewNetwork("Room", tuple(ranges)))
    assert refusal.value.field == "ranges"


def test_a_hundred_thousand_rules_are_read_and_decide_in_time(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(
            text(
                "INSERT INTO access_rule (effect, pattern, match, key, created_at) "
                "SELECT 'hide', 'a', 'prefix', 'org,site' || n % 30000 || ')/d' || n || '/', now() "
                "FROM generate_series(1, 100000) n"
            )
        )
    policy = LivePolicy(database, OPEN)
    began = time.monotonic()
    assert not allowed(policy, "http://site7.org/d7/x")
    read = time.monotonic() - began
    lines = [
        CdxLine(surt(url), "20200131120000", {"url": url})
        for url in (f"https://site{n % 3000}.org/d{n}/page" for n in range(3000))
    ]
    for line in lines:
        policy.decide(Reader(), ALL, line)
    # Many times what a quiet machine needs: 2 µs for each, and 2 s to read them all.
    with processor_seconds(50e-6 * len(lines)):
        found = [policy.decide(Reader(), ALL, line).effect for line in lines]
    assert found.count(Effect.HIDDEN) == 2999
    assert read < 60
