"""A running crawl is asked and steered through its socket."""

import json
import socket
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from armarium.core.errors import Refused, Unavailable
from armarium.harvest.engine.control import Caller, short_name
from armarium.harvest.engine.engine import End
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import Frontier
from tests.integration.harvest.crawl.harvesting import Live, harvested, ordered, running, soon
from tests.integration.harvest.crawl.website import Asked, Website, links, page, website

PAGES = {
    "/": links(*(f"/{kind}/{number}" for kind in ("keep", "drop") for number in range(10))),
    **{f"/{kind}/{number}": page(b"%d" % number) for kind in ("keep", "drop") for number in range(10)},
}
PACE = {"delay_factor": 0, "min_delay": 0.2, "max_delay": 0.2}


@pytest.fixture
def site() -> Iterator[Website]:
    with website(PAGES) as site:
        yield site


@pytest.fixture
def live(site: Website, tmp_path: Path) -> Iterator[Live]:
    """A slow crawl that has taken its first page."""
    with running(tmp_path / "crawl", ordered(site.address, politeness=PACE)) as live:
        assert soon(lambda: len(site.asked) >= 2)
        yield live


def spoken(live: Live, data: bytes) -> bytes:
    """Say something to the socket that the caller would never say."""
    path = CrawlFolder(live.harvest.root).control_file
    with socket.socket(socket.AF_UNIX) as connection, short_name(path) as name:
        connection.settimeout(60)
        connection.connect(name)
        connection.sendall(data)
        with connection.makefile("rb") as answers:
            return answers.readline()


def test_the_status_tells_what_goes_on(live: Live, site: Website) -> None:
    status = live.ask("status")

    assert status["state"] == "running"
    assert status["discovered"] == 21
    assert status["objects"] + status["queued"] == 21
    assert status["queues_active"] == 1
    assert status["biggest"][0]["queue"] == "127.0.0.1"
    assert status["biggest"][0]["server"] == "127.0.0.1"
    assert status["bytes"] > 0


def test_no_request_arrives_while_a_crawl_is_paused(live: Live, site: Website) -> None:
    live.ask("pause")
    assert soon(lambda: live.ask("status")["in_flight"] == 0)
    before = len(site.asked)
    time.sleep(1.0)

    assert len(site.asked) == before
    assert live.ask("status")["state"] == "paused"
    assert live.ask("status")["pause_reason"] == "by the operator"
    with pytest.raises(Refused, match="cannot be paused: it is paused"):
        live.ask("pause")

    live.ask("resume")
    assert soon(lambda: len(site.asked) > before)
    with pytest.raises(Refused, match="cannot go on: it is running"):
        live.ask("resume")


def test_a_paused_crawl_can_be_ended(live: Live) -> None:
    live.ask("pause")
    live.ask("terminate")
    live.wait()

    assert live.harvest.summary["status"] == End.OPERATOR


def test_a_filter_is_previewed_and_then_takes_out_what_is_queued(live: Live, site: Website) -> None:
    live.ask("pause")
    preview = live.ask("filter", pattern="/drop/", preview=True)
    queued = live.ask("status")["queued"]

    assert preview["queued"] == 10
    assert len(preview["samples"]) == 5
    assert all("/drop/" in sample for sample in preview["samples"])
    assert live.ask("status")["queued"] == queued, "a preview changes nothing"

    assert live.ask("filter", pattern="/drop/")["queued"] == 10
    assert live.ask("status")["queued"] == queued - 10
    live.ask("pace", min_delay=0, max_delay=0)
    live.ask("resume")
    live.wait()
    assert len(site.asked) == 11
    assert not [path for path in site.paths if path.startswith("/drop/")]


def test_a_filter_holds_for_what_is_found_later_and_after_a_resume(tmp_path: Path) -> None:
    pages = {"/": links("/a"), "/a": links("/drop/1", "/b"), "/b": links("/drop/2"), "/drop/1": page()}
    with website(pages) as site:
        order = ordered(site.address, politeness=PACE)
        with running(tmp_path, order) as live:
            live.ask("filter", pattern="/drop/")
            assert soon(lambda: "/a" in site.paths)
            assert live.crawl is not None
            live.crawl.engine.stop(End.INTERRUPTED)
            live.wait()
        harvested(tmp_path, order)

    assert site.paths == ["/", "/a", "/b"]


def test_a_filter_that_is_none_is_refused_with_a_reason(live: Live) -> None:
    with pytest.raises(Refused, match=r"\("):
        live.ask("filter", pattern="(unclosed")


def test_a_queue_that_spent_its_budget_comes_back_when_the_budget_is_raised(
    site: Website, tmp_path: Path
) -> None:
    with website(PAGES, host="127.0.0.2", seconds=0.3) as slow:
        order = ordered(site.address, slow.address, queues={"max_objects": 5})
        with running(tmp_path, order) as live:
            assert soon(lambda: live.ask("status")["queues"].get("retired", 0) >= 1)
            assert len(site.asked) == 5
            assert live.ask("budget", queue="127.0.0.1", objects=12) == {"queues": 1}
            assert soon(lambda: len(site.asked) == 12)
            live.wait()

    assert (len(site.asked), len(slow.asked)) == (12, 5)


def test_a_budget_for_a_queue_that_is_not_there_is_refused(live: Live) -> None:
    with pytest.raises(Refused, match="no queue 'nowhere'"):
        live.ask("budget", queue="nowhere", objects=1)


