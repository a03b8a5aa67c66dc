"""progress-statistics.log: how fast it goes, a line every twenty seconds."""

from datetime import datetime
from typing import NamedTuple

from armarium.harvest.reports.crawl_log import seconds_time

# Heritrix's columns, and where each ends.
COLUMNS = (
    ("timestamp", 20),
    ("discovered", 32),
    ("queued", 44),
    ("downloaded", 57),
    ("doc/s(avg)", 74),
    ("KB/s(avg)", 85),
    ("dl-failures", 99),
    ("busy-thread", 113),
    ("mem-use-KB", 126),
    ("heap-size-KB", 140),
    ("congestion", 153),
    ("max-depth", 165),
    ("avg-depth", 177),
)


class Progress(NamedTuple):
    moment: datetime
    discovered: int
    queued: int
    downloaded: int
    documents_per_second: float
    documents_per_second_average: float
    kilobytes_per_second: float
    kilobytes_per_second_average: float
    failures: int
    busy: int  # downloads at this moment
    memory: int  # KB in use
    heap: int  # KB the process has
    congestion: float  # queues that could be used at once, for each download that is possible
    max_depth: int  # of the queues
    average_depth: int


def progress_line(progress: Progress) -> str:
    documents = f"{number(progress.documents_per_second)}({number(progress.documents_per_second_average)})"
    kilobytes = f"{progress.kilobytes_per_second:.0f}({progress.kilobytes_per_second_average:.0f})"
    return _aligned(
        seconds_time(progress.moment),
        progress.discovered,
        progress.queued,
        progress.downloaded,
        documents,
        kilobytes,
        progress.failures,
        progress.busy,
        progress.memory,
        progress.heap,
        number(progress.congestion),
        progress.max_depth,
        progress.average_depth,
    )


def number(value: float) -> str:
    """At most two digits behind the point, and none that say nothing."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _aligned(*values: object) -> str:
    line = ""
    for (_, end), value in zip(COLUMNS, values, strict=True):
        text = str(value)
        # A number too wide for its column still must not touch the one before.
        line += text.rjust(max(end - len(line), len(text) + bool(line)))
    return line + "\n"


LEGEND = _aligned(*(name for name, _ in COLUMNS))
