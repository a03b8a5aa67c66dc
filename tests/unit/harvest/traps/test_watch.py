"""The watch against synthetic sites: traps that it must tell, and innocent sites that it must leave alone."""

import random
from collections.abc import Iterable, Iterator

import pytest

from armarium.harvest.scope import FilterSet
from armarium.harvest.traps import TrapKind, TrapSuspicion
from armarium.harvest.traps.watch import TrapWatch

NOW = 1_794_700_000.0  # in November 2026
Page = tuple[str, str, int]  # address, digest, size


def shown(pages: Iterable[Page], watch: TrapWatch | None = None) -> list[TrapSuspicion]:
    watch = watch or TrapWatch()
    told = (watch.saw(url, digest, "LL", size, NOW) for url, digest, size in pages)
    return [suspicion for suspicion in told if suspicion]


def ordinary(host: str, count: int = 60) -> Iterator[Page]:
    for number in range(count):
        yield (
            f"https://{host}/section-{number % 5}/article-{number}.html",
            f"article {number}",
            9000 + 31 * number,
        )


def only(suspicions: list[TrapSuspicion], kind: TrapKind) -> TrapSuspicion:
    assert [suspicion.kind for suspicion in suspicions] == [kind]
    suspicion = suspicions[0]
    assert len(suspicion.samples) == 5
    assert suspicion.filter
    assert all(FilterSet([suspicion.filter]).find(url) for url in suspicion.samples)
    return suspicion


def finds(suspicion: TrapSuspicion, url: str) -> bool:
    return bool(FilterSet([suspicion.filter]).find(url))


def calendar(host: str, months: Iterable[int]) -> Iterator[Page]:
    """As the test web makes it: each month another page, with its days."""
    for month in months:
        year, of_year = month // 12, month % 12 + 1
        yield f"https://{host}/calendar/{year}/{of_year:02}/", f"month {month}", 1480 + of_year % 2
        for day in (1, 2):
            yield f"https://{host}/calendar/{year}/{of_year:02}/{day}/", f"{month} {day}", 1480


def test_a_calendar_that_runs_into_the_future_is_told_and_its_filter_spares_the_years_around_now() -> None:
    pages = [*ordinary("www.a.org"), *calendar("www.a.org", range(2024 * 12, 2060 * 12))]
    suspicion = only(shown(pages), TrapKind.CALENDAR)
    assert suspicion.host == "a.org"
    assert suspicion.counts["future"] >= 20
    assert finds(suspicion, "http://a.org/calendar/2031/07/")
    assert finds(suspicion, "http://a.org/calendar/9999/07/1/")
    assert not finds(suspicion, "http://a.org/calendar/2026/11/")
    assert not finds(suspicion, "http://a.org/calendar/2028/12/31/")
    assert not finds(suspicion, "http://b.org/calendar/2031/07/")


def test_a_calendar_that_runs_into_the_past_is_told_by_pages_of_one_size() -> None:
    suspicion = only(shown(calendar("a.org", range(2024 * 12, 1900 * 12, -1))), TrapKind.CALENDAR)
    assert finds(suspicion, "https://a.org/calendar/1805/07/")
    assert not finds(suspicion, "https://a.org/calendar/1995/07/")


def test_a_calendar_in_the_query_is_told() -> None:
    pages = [
        (f"https://a.org/agenda.php?view=m&year={2026 + n // 12}&month={n % 12 + 1}", f"m{n}", 900 + n % 7)
        for n in range(400)
    ]
    suspicion = only(shown(pages), TrapKind.CALENDAR)
    assert finds(suspicion, "https://a.org/agenda.php?month=2&year=2040")
    assert not finds(suspicion, "https://a.org/agenda.php?view=m&year=2027&month=2")


