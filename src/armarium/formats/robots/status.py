"""What follows from the way the request for a robots.txt ended: RFC 9309, 2.3.1."""

import enum
from datetime import timedelta
from typing import NamedTuple

# 2.3.1.2: "crawlers SHOULD follow at least five consecutive redirects, even across authorities".
MAX_REDIRECTS = 5
# 2.3.1.4: "if the robots.txt file is undefined for a reasonably long period of time (for example, 30 days)".
LONG_ABSENCE = timedelta(days=30)


class Access(enum.StrEnum):
    """What the crawler may do now."""

    RULES = "rules"  # read the file and keep to it
    UNCHANGED = "unchanged"  # the copy read before still holds
    FOLLOW = "follow"  # a redirect: ask for the file at its target
    ALLOW_ALL = "allow-all"
    DISALLOW_ALL = "disallow-all"


class Outcome(NamedTuple):
    """The consequence, the clause it comes from, and whether asking again soon makes sense."""

    access: Access
    clause: str
    retry: bool = False


def outcome(status: int | None, *, redirects: int = 0, absent_for: timedelta | None = None) -> Outcome:
    """The consequence of a status; ``None`` for none at all (no address, no connection, TLS, timeout).

    ``redirects`` is the number already followed, ``absent_for`` how long the file has been out of reach.
    """
    if status is not None and 200 <= status <= 299:
        return Outcome(Access.RULES, "RFC 9309, 2.3.1.1")
    if status == 304:
        return Outcome(Access.UNCHANGED, "RFC 9309, 2.4")
    if status is not None and 300 <= status <= 399:
        if redirects < MAX_REDIRECTS:
            return Outcome(Access.FOLLOW, "RFC 9309, 2.3.1.2")
        # "If there are more than five consecutive redirects, crawlers MAY assume that the file is
        # unavailable."
        return Outcome(Access.ALLOW_ALL, "RFC 9309, 2.3.1.2")
    if status is not None and 400 <= status <= 499:
        # "Unavailable" covers 401 and 403 too. 429 means: slower; the request is worth repeating.
        return Outcome(Access.ALLOW_ALL, "RFC 9309, 2.3.1.3", retry=status in (408, 425, 429))
    if absent_for is not None and absent_for >= LONG_ABSENCE:
        return Outcome(Access.ALLOW_ALL, "RFC 9309, 2.3.1.4", retry=True)
    # "the crawler MUST assume complete disallow"
    return Outcome(Access.DISALLOW_ALL, "RFC 9309, 2.3.1.4", retry=True)
