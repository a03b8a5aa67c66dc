"""Which harvest a crawl is part of, for the metadata WARC, in the files in which NetarchiveSuite says it."""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from armarium.core.crawl_order import CrawlOrder
from armarium.harvest.record.description import harvest_info


def harvest_ids(order: CrawlOrder) -> list[tuple[str, str]]:
    """For the addresses of all parts."""
    harvest = order.harvest
    found = {"harvestid": harvest.definition, "harvestnum": harvest.run, "jobid": harvest.job}
    return [(name, str(value)) for name, value in found.items() if value is not None]


def harvest_parts(order: CrawlOrder) -> Iterator[tuple[str, bytes, str]]:
    """Name, content and type of each; none of a crawl that nobody planned."""
    harvest = order.harvest
    if fields := harvest_info(order):
        yield "harvestInfo.xml", _xml(fields), "text/xml"
    if harvest.aliases:
        lines = [f"{alias} is an alias for {domain}\n" for alias, domain in harvest.aliases.items()]
        yield "aliases", "".join(lines).encode(), "text/plain"
    # Without the index nothing could be found in their files.
    if harvest.duplicate_jobs and order.recording.digest_index:
        yield "duplicatereductionjobs", ",".join(map(str, harvest.duplicate_jobs)).encode(), "text/plain"


def _xml(fields: list[tuple[str, str]]) -> bytes:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<harvestInfo>"]
    for field, value in fields:
        name = field.removeprefix("harvestInfo.")
        if value:
            lines.append(f"  <{name}>{escape(_sayable(value))}</{name}>")
    return "\n".join([*lines, "</harvestInfo>", ""]).encode()


def _sayable(text: str) -> str:
    """XML 1.0 has no word for control characters, not even escaped."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in text)
