"""The seeds that somebody gives: addresses are spelled as the crawler does, and what is none is named."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from armarium.core.crawl_order import Seed
from armarium.core.errors import Refused
from armarium.formats.url import InvalidUrl, normal
from armarium.harvest.frontier.queue_names import host_of

# A colon and digits are a host with its port; but not behind the names of schemes that no host is called by.
SCHEME = re.compile(
    r"[a-z][a-z0-9+.-]*:(?!\d)|(?:about|blob|data|file|ftp|javascript|mailto|news|sms|tel|urn):",
    re.IGNORECASE,
)
PATH = re.compile(r"[/\\~]|\.\.?(?:[/\\]|$)")
MAIL = re.compile(r"[^/?#:]+@")
DNS_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?|\[[0-9a-f:.]+\]")
MOST_NAMED = 20


class NoSeeds(Refused):
    """There is nothing to begin with, or something that nobody can begin with."""


class SeedList(NamedTuple):
    """Seeds, and what is wrong with all that is none."""

    seeds: list[Seed]
    faults: list[str]


def seeds_of(lines: Iterable[str], file: str = "") -> SeedList:
    """One a line; empty lines and those after # do not count."""
    seeds: dict[str, Seed] = {}
    faults = []
    for number, line in enumerate(lines, 1):
        text = line.strip().removeprefix("\ufeff").strip()
        if not text or text.startswith("#"):
            continue
        try:
            url = address_of(text)
        except NoSeeds as error:
            faults.append(f"{file}, line {number}: {error}" if file else str(error))
        else:
            seeds.setdefault(url, Seed(url=url))
    return SeedList(list(seeds.values()), faults)


def typed_seeds(words: Iterable[str]) -> SeedList:
    """Those of a command line, where nothing is a remark, and a file is easily taken for an address."""
    faults, addresses = [], []
    for word in words:
        if not word.strip():
            faults.append("An empty word is no address.")
        elif _is_file(word):
            faults.append(f"{word}: this is a file; if seeds are in it: --seeds {word}")
        elif word.strip().startswith("#"):
            faults.append(f"{word}: this is no address")
        else:
            addresses.append(word)
    found = seeds_of(addresses)
    return SeedList(found.seeds, [*faults, *found.faults])


def address_of(text: str) -> str:
    """The address of a seed, or `NoSeeds` with what is wrong."""
    whole = SCHEME.match(text) is not None
    if not whole and PATH.match(text):
        raise NoSeeds(f"{text}: this is a path, and no address; write http:// and the host before it")
    if not whole and MAIL.match(text):
        raise NoSeeds(f"{text}: this is an address of mail")
    try:
        url = normal(text if whole else f"http://{text}").partition("#")[0]
    except InvalidUrl as error:
        raise NoSeeds(f"{text}: {error}") from None
    if not url.startswith(("http://", "https://")):
        raise NoSeeds(f"{text}: only http and https can be harvested")
    host = host_of(url)
    if not DNS_NAME.fullmatch(host):
        raise NoSeeds(f"{text}: no host can be called {host}")
    # Hosts of an inner network are called so, too; but mostly it is a slip, and would be asked for in vain.
    if not whole and host != "localhost" and not re.search(r"[.:]", re.split(r"[/?#]", text)[0]):
        raise NoSeeds(
            f"{text}: this is neither an address nor a domain; write http://{text} if {host} is a host"
        )
    return url


def refuse(faults: list[str]) -> None:
    """All that is wrong, in one error: a crawl that silently leaves out what was asked for is no answer."""
    if not faults:
        return
    more = [f"… and {len(faults) - MOST_NAMED:,} more"] if len(faults) > MOST_NAMED else []
    lines = [f"  {fault}" for fault in [*faults[:MOST_NAMED], *more]]
    raise NoSeeds("\n".join(["These are no seeds, and nothing was begun:", *lines]))


def _is_file(word: str) -> bool:
    with suppress(OSError):  # far too long for a name, for instance
        return "://" not in word and Path(word).is_file()
    return False
