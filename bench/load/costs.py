"""The CPU time of each kind of process: its own, that of children that live, and that of those that ended."""

from collections.abc import Mapping
from contextlib import suppress

import psutil

from bench.load.house import Site


def spent(site: Site) -> dict[str, float]:
    """Seconds since each began. What the supervisor started counts by itself."""
    named = site.archive.house.processes()
    apart = {process.pid for process in named.values()}
    found: dict[str, float] = {}
    for name, process in named.items():
        kind = name.partition("-")[0]
        found[kind] = found.get(kind, 0.0) + _whole(process, apart)
    for name, started in site.processes.items():
        kind = "collectors" if name.startswith("collector") else name
        with suppress(psutil.Error):
            found[kind] = found.get(kind, 0.0) + _whole(psutil.Process(started.pid), set())
    return found


def between(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    return {kind: seconds - before.get(kind, 0.0) for kind, seconds in sorted(after.items())}


def _whole(process: psutil.Process, apart: set[int]) -> float:
    with suppress(psutil.Error):
        times = process.cpu_times()
        seconds = times.user + times.system + times.children_user + times.children_system
        for child in process.children():
            if child.pid not in apart:
                seconds += _whole(child, apart)
        return float(seconds)
    return 0.0
