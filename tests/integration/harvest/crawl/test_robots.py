"""robots.txt: obeyed or not, as the order says; and what happens when it cannot be had."""

import socket
from pathlib import Path

import pytest

from armarium.harvest.engine.engine import End
from armarium.harvest.model import Status
from tests.integration.harvest.crawl.harvesting import POLITE, harvested, ordered, running, soon
from tests.integration.harvest.crawl.website import images, links, page, redirect, text, website
from tests.sites.name_server import NameServer, name_server

FORBIDDING = text("User-agent: *\nDisallow: /private/\n")
PAGES = {
    "/robots.txt": FORBIDDING,
    "/": page(b'<a href="/private/page"></a><img src="/private/image.png"><a href="/open"></a>'),
    "/open": page(b"open"),
    "/private/page": page(b"private"),
    "/private/image.png": text("image"),
}


def test_what_is_forbidden_is_not_asked_for_and_the_log_says_so(tmp_path: Path) -> None:
    with website(PAGES) as site:
        harvest = harvested(tmp_path, ordered(site.address, **POLITE))

    assert sorted(site.paths) == ["/", "/open", "/robots.txt"]
    assert site.paths[0] == "/robots.txt"
    assert harvest.statuses[f"{site.address}private/page"] == Status.ROBOTS_PRECLUDED
    assert harvest.statuses[f"{site.address}private/image.png"] == Status.ROBOTS_PRECLUDED


def test_robots_txt_can_be_ignored(tmp_path: Path) -> None:
    with website(PAGES) as site:
        harvested(tmp_path, ordered(site.address, robots="ignore"))

    assert sorted(site.paths) == ["/", "/open", "/private/image.png", "/private/page"]


def test_robots_txt_can_be_ignored_for_what_pages_embed(tmp_path: Path) -> None:
    with website(PAGES) as site:
        harvest = harvested(tmp_path, ordered(site.address, robots="ignore-for-embeds"))

    assert sorted(site.paths) == ["/", "/open", "/private/image.png", "/robots.txt"]
    assert harvest.statuses[f"{site.address}private/page"] == Status.ROBOTS_PRECLUDED


def test_robots_txt_is_read_for_our_name_and_not_for_others(tmp_path: Path) -> None:
    rules = text("User-agent: other\nDisallow: /\n\nUser-agent: armarium\nDisallow: /a\n")
    with website({"/robots.txt": rules, "/": links("/a", "/b"), "/a": page(), "/b": page()}) as site:
        harvested(tmp_path, ordered(site.address, **POLITE))

    assert sorted(site.paths) == ["/", "/b", "/robots.txt"]


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden", "410 Gone"])
def test_where_there_is_no_robots_txt_everything_is_allowed(tmp_path: Path, status: str) -> None:
    with website({**PAGES, "/robots.txt": text("Disallow: /", status)}) as site:
        harvested(tmp_path, ordered(site.address, **POLITE))

    assert sorted(site.paths) == ["/", "/open", "/private/image.png", "/private/page", "/robots.txt"]


def test_attempts_are_not_spent_before_robots_txt_is_asked_for_again(tmp_path: Path) -> None:
    answers = [text("broken", "500 Internal Server Error"), FORBIDDING]
    with website({**PAGES, "/robots.txt": lambda _: answers.pop(0)}) as site:
        harvested(
            tmp_path,
            ordered(site.address, retries={"attempts": 3, "delay": 0.1, "robots_delay": 2}, **POLITE),
        )

    assert site.paths == ["/robots.txt", "/robots.txt", "/", "/open"]
    assert site.gaps[0] >= 1.9


def test_while_robots_txt_is_out_of_reach_nothing_is_fetched(tmp_path: Path) -> None:
    with website({**PAGES, "/robots.txt": text("broken", "500 Internal Server Error")}) as site:
        order = ordered(site.address, retries={"attempts": 3, "delay": 0.3, "robots_delay": 0.3}, **POLITE)
        harvest = harvested(tmp_path, order)

    assert set(site.paths) == {"/robots.txt"}
    assert len(site.paths) == 3, "it is asked for again with each attempt"
    assert site.gaps[0] >= 0.29
    assert harvest.statuses[site.address] == Status.ROBOTS_PREREQUISITE_FAILED


def test_a_robots_txt_that_is_out_of_reach_is_not_asked_for_again_and_again(tmp_path: Path) -> None:
    with website({**PAGES, "/robots.txt": text("broken", "500 Internal Server Error")}) as site:
        pace = {"min_delay": 0.2, "max_delay": 0.2}
        tries = {"attempts": 1, "delay": 0}
        order = ordered(site.address, politeness=pace, limits={"max_seconds": 8}, retries=tries, **POLITE)
        harvest = harvested(tmp_path, order)

    assert site.paths == ["/robots.txt"]
    assert harvest.summary["status"] == End.FINISHED
    assert harvest.statuses[site.address] == Status.ROBOTS_PREREQUISITE_FAILED


