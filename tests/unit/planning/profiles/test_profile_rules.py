"""Orders made of profiles, and what may stand in one."""

import pytest

from armarium.core.crawl_order import CrawlOrder, QueueBy, ScopeKind, merged
from armarium.core.errors import Refused
from armarium.planning import parsing as planning_rules
from armarium.planning.profiles import rules
from armarium.planning.profiles.rules import DEFAULTS, BadOrder, checked, differences, order_of
from armarium.planning.shipped import PROFILES


def test_an_empty_profile_is_an_order_of_defaults() -> None:
    assert order_of({}) == CrawlOrder()


def test_what_stands_over_a_profile_is_stronger_key_by_key() -> None:
    document = {"scope": {"kind": "domain", "max_hops": 5}, "robots": "ignore"}
    order = order_of(
        document, {"scope": {"max_hops": 6}}, {"scope": {"max_hops": 7}, "limits": {"max_bytes": 1}}
    )
    assert (order.scope.kind, order.scope.max_hops, order.limits.max_bytes) == (ScopeKind.DOMAIN, 7, 1)
    assert order.robots == "ignore"
    assert document["scope"] == {"kind": "domain", "max_hops": 5}


def test_tables_are_merged_and_lists_are_replaced() -> None:
    assert merged({"a": {"x": 1, "l": [1]}, "b": 2}, {"a": {"y": 2, "l": [3]}, "b": {"c": 1}}) == {
        "a": {"x": 1, "y": 2, "l": [3]},
        "b": {"c": 1},
    }


def test_every_wrong_key_is_named() -> None:
    wrong = {
        "scope": {"max_hops": -1, "kind": "planet"},
        "politeness": {"min_delay": "soon"},
        "limits": {"max_objets": 3},
        "fetching": {"dns_records": "perhaps", "ip_version": "5"},
        "extraction": 7,
    }
    with pytest.raises(BadOrder) as refused:
        order_of(wrong)
    assert {key: str(fault) for key, fault in refused.value.faults.items()} == {
        "scope.max_hops": "This must be 0 or more.",
        "scope.kind": "“planet” is none of: 'page', 'path', 'host', 'domain', 'suffixes' or 'any'.",
        "politeness.min_delay": "This must be a number.",
        "limits.max_objets": "There is no such key.",
        "fetching.dns_records": "This must be yes or no (in TOML: true or false).",
        "fetching.ip_version": "“5” is none of: any, 4, 6.",
        "extraction": "This must be a section with keys.",
    }


def test_keys_that_do_not_fit_together_are_named() -> None:
    with pytest.raises(BadOrder) as refused:
        order_of({"politeness": {"min_delay": 50}})
    assert list(refused.value.faults) == ["politeness.min_delay"]


def test_only_what_differs_from_the_defaults_is_kept() -> None:
    kept = checked({"scope": {"kind": "host", "max_hops": "30"}, "robots": "obey", "limits": {}})
    assert kept == {"scope": {"max_hops": 30}, "queues": {"by": "domain"}}
    assert order_of(kept).queues.by is QueueBy.DOMAIN


@pytest.mark.parametrize("by", list(QueueBy))
def test_what_shares_a_queue_is_chosen_in_a_profile(by: QueueBy) -> None:
    kept = checked({"queues": {"by": by.value}})
    assert order_of(DEFAULTS, kept).queues.by is by


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ({"name": "x"}, "name"),
        ({"seeds": [{"url": "http://example.org/"}]}, "seeds"),
        ({"scope": {"traps": {"example.org": ["x"]}}}, "scope.traps"),
        ({"limits": {"sources": {"a.example": {"max_objects": 1}}}}, "limits.sources"),
        ({"fetching": {"credentials": [{"domain": "example.org", "kind": "basic"}]}}, "fetching.credentials"),
        ({"fetching": {"proxy": "http://ada:secret@proxy.example:3128"}}, "fetching.proxy"),
        ({"limits": {"max_download_bytes": None}}, "limits.max_download_bytes"),
        ({"fetching": {"seeds_open_ranges": True}}, "fetching.seeds_open_ranges"),
        ({"fetching": {"tls_authorities": "/etc/shadow"}}, "fetching.tls_authorities"),
        ({"fetching": {"cookie_file": "/dev/zero"}}, "fetching.cookie_file"),
        ({"recording": {"digest_index": ["/dev/zero"]}}, "recording.digest_index"),
        ({"recording": {"template": "../../{prefix}-{time}-{serial}"}}, "recording.template"),
        ({"recording": {"template": "same"}}, "recording.template"),
    ],
)
def test_what_planning_says_itself_may_not_stand_in_a_profile(document: dict[str, object], key: str) -> None:
    with pytest.raises(BadOrder) as refused:
        checked(document)
    assert list(refused.value.faults) == [key]


def test_differences_are_named_key_by_key_in_the_order_of_a_crawl_order() -> None:
    before = {"limits": {"max_bytes": 5}, "scope": {"max_hops": 3, "kind": "path"}}
    after = {"scope": {"kind": "path"}, "robots": "ignore", "limits": {"max_bytes": 6}}
    found = [(one.key, one.before, one.after) for one in differences(before, after)]
    assert found == [("robots", None, "ignore"), ("scope.max_hops", 3, None), ("limits.max_bytes", 5, 6)]


def test_keys_from_the_database_get_their_order_back() -> None:
    mixed = {"limits": {"max_bytes": 1}, "scope": {"max_hops": 1, "kind": "path"}}
    ordered = rules.ordered(mixed)
    assert ordered == mixed
    assert [*ordered, *ordered["scope"]] == ["scope", "limits", "kind", "max_hops"]


@pytest.mark.parametrize("name", ["", " ", "+page", "a/b", "x" * 101, "<b>"])
def test_a_name_that_would_not_be_readable_is_refused(name: str) -> None:
    with pytest.raises(Refused):
        planning_rules.check_plain_name(name)


def test_the_shipped_profiles_say_what_their_sources_say() -> None:
    orders = {profile.name: order_of(checked(profile.document)) for profile in PROFILES}
    assert set(orders) == {"page", "page+1", "page+2", "path", "host", "domain", "broad", "news-daily"}
    assert all(order.queues.by is QueueBy.DOMAIN for order in orders.values())
    assert [orders[name].scope.page_hops for name in ("page", "page+1", "page+2")] == [0, 1, 2]
    broad = orders["broad"]
    assert (broad.scope.kind, broad.scope.max_hops, broad.scope.max_embed_hops) == ("domain", 100, 3)
    assert (broad.queues.replenish, broad.queues.max_objects) == (100, 10_000)
    pauses = broad.politeness
    assert (pauses.delay_factor, pauses.min_delay, pauses.max_delay) == (4, 5, 10)
    assert (broad.limits.max_download_bytes, broad.robots) == (100_000_000, "obey")
