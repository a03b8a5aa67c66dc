"""Reports in the formats that tools of the field read."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from armarium.core.crawl_order import CrawlOrder, Credential, Fetching, Scope, Seed
from armarium.formats.validation import validate
from armarium.formats.warc.reader import ArchiveReader
from armarium.harvest.closing import write_reports
from armarium.harvest.reports.crawl_log import Outcome
from armarium.harvest.reports.crawl_reports import (
    Running,
    crawl_report,
    duration,
    hosts_report,
    mimetype_report,
    responsecode_report,
    seeds_report,
    source_report,
    volume,
)
from armarium.harvest.reports.frontier_reports import (
    FrontierCounts,
    QueuePicture,
    QueueState,
    frontier_nonempty_report,
    frontier_summary_report,
)
from armarium.harvest.reports.metadata_warc import MetadataWarc, Part
from armarium.harvest.reports.process_reports import Download, Processor, processors_report, threads_report
from armarium.harvest.reports.seeds import Elsewhere, SeedBook
from armarium.harvest.reports.statistics import Statistics
from armarium.harvest.reports.summary import Ending, Finish, warc_files, write_summary
from tests.unit.harvest.record.exchanges import exchange, message
from tests.unit.harvest.record.recording import LINKED, recorder

MOMENT = datetime(2026, 11, 15, 7, 30, 1, tzinfo=UTC)
SEED, OTHER, DEAD = "http://www.example.org/", "http://old.example.net/", "http://dead.example/"


def counted(folder: Path) -> Statistics:
    statistics = Statistics(folder, [DEAD, SEED, OTHER])
    page = Outcome(MOMENT, 200, 1000, SEED, mime="text/html; charset=x", source=SEED)
    for outcome in (
        Outcome(MOMENT, 1, 50, "dns:www.example.org", "P", SEED, "text/dns"),
        page,
        page._replace(url=SEED + "a", hops="L", annotations=("duplicate:digest",)),
        page._replace(url="http://img.example.org/x", hops="E", mime="image/png", status=404),
        page._replace(url=OTHER, status=301, source=OTHER),
        page._replace(url="http://new.example.net/", hops="R", via=OTHER, source=OTHER),
        page._replace(url=DEAD, status=-1, size=None),
        page._replace(url=SEED + "private", hops="L", status=-9998),
    ):
        statistics.saw(outcome)
    return statistics


class Queues:
    """A frontier with one queue that sleeps."""

    queue = QueuePicture(
        "org,example,www,",
        QueueState.SNOOZED,
        3,
        enqueued=9,
        balance=2990,
        last_dequeued=MOMENT,
        wake=MOMENT + timedelta(seconds=3, milliseconds=250),
        spent=6,
        budget=100,
        last_peeked=SEED + "b",
        last_enqueued=SEED + "c",
        succeeded=5,
        failed=1,
        robots_denials=1,
        success_bytes=5000,
        total_bytes=5100,
        last_success=MOMENT,
    )

    def counts(self) -> FrontierCounts:
        return FrontierCounts(12, 3, 9, 7, 1, 1, 0, 1, {QueueState.SNOOZED: 1}, "RUN")

    def biggest(self, count: int) -> Iterable[QueuePicture]:
        return [self.queue][:count]

    def in_state(self, state: QueueState) -> Iterable[QueuePicture]:
        return [self.queue] if state is QueueState.SNOOZED else []

    def not_empty(self) -> Iterable[QueuePicture]:
        return [self.queue]


def test_the_crawl_report_is_blocks_of_keys_and_values(tmp_path: Path) -> None:
    report = "".join(crawl_report(Running("news", "Finished", 62_345), counted(tmp_path)))
    assert report == (
        "crawl name: news\ncrawl status: Finished\nduration: 1m2s345ms\n\n"
        "seeds crawled: 2\nseeds uncrawled: 1\n\n"
        "hosts visited: 4\n\n"
        "URIs processed: 8\nURI successes: 6\nURI failures: 1\nURI disregards: 1\n\n"
        "novel URIs: 5\nduplicate-by-hash URIs: 1\n\n"
        "total crawled bytes: 5050 (4.9 KiB)\nnovel crawled bytes: 4050 (4.0 KiB)\n"
        "duplicate-by-hash crawled bytes: 1000 (1000 B)\n\n"
        "URIs/sec: 0.10\nKB/sec: 0\n"
    )


def test_the_seeds_report_is_ordered_by_code_and_names_redirects(tmp_path: Path) -> None:
    assert "".join(seeds_report(counted(tmp_path))) == (
        "[code] [status] [seed] [redirect]\n"
        "301 CRAWLED http://old.example.net/ http://new.example.net/\n"
        "200 CRAWLED http://www.example.org/\n"
        "-1 NOTCRAWLED http://dead.example/\n"
    )


def test_the_hosts_report_ends_each_value_with_a_space(tmp_path: Path) -> None:
    lines = list(hosts_report(counted(tmp_path), lambda host: 4 if host == "www.example.org" else 0))
    assert lines[1] == "2 2000 www.example.org 1 4 1 1000 1 1000 0 0 \n"
    assert "1 50 dns: 0 0 1 50 0 0 0 0 \n" in lines
    assert "0 0 dead.example 0 0 0 0 0 0 0 0 \n" in lines


def test_types_codes_and_sources_are_counted(tmp_path: Path) -> None:
    statistics = counted(tmp_path)
    assert list(mimetype_report(statistics)) == [
        "[#urls] [#bytes] [mime-types]\n",
        "4 4000 text/html\n",
        "1 1000 image/png\n",
        "1 50 text/dns\n",
    ]
    assert list(responsecode_report(statistics)) == [
        "[#urls] [rescode]\n",
        "3 200\n",
        "1 1\n",
        "1 301\n",
        "1 404\n",
    ]
    assert list(source_report(statistics))[1:3] == [
        "http://old.example.net/ new.example.net 1\n",
        "http://old.example.net/ old.example.net 1\n",
    ]


def test_times_and_volumes_are_written_for_people() -> None:
    assert [duration(time) for time in (0, 5, 61_000, 90_061_001)] == ["0ms", "5ms", "1m1s0ms", "1d1h1m1s1ms"]
    assert [volume(size) for size in (0, 1023, 6405, 5 << 40)] == [
        "0 (0 B)",
        "1023 (1023 B)",
        "6405 (6.3 KiB)",
        f"{5 << 40} (5.0 TiB)",
    ]


def test_a_queue_that_is_not_empty_is_a_line_of_twelve_columns() -> None:
    legend, line = frontier_nonempty_report(MOMENT, Queues())
    assert legend.startswith(
        "queue precedence currentSize totalEnqueues sessionBalance lastCost (averageCost) "
    )
    assert line == (
        "org,example,www, 1 3 9 2990 1(1.0) 2026-11-15T07:30:01Z 3s250ms 6/100 0 "
        "http://www.example.org/b http://www.example.org/c\n"
    )
    assert len(line.split()) == 12


def test_the_frontier_report_has_its_sections_and_a_block_for_each_queue() -> None:
    report = "".join(frontier_summary_report("news", MOMENT, Queues()))
    assert report.startswith("Frontier report - 202611150730\n Job being crawled: news\n")
    sections = [line.strip(" -=") for line in report.splitlines() if "=====" in line]
    assert sections == [
        "STATS",
        "QUEUES",
        "MANAGER THREAD",
        "20 LONGEST QUEUES",
        "IN-PROCESS QUEUES",
        "READY QUEUES",
        "SNOOZED QUEUES",
        "INACTIVE QUEUES",
        "RETIRED QUEUES",
    ]
    assert "Queue org,example,www, (p1)\n  3 items\n   wakes in: 3s250ms\n" in report
    assert "   9 5 1 0 6 1 5000 5100 1 2026-11-15T07:30:01Z\n" in report


def test_processors_and_threads_are_told_one_after_the_other() -> None:
    chains = {"FetchChain": [Processor.extractor("ExtractorHTML", 120, 8), Processor("FetchHTTP")]}
    report = "".join(processors_report(MOMENT, chains))
    assert "FetchChain - Processors report - 202611150730\n  Number of Processors: 2\n" in report
    assert "Processor: ExtractorHTML\n  120 links from 8 CrawlURIs\n" in report
    threads = "".join(threads_report(MOMENT, "news", [Download(1, SEED, 2, "receiving", 40), Download(2)]))
    assert " Number of toe threads in pool: 2 (1 active)\n" in threads
    assert "ACTIVE for 40ms" in threads
    assert "WAITING for 0ms" in threads


def test_all_ten_reports_are_written(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    written = write_reports(
        tmp_path / "reports", Running("news", "Finished", 1), MOMENT, counted(tmp_path), Queues()
    )
    assert len(written) == 10
    assert sorted(written) == sorted((tmp_path / "reports").iterdir())


def finish(statistics: Statistics, domains: dict[str, Ending]) -> Finish:
    seeds = SeedBook({**statistics.trails, **statistics.seeds}, Elsewhere)
    return Finish(
        "Finished", MOMENT, MOMENT, 61.5, 12, 3, seeds, lambda domain: domains.get(domain, Ending())
    )


def test_the_summary_tells_programs_the_result_and_no_secrets(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    writing.record(exchange(tmp_path, message(b"x")), item_facts=LINKED)
    writing.close()
    secret = Credential(domain="example.org", kind="basic", user="u", password="hidden")  # type: ignore[arg-type]
    order = CrawlOrder(
        name="news", seeds=(Seed(url=SEED, tag="T"),), fetching=Fetching(credentials=(secret,))
    )
    write_summary(
        tmp_path / "summary.json",
        order,
        finish(counted(tmp_path), {"example.org": Ending("max-objects", 3)}),
        counted(tmp_path),
        warc_files(tmp_path),
    )
    text = (tmp_path / "summary.json").read_text()
    assert "hidden" not in text
    summary = json.loads(text)
    assert summary["counts"]["succeeded"] == 6
    assert summary["bytes"]["duplicate"] == 1000
    assert [seed["result"] for seed in summary["seeds"]] == ["not-crawled", "crawled", "crawled"]
    assert summary["seeds"][1]["tag"] == "T"
    assert [seed["verdict"] for seed in summary["seeds"]] == ["unreachable", "fine", "fine"]
    (file,) = summary["files"]
    assert len(file["sha256"]) == 64
    assert file["size"] == summary["bytes"]["written"] == (tmp_path / file["name"]).stat().st_size
    assert summary["domains"][0] == {
        "domain": "example.org",
        "objects": 3,
        "bytes": 3000,
        "novel_bytes": 2000,
        "duplicates": 1,
        "failed": 0,
        "robots_denied": 1,
        "reason": "max-objects",
        "remaining": 3,
    }


def test_every_domain_of_the_seeds_has_its_row_and_every_tag_its_sum(tmp_path: Path) -> None:
    untried = Seed(url="http://www.untried.asso.example:8080/", tag="untried")
    order = CrawlOrder(seeds=(Seed(url=SEED), untried), scope=Scope(registries=("asso.example",)))
    ended = finish(counted(tmp_path), {"untried.asso.example": Ending("crawl-ended", 1)})
    write_summary(tmp_path / "summary.json", order, ended, counted(tmp_path), [])
    summary = json.loads((tmp_path / "summary.json").read_text())
    rows = {row["domain"]: (row["objects"], row["reason"]) for row in summary["domains"]}
    assert rows["example.org"] == (3, "complete")
    assert rows["untried.asso.example"] == (0, "crawl-ended")
    assert summary["sources"] == [
        {"tag": OTHER, "objects": 2, "bytes": 2000, "reason": "complete", "remaining": 0},
        {"tag": SEED, "objects": 3, "bytes": 3000, "reason": "complete", "remaining": 0},
        {"tag": "untried", "objects": 0, "bytes": 0, "reason": "complete", "remaining": 0},
    ]


def test_the_metadata_warc_holds_order_logs_reports_and_indexes(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    recorded = writing.record(exchange(tmp_path, message(b"x")), item_facts=LINKED)
    writing.close()
    log, empty = tmp_path / "crawl.log", tmp_path / "alerts.log"
    log.write_text("a line\n" * 300_000)
    empty.write_text("")
    packing = MetadataWarc(tmp_path, "my news", [("software", "Armarium")], ids=[("jobid", "7")])
    packing.add("setup", "order.json", b"{}", "application/json")
    index = [(recorded.filename, b" CDX N b a m s k r M S V g\norg,example)/page\n")]
    path = packing.write([Part("logs", log), Part("logs", empty)], index)
    assert path is not None
    assert path.name == "my_news-metadata-1.warc.gz"
    with path.open("rb") as file:
        found = {record.target_uri: b"".join(record.block) for record in ArchiveReader(file, strict=True)}
    base = "metadata://armarium/crawl"
    query = "crawl=my+news&jobid=7"
    assert list(found)[1:] == [
        f"{base}/setup/order.json?{query}",
        f"{base}/logs/crawl.log?{query}",
        f"{base}/index/cdx?{query}&filename={recorded.filename}",
    ]
    assert found[f"{base}/logs/crawl.log?{query}"] == log.read_bytes()
    assert found[f"{base}/index/cdx?{query}&filename={recorded.filename}"] == index[0][1]
    with path.open("rb") as file:
        report = validate(file, name=path.name)
    assert (report.errors, report.warnings) == (0, 0), report.problems
    again = MetadataWarc(tmp_path, "my news", [("software", "Armarium")])
    again.add("setup", "order.json", b"{}", "application/json")
    second = again.write([], [])
    assert second is not None
    assert second.name == "my_news-metadata-2.warc.gz"
