"""What the runs came to, as tables for a terminal."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.crawl.measure import Run

LEVELS = ("html", "css", "srcset", "meta", "embed", "nofollow", "sitemap", "js")
SPEEDS = ("wall s", "CPU s", "URLs", "requests", "CPU s/1,000", "URLs/CPU s", "ours ×", "URLs/s", "MB")
WIDTH = 11
OVER = ("invented", "outside", "excluded", "decoy")


@dataclass(frozen=True)
class Result:
    run: Run
    score: Mapping[str, Any]  # as testweb gives it, from the server's log

    @property
    def urls(self) -> int:
        """Addresses of the web that the server was asked for, each counted once."""
        return int(self.score["distinct"])

    @property
    def requests(self) -> int:
        return int(self.score["requests"])

    @property
    def per_cpu_second(self) -> float:
        return self.urls / self.run.cpu

    @property
    def per_second(self) -> float:
        return self.urls / self.run.wall

    def recall(self, level: str) -> float | None:
        found = self.score["recall"].get(level)
        return found["recall"] if found else None


Results = Mapping[str, Sequence[Result]]  # by tool, of each round


def speeds(results: Results, ours: str) -> str:
    """One line a tool: the medians of its rounds."""
    mark = _median(results[ours], "per_cpu_second") if results.get(ours) else 0.0
    lines = [_line("tool", *SPEEDS)]
    for tool, rounds in results.items():
        speed = _median(rounds, "per_cpu_second")
        cells = (
            f"{_of_runs(rounds, 'wall'):.1f}",
            f"{_of_runs(rounds, 'cpu'):.1f}",
            f"{_median(rounds, 'urls'):.0f}",
            f"{_median(rounds, 'requests'):.0f}",
            f"{1000 / speed:.2f}",
            f"{speed:.0f}",
            f"{mark / speed:.2f}",
            f"{_median(rounds, 'per_second'):.0f}",
            f"{_of_runs(rounds, 'memory') / 1e6:.0f}",
        )
        cut = "  cut: its time was over" if any(one.run.cut for one in rounds) else ""
        lines.append(_line(tool, *cells) + cut)
    return "\n".join(lines)


def findings(results: Results) -> str:
    """One line a tool: recall of each level, and what was asked for besides, in the last round."""
    columns = [*LEVELS, *OVER, "repeated"]
    lines = [_line("recall; over-fetch", *columns)]
    for tool, rounds in results.items():
        last = rounds[-1]
        recall = [_share(last.recall(level)) for level in LEVELS]
        over = [last.score["over_fetch"].get(kind, 0) for kind in OVER]
        lines.append(_line(tool, *recall, *over, last.score["repeated"]))
    return "\n".join(lines)


def _line(tool: str, *cells: object) -> str:
    """Figures are under their names: a column is as wide as the widest name in any table, or wider."""
    return f"{tool:<24} " + " ".join(f"{cell!s:>{WIDTH}}" for cell in cells)


def _share(recall: float | None) -> str:
    return "–" if recall is None else f"{recall:.4f}".rstrip("0").rstrip(".")


def _median(rounds: Sequence[Result], name: str) -> float:
    return float(statistics.median(getattr(one, name) for one in rounds))


def _of_runs(rounds: Sequence[Result], name: str) -> float:
    return float(statistics.median(getattr(one.run, name) for one in rounds))