def test_when_robots_txt_is_back_the_site_is_harvested(tmp_path: Path) -> None:
    answers = [text("broken", "500 Internal Server Error"), FORBIDDING]
    with website({**PAGES, "/robots.txt": lambda _: answers.pop(0)}) as site:
        harvested(
            tmp_path,
            ordered(site.address, retries={"attempts": 3, "delay": 0.2, "robots_delay": 0.1}, **POLITE),
        )

    assert site.paths == ["/robots.txt", "/robots.txt", "/", "/open"]


def test_a_dead_port_does_not_hold_up_the_others_of_its_host(tmp_path: Path) -> None:
    with website({}) as gone:
        dead = gone.address
    pages = {f"/{number}": page(b"%d" % number) for number in range(5)}
    with website({"/robots.txt": text(""), "/": links(dead, f"{dead}a", *pages), **pages}) as site:
        tries = {"attempts": 2, "robots_delay": 45}  # seconds in which the others must be done
        order = ordered(site.address, retries=tries, limits={"max_seconds": 300}, **POLITE)
        with running(tmp_path, order) as live:
            assert soon(lambda: len(site.paths) == len(pages) + 2, 40)
            queued = live.ask("status")["queued"]

    assert queued == 2, "those of the dead port wait for their second attempt"


def test_a_silent_port_does_not_hold_up_the_others_of_its_host(tmp_path: Path) -> None:
    pages = {f"/{number}": page(b"%d" % number) for number in range(5)}
    with socket.create_server(("127.0.0.1", 0)) as silent:  # what nobody accepts waits without an answer
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        answers = {"/robots.txt": text(""), "/": links(address, f"{address}a", *pages), **pages}
        with website(answers) as site:
            limits = {"max_seconds": 300}
            order = ordered(site.address, fetching={"silence_seconds": 200}, limits=limits, **POLITE)
            with running(tmp_path, order) as live:
                assert soon(lambda: len(site.paths) == len(pages) + 2)
                status = live.ask("status")
                assert live.crawl is not None
                live.crawl.engine.stop_at_once()

    assert (status["queued"], status["in_flight"]) == (3, 1), "robots.txt, and the two that wait for it"
    assert site.most_busy == 1


def test_a_busy_robots_txt_holds_up_neither_other_ports_nor_the_end(tmp_path: Path) -> None:
    pages = {f"/{number}": page(b"%d" % number) for number in range(5)}
    with website({"/robots.txt": text("busy", "503 Service Unavailable")}) as busy:
        answers = {"/robots.txt": text(""), "/": links(busy.address, *pages), **pages}
        with website(answers) as site:
            # A page that is busy has its server rest for five seconds, and twice as long each time.
            tries = {"attempts": 3, "delay": 0.1, "robots_delay": 0.1}
            order = ordered(site.address, retries=tries, limits={"max_seconds": 60}, **POLITE)
            harvest = harvested(tmp_path, order)

    assert harvest.summary["status"] == End.FINISHED
    assert len(site.paths) == len(pages) + 2
    assert busy.paths == ["/robots.txt"] * 3
    assert harvest.statuses[busy.address] == Status.ROBOTS_PREREQUISITE_FAILED


def test_a_redirected_robots_txt_is_read_where_it_leads(tmp_path: Path) -> None:
    pages = {**PAGES, "/robots.txt": redirect("/elsewhere.txt"), "/elsewhere.txt": FORBIDDING}
    with website(pages) as site:
        harvest = harvested(tmp_path, ordered(site.address, **POLITE))

    assert site.paths == ["/robots.txt", "/elsewhere.txt", "/", "/open"]
    assert harvest.statuses[f"{site.address}private/page"] == Status.ROBOTS_PRECLUDED


def test_a_robots_txt_that_is_redirected_to_another_server_holds_for_the_first(tmp_path: Path) -> None:
    with website({"/robots.txt": FORBIDDING}, host="127.0.0.2") as other:
        pages = {**PAGES, "/robots.txt": redirect(f"{other.address}robots.txt")}
        with website(pages) as site:
            harvested(tmp_path, ordered(site.address, **POLITE))

    assert site.paths == ["/robots.txt", "/", "/open"]
    assert other.paths == ["/robots.txt"]


def test_a_robots_txt_that_is_redirected_forever_is_given_up(tmp_path: Path) -> None:
    pages = {"/robots.txt": redirect("/again"), "/again": redirect("/robots.txt"), "/": page()}
    with website(pages) as site:
        harvested(tmp_path, ordered(site.address, **POLITE))

    assert site.paths[-1] == "/"
    assert len(site.paths) == 7, "RFC 9309, 2.3.1.2: five redirects"