def test_a_calendar_of_one_empty_page_is_told() -> None:
    pages = [
        (f"https://a.org/day/20{n // 300 + 10}-{n // 28 % 12 + 1:02}-{n % 28 + 1:02}", "empty", 500)
        for n in range(2000)
    ]
    assert only(shown(pages), TrapKind.CALENDAR).counts["contents"] == 1


def test_an_archive_of_a_newspaper_is_no_calendar() -> None:
    chance = random.Random(1)
    pages = [
        (
            f"https://paper.fr/{year}/{month:02}/{day:02}/{slug}.html",
            f"{year} {month} {day} {slug}",
            chance.randrange(4000, 60_000),
        )
        for year in range(1995, 2027)
        for month in range(1, 13)
        for day in range(1, 29, 3)
        for slug in ("politique", "sport")
    ]
    assert shown(pages) == []


def test_digitised_papers_of_other_centuries_are_no_calendar() -> None:
    chance = random.Random(2)
    pages = [
        (
            f"https://gazette.fr/{year}-{month:02}-{day:02}",
            f"{year} {month} {day}",
            chance.randrange(20_000, 90_000),
        )
        for year in range(1789, 1850)
        for month in range(1, 13)
        for day in (1, 15)
    ]
    assert shown(pages) == []


def test_numbers_that_look_like_years_are_no_calendar() -> None:
    chance = random.Random(3)
    pages = [
        (
            f"https://parts.org/item/{chance.randrange(1000, 9999)}-{chance.randrange(1, 13)}.html",
            f"item {n}",
            3000 + n,
        )
        for n in range(3000)
    ]
    assert shown(pages) == []


def test_a_shop_with_five_thousand_products_is_no_trap() -> None:
    by_query = [
        (f"https://shop.fr/product.php?id={n}&lang=fr", f"product {n}", 8000 + n % 50) for n in range(5000)
    ]
    by_path = [(f"https://shop.fr/products/{n}", f"other {n}", 8000 + n % 50) for n in range(5000)]
    assert shown([*by_query, *by_path]) == []


def test_a_picture_that_stands_for_many_missing_ones_is_no_trap() -> None:
    assert shown((f"https://shop.fr/images/{n % 9}/{n}.jpg", "none yet", 900) for n in range(3000)) == []


def test_the_same_page_in_ever_deeper_folders_is_told() -> None:
    loop = [(f"http://www.a.org/loop/{'deeper/' * depth}", "round and round", 120) for depth in range(40)]
    suspicion = only(shown([*ordinary("www.a.org"), *loop]), TrapKind.LOOP)
    assert finds(suspicion, "http://www.a.org/loop/" + "deeper/" * 90)
    assert not finds(suspicion, "http://www.a.org/loop/deeper/")
    assert not finds(suspicion, "http://www.a.org/other/deeper/deeper/deeper/")


def test_relative_links_that_go_round_without_the_same_content_are_told() -> None:
    words = ["about", "team", "news"]
    chance = random.Random(4)
    pages = []
    for number in range(60):
        path = "/".join(chance.choices(words, k=8 + number % 8))
        pages.append((f"http://a.org/{path}", f"page {number}", 2000))
    suspicions = shown([*ordinary("a.org"), *pages])
    assert suspicions
    assert {suspicion.kind for suspicion in suspicions} == {TrapKind.LOOP}
    assert finds(suspicions[0], suspicions[0].samples[0])


def test_deep_folders_of_a_manual_are_no_loop() -> None:
    pages = [
        (f"https://docs.org/en/latest/api/{n % 7}/module/{n}/class/method/index.html", f"page {n}", 2000 + n)
        for n in range(500)
    ]
    assert shown(pages) == []


@pytest.mark.parametrize("same", [True, False])
def test_session_ids_are_told_whether_or_not_the_page_prints_them(same: bool) -> None:
    chance = random.Random(5)
    pages = []
    for number in range(200):
        session = f"{chance.getrandbits(128):032x}"
        digest = f"page {number % 10}" if same else f"page {number}"
        pages.append((f"https://forum.org/topic.php?t={number % 10}&PHPSESSID={session}", digest, 5000))
    suspicion = only(shown([*ordinary("forum.org"), *pages])[:1], TrapKind.SESSION)
    assert finds(suspicion, f"https://www.forum.org/index.php?PHPSESSID={'0a' * 16}")
    assert not finds(suspicion, "https://www.forum.org/topic.php?t=1")


