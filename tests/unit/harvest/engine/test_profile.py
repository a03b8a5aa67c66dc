"""Profiles and seeds: what is meant is understood, what is wrong is said."""

from pathlib import Path

import pytest

from armarium.core.crawl_order import CrawlOrder, ScopeKind, merged
from armarium.core.errors import NotFound, Refused
from armarium.harvest.options import Given
from armarium.harvest.profile import build_order, pace_of, read_profile, scope_of, seeds_of


def test_a_profile_is_read(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('name = "x"\n[limits]\nmax_objects = 5\n')

    order = build_order(read_profile(tmp_path / "p.toml"), "p.toml")
    assert (order.name, order.limits.max_objects) == ("x", 5)


def test_what_is_not_said_is_as_usual() -> None:
    assert build_order({}, "it") == CrawlOrder()


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"limts": {}}, "limts: there is no such key; do you mean limits?"),
        ({"limits": {"max_object": 1}}, "limits.max_object: there is no such key; do you mean max_objects?"),
        ({"fetching": {"zzz": 1}}, "fetching.zzz: there is no such key."),
        ({"robots": "maybe"}, "robots: Input should be 'obey', 'ignore' or 'ignore-for-embeds'"),
        ({"limits": 3}, "limits: "),
        ({"politeness": {"min_delay": 9, "max_delay": 1}}, "politeness.min_delay (9.0) is more than"),
        ({"scope": {"kind": "suffixes"}}, "scope.suffixes names none"),
        ({"politeness": {"min_delay": float("inf")}}, "politeness.min_delay: "),
        ({"seeds": ["http://a/"]}, "seeds.0: "),
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


def test_seeds_are_spelled_as_the_crawler_spells_them_and_come_once() -> None:
    lines = [
        "\ufeffexample.org",
        " http://EXAMPLE.org:80/ ",
        "http://example.org/#top",
        "# a remark",
        "",
        "https://example.org/ä",
        "localhost:8080/x",
        "[::1]/",
        "LOCALHOST",
        "http://intranet",
    ]
    seeds, faults = seeds_of(lines)

    assert [seed.url for seed in seeds] == [
        "http://example.org/",
        "https://example.org/%C3%A4",
        "http://localhost:8080/x",
        "http://[::1]/",
        "http://localhost/",
        "http://intranet/",
    ]
    assert faults == []


@pytest.mark.parametrize(
    "text",
    [
        "ftp://example.org/",
        "mailto:me@example.org",
        "http://",
        "http://a b/",
        "javascript:x",
        "data:,x",
        "notaurl",
        "not-a-url",
    ],
)
def test_what_is_no_seed_is_named(text: str) -> None:
    seeds, (fault,) = seeds_of([text])

    assert seeds == []
    assert fault.startswith(f"{text}: ")


def test_seeds_of_a_profile_are_spelled_likewise(tmp_path: Path) -> None:
    profile = tmp_path / "p.toml"
    profile.write_text('[[seeds]]\nurl = "EXAMPLE.org"\ntag = "mine"\n')
    order = Given(["example.net"], [], profile, {}).order()

    assert [(seed.url, seed.tag) for seed in order.seeds] == [
        ("http://example.org/", "mine"),
        ("http://example.net/", ""),
    ]


def test_a_profile_that_is_not_there_or_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is no profile"):
        read_profile(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(Refused, match="is no TOML"):
        read_profile(tmp_path / "bytes.toml")
    with pytest.raises(Refused, match="cannot be read"):
        read_profile(tmp_path)
