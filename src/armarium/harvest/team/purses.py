"""Budgets of sources in a team: what the members may spend together is given out where it is wanted."""

from collections.abc import Mapping, Sequence
from typing import Any

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
