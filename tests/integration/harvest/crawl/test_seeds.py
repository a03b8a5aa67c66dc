"""What follows from a seed: how far the crawl goes, and where a redirect takes it."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from armarium.harvest.engine.engine import End
from armarium.harvest.frontier import servers
from armarium.harvest.model import Status
from armarium.harvest.view import line
from tests.integration.harvest.crawl.harvesting import harvested, ordered, running, soon
from tests.integration.harvest.crawl.website import Answer, links, page, path_of, redirect, website
from tests.sites.name_server import NameServer, name_server

NO_CHUNKS = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
HOSTS = ("old.example", "www.new.example", "blog.new.example", "other.example")


@pytest.fixture
def names() -> Iterator[NameServer]:
    with name_server(NameServer([f"{host}. 300 IN A 127.0.0.1" for host in HOSTS])) as server:
        yield server


def by_host(answers: dict[str, bytes]) -> Answer:
    """One server for several names."""

    def answer(request: bytes) -> bytes:
        host = next(host for host in answers if f"Host: {host}:".encode() in request)
        return answers[host]

    return answer


def test_a_seed_that_moved_takes_in_its_new_host_and_nothing_else_of_that_domain(
    tmp_path: Path, names: NameServer
) -> None:
    pages: dict[str, Answer] = {"/page": page(b"page")}
    with website(pages) as site:
        new, blog = (f"http://{host}:{site.port}" for host in ("www.new.example", "blog.new.example"))
        pages["/"] = by_host(
            {"old.example": redirect(f"{new}/"), "www.new.example": links(f"{blog}/page", "/page")}
        )
        seed = f"http://old.example:{site.port}/"
        harvest = harvested(tmp_path, ordered(seed, fetching={"dns_servers": [names.address]}))

    assert harvest.statuses == {seed: 302, f"{new}/": 200, f"{new}/page": 200}
    assert harvest.summary["seeds"][0]["redirect"] == f"{new}/"
    assert harvest.summary["seeds"][0]["result"] == "crawled"


def test_a_seed_is_judged_by_what_there_was_to_collect(tmp_path: Path, names: NameServer) -> None:
    pages: dict[str, Answer] = {"/": page(b"page"), "/empty": page(b""), "/self": redirect("/self")}
    pages |= {"/chunks": NO_CHUNKS, "/nowhere": redirect("http://[x"), "/steps0": redirect("/steps1")}
    pages |= {"/steps1": redirect("/steps2"), "/to-chunks": redirect("/chunks")}
    with website(pages) as site:
        other = f"http://other.example:{site.port}"
        pages["/away"], pages["/astray"] = redirect(f"{other}/"), redirect(f"{other}/gone")
        own = f"http://old.example:{site.port}"
        seeds = {
            "": "fine",
            "gone": "dead",
            "empty": "empty",
            "away": "moved",
            "astray": "dead",
            "self": "dead",
            "to-chunks": "empty",
            "chunks": "empty",
            "nowhere": "dead",
            "steps0": "dead",
        }
        order = ordered(
            *(f"{own}/{name}" for name in seeds),
            "http://nowhere.example/",
            fetching={"dns_servers": [names.address], "max_redirects": 1},
        )
        harvest = harvested(tmp_path, order)

    found = {seed["url"]: seed["verdict"] for seed in harvest.summary["seeds"]}
    assert found == {f"{own}/{name}": verdict for name, verdict in seeds.items()} | {
        "http://nowhere.example/": "unreachable"
    }
    reasons = {source["tag"]: source["reason"] for source in harvest.summary["sources"]}
    assert (reasons[f"{own}/"], reasons[f"{own}/gone"]) == ("complete", "dead")
    assert (reasons[f"{own}/empty"], reasons[f"{own}/away"]) == ("empty", "complete")


def test_a_seed_that_moved_stays_moved_when_the_crawl_is_resumed(tmp_path: Path, names: NameServer) -> None:
    pages: dict[str, Answer] = {"/page": links("/more"), "/more": page()}
    with website(pages) as site:
        new = f"http://www.new.example:{site.port}"
        pages["/"] = by_host({"old.example": redirect(f"{new}/"), "www.new.example": links("/page")})
        order = ordered(
            f"http://old.example:{site.port}/",
            fetching={"dns_servers": [names.address]},
            politeness={"min_delay": 0.3, "max_delay": 0.3},
        )
        with running(tmp_path, order) as live:
            assert soon(lambda: len(site.asked) == 2)
            assert live.crawl is not None
            live.crawl.engine.stop(End.INTERRUPTED)
            live.wait()
        harvest = harvested(tmp_path, order)

    assert harvest.statuses[f"{new}/more"] == 200
    assert site.paths == ["/", "/", "/page", "/more"]


def test_a_page_that_moved_does_not_take_in_a_host(tmp_path: Path, names: NameServer) -> None:
    pages: dict[str, Answer] = {"/": links("/moved"), "/far": links("/further"), "/further": page()}
    with website(pages) as site:
        pages["/moved"] = redirect(f"http://other.example:{site.port}/far")
        seed = f"http://old.example:{site.port}/"
        harvest = harvested(tmp_path, ordered(seed, fetching={"dns_servers": [names.address]}))

    assert f"http://other.example:{site.port}/further" not in harvest.statuses
    assert "/further" not in site.paths


def test_widening_can_be_forbidden(tmp_path: Path, names: NameServer) -> None:
    pages: dict[str, Answer] = {"/page": page()}
    with website(pages) as site:
        new = f"http://www.new.example:{site.port}"
        pages["/"] = by_host({"old.example": redirect(f"{new}/"), "www.new.example": links("/page")})
        order = ordered(
            f"http://old.example:{site.port}/",
            fetching={"dns_servers": [names.address]},
            scope={"widen_redirected_seeds": False},
        )
        harvested(tmp_path, order)

    assert "/page" not in site.paths


@pytest.mark.parametrize(
    ("scope", "asked"),
    [
        ({"kind": "page"}, ["/docs/a"]),
        ({"kind": "page", "page_hops": 1}, ["/", "/docs/a", "/docs/b"]),
        ({"kind": "path"}, ["/docs/a", "/docs/b", "/docs/c"]),
        ({"kind": "host"}, ["/", "/docs/a", "/docs/b", "/docs/c"]),
        ({"kind": "host", "max_hops": 1}, ["/", "/docs/a", "/docs/b"]),
    ],
)
def test_a_crawl_goes_as_far_as_its_scope(tmp_path: Path, scope: dict[str, object], asked: list[str]) -> None:
    pages = {"/docs/a": links("b", "/"), "/docs/b": links("c"), "/docs/c": page(), "/": page(b"home")}
    with website(pages) as site:
        harvested(tmp_path, ordered(f"{site.address}docs/a", scope=scope))

    assert sorted(site.paths) == asked


@pytest.mark.parametrize("hops", [0, 1, 2])
def test_page_and_so_many_links_never_runs_off(tmp_path: Path, names: NameServer, hops: int) -> None:
    """A web without an end: links here and elsewhere, frames, moved pages and scripts all lead further."""

    def further(request: bytes) -> bytes:
        here = path_of(request)
        if here.endswith("m"):
            return redirect(f"{here}l")
        ways = f'<iframe src="{here}f"></iframe><script>var a = "{here}s/"</script>'
        hosts = ("", f"http://other.example:{site.port}")
        return page(
            "".join(
                [ways, *(f'<a href="{host}{here}{way}">x</a>' for host in hosts for way in "lm")]
            ).encode()
        )

    trails = ("".join(trail) for length in range(6) for trail in product("lfms", repeat=length))
    pages: dict[str, Answer] = {f"/{trail}": further for trail in trails}
    with website(pages) as site:
        seed = f"http://old.example:{site.port}/"
        scope = {"kind": "page", "page_hops": hops, "contain_traps": False}
        order = ordered(seed, scope=scope, fetching={"dns_servers": [names.address]})
        harvest = harvested(tmp_path, order)

    assert harvest.summary["status"] == "Finished"
    taken = [(one.hops, one.url) for one in harvest.log if one.url.startswith("http")]
    assert max(trail.count("L") for trail, _ in taken) == hops
    elsewhere = [trail.rpartition("L")[2] for trail, url in taken if "other.example" in url]
    assert all(trail.count("E") <= order.scope.max_embed_hops for trail in elsewhere)


def test_frames_within_frames_come_to_an_end(tmp_path: Path) -> None:
    pages = {f"/{number}": page(b'<iframe src="/%d"></iframe>' % (number + 1)) for number in range(1, 100)}
    with website(pages) as site:
        order = ordered(f"{site.address}1", scope={"kind": "page", "contain_traps": False})
        harvested(tmp_path, order)

    assert len(site.asked) == 1 + order.scope.max_hops


def test_each_address_is_asked_for_once_whatever_leads_there(tmp_path: Path) -> None:
    pages = {
        "/": links("/a", "/a#top", "/./a", "/b/../a", "//{host}/a"),
        "/a": links("/", "a", "?", "/a?"),
        "/a?": page(),
    }
    with website(pages) as site:
        pages["/"] = pages["/"].replace(b"{host}", f"127.0.0.1:{site.port}".encode())
        pages["/"] = links("/a", "/a#top", "/./a", "/b/../a", f"//127.0.0.1:{site.port}/a")
        harvested(tmp_path, ordered(site.address, site.address + "#x", f"{site.address}a"))

    assert site.paths.count("/a") == site.paths.count("/") == 1


def test_a_crawl_of_names_that_nobody_knows_says_so_and_ends_before_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_NAMES_ASKED_AGAIN", 2.0)
    order = ordered("http://index.php/", retries={"attempts": 4, "delay": 300}, limits={"max_seconds": 200})
    with running(tmp_path, order) as live:
        assert soon(lambda: live.ask("status")["waiting"] == 1)
        told = line(live.ask("status"))
        live.wait()

    assert "1 queued, 0 failed, 1 to be tried again (http://index.php/: " in told
    assert live.harvest.summary["status"] == End.FINISHED
    assert live.harvest.statuses == {"http://index.php/": Status.DNS_FAILED}