@pytest.mark.parametrize("target", ["http://nowhere.example/robots.txt", "http://169.254.169.254/robots.txt"])
def test_a_robots_txt_that_leads_where_nobody_can_go_does_not_hold_up_the_crawl(
    tmp_path: Path, target: str
) -> None:
    with website({**PAGES, "/robots.txt": redirect(target)}) as site, name_server(NameServer([])) as names:
        order = ordered(
            site.address, limits={"max_seconds": 8}, fetching={"dns_servers": [names.address]}, **POLITE
        )
        harvest = harvested(tmp_path, order)

    assert harvest.summary["status"] == End.FINISHED
    assert site.paths == ["/robots.txt"], "what it forbids is not known"
    assert harvest.statuses[site.address] == Status.ROBOTS_PREREQUISITE_FAILED


def test_two_servers_whose_robots_txt_is_one_file_both_keep_to_it(tmp_path: Path) -> None:
    with website({"/robots.txt": FORBIDDING}, host="127.0.0.2", seconds=0.5) as shared:
        pages = {**PAGES, "/robots.txt": redirect(f"{shared.address}robots.txt")}
        with website(pages) as one, website(pages, host="127.0.0.3") as two:
            harvested(tmp_path, ordered(one.address, two.address, **POLITE))

    for site in (one, two):
        assert sorted(site.paths) == ["/", "/open", "/robots.txt"]


def test_a_robots_txt_must_not_send_us_to_any_page_of_another_server(tmp_path: Path) -> None:
    with website(
        {"/private/delete": page(), "/robots.txt": text("User-agent: *\nDisallow: /")}, host="127.0.0.2"
    ) as other:
        answers = {**PAGES, "/robots.txt": redirect(f"{other.address}private/delete")}
        with website(answers) as site:
            harvested(tmp_path, ordered(site.address, **POLITE))

    assert other.asked == []
    assert "/" in site.paths, "a file that is not there forbids nothing"


ANSWERS = {"rules": FORBIDDING, "none": text("gone", "404 Not Found"), "moved": redirect("/rules.txt")}


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_resumed_crawl_does_not_ask_for_robots_txt_again(tmp_path: Path, answer: str) -> None:
    pages = {**PAGES, "/robots.txt": ANSWERS[answer], "/rules.txt": FORBIDDING}
    with website(pages) as site:
        order = ordered(site.address, politeness={"min_delay": 0.4, "max_delay": 0.4}, **POLITE)
        with running(tmp_path, order) as live:
            assert soon(lambda: "/" in site.paths)
            assert live.crawl is not None
            live.crawl.engine.stop(End.INTERRUPTED)
            live.wait()
        before = len(site.paths)
        harvest = harvested(tmp_path, order)

    assert harvest.summary["status"] == End.FINISHED
    assert "/open" in site.paths[before:]
    assert "/robots.txt" not in site.paths[before:]
    assert ("/private/page" in site.paths) == (answer == "none")


def test_sitemaps_of_robots_txt_are_harvested_even_if_it_is_ignored(tmp_path: Path) -> None:
    pages = {"/": page(), "/hidden": page(b"hidden")}
    with website(pages) as site:
        sitemap = f"<urlset><url><loc>{site.address}hidden</loc></url></urlset>"
        pages["/map.xml"] = text(sitemap).replace(b"text/plain", b"text/xml")
        pages["/robots.txt"] = text(f"Sitemap: {site.address}map.xml")
        harvested(tmp_path, ordered(site.address, robots="ignore", extraction={"sitemaps": True}))

    assert "/hidden" in site.paths


def test_images_are_embeds_behind_redirects_too(tmp_path: Path) -> None:
    pages = {
        "/robots.txt": FORBIDDING,
        "/": images("/moved.png"),
        "/moved.png": redirect("/private/image.png"),
        "/private/image.png": text("image"),
    }
    with website(pages) as site:
        harvested(tmp_path, ordered(site.address, robots="ignore-for-embeds"))

    assert "/private/image.png" in site.paths


def test_a_robots_txt_in_a_queue_without_budget_does_not_hold_up_the_crawl(tmp_path: Path) -> None:
    with website({"/": page(), "/robots.txt": text("")}, host="127.0.0.2") as spent:
        answers = {"/": page(), "/robots.txt": redirect(f"{spent.address}rules.txt")}
        with website(answers, seconds=1.0) as site:
            limits = {"max_seconds": 6}
            order = ordered(spent.address, site.address, queues={"max_objects": 2}, limits=limits, **POLITE)
            harvest = harvested(tmp_path, order)

    assert harvest.summary["status"] == End.FINISHED
