"""Whether the archive has what the web had: of the small web, and of no other, that can be known."""

from collections.abc import Iterator

from armarium.core import clock
from armarium.demo.acts.world import World
from armarium.demo.engine import MONTH
from armarium.demo.stage import Step
from armarium.demo.web import SITES, Edition
from armarium.demo.web.truth import Truth, truth
from armarium.formats.cdx.line import CdxLine
from armarium.formats.cdx.parsing import capture_in
from armarium.formats.cdx.query import Match, Query
from armarium.index.chain.service import Chain
from armarium.index.lookup import Lookup


def compare(world: World, step: Step) -> tuple[int, int]:
    """Addresses that the harvested sites had, at both dates, and how many of them were captured."""
    lookup, had, found = world.get(Chain).lookup(), 0, 0
    for site in SITES:
        if site.name not in world.harvested:
            continue
        for edition in Edition:
            known = truth(site, edition)
            captured = set(_captured(lookup, known, world.ports.web))
            had += len(known.addresses)
            found += sum(answer in captured for answer in known.addresses.items())
            step.show(f"{found:,} of {had:,} addresses")
    step.end(f"{found:,} of {had:,} addresses that the sites had, at both dates, are here")
    return had, found


def _captured(lookup: Lookup, known: Truth, port: int) -> Iterator[tuple[str, int]]:
    """Paths, each with the status that it had at the date of the edition."""
    front = known.url("", port)
    for raw in lookup.raw(Query(f"{front}/", match=Match.HOST)):
        line = capture_in(raw)
        if line is None or line.status is None or _edition_of(line) is not known.edition:
            continue
        if line.url is not None and line.url.startswith(front):
            yield line.url.removeprefix(front), line.status


def _edition_of(line: CdxLine) -> Edition:
    assert line.date is not None
    return Edition.FIRST if clock.now() - line.date > MONTH / 2 else Edition.SECOND