def is_hurried(asked: list[Asked]) -> bool:
    """Whether requests follow each other without the pause; a busy machine may delay some of them."""
    gaps = sorted(later.moment - earlier.moment for earlier, later in pairwise(asked))
    return gaps[len(gaps) // 3] < PACE["min_delay"] / 2


def test_the_pace_can_be_changed_while_the_crawl_runs(live: Live, site: Website) -> None:
    changed = live.ask("pace", min_delay=0, max_delay=0)

    assert changed["min_delay"] == 0
    assert soon(lambda: live.ended)
    assert len(site.asked) == 21
    assert is_hurried(site.asked)


def test_a_changed_pace_holds_when_the_crawl_is_resumed(live: Live, site: Website, tmp_path: Path) -> None:
    live.ask("pause")
    live.ask("pace", min_delay=0, max_delay=0)
    assert live.crawl is not None
    live.crawl.engine.stop(End.INTERRUPTED)
    live.wait()
    before = len(site.asked)
    harvested(tmp_path / "crawl", ordered(site.address, politeness=PACE))

    assert is_hurried(site.asked[before:])


@pytest.mark.parametrize("wrong", [{"min_delay": -1}, {"no_such_key": 1}, {"min_delay": 50, "max_delay": 1}])
def test_a_pace_that_makes_no_sense_is_refused(live: Live, wrong: dict[str, object]) -> None:
    with pytest.raises(Refused):
        live.ask("pace", **wrong)

    assert live.ask("status")["state"] == "running"


def test_a_checkpoint_can_be_opened_like_the_original(live: Live, site: Website) -> None:
    before = live.ask("status")
    folder = Path(live.ask("checkpoint")["folder"])
    frontier = Frontier(folder / "frontier.sqlite", ordered(site.address))
    counts = frontier.counts
    frontier.close()

    assert counts.discovered == before["discovered"]
    assert counts.finished >= before["finished"]
    sealed = list((live.harvest.root / "warcs").glob("*.warc.gz"))
    assert len(sealed) == 1, "the WARC file is finished"
    assert "CHECKPOINTING" in (live.harvest.root / "logs" / "progress-statistics.log").read_text()


def test_a_terminated_crawl_has_its_reports_and_says_who_ended_it(live: Live) -> None:
    live.ask("terminate")
    live.wait()

    assert live.harvest.summary["status"] == End.OPERATOR
    assert live.harvest.summary["counts"]["queued"] > 0
    assert (live.harvest.root / "reports" / "crawl-report.txt").exists()
    assert list((live.harvest.root / "warcs").glob("*metadata*"))


def test_queues_are_listed(live: Live) -> None:
    (queue,) = live.ask("queues", most=5)["queues"]

    assert queue["queue"] == "127.0.0.1"
    assert queue["queued"] > 0


@pytest.mark.parametrize(
    "line",
    [b"garbage\n", b"[]\n", b'"status"\n', b"{}\n", b'{"verb": "dance"}\n', b'{"verb": []}\n', b"\xff\n"],
)
def test_what_is_no_request_is_answered_with_those_there_are(live: Live, line: bytes) -> None:
    answer = json.loads(spoken(live, line))

    assert answer["ok"] is False
    assert "status" in answer["error"]
    assert "terminate" in answer["error"]


@pytest.mark.parametrize(
    "asked",
    [
        {"verb": "filter"},
        {"verb": "budget"},
        {"verb": "budget", "queue": "127.0.0.1", "objects": "many"},
        {"verb": "budget", "queue": "127.0.0.1", "objects": {}},
        {"verb": "queues", "most": "many"},
        {"verb": "queues", "most": [1]},
        {"verb": "pace", "min_delay": "soon"},
    ],
)
def test_a_request_with_something_missing_or_wrong_is_refused_and_not_passed_over(
    live: Live, asked: dict[str, object]
) -> None:
    answer = json.loads(spoken(live, json.dumps(asked).encode() + b"\n"))

    assert answer["ok"] is False
    assert answer["error"]
    assert live.ask("status")["state"] == "running"


def test_several_requests_are_answered_over_one_connection(live: Live) -> None:
    path = CrawlFolder(live.harvest.root).control_file
    with socket.socket(socket.AF_UNIX) as connection, short_name(path) as name:
        connection.connect(name)
        connection.sendall(b'{"verb": "queues"}\n{"verb": "traps"}\n')
        with connection.makefile("rb") as answers:
            first, second = json.loads(answers.readline()), json.loads(answers.readline())

    assert "queues" in first
    assert second == {"ok": True, "traps": []}


def test_only_the_owner_can_open_the_socket(live: Live) -> None:
    mode = CrawlFolder(live.harvest.root).control_file.stat().st_mode

    assert mode & 0o777 == 0o600


def test_where_nobody_crawls_one_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="No crawl is running in"):
        Caller(CrawlFolder(tmp_path / "nothing").control_file).ask("status")


def test_after_the_end_nobody_answers(site: Website, tmp_path: Path) -> None:
    harvested(tmp_path, ordered(site.address))

    with pytest.raises(Unavailable, match="No crawl is running in"):
        Caller(CrawlFolder(tmp_path).control_file).ask("status")


def test_a_very_long_path_is_no_obstacle(site: Website, tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a-rather-long-name-of-a-folder"] * 12)
    with running(deep, ordered(site.address, politeness=PACE)) as live:
        assert soon(lambda: live.ask("status")["objects"] >= 1)
        live.ask("terminate")
        live.wait()

    assert len(str(CrawlFolder(deep).control_file)) > 300
    assert live.harvest.summary["status"] == End.OPERATOR


def test_only_one_crawl_works_in_a_folder(live: Live, site: Website) -> None:
    with running(live.harvest.root, ordered(site.address)) as second:
        assert soon(lambda: second.fault is not None)

    assert isinstance(second.fault, Refused)
    assert "Another process is crawling into" in str(second.fault)
    assert live.ask("status")["state"] == "running"
