"""What the addresses guessed in scripts are worth: on sites of others, of which all files are known.

    python -m bench.crawl.guesses FOLDER [FOLDER …]      sites: each a folder with an index.html
    python -m bench.crawl.guesses --show FOLDER          and every guess that came to nothing

A site is crawled without a network: documents are read from the folder, addresses are found, resolved and
judged as by the crawler, and the folder says whether there is such a file. Documentation packages of Debian
(`*-doc`) and packages of npm that hold a built site are good folders.
"""

import argparse
import mimetypes
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from armarium.core.crawl_order import CrawlOrder
from armarium.harvest.engine.discovery import Discovery
from armarium.harvest.extract import extract
from armarium.harvest.model import Candidate, Hop
from armarium.harvest.scope import Scope

HOST = "http://site.example"
COLUMNS = ("files", "found", "by guess", "guesses", "false", "false/1,000", "elsewhere")


@dataclass
class Crawled:
    """What a crawl of one site came to."""

    files: int = 0
    found: set[Path] = field(default_factory=set)
    guessed: set[Path] = field(default_factory=set)  # that only a guess led to
    asked: int = 0  # addresses of the site that a crawler would ask for
    guesses: int = 0
    false: list[Candidate] = field(default_factory=list)
    elsewhere: list[Candidate] = field(default_factory=list)  # guesses in scope that lead off the host

    def row(self) -> list[object]:
        rate = 1000 * len(self.false) / max(self.asked, 1)
        return [
            self.files, len(self.found), len(self.guessed), self.guesses, len(self.false), f"{rate:.1f}",
            len(self.elsewhere),
        ]  # fmt: skip


class Site:
    """A folder, as a server shows it. It is the frontier of its own crawl, too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._queue: deque[Candidate] = deque()
        self._guesses: deque[Candidate] = deque()
        self._known: set[str] = set()

    def add(self, candidate: Candidate, *, rule: str = "", force: bool = False) -> bool:  # noqa: ARG002
        if candidate.url in self._known:
            return False
        self._known.add(candidate.url)
        guess = candidate.hops.endswith(Hop.SPECULATIVE)
        (self._guesses if guess else self._queue).append(candidate)
        return True

    def reject(self, candidate: Candidate, rule: str, status: int) -> None:
        """Nobody asks for it."""

    def waiting(self) -> Iterator[Candidate]:
        """Guesses come last, as in a crawl: what a link names is no guess."""
        while self._queue or self._guesses:
            yield (self._queue or self._guesses).popleft()

    def file(self, url: str) -> Path | None:
        path = self._folder / unquote(url.removeprefix(HOST).partition("?")[0]).lstrip("/")
        try:
            if path.is_dir():
                path /= "index.html"
            return path.resolve() if path.is_file() else None
        except (OSError, ValueError):
            return None


def crawled(folder: Path, start: str) -> Crawled:
    seed = f"{HOST}/{start}"
    order, site, result = CrawlOrder(), Site(folder), Crawled()
    result.files = sum(1 for path in folder.resolve().rglob("*") if path.is_file())
    discovery = Discovery(Scope(order.scope, [seed]), site)
    site.add(Candidate(seed, "", "", ""))
    for candidate in site.waiting():
        path = _asked(candidate, site, result)
        if path is not None:
            mime = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            body = path.read_bytes()
            found = extract(
                candidate.url, None, mime, body, candidate.hops, order.extraction, via=candidate.via
            )
            discovery.take(candidate.url, candidate.hops, "", found)
    return result


def _asked(candidate: Candidate, site: Site, result: Crawled) -> Path | None:
    """The file, if there is one that was not read before."""
    guess = candidate.hops.endswith(Hop.SPECULATIVE)
    if not candidate.url.startswith(f"{HOST}/"):
        if guess:
            result.elsewhere.append(candidate)
        return None
    path = site.file(candidate.url)
    result.asked += 1
    result.guesses += guess
    if path is None or path in result.found:
        if guess and path is None:
            result.false.append(candidate)
        return None
    result.found.add(path)
    if guess:
        result.guessed.add(path)
    return path


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("bench.crawl.guesses", description="What guesses are worth.")
    parser.add_argument("sites", nargs="+", type=Path, metavar="FOLDER", help="or a page of it to begin with")
    parser.add_argument(
        "--show", action="store_true", help="each guess that came to nothing or leads elsewhere"
    )
    wanted = parser.parse_args(arguments)
    say(f"{'site':<16}" + "".join(f"{name:>13}" for name in COLUMNS))
    total = Crawled()
    for site in wanted.sites:
        folder, start = (site, "") if site.is_dir() else (site.parent, site.name)
        one = crawled(folder, start)
        say(f"{site.name:<16}" + "".join(f"{cell!s:>13}" for cell in one.row()))
        for candidate in (*one.false, *one.elsewhere) if wanted.show else ():
            say(f"    {candidate.url}  {candidate.context} in {candidate.via}")
        total.files += one.files
        total.asked += one.asked
        total.guesses += one.guesses
        for name in ("found", "guessed"):
            getattr(total, name).update(getattr(one, name))
        total.false += one.false
        total.elsewhere += one.elsewhere
    say(f"{'together':<16}" + "".join(f"{cell!s:>13}" for cell in total.row()))
    return 0


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
