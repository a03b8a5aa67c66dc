"""The logs survive the death of their writer, and say nothing twice."""

from datetime import UTC, datetime
from pathlib import Path

from armarium.harvest.reports.crawl_log import Outcome
from armarium.harvest.reports.logs import CRAWL, LEGEND, NAMES, Logs, Progress, progress_line

MOMENT = datetime(2026, 11, 15, 7, 30, 1, tzinfo=UTC)


def outcome(number: int) -> Outcome:
    return Outcome(MOMENT, 200, 5, f"http://example.org/{number}")


def test_a_resumed_crawl_goes_on_where_the_last_commit_was(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    logs.finished(outcome(1))
    committed = logs.positions()
    logs.finished(outcome(2))
    logs.close()
    again = Logs(tmp_path, positions=committed)
    again.finished(outcome(3))
    again.close()
    lines = (tmp_path / CRAWL).read_text().splitlines()
    assert [line.split()[3] for line in lines] == ["http://example.org/1", "http://example.org/3"]


def test_a_crawl_that_never_committed_begins_its_log_anew(tmp_path: Path) -> None:
    logs = Logs(tmp_path, positions={})
    logs.finished(outcome(1))
    logs.close()
    Logs(tmp_path, positions={}).close()
    assert (tmp_path / CRAWL).read_bytes() == b""


def test_a_half_written_line_is_cut_off(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    logs.finished(outcome(1))
    logs.close()
    whole = (tmp_path / CRAWL).read_bytes()
    (tmp_path / CRAWL).write_bytes(whole + b"2026-11-15T07:30:01.000Z   200 " + b"x" * 9000)
    Logs(tmp_path).close()
    assert (tmp_path / CRAWL).read_bytes() == whole


def test_all_logs_exist_from_the_beginning(tmp_path: Path) -> None:
    Logs(tmp_path).close()
    assert {path.name for path in tmp_path.iterdir()} == set(NAMES)


def test_errors_follow_the_line_they_belong_to(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    logs.failed(outcome(1), "The connection was reset.\nTwice.")
    logs.crashed(outcome(2), "Traceback\n  line")
    logs.bad_address("http://example.org/", "no host", "http://\n/x")
    logs.alert("WARNING", "The disk is nearly full.")
    logs.close()
    assert (tmp_path / "nonfatal-errors.log").read_text() == (
        "2026-11-15T07:30:01.000Z   200          5 http://example.org/1 - - unknown #001 - - - -\n"
        " The connection was reset.\n Twice.\n"
    )
    assert "http://example.org/2" in (tmp_path / "runtime-errors.log").read_text()
    assert (tmp_path / "uri-errors.log").read_text().endswith('Z http://example.org/ "no host" http:// /x\n')
    assert (tmp_path / "alerts.log").read_text().endswith(" WARNING The disk is nearly full.\n")


def test_progress_is_aligned_under_its_legend(tmp_path: Path) -> None:
    line = progress_line(Progress(MOMENT, 9, 8, 7, 1.5, 0.333, 20.4, 19, 3, 2, 4096, 8192, 0, 5, 1))
    assert LEGEND == (
        "           timestamp  discovered      queued   downloaded       doc/s(avg)  KB/s(avg)   dl-failures "
        "  busy-thread   mem-use-KB  heap-size-KB   congestion   max-depth   avg-depth\n"
    )
    assert line == (
        "2026-11-15T07:30:01Z           9           8            7        1.5(0.33)     20(19)             3 "
        "            2         4096          8192            0           5           1\n"
    )
    logs = Logs(tmp_path)
    logs.event(MOMENT, "RUNNING", "Running")
    logs.progress(Progress(MOMENT, 9, 8, 7, 1.5, 0.333, 20.4, 19, 3, 2, 4096, 8192, 0, 5, 1))
    logs.checkpoint(MOMENT, "cp00001")
    logs.event(MOMENT, "ENDED", "Finished")
    logs.close()
    Logs(tmp_path).close()
    assert (tmp_path / "progress-statistics.log").read_text() == (
        LEGEND
        + "2026-11-15T07:30:01Z CRAWL RUNNING - Running\n"
        + line
        + "2026-11-15T07:30:01Z CRAWL CHECKPOINTING TO cp00001\n"
        + "2026-11-15T07:30:01Z CRAWL ENDED - Finished\n"
    )


def test_a_number_too_wide_for_its_column_does_not_touch_the_one_before() -> None:
    wide = progress_line(Progress(MOMENT, 10**14, 10**13, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    assert wide.split()[1:4] == [str(10**14), str(10**13), "1"]
