"""How many objects, or bytes, each member of a team may capture, so that all together keep the limit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


class Allowances:
    """What was given out never adds up to more than the limit, however the members hurry.

    It only grows, but for members that are idle: they give back what they did not use, and say how much.
    """

    def __init__(self, most: int, done: Sequence[int]) -> None:
        self._most = most
        self.given = list(done)

    def renew(self, most: int, done: Sequence[int]) -> None:
        """The limit of now. What was given out stays, and what came beyond it, as bytes do, counts too."""
        self._most = most
        self.given = [max(pair) for pair in zip(self.given, done, strict=True)]

    def give_back(self, member: int, used: int) -> None:
        """An idle member confirmed that it will not capture more than this."""
        self.given[member] = used

    def share(self, hungry: Sequence[int]) -> list[int]:
        """Divide what is left among the members that could use it; those whose allowance grew."""
        left = self._most - sum(self.given)
        if left <= 0 or not hungry:
            return []
        portion, rest = divmod(left, len(hungry))
        grown = []
        for place, member in enumerate(hungry):
            more = portion + (1 if place < rest else 0)
            if more:
                self.given[member] += more
                grown.append(member)
        return grown


# --- Budgets of sources in a team: what the members may spend together is given out where it is wanted.


BY_BYTES = 5  # objects at a time, where only bytes are limited: nobody knows beforehand how large they are

Settled = Mapping[str, Mapping[str, Any]]  # by tag: what a member uses, has collected, and may in all


class SharedPurses:
    """Who wants something gets an equal part of what nobody uses; the rest is taken back first."""

    def __init__(self) -> None:
        self._spent: set[str] = set()

    def forget(self) -> None:
        """Somebody changed the budgets."""
        self._spent.clear()

    def wanted(self, members: Sequence[Mapping[str, Any]]) -> list[str]:
        """The tags of which some member has more to fetch than it may."""
        return sorted({tag for member in members for tag in member["wanting"]} - self._spent)

    def shares(
        self, members: Sequence[Mapping[str, Any]], tags: Sequence[str], settled: Sequence[Settled]
    ) -> list[dict[str, int]]:
        """What each member may have collected of each tag, now that nobody has more than it uses."""
        shares: list[dict[str, int]] = [{} for _ in members]
        for tag in tags:
            hungry = [place for place, member in enumerate(members) if tag in member["wanting"]]
            left = self._left(tag, [one[tag] for one in settled], len(hungry))
            for place in hungry:
                part = -(-left // len(hungry))
                hungry = hungry[1:]
                left -= part
                if part:
                    shares[place][tag] = settled[place][tag]["used"] + part
        return shares

    def _left(self, tag: str, settled: Sequence[Mapping[str, Any]], hungry: int) -> int:
        most, volume = settled[0]["max_objects"], settled[0]["max_bytes"]
        if (most is not None and sum(one["objects"] for one in settled) >= most) or (
            volume is not None and sum(one["bytes"] for one in settled) >= volume
        ):
            self._spent.add(tag)
            return 0
        left = BY_BYTES * hungry if most is None else max(most - sum(one["used"] for one in settled), 0)
        return left if volume is None else min(left, BY_BYTES * hungry)


# --- The status of a team, made of the status of its members.


SUMMED = (
    "objects", "bytes", "discovered", "queued", "in_flight", "waiting", "finished", "failed", "disregarded",
    "objects_per_second", "bytes_per_second", "queues_active", "blocked_servers", "traps", "written_bytes",
    "hosts", "hosts_done", "duplicates", "duplicate_bytes",
)  # fmt: skip
BIGGEST = 10


def summed(reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """As of one process; the queues are the biggest of all."""
    first = reports[0]
    whole = {name: sum(report[name] for report in reports) for name in SUMMED}
    states: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    for report in reports:
        states.update(report["queues"])
        statuses.update(report["statuses"])
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
        "statuses": dict(statuses.most_common()),
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
