"""The live check of an address: as the crawler would see it, and never into the library's network.

127.0.0.2 plays the web, which the settings of these tests open; 127.0.0.1 the library's own network.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from armarium.harvest.fetch.addresses import AddressRules
from armarium.planning.settings import PlanningSettings
from armarium.selection.entry.checker import Look, RobotsSays, Trouble, Verdict, Way
from armarium.selection.settings import EntrySettings
from armarium.workflow.checking import LiveChecker, own_addresses
from tests.sites.certificates import Authority
from tests.sites.endless import endless
from tests.sites.gzip_bomb import gzip_bomb
from tests.sites.name_server import NameServer, name_server
from tests.sites.paths import moved, paths
from tests.sites.redirect_loop import redirect_loop
from tests.sites.serving import page, serving
from tests.sites.stall import stall

WEB = "127.0.0.2"
OPEN = ("127.0.0.2/32",)
PAGE = page(b"<!doctype html><html lang=fr><title>Une  <b>page</b>\x07 &eacute;</title>", "X: y")


def settings(**values: object) -> EntrySettings:
    usual = {"allowed_ranges": OPEN, "pictures": False, "pause": 0.0, "seconds": 120.0}
    chosen: dict[str, object] = {**usual, **values}
    return EntrySettings.model_validate(chosen)


def looks(*urls: str, **values: object) -> list[Look]:
    found: dict[int, Look] = {}
    checker = LiveChecker(settings(**values), PlanningSettings(contact="https://library.example/bot"))
    checker.check(list(enumerate(urls)), begun=lambda _: None, done=found.__setitem__, stopping=lambda: False)
    return [found[number] for number in range(len(urls))]


def look(url: str, **values: object) -> Look:
    return looks(url, **values)[0]


def answers(**more: bytes) -> Mapping[str, bytes]:
    return {"/": PAGE, **{f"/{name}": answer for name, answer in more.items()}}


def test_a_page_that_answers_is_fine_and_described() -> None:
    with paths(answers(), host=WEB) as site:
        found = look(site.address)
    assert (found.verdict, found.trouble) == (Verdict.FINE, Trouble.NONE)
    assert (found.title, found.language, found.media_type) == ("Une <b>page</b> é", "fr", "text/html")
    assert (found.size, found.whole) == (len(PAGE.partition(b"\r\n\r\n")[2]), True)
    assert [(step.status, step.addresses) for step in found.steps] == [(200, (WEB,))]
    assert found.robots is RobotsSays.ABSENT
    assert b"+https://library.example/bot" in site.requests[0]


def test_each_step_of_a_redirect_is_told() -> None:
    more = {
        "a": moved("/b", 302),
        "b": moved("/c"),
        "c": page(b'<meta http-equiv=refresh content="0; url=/">'),
    }
    with paths(answers(**more), host=WEB) as site:
        found = look(f"{site.address}a")
    assert found.verdict is Verdict.REDIRECTS
    assert [(step.url.rpartition("/")[2], step.status, step.way) for step in found.steps] == [
        ("a", 302, Way.ASKED),
        ("b", 301, Way.REDIRECT),
        ("c", 200, Way.REDIRECT),
        ("", 200, Way.REFRESH),
    ]
    assert found.final == site.address


@pytest.mark.parametrize("status", [401, 403, 404, 410, 429, 500, 503])
def test_an_error_of_the_server_is_invalid(status: int) -> None:
    answer = f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode()
    with paths({"/": answer}, host=WEB) as site:
        found = look(site.address)
    assert (found.verdict, found.trouble) == (Verdict.INVALID, Trouble.STATUS)
    assert found.steps[-1].status == status


def test_a_name_that_the_dns_does_not_know_is_invalid() -> None:
    with (
        name_server(NameServer([f"there.example. 300 IN A {WEB}"])) as dns,
        paths(answers(), host=WEB) as site,
    ):
        absent, there = looks(
            "http://absent.example/", f"http://there.example:{site.port}/", dns_servers=(dns.address,)
        )
    assert (absent.verdict, absent.trouble) == (Verdict.INVALID, Trouble.NO_NAME)
    assert "NXDOMAIN" in absent.steps[0].told
    assert (there.verdict, there.steps[0].addresses) == (Verdict.FINE, (WEB,))


@pytest.mark.parametrize(
    "text",
    ["", "mailto:a@b.example", "ftp://a.example/", "http://", "http://u:p@a.example/", "a b c"],
)
def test_what_is_no_address_is_told(text: str) -> None:
    assert (look(text).verdict, look(text).trouble) == (Verdict.INVALID, Trouble.NO_ADDRESS)


def test_robots_txt_is_a_warning_with_its_rule() -> None:
    rules = page(b"User-agent: *\nDisallow: /private\n").replace(b"text/html", b"text/plain")
    with paths({**answers(private=PAGE), "/robots.txt": rules}, host=WEB) as site:
        allowed, forbidden = looks(site.address, f"{site.address}private")
    assert allowed.robots is RobotsSays.ALLOWED
    assert (forbidden.verdict, forbidden.robots) == (Verdict.FINE, RobotsSays.FORBIDDEN)
    assert forbidden.robots_rule.startswith("2: ")
    assert "/private" in forbidden.robots_rule


def test_redirects_without_end_are_invalid() -> None:
    with redirect_loop() as site, paths({"/": moved("/")}, host=WEB) as circle:
        endless_way, round_way = looks(
            site.address, circle.address, allowed_ranges=("127.0.0.0/8",), max_redirects=4
        )
    assert (endless_way.trouble, len(endless_way.steps)) == (Trouble.ASTRAY, 5)
    assert (round_way.trouble, len(round_way.steps)) == (Trouble.ASTRAY, 2)


def test_a_server_that_says_nothing_is_given_up() -> None:
    with stall() as site:
        found = look(site.address, allowed_ranges=("127.0.0.0/8",), seconds=0.5)
    assert found.verdict is Verdict.INVALID
    assert found.trouble is Trouble.TOO_SLOW or not found.whole


def test_an_endless_page_and_a_bomb_are_read_up_to_the_limit() -> None:
    with endless() as site, gzip_bomb() as bomb:
        found, bombed = looks(site.address, bomb.address, allowed_ranges=("127.0.0.0/8",), max_bytes=50_000)
    assert not found.whole
    assert found.size <= 51_000
    assert bombed.verdict is not Verdict.REDIRECTS


def test_a_certificate_that_nobody_vouches_for_is_told(tmp_path: Path) -> None:
    async def behaviour(visit: object) -> None:
        while await visit.request():  # type: ignore[attr-defined]
            await visit.send(PAGE)  # type: ignore[attr-defined]

    context = Authority.create(tmp_path).server("other.example")
    with serving(behaviour, host=WEB, tls=context) as site:
        found = look(site.address)
    assert found.verdict is Verdict.FINE
    assert found.tls_problem


def test_lines_are_taken_one_after_the_other_at_one_host() -> None:
    with paths(answers(), host=WEB) as site:
        found = looks(*[f"{site.address}?{number}" for number in range(12)], at_once=6)
    assert {each.verdict for each in found} == {Verdict.FINE}
    first = [request.split(b" ")[1] for request in site.requests]
    assert len(first) == 24  # with a robots.txt for each: nobody is asked twice at the same time


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "0.0.0.0",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.1.1",
        "[fd00:ec2::254]",
        "[fe80::1]",
    ],
)
def test_the_librarys_network_is_refused_without_a_connection(host: str) -> None:
    with paths(answers()) as inner:
        found = look(f"http://{host}:{inner.port}/")
    assert (found.verdict, found.trouble) == (Verdict.INVALID, Trouble.DENIED)
    assert not inner.visits


def test_a_name_a_redirect_a_refresh_and_a_robots_txt_lead_nowhere_inside() -> None:
    zone = ["inner.example. 300 IN A 127.0.0.1", f"outer.example. 300 IN A {WEB}"]
    with name_server(NameServer(zone)) as dns, paths(answers()) as inner:
        secret = f"http://127.0.0.1:{inner.port}/robots.txt"
        named = f"http://inner.example:{inner.port}/"
        more = {
            "redirect": moved(secret),
            "named": moved(named),
            "refresh": page(f'<meta http-equiv="refresh" content="0;{secret}">'.encode()),
            "robots.txt": moved(secret),
        }
        with paths(answers(**more), host=WEB) as site:
            base = f"http://outer.example:{site.port}/"
            found = looks(
                named, f"{base}redirect", f"{base}named", f"{base}refresh", base, dns_servers=(dns.address,)
            )
    assert [each.trouble for each in found[:4]] == [Trouble.DENIED] * 4
    assert (found[4].verdict, found[4].robots) == (Verdict.FINE, RobotsSays.OUT_OF_REACH)
    assert not inner.visits
    assert not any(step.addresses == ("127.0.0.1",) for each in found for step in each.steps)


def test_a_name_that_is_answered_differently_the_second_time_gains_nothing() -> None:
    class Rebinding(NameServer):
        def respond(self, wire: bytes, *, over_tcp: bool) -> bytes:
            inside = sum("A turn.example." in each for each in self.asked) > 0
            self.zone = [f"turn.example. 0 IN A {'127.0.0.1' if inside else WEB}"]
            return super().respond(wire, over_tcp=over_tcp)

    with paths(answers()) as inner, name_server(Rebinding([])) as dns:
        urls = [f"http://turn.example:{inner.port}/{number}" for number in range(3)]
        found = looks(*urls, dns_servers=(dns.address,))
    assert {each.verdict for each in found} == {Verdict.INVALID}
    assert not inner.visits


def test_this_machine_is_not_called_under_its_public_address_either() -> None:
    own = own_addresses(())
    assert "127.0.0.1" in own  # there is no other that every machine has
    assert not any(AddressRules(denied=own).permitted(one) for one in own)
    assert "127.0.0.1" not in own_addresses(("127.0.0.0/8",))


def test_public_machines_of_the_library_can_be_denied_too() -> None:
    with paths(answers(), host=WEB) as site:
        (seen,) = looks(site.address, denied_ranges=(f"{WEB}/32",))
    assert seen.trouble is Trouble.DENIED
    assert not site.visits


def test_stopping_leaves_the_rest_undone() -> None:
    done: list[int] = []
    with paths(answers(), host=WEB) as site:
        LiveChecker(settings(at_once=1), PlanningSettings()).check(
            [(number, site.address) for number in range(20)],
            begun=lambda _: None,
            done=lambda number, _: done.append(number),
            stopping=lambda: len(done) >= 2,
        )
    assert 2 <= len(done) < 20
