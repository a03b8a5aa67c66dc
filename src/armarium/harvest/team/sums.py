"""The status of a team, made of the status of its members."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

SUMMED = (
    "objects", "bytes", "discovered", "queued", "in_flight", "waiting", "finished", "failed", "disregarded",
    "objects_per_second", "bytes_per_second", "queues_active", "blocked_servers", "traps", "written_bytes",
    "hosts", "hosts_done",
)  # fmt: skip
BIGGEST = 10


def summed(reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """As of one process; the queues are the biggest of all."""
    first = reports[0]
    whole = {name: sum(report[name] for report in reports) for name in SUMMED}
    states: Counter[str] = Counter()
    for report in reports:
        states.update(report["queues"])
    left = [report["seconds_left"] for report in reports]
    biggest = sorted(
        (queue for report in reports for queue in report["biggest"]), key=lambda one: -one["queued"]
    )
    paused = next((report for report in reports if report["state"] == "paused"), first)
    return {
        "name": first["name"],
        "state": paused["state"],
        "pause_reason": paused["pause_reason"],
        "seconds": max(report["seconds"] for report in reports),
        **whole,
        "failing_seeds": {url: why for report in reports for url, why in report["failing_seeds"].items()},
        "seconds_left": None if None in left else max(left),
        "queues": dict(states),
        "biggest": biggest[:BIGGEST],
        "mimes": _types(reports),
    }


def _types(reports: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The most frequent media types; a little less than all, where one is rare in a member."""
    objects: Counter[str] = Counter()
    volumes: Counter[str] = Counter()
    for one in (one for report in reports for one in report["mimes"]):
        objects[one["mime"]] += one["objects"]
        volumes[one["mime"]] += one["bytes"]
    most = objects.most_common(BIGGEST)
    return [{"mime": mime, "objects": count, "bytes": volumes[mime]} for mime, count in most]
