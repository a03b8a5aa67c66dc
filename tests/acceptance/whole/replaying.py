"""That every page answers: each capture over HTTP with the bytes that the web served, each staff page."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from html import unescape
from typing import Any

import httpx

from armarium.formats.warc.digest import Digest
from tests.acceptance.whole.readers import PATIENCE, STAFF_PAGES, signed_in
from tests.acceptance.whole.world import World

AT_ONCE = 4
OF_EACH = 3
Digests = dict[tuple[str, str], set[Digest]]  # of each address and second
LINK = re.compile(r'<a [^>]*href="(/[^"#]*)')
NUMBER = re.compile(r"[0-9]+")


def pages_among(world: World, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines of what the web has served: all but names, robots.txt and what describes crawls."""
    return [line for line in lines if world.web.served_at(line["url"] or "")]


def unanswered(world: World, pages: list[dict[str, Any]]) -> list[str]:
    """Captures of pages that are not shown as they were."""
    if not pages:
        return ["no page was captured: there was nothing to replay"]
    digests, shares = digests_of_each_second(pages), [pages[one::AT_ONCE] for one in range(AT_ONCE)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [
            wrong
            for share in pool.map(lambda lines: _wrong(world, lines, digests), shares)
            for wrong in share
        ]


def _wrong(world: World, lines: list[dict[str, Any]], digests: Digests) -> list[str]:
    """With a client of its own: threads that share one may close each other's idle connections."""
    with httpx.Client(timeout=PATIENCE, follow_redirects=True) as client:
        answers = [_wrong_answer(world, client, line, digests[second_of(line)]) for line in lines]
    return [wrong for wrong in answers if wrong]


def digests_of_each_second(pages: Collection[dict[str, Any]]) -> Digests:
    """Two jobs may fetch a page within a second, and the address of a capture names no less than that."""
    found: dict[tuple[str, str], set[Digest]] = defaultdict(set)
    for line in pages:
        found[second_of(line)].add(line["digest"])
    return found


def second_of(line: dict[str, Any]) -> tuple[str, str]:
    return line["url"], line["timestamp"]


def _wrong_answer(
    world: World, client: httpx.Client, line: dict[str, Any], digests: set[Digest]
) -> str | None:
    address = f"{world.reading}/all/{line['timestamp']}id_/{line['url']}"
    try:
        answer = client.get(address)
    except httpx.HTTPError as error:
        return f"{address}: {error!r}"
    if answer.status_code != 200:
        return f"{address} ({line['place']}): {answer.status_code} {answer.text[:200]!r}"
    served = world.web.served_at(line["url"])
    if not any(answer.content in _with_digest(served, one) for one in digests):
        return f"{address} ({line['place']}) has other bytes than were served"
    return None


def _with_digest(contents: Collection[bytes], digest: Digest) -> list[bytes]:
    return [one for one in contents if hashlib.new(digest.algorithm, one).digest() == digest.value]


def broken_pages(world: World) -> list[str]:
    """Of the navigation, and of those that its pages lead to, some of each kind."""
    found, linked = [], set()
    with closing(signed_in(world)) as client:
        for path in STAFF_PAGES:
            answer = client.get(path)
            if answer.status_code == 200:
                linked |= {unescape(link) for link in LINK.findall(answer.text)}
            else:
                found.append(f"{path}: {answer.status_code}")
        for path in _some_of_each_kind(linked - set(STAFF_PAGES)):
            answer = client.get(path)
            world.diary.count("pages of the staff that others lead to")
            if answer.status_code >= 400:
                found.append(f"{path}: {answer.status_code}")
    return found


def _some_of_each_kind(paths: set[str]) -> list[str]:
    """Pages of one kind differ by a number, or by what is asked for."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        kinds[NUMBER.sub("#", path.partition("?")[0])].append(path)
    return [path for same in kinds.values() for path in same[:: max(len(same) // OF_EACH, 1)][:OF_EACH]]
