"""URLs, side by side: SURT keys against `surt`, and what else is done to every link of a harvest.

Times are of this process's CPU, the best of several rounds; each side sees the same URLs in the same order.
"""

import random
import time
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple
from urllib.parse import urljoin

import ada_url

from armarium.formats.url import InvalidUrl, canonical, measure, registered_domain, resolve, surt

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its patterns are not raw strings
    from surt import surt as library_surt  # type: ignore[import-untyped]

SEED = 20261115
ROUNDS = 3
HOSTS = 500
WORDS = [
    "archive",
    "index",
    "news",
    "2026",
    "images",
    "Article",
    "list",
    "page",
    "search",
    "print",
    "photo",
    "de",
    "fr",
    "en",
    "Forum",
    "view",
]
ENDINGS = ("/", ".html", ".php", ".jpg", ".aspx", "")
BASE = "https://www.example.org/section/2026/page.html?view=1"


class Result(NamedTuple):
    task: str
    tool: str
    microseconds: float  # of CPU for each URL


def urls(count: int, seed: int = SEED) -> list[str]:
    """Made-up URLs in the proportions of a crawl log: a quarter with a query, a few escaped, a few broken."""
    chance = random.Random(seed)  # noqa: S311  (repeatable, not secret)
    return [_url(chance) for _ in range(count)]


def _url(chance: random.Random) -> str:
    host = f"{chance.choice(['www.', 'www2.', '', 'Images.'])}site-{chance.randrange(HOSTS)}.example"
    path = "/".join(chance.choices(WORDS, k=chance.randrange(1, 6))) + chance.choice(ENDINGS)
    query = "&".join(
        f"{chance.choice(WORDS)}={chance.randrange(9999)}" for _ in range(chance.randrange(1, 5))
    )
    url = f"{chance.choice(['http', 'https'])}://{host}/{path}{f'?{query}' if chance.random() < 0.25 else ''}"
    if chance.random() < 0.04:
        url += chance.choice(["%20a%26b%C3%A9", "-über", "%C3%BCber"])
    if chance.random() < 0.02:
        url = url.replace("/", "//").replace("https:", "http:")
    return url


def on_new_hosts(count: int) -> list[str]:
    """Each on a host of its own: nothing that was worked out before helps."""
    return [f"https://www.site-{number}.example.org/news/2026/page-{number}.html" for number in range(count)]


def with_escapes(count: int, seed: int = SEED) -> list[str]:
    """As those of an encyclopedia in a language with accents."""
    chance = random.Random(seed)  # noqa: S311
    words = ["Caf%C3%A9", "%E2%80%99", "Paris", "%20", "L%27Art", "_", "(ville)"]
    return [
        f"https://www.example.org/wiki/{''.join(chance.choices(words, k=6))}?q=a%20b%C3%A9&z={number}"
        for number in range(count)
    ]


def results(count: int = 20_000) -> list[Result]:
    """Everything measured, ours before the tool it is compared with."""
    links = urls(count)
    assert [surt(link) for link in links] == [library_surt(link) for link in links], "the keys differ"
    references = [f"/{link.partition('example')[2].lstrip('/')}" for link in links]
    others = {"surt: hosts": on_new_hosts(count), "surt: %": with_escapes(count)}
    return [
        Result("surt", "armarium", measured(surt, links)),
        Result("surt", "surt", measured(library_surt, links)),
        *(
            Result(task, tool, measured(function, given, rounds=1))
            for task, given in others.items()
            for tool, function in (("armarium", surt), ("surt", library_surt))
        ),
        Result("resolve", "armarium", measured(lambda link: resolve(BASE, link), references)),
        Result("resolve", "ada-url", measured(lambda link: ada_url.join_url(BASE, link), references)),
        Result("resolve", "urllib", measured(lambda link: urljoin(BASE, link), references)),
        Result("canonical", "armarium", measured(_canonical, links)),
        Result("domain", "armarium", measured(registered_domain, links)),
        Result("measures", "armarium", measured(measure, links)),
    ]


def _canonical(url: str) -> str | None:
    try:
        return canonical(url)
    except InvalidUrl:
        return None


def measured(function: Callable[[str], object], given: Sequence[str], rounds: int = ROUNDS) -> float:
    """Microseconds of CPU for each, the best round."""
    best = float("inf")
    for _ in range(rounds):
        begun = time.process_time()
        for one in given:
            function(one)
        best = min(best, time.process_time() - begun)
    return best / len(given) * 1_000_000


def table(found: Sequence[Result]) -> str:
    lines = [f"{'task':<12} {'tool':<10} {'µs per URL':>10} {'× ours':>8}"]
    ours = {result.task: result.microseconds for result in found if result.tool == "armarium"}
    for result in found:
        ratio = result.microseconds / ours[result.task]
        lines.append(f"{result.task:<12} {result.tool:<10} {result.microseconds:>10.2f} {ratio:>8.1f}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(results()))  # noqa: T201