def test_one_session_id_for_the_whole_crawl_is_no_trap() -> None:
    session = "0123456789abcdef" * 2
    pages = [
        (f"https://forum.org/topic.php?t={n}&PHPSESSID={session}", f"page {n}", 5000) for n in range(500)
    ]
    assert shown(pages) == []


def test_a_list_without_an_end_is_told() -> None:
    pages = [
        (f"https://a.org/list?cat=2&page={n}", f"page {n}" if n < 9 else "nothing here", 4000)
        for n in range(300)
    ]
    suspicion = only(shown([*ordinary("a.org"), *pages]), TrapKind.QUERY)
    assert suspicion.counts["contents"] <= 10
    assert finds(suspicion, "https://a.org/list?cat=2&page=9999")
    assert not finds(suspicion, "https://a.org/other?page=1")


def test_orders_and_filters_that_show_the_same_are_told() -> None:
    pages = [
        (f"https://a.org/shop?colour={c}&size={s}&sort={o}&dir={d}", f"list {c % 3}", 4000)
        for c in range(8)
        for s in range(6)
        for o in range(4)
        for d in range(2)
    ]
    suspicion = only(shown([*ordinary("a.org"), *pages]), TrapKind.QUERY)
    assert finds(suspicion, "https://a.org/shop?colour=9&size=9&sort=1&dir=1")
    assert not finds(suspicion, "https://a.org/shop?colour=1")


def test_selections_of_many_facets_are_told_though_each_page_differs() -> None:
    chance = random.Random(6)
    names = ["colour", "size", "brand", "sort", "stock", "rating"]
    pages = []
    for number in range(1200):
        chosen = sorted(chance.sample(names, k=chance.randrange(1, 6)))
        query = "&".join(f"{name}={chance.randrange(6)}" for name in chosen)
        pages.append((f"https://a.org/shop?{query}", f"list {number}", 4000 + number))
    assert only(shown(pages)[:1], TrapKind.QUERY).counts["selections"] >= 16


def test_a_wiki_with_many_actions_is_no_trap_while_its_pages_differ() -> None:
    chance = random.Random(7)
    pages = [
        (
            f"https://wiki.org/index.php?title=Page_{chance.randrange(900)}&action={n % 3}",
            f"w{n}",
            9000,
        )
        for n in range(2000)
    ]
    assert shown(pages) == []


def test_empty_answers_are_no_content() -> None:
    assert shown((f"https://a.org/go?to={n}", "empty", 0) for n in range(500)) == []


def test_each_trap_is_told_once() -> None:
    watch = TrapWatch()
    months = range(2024 * 12, 2080 * 12)
    assert len(shown(calendar("a.org", months), watch)) == 1
    assert shown(calendar("a.org", months), watch) == []


def test_a_suspicion_reads_as_a_sentence() -> None:
    suspicion = only(shown(calendar("a.org", range(2024 * 12, 2060 * 12))), TrapKind.CALENDAR)
    assert str(suspicion).startswith(
        "a.org may hold a trap (calendar): 20 dates after 2028, under /calendar/."
    )


def test_hostile_addresses_are_survived() -> None:
    chance = random.Random(8)
    signs = "/?&=;()%#.:@[]0123456789abcdefghij-"
    for _ in range(2000):
        url = "http://a.org/" + "".join(chance.choices(signs, k=chance.randrange(200)))
        TrapWatch().saw(url, "x", "L", 10, NOW)
    deep = "http://a.org/" + "a/b/" * 20_000
    TrapWatch().saw(deep, "x", "L", 10, NOW)
