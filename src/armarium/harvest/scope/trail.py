"""The trail from the seed to an address, counted: Heritrix's letters, with redirects free of charge."""

from functools import lru_cache
from typing import NamedTuple

MOST_PREREQUISITE_REDIRECTS = 5  # of a robots.txt: RFC 9309, 2.3.1.2
_FREE = "RP"  # a redirect names the same thing twice; a prerequisite is not found but needed
_EMBEDS = "EXI"  # all other letters lead to a page: L, M, and S for a form in Heritrix


class Trail(NamedTuple):
    counted: int  # hops of the whole trail that count against max_hops: all but redirects and prerequisites
    links: int  # of those, the ones that lead to a page: links, sitemaps, feeds
    embeds: int  # since the last page: embedded, guessed and inferred
    guesses: int  # of those, guessed from scripts
    prerequisite: bool  # needed by something else, or where a redirect of that led to
    guessed: bool = False  # it is one of those guesses itself, or where one was redirected to


@lru_cache(maxsize=65_536)
def trail(hops: str) -> Trail:
    counted = [hop for hop in hops if hop not in _FREE]
    run = counted[_after_last_page(counted) :]
    needed = hops.rstrip("R")
    return Trail(
        counted=len(counted),
        links=sum(1 for hop in counted if hop not in _EMBEDS),
        embeds=len(run),
        guesses=run.count("X"),
        guessed=run[-1:] == ["X"],
        prerequisite=needed.endswith("P") and len(hops) - len(needed) <= MOST_PREREQUISITE_REDIRECTS,
    )


def _after_last_page(counted: list[str]) -> int:
    for position in range(len(counted), 0, -1):
        if counted[position - 1] not in _EMBEDS:
            return position
    return 0
