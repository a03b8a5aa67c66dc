"""What became of a seed: the words in which crawler, planning and selection speak of it."""

import enum
from collections import Counter
from collections.abc import Iterable


class SeedVerdict(enum.StrEnum):
    FINE = "fine"
    MOVED = "moved"  # it redirects to another site
    DEAD = "dead"  # the server has no such page, or its redirects lead nowhere
    BLOCKED = "blocked"  # the server, its robots.txt or a rule of ours keeps us out
    EMPTY = "empty"  # a page without a single byte
    UNREACHABLE = "unreachable"  # no server answered
    UNTRIED = "untried"  # its turn never came


#: From these something was collected, or nobody knows yet.
NOT_BAD = frozenset({SeedVerdict.FINE, SeedVerdict.MOVED, SeedVerdict.UNTRIED})


def common_fault(verdicts: Iterable[SeedVerdict]) -> SeedVerdict | None:
    """What is wrong with all seeds together: nothing, as long as one of them is good."""
    found = Counter(verdicts)
    if not found or NOT_BAD & set(found):
        return None
    return found.most_common(1)[0][0]
