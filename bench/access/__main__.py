"""The readers' pages in process, over an index of made-up captures: CPU of one answer, and its weight.

    python -m bench.access                       the calendar, the frame, the banner, and others
    python -m bench.access --profile calendar    where the time of one of them goes

An address has 300 captures in twelve years, on some days several; another (few) twelve in one. Each page is
asked 100 times, after 30 for warming; the figure is the least of five rounds. All is counted that the thread
of a request does: not HTTP, and, as there is no house, neither sessions nor the database.
"""

import argparse
import cProfile
import logging
import pstats
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog
from starlette.requests import Request
from starlette.responses import Response

from armarium.access.origins.readers import routes
from armarium.access.requests.site import Guest, PlainContentAddresses, Site, Visit, find
from armarium.languages import speech
from tests.integration.access.search.room import Room
from tests.unit.access.search.shelves import line, revisit

URL = "http://www.example.org/news"
FEW = "http://few.example.org/"
WARM, COUNT, ROUNDS = 30, 100, 5
PAGES = {
    "calendar": f"/all/*/{URL}",
    "year": f"/all/2015*/{URL}",
    "frame": f"/all/20150704000000/{URL}",
    "few": f"/all/*/{FEW}",
    "few-frame": f"/all/20250301000000/{FEW}",
    "banner": f"/-/part/banner?collection=all&timestamp=20150704000000&url={URL}",
    "addresses": "/all/search?url=www.example.org&match=host",
    "home": "/",
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.access")
    parser.add_argument("--profile", choices=list(PAGES))
    wanted = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory() as scratch:
        site = _site(Path(scratch))
        if wanted.profile:
            _profile(_asking(site, PAGES[wanted.profile]))
        else:
            for name, path in PAGES.items():
                least, weight = _measured(_asking(site, path))
                sys.stdout.write(f"{name:10} {least * 1000:6.2f} ms   {weight / 1000:6.1f} kB of HTML\n")
    return 0


def _site(folder: Path) -> Site:
    held = []
    for nth in range(300):
        year, month, day, hour = 2012 + nth // 25, nth % 12 + 1, nth % 5 + 1, nth % 24
        stamp = f"{year}{month:02}{day:02}{hour:02}0000"
        held.append(revisit(URL, stamp, "A") if nth % 3 == 1 else line(URL, stamp, "ABC"[nth % 3]))
    held.append(line(URL, "20150704000000", "D"))
    held += [line(FEW, f"2025{month:02}01000000") for month in range(1, 13)]
    held += [
        line(f"http://www.example.org/news/{nth}", f"2016{nth % 12 + 1:02}01000000") for nth in range(80)
    ]
    return Room(folder, held).site


def _asking(site: Site, address: str) -> Callable[[], Response]:
    """As the door does it, in the thread of a request."""
    path, _, query = address.partition("?")
    table = routes(PlainContentAddresses(site.settings))
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(b"accept", b"text/html")],
    }

    def ask() -> Response:
        speech.bind("en")
        found = find(table, path, query)
        assert found is not None
        guest: Guest = site.readers.of(None)  # type: ignore[arg-type]
        visit = Visit(site, guest, site.view(found.collection, guest.reader), found.rest, Request(scope))
        return found.handler(visit)

    return ask


def _measured(ask: Callable[[], Response]) -> tuple[float, int]:
    for _ in range(WARM):
        answer = ask()
        assert answer.status_code == 200, answer.status_code
    return min(_round(ask) for _ in range(ROUNDS)), len(answer.body)


def _round(ask: Callable[[], Response]) -> float:
    started = time.process_time()
    for _ in range(COUNT):
        ask()
    return (time.process_time() - started) / COUNT


def _profile(ask: Callable[[], Response]) -> None:
    ask()
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(COUNT):
        ask()
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(35)


sys.exit(main(sys.argv[1:]))
