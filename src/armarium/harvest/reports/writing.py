"""The reports of a crawl, into its folder: at the end, and whenever somebody asks while it runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from armarium.harvest.reports.crawl_reports import (
    Running,
    crawl_report,
    hosts_report,
    mimetype_report,
    responsecode_report,
    seeds_report,
    source_report,
)
from armarium.harvest.reports.frontier_reports import (
    FrontierPicture,
    frontier_nonempty_report,
    frontier_summary_report,
)
from armarium.harvest.reports.process_reports import Download, Processor, processors_report, threads_report
from armarium.harvest.reports.statistics import Statistics


def write_reports(
    folder: Path,
    crawl: Running,
    moment: datetime,
    statistics: Statistics,
    frontier: FrontierPicture,
    *,
    remaining: Callable[[str], int] = lambda _: 0,
    chains: Mapping[str, Sequence[Processor]] | None = None,
    downloads: Iterable[Download] = (),
) -> list[Path]:
    """All ten; each is whole or as it was before."""
    reports: dict[str, Iterable[str]] = {
        "crawl-report": crawl_report(crawl, statistics),
        "seeds-report": seeds_report(statistics),
        "hosts-report": hosts_report(statistics, remaining),
        "mimetype-report": mimetype_report(statistics),
        "responsecode-report": responsecode_report(statistics),
        "source-report": source_report(statistics),
        "processors-report": processors_report(moment, chains or {}),
        "frontier-summary-report": frontier_summary_report(crawl.name, moment, frontier),
        "frontier-nonempty-report": frontier_nonempty_report(moment, frontier),
        "threads-report": threads_report(moment, crawl.name, downloads),
    }
    return [_write(folder / f"{name}.txt", lines) for name, lines in reports.items()]


def _write(path: Path, lines: Iterable[str]) -> Path:
    fresh = path.with_suffix(".fresh")
    with fresh.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(lines)
    return fresh.replace(path)
