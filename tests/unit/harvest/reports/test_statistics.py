"""Counts that any number of hosts cannot blow up, and that a kill cannot lose."""

from datetime import UTC, datetime
from pathlib import Path

from armarium.harvest.reports.crawl_log import Outcome
from armarium.harvest.reports.logs import CRAWL, Logs
from armarium.harvest.reports.statistics import HOST_WIDTH, URLS, Statistics
from armarium.harvest.reports.tally import Tally

MOMENT = datetime(2026, 11, 15, 7, 30, 1, tzinfo=UTC)


def seen(number: int, status: int = 200, *annotations: str) -> Outcome:
    return Outcome(
        MOMENT,
        status,
        100,
        f"http://host{number % 7}.example/{number}",
        hops="L",
        mime="text/html",
        source="seed one",
        annotations=annotations,
        content_size=150,
    )


def test_outcomes_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    statistics = Statistics(tmp_path)
    for outcome in (
        seen(1),
        seen(2, 404),
        seen(3, 200, "duplicate:digest"),
        seen(4, 304, "duplicate:server-not-modified"),
        seen(5, -2),
        seen(6, -9998, "robotExcluded"),
    ):
        statistics.saw(outcome)
    totals = statistics.totals
    assert (totals.processed, totals.successes, totals.failures, totals.disregards) == (6, 4, 1, 1)
    assert (totals.novel, totals.duplicates, totals.not_modified) == (2, 1, 1)
    assert (totals.bytes, totals.novel_bytes, totals.duplicate_bytes) == (600, 300, 150)
    assert statistics.statuses == {200: 2, 404: 1, 304: 1}
    assert statistics.mimes == {"text/html": [4, 600]}


def test_what_limits_kept_out_is_counted(tmp_path: Path) -> None:
    statistics = Statistics(tmp_path)
    for annotations in (("dol:12",), ("3t", "dol:5", "decodedTrunc"), ("pdfTrunc", "lenTrunc"), ("dol:x",)):
        statistics.saw(seen(1, 200, *annotations))
    assert (statistics.totals.dropped_links, statistics.totals.cut_documents) == (17, 2)


def test_after_a_kill_the_log_brings_back_what_was_not_saved(tmp_path: Path) -> None:
    logs, living = Logs(tmp_path), Statistics(tmp_path, ["http://s/"])
    for number in range(50):
        outcome = seen(number) if number else Outcome(MOMENT, 301, 0, "http://s/")
        logs.finished(outcome)
        living.saw(outcome)
        if number == 30:
            living.save(logs.positions()[CRAWL])
    redirect = Outcome(MOMENT, 200, 9, "http://t/", hops="R", via="http://s/", source="a b")
    logs.finished(redirect)
    living.saw(redirect)
    logs.close()
    again = Statistics(tmp_path, ["http://s/"])
    again.resume(tmp_path / CRAWL)
    assert again.seeds["http://s/"].redirect == "http://t/"
    assert again.totals == living.totals
    assert list(again.hosts.by_count()) == list(living.hosts.by_count())
    assert list(again.sources.by_name()) == list(living.sources.by_name())


def test_numbers_ahead_of_the_log_are_counted_anew(tmp_path: Path) -> None:
    logs, living = Logs(tmp_path), Statistics(tmp_path)
    logs.finished(seen(1))
    logs.close()
    for _ in range(9):
        living.saw(seen(1))
    living.save(10**6)
    again = Statistics(tmp_path)
    again.resume(tmp_path / CRAWL)
    assert again.totals.successes == 1


def test_a_crawl_that_is_only_beginning_can_be_resumed(tmp_path: Path) -> None:
    statistics = Statistics(tmp_path)
    statistics.resume(tmp_path / "nothing.log")
    assert statistics.totals.processed == 0


def test_more_names_than_fit_are_counted_on_disk(tmp_path: Path) -> None:
    tally = Tally(tmp_path, "hosts", 2, limit=10)
    for number in range(1000):
        row = tally.row(f"host{number % 97}")
        row[0] += 1
        row[1] += number
    names = [name for name, _ in tally.by_name()]
    assert names == sorted({f"host{number}" for number in range(97)})
    counts = [row[0] for _, row in tally.by_count()]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == 1000
    assert sum(row[1] for _, row in tally.by_name()) == 999 * 500
    assert len(tally._held) <= 10
    assert not list(tmp_path.glob("sorting-*"))
    tally.discard()
    assert not list(tmp_path.iterdir())


def test_runs_on_disk_are_part_of_what_is_saved(tmp_path: Path) -> None:
    statistics = Statistics(tmp_path)
    statistics.hosts = Tally(tmp_path, "hosts", HOST_WIDTH, limit=3)
    for number in range(20):
        statistics.saw(seen(number))
    statistics.save(1)
    expected = list(statistics.hosts.by_name())
    for number in range(20):
        statistics.saw(seen(number))
    log = tmp_path / CRAWL
    log.write_text("\n")
    again = Statistics(tmp_path)
    again.resume(log)
    assert list(again.hosts.by_name()) == expected
    assert again.biggest_hosts(1)[0][1] == max(row[URLS] for _, row in expected)
