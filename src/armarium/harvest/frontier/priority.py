"""What goes first inside a queue: a class made of the hop path; inside a class, first come, first served."""

from functools import lru_cache

from armarium.harvest.model import Hop

PREREQUISITE = 0  # others wait for it
PART = 1  # redirects and embeds: a page and its parts stay together in time
_PAGES = 2  # a seed; each link or sitemap entry on the way is one class further back
_LAST_PAGES = 250
GUESS = 255  # speculative and inferred: nobody may miss it

_BY_LAST_HOP = {
    Hop.PREREQUISITE.value: PREREQUISITE,
    Hop.REDIRECT.value: PART,
    Hop.EMBED.value: PART,
    Hop.SPECULATIVE.value: GUESS,
    Hop.INFERRED.value: GUESS,
}


@lru_cache(maxsize=4096)
def class_of(hops: str) -> int:
    """0 to 255, the lowest first."""
    special = _BY_LAST_HOP.get(hops[-1:])
    if special is not None:
        return special
    return min(_PAGES + hops.count(Hop.LINK) + hops.count(Hop.MANIFEST), _LAST_PAGES)


# A rank puts class and arrival into one number, so that a heap compares numbers only.
_ARRIVAL_BITS = 44


def rank(class_: int, arrival: int) -> int:
    return class_ << _ARRIVAL_BITS | arrival


def class_and_arrival(rank_: int) -> tuple[int, int]:
    return rank_ >> _ARRIVAL_BITS, rank_ & ((1 << _ARRIVAL_BITS) - 1)
