"""Pieces of filters: of a host, of years."""

import re
from collections.abc import Callable


def on_host(host: str, path: str = "") -> str:
    """Addresses of a host, with and without www., whose path begins so."""
    return rf"^https?://(?:www\.)?{re.escape(host)}(?::[0-9]+)?{re.escape(path)}"


def years_after(year: int) -> str:
    """Four digits that are more: `202[7-9]|20[3-9][0-9]|2[1-9][0-9][0-9]|…` for 2026."""
    return _beside(f"{year:04}", lambda digit: (digit + 1, 9))


def years_before(year: int) -> str:
    return _beside(f"{year:04}", lambda digit: (0, digit - 1))


def _beside(digits: str, span: Callable[[int], tuple[int, int]]) -> str:
    choices = []
    for place in range(len(digits) - 1, -1, -1):
        lowest, highest = span(int(digits[place]))
        if lowest > highest:
            continue
        digit = f"[{lowest}-{highest}]" if lowest < highest else str(lowest)
        choices.append(digits[:place] + digit + "[0-9]" * (len(digits) - 1 - place))
    return "(?:" + "|".join(choices) + ")"
