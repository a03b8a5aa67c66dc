"""An index made up for measuring: sorted lines of some 300 bytes, the same on every machine."""

import base64
import random
from collections.abc import Iterator

SEED = 20261115
PAGES = 400  # of a site, half of the time fewer; the sizes are log-normal, as on the web
CAPTURES = 4  # of a page, on average
_TYPES = {"html": "text/html", "jpg": "image/jpeg", "css": "text/css", "pdf": "application/pdf"}
_ENDINGS = ("html", "html", "jpg", "html", "css", "html", "jpg", "pdf")
_DIGEST = 32


def sorted_lines(count: int, seed: int = SEED) -> Iterator[bytes]:
    """So many lines, in the order of bytes, without sorting them."""
    chance = random.Random(seed)  # noqa: S311  (repeatable, not secret)
    site = made = 0
    while True:
        for line in _site_lines(site, chance):
            yield line
            made += 1
            if made == count:
                return
        site += 1


def later_captures(keys: list[str], count: int, seed: int) -> Iterator[bytes]:
    """Lines of a later harvest: known pages, seen again, in any order."""
    chance = random.Random(seed)  # noqa: S311
    digests = _digests(chance, count)
    for number in range(count):
        moment = (6720 + seed) * 86400 + chance.randrange(86400)
        yield _line(chance.choice(keys), _timestamp(moment), number, digests)


def key_of(line: bytes) -> str:
    return line[: line.index(b" ")].decode()


def url_of(key: str) -> str:
    host, _, path = key.partition(")")
    return f"https://www.{'.'.join(reversed(host.split(',')))}{path}"


def _site_lines(site: int, chance: random.Random) -> Iterator[bytes]:
    pages = int(chance.lognormvariate(0, 1.2) * PAGES) + 1
    digests = _digests(chance, pages * CAPTURES * 2)
    number = 0
    for page in range(pages):
        key = f"fr,site-{site:07})/{page // 50:04}/article-{page:06}.{_ENDINGS[page % 8]}"
        moment = chance.randrange(10**8)
        for _ in range(min(int(chance.expovariate(1 / CAPTURES)) + 1, CAPTURES * 2)):
            moment += chance.randrange(1, 6 * 10**7)
            yield _line(key, _timestamp(moment), number, digests)
            number += 1


def _timestamp(moment: int) -> str:
    """Of a second since 2006, in years of twelve months of 28 days."""
    day, second = divmod(moment, 86400)
    year, day = divmod(day, 336)
    date = f"{2006 + year}{day // 28 + 1:02}{day % 28 + 1:02}"
    return f"{date}{second // 3600:02}{second // 60 % 60:02}{second % 60:02}"


def _line(key: str, timestamp: str, number: int, digests: str) -> bytes:
    digest = digests[number * _DIGEST : (number + 1) * _DIGEST]
    # Captures that follow each other come of different harvests.
    file = f"{timestamp[2:6]}-{number % 10}-{timestamp}-{number % 1000:05}-7.warc.gz"
    return (
        f'{key} {timestamp} {{"url": "{url_of(key)}", "mime": "{_TYPES[key.rpartition(".")[2]]}", '
        f'"status": "200", "digest": "sha1:{digest}", "length": "{1000 + number * 7919 % 90000}", '
        f'"offset": "{number * 104729 % 10**9}", "filename": "{file}"}}'
    ).encode()


def _digests(chance: random.Random, count: int) -> str:
    return base64.b32encode(chance.randbytes((count + 1) * 20)).decode()
