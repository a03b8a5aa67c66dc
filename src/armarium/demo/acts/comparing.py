"""Whether the archive has what the web had: of the small web, and of no other, that can be known."""

from collections.abc import Iterator

from armarium.core import clock
from armarium.demo.acts.world import World
from armarium.demo.engine import MONTH
from armarium.demo.small_web import read_truths
from armarium.demo.stage import Step
from armarium.demo.web import Edition
from armarium.formats.cdx.line import CdxLine
from armarium.formats.cdx.parsing import capture_in
from armarium.formats.cdx.query import Match, Query
from armarium.index.chain.service import Chain
from armarium.index.lookup import Lookup


def compare(world: World, step: Step) -> tuple[int, int]:
    """Addresses that the harvested sites had, at both dates, and how many of them were captured."""
    lookup, truths, had, found = world.get(Chain).lookup(), read_truths(world.folder), 0, 0
    for host in sorted(world.harvested):
        for edition in Edition:
            known = truths[edition.value][host]
            captured = set(_captured(lookup, f"http://{host}:{world.ports.web}", edition))
            had += len(known)
            found += sum(answer in captured for answer in known.items())
            step.show(f"{found:,} of {had:,} addresses")
    step.end(f"{found:,} of {had:,} addresses of these sites are here")
    return had, found


def _captured(lookup: Lookup, front: str, edition: Edition) -> Iterator[tuple[str, int]]:
    """Paths, each with the status that it had at the date of the edition."""
    for raw in lookup.raw(Query(f"{front}/", match=Match.HOST)):
        line = capture_in(raw)
        if line is None or line.status is None or _edition_of(line) is not edition:
            continue
        if line.url is not None and line.url.startswith(front):
            yield line.url.removeprefix(front), line.status


def _edition_of(line: CdxLine) -> Edition:
    assert line.date is not None
    return Edition.FIRST if clock.now() - line.date > MONTH / 2 else Edition.SECOND
