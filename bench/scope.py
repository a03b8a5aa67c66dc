"""The scope, measured: a decision, with and without filters, and the watch for traps.

    python -m bench.scope

Times are of this process's CPU, the best of several rounds. The filters are of the kinds that libraries keep
against traps: calendars, baskets, log-ins, sorted lists, repeated folders.
"""

import random
import re
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from armarium.core.crawl_order import Scope as Order
from armarium.core.crawl_order import ScopeKind
from armarium.harvest.model import Candidate
from armarium.harvest.scope import FilterSet, Scope
from armarium.harvest.traps import TrapWatch

Thing = TypeVar("Thing")
ROUNDS = 5
HOSTS = 500
COUNT = 20_000
WORDS = ("news", "article", "images", "2026", "archive", "print", "photo", "list", "fr", "view", "page", "a")
HOPS = ("L", "LL", "LLL", "LLLL", "LLE", "LLLE", "LRL", "LLLLLE")
TRAP_WORDS = (
    *("calendar", "agenda", "kalender", "basket", "cart", "login", "logout", "register", "wishlist"),
    *("compare", "search", "print", "share", "replytocom", "sort", "order", "filter", "session"),
)
TRAPS = [
    pattern
    for word in TRAP_WORDS
    for pattern in (
        rf".*[?&]{word}=[^&]*&.*{word}=.*",
        rf"^https?://[^/]+/(?:.*/)?{word}/[0-9]{{4}}/[0-9]{{1,2}}/.*",
        rf".*/{word}\.(?:php|aspx?|jsp)\?.*(?:month|year|day|date)=[0-9-]+.*",
        rf".*/{word}/.*/{word}/.*/{word}/.*",
    )
]


def candidates(hosts: Sequence[str]) -> list[Candidate]:
    chance = random.Random(20261115)  # noqa: S311  (repeatable, not secret)
    found = []
    for number in range(COUNT):
        path = "/".join(chance.choices(WORDS, k=chance.randrange(1, 5)))
        query = f"?id={chance.randrange(9999)}&view=full" if chance.random() < 0.25 else ""
        url = f"https://{chance.choice(hosts)}/{path}/item-{number}.html{query}"
        found.append(Candidate(url, chance.choice(HOPS), "", ""))
    return found


def measured(function: Callable[[Thing], object], things: Sequence[Thing]) -> float:
    """Microseconds for each."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        for thing in things:
            function(thing)
        best = min(best, time.process_time() - begun)
    return best / len(things) * 1e6


def rows() -> list[tuple[str, float]]:
    hosts = [f"www.site-{number}.fr" for number in range(HOSTS)]
    seeds = [f"https://{host}/" for host in hosts]
    inside = candidates(hosts)
    outside = candidates([f"www.other-{number}.org" for number in range(HOSTS)])
    plain = Scope(Order(), seeds)
    guarded = Scope(Order(reject=tuple(TRAPS)), seeds)
    urls = [candidate.url for candidate in inside]
    together = FilterSet(TRAPS)
    one_by_one = [re.compile(pattern) for pattern in TRAPS]
    watch = TrapWatch()
    result = [
        ("decide, host, in scope", measured(plain.decide, inside)),
        ("decide, host, out of scope", measured(plain.decide, outside)),
        ("decide, path", measured(Scope(Order(kind=ScopeKind.PATH), seeds).decide, inside)),
        (f"decide with {len(TRAPS)} filters", measured(guarded.decide, inside)),
        (f"{len(TRAPS)} filters, one RE2 set", measured(together.find, urls)),
    ]
    few = urls[:1000]
    result.append((f"{len(TRAPS)} filters, re, one by one", measured(lambda url: _any(one_by_one, url), few)))
    joined = re.compile("|".join(f"(?:{pattern})" for pattern in TRAPS))
    result.append((f"{len(TRAPS)} filters, re, joined by |", measured(joined.search, few)))
    result.append(("explain", measured(plain.explain, inside[:1000])))
    result.append(("trap watch", measured(lambda url: watch.saw(url, url, "L", 9000, 1.79e9), urls[:5000])))
    return result


def _any(patterns: Sequence[re.Pattern[str]], url: str) -> bool:
    return any(pattern.search(url) for pattern in patterns)


def main() -> None:
    for task, microseconds in rows():
        print(f"{task:36} {microseconds:8.2f} µs")  # noqa: T201


if __name__ == "__main__":
    main()
