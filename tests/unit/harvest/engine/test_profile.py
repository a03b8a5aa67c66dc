"""Profiles and seeds: what is meant is understood, what is wrong is said."""

from pathlib import Path

import pytest

from armarium.core.crawl_order import CrawlOrder, ScopeKind, merged
from armarium.core.errors import NotFound, Refused
from armarium.harvest.options import build_order, pace_of, read_profile, scope_of


def test_a_profile_is_read(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('name = "x"\n[limits]\nmax_objects = 5\n')

    order = build_order(read_profile(tmp_path / "p.toml"), "p.toml")
    assert (order.name, order.limits.max_objects) == ("x", 5)


def test_what_is_not_said_is_as_usual() -> None:
    assert build_order({}, "it") == CrawlOrder()


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"limts": {}}, "limts: there is no such key. Did you mean “limits”?"),
        (
            {"limits": {"max_object": 1}},
            "limits.max_object: there is no such key. Did you mean “max_objects”",
        ),
        ({"fetching": {"zzz": 1}}, "fetching.zzz: there is no such key."),
        (
            {"robots": "maybe"},
            "robots must be one of 'obey', 'ignore' or 'ignore-for-embeds', but is “maybe”.",
        ),
        ({"limits": 3}, "limits must be a table, but is 3."),
        ({"politeness": {"min_delay": 9, "max_delay": 1}}, "politeness.min_delay (9.0) is more than"),
        ({"scope": {"kind": "suffixes"}}, "scope.suffixes names none"),
        ({"politeness": {"min_delay": float("inf")}}, "politeness.min_delay cannot be inf."),
        ({"seeds": ["http://a/"]}, "seeds.0 must be a table"),
    ],
)
def test_what_is_wrong_is_named(facts: dict[str, object], said: str) -> None:
    with pytest.raises(Refused) as caught:
        build_order(facts, "profile.toml")

    assert "profile.toml cannot be used:" in str(caught.value)
    assert said in str(caught.value)
    assert "pydantic" not in str(caught.value)


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(Refused) as caught:
        build_order({"limts": {}, "robots": "maybe", "queues": {"parallel": 0}}, "p")

    assert len(str(caught.value).splitlines()) == 4


def test_options_win_key_by_key() -> None:
    under = {"limits": {"max_objects": 5, "max_bytes": 6}, "name": "x"}

    assert merged(under, {"limits": {"max_objects": 1}}) == {
        "limits": {"max_objects": 1, "max_bytes": 6},
        "name": "x",
    }
    assert under["limits"] == {"max_objects": 5, "max_bytes": 6}, "what was given is not changed"


@pytest.mark.parametrize(
    ("text", "kind", "hops"),
    [("page", "page", None), ("page+2", "page", 2), ("host", "host", None), ("any", "any", None)],
)
def test_scopes_are_understood(text: str, kind: str, hops: int | None) -> None:
    facts = scope_of(text)

    assert facts["kind"] is ScopeKind(kind)
    assert facts.get("page_hops") == hops


@pytest.mark.parametrize("text", ["", "hots", "page+", "page+x", "page+-1", "suffixes", "Page"])
def test_what_is_no_scope_is_answered_with_those_there_are(text: str) -> None:
    with pytest.raises(Refused, match=r"page, page\+N, path, host, domain, any"):
        scope_of(text)


def test_a_fixed_pause_is_fixed() -> None:
    politeness = build_order({"politeness": pace_of(2.5)}, "it").politeness

    assert (politeness.min_delay, politeness.max_delay, politeness.delay_factor) == (2.5, 2.5, 0)


def test_a_profile_that_is_not_there_or_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is no profile"):
        read_profile(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(Refused, match="is no TOML"):
        read_profile(tmp_path / "bytes.toml")
    with pytest.raises(Refused, match="cannot be read"):
        read_profile(tmp_path)
