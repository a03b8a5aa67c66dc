"""What a robots.txt says, line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.robots import GOOGLE, LENIENT, MAX_BYTES, STRICT, Decision, RequestRate, parse


def allowed(robots: str, url: str, agent: str = "armarium") -> bool:
    return parse(robots.encode()).allowed(agent, url).allowed


def test_a_decision_names_the_rule_it_rests_on() -> None:
    robots = parse(b"# for all\nUser-agent: *\nDisallow: /private # keep out\n")
    assert robots.allowed("armarium", "https://example.org/private/x") == Decision(
        allowed=False, line=3, rule="Disallow: /private", group="*"
    )
    assert robots.allowed("armarium", "https://example.org/") == Decision(allowed=True, group="*")


def test_without_a_group_for_it_an_agent_may_fetch_everything() -> None:
    assert parse(b"User-agent: other\nDisallow: /").allowed("armarium", "/") == Decision(allowed=True)


def test_a_group_of_its_own_makes_the_group_for_everyone_void() -> None:
    robots = "User-agent: *\nDisallow: /\n\nUser-agent: Armarium\nDisallow: /x"
    assert allowed(robots, "/y")
    assert not allowed(robots, "/x")
    assert not allowed(robots, "/y", "somebody")


def test_groups_of_one_name_are_one() -> None:
    robots = (
        "User-agent: armarium\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: ARMARIUM\nDisallow: /b"
    )
    assert [allowed(robots, path) for path in ("/a", "/b", "/c")] == [False, False, True]


def test_rules_before_the_first_name_belong_to_nobody() -> None:
    assert allowed("Disallow: /\nUser-agent: *\nAllow: /x", "/")


def test_a_line_beyond_the_standard_ends_no_group() -> None:
    robots = "User-agent: a\nSitemap: /s.xml\nUser-agent: armarium\nDisallow: /"
    assert not allowed(robots, "/", "a")
    assert not allowed(robots, "/", "armarium")


@pytest.mark.parametrize(
    ("agent", "group"),
    [("armarium-images", "armarium"), ("armarium2", "armarium"), ("armariumx", "*"), ("arm", "*")],
)
def test_a_name_without_a_group_belongs_to_its_family(agent: str, group: str) -> None:
    robots = parse(b"User-agent: *\nAllow: /\nUser-agent: armarium\nDisallow: /")
    assert robots.group_for(agent) == group


def test_of_several_names_the_first_known_one_counts() -> None:
    robots = parse(b"User-agent: bnf\nDisallow: /a\nUser-agent: *\nDisallow: /")
    assert robots.group_for(["armarium", "bnf"]) == "bnf"
    assert robots.group_for(["armarium", "kb"]) == "*"


def test_of_a_whole_user_agent_field_the_known_word_counts() -> None:
    robots = parse(b"User-agent: armarium\nDisallow: /")
    assert robots.group_for("Mozilla/5.0 (compatible; Armarium/1.0; +https://example.org/)") == "armarium"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\r", "\n\n\n"])
def test_any_line_end_will_do(end: str) -> None:
    assert not allowed(end.join(["User-agent: *", "Disallow: /x", ""]), "/x")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b""])
def test_a_byte_order_mark_is_passed_over(mark: bytes) -> None:
    assert not parse(mark + b"User-agent: *\nDisallow: /").allowed("a", "/").allowed


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_saved_as_unicode_by_a_text_editor_is_read(encoding: str) -> None:
    data = "\ufeffUser-agent: *\r\nDisallow: /é\r\n".encode(encoding)
    assert not parse(data).allowed("a", "/%C3%A9").allowed


def test_misspelt_words_are_understood_unless_told_otherwise() -> None:
    robots = b"Useragent: *\nDisalow: /x\nSite-map: https://example.org/s.xml\n"
    assert not parse(robots).allowed("a", "/x").allowed
    assert parse(robots).sitemaps == ["https://example.org/s.xml"]
    assert parse(robots, STRICT).allowed("a", "/x").allowed


def test_a_sentence_is_no_rule() -> None:
    assert allowed("user-agent *\nallow me to explain\ndisallow all robots", "/all")
    assert not allowed("user-agent *\ndisallow /all", "/all")


def test_a_page_instead_of_the_file_forbids_nothing_and_is_told() -> None:
    robots = parse(b"<!DOCTYPE html>\n<html><title>Not found</title>\n<p>Disallow: nothing</p>")
    assert robots.html
    assert robots.allowed("a", "/").allowed


def test_only_the_first_500_kib_are_read_and_a_cut_line_is_dropped() -> None:
    start = b"User-agent: *\n"
    filler = b"#" + b"x" * (MAX_BYTES - len(start) - len(b"\nDisallow: /ab")) + b"\n"
    robots = parse(start + filler + b"Disallow: /abc\nDisallow: /d\n")
    assert robots.cut
    assert [robots.allowed("a", path).allowed for path in ("/ab", "/abc", "/d")] == [True, True, True]
    assert not parse(start + filler[10:] + b"Disallow: /abc\n").allowed("a", "/abc").allowed


def test_delays_belong_to_the_names_above_them() -> None:
    robots = parse(
        b"User-agent: a\nCrawl-delay: 10\n\nUser-agent: b\nCrawl-delay: 2.5\n\nUser-agent: *\nDisallow: /"
    )
    assert [robots.crawl_delay(name) for name in ("a", "b", "c")] == [10, 2.5, None]


@pytest.mark.parametrize("value", ["soon", "-1", "inf", "nan", "", "1e999"])
def test_a_delay_that_is_no_number_of_seconds_is_none(value: str) -> None:
    assert parse(f"User-agent: *\nCrawl-delay: {value}".encode()).crawl_delay("a") is None


def test_a_request_rate_is_requests_in_seconds() -> None:
    robots = parse(b"User-agent: *\nRequest-rate: 1/10m 1800-2000\n")
    assert robots.request_rate("a") == RequestRate(1, 600.0, "1800-2000")
    assert parse(b"User-agent: *\nRequest-rate: 0/0").request_rate("a") is None


def test_sitemaps_and_unknown_lines_are_kept() -> None:
    robots = parse(
        b"Host: example.org\nSitemap: https://example.org/a.xml\nUser-agent: *\nClean-param: s /f\n"
    )
    assert robots.sitemaps == ["https://example.org/a.xml"]
    assert [(one.line, one.key, one.value) for one in robots.others] == [
        (1, "host", "example.org"),
        (4, "clean-param", "s /f"),
    ]


def test_many_names_and_many_rules_cost_their_sum_not_their_product() -> None:
    names = b"".join(b"user-agent:a%d\n" % number for number in range(14_000))
    rules = b"".join(b"disallow:/%d\n" % number for number in range(16_000))
    assert not parse(names + rules).allowed("a7", "/7").allowed


@given(st.binary(max_size=2000), st.text(max_size=20), st.text(max_size=50))
def test_any_bytes_are_a_robots_txt(data: bytes, agent: str, url: str) -> None:
    for dialect in (LENIENT, STRICT, GOOGLE):
        robots = parse(data, dialect)
        decision = robots.allowed(agent, url)
        assert decision.allowed or decision.line is not None
        delay, rate = robots.crawl_delay(agent), robots.request_rate(agent)
        assert delay is None or delay >= 0
        assert rate is None or rate.seconds > 0


def test_nobody_waits_longer_than_a_day() -> None:
    robots = parse(b"User-agent: *\nCrawl-delay: 1e308\nRequest-rate: 2/999999999d\n")
    assert robots.crawl_delay("a") == 86_400
    assert robots.request_rate("a") == RequestRate(2, 2 * 86_400.0)
