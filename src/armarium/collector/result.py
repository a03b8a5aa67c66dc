"""What a job came to, in the words of the server.

The summary may have been written by an older version: the collector was upgraded between the end of the crawl
and the moment when the server accepts it. What such a summary lacks is not told.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from armarium.core.collecting import DomainResult, EndKind, JobEnd, SeedFault, SourceResult
from armarium.core.crawl_order import CrawlOrder
from armarium.core.seed_verdict import SeedVerdict

MOST_OTHERS = 1000  # domains that the job did not ask for; the largest are told
LONGEST_ERROR = 2000


def end_of(
    attempt: int,
    summary: Mapping[str, Any] | None,
    error: str,
    order: CrawlOrder,
    files: Sequence[str],
    *,
    final: bool = False,
) -> JobEnd:
    """The end of a job with its summary, or, where there is none, with the error."""
    if summary is None:
        return JobEnd(
            attempt=attempt,
            kind=EndKind.FAILED,
            final=final,
            error=error[:LONGEST_ERROR],
            files=tuple(files),
        )
    objects = sum(row["objects"] for row in summary["domains"])  # name look-ups are in no domain
    volume = sum(row["bytes"] for row in summary["domains"])
    return JobEnd(
        attempt=attempt,
        kind=EndKind.DONE,
        outcome=str(summary["status"]),
        objects=objects,
        bytes=volume,
        report=_report(summary),
        domains=tuple(_domains(summary["domains"], order)),
        sources=tuple(_sources(summary)),
        files=tuple(files),
    )


def _report(summary: Mapping[str, Any]) -> dict[str, Any]:
    counts = summary["counts"]
    told = {
        "seconds": summary.get("seconds"),
        "discovered": counts.get("discovered"),
        "queued": counts.get("queued"),
        "finished": counts.get("processed"),
        "failed": counts.get("failed"),
        "disregarded": counts.get("disregarded"),
        "written_bytes": summary["bytes"].get("written"),
        "mimes": summary.get("types"),
    }
    return {name: figure for name, figure in told.items() if figure is not None}


def _sources(summary: Mapping[str, Any]) -> Iterator[SourceResult]:
    """What came from the seeds of each domain, and which of them are not as they should be."""
    faults: dict[str, list[SeedFault]] = {}
    for seed in summary.get("seeds", ()):
        if seed.get("verdict", SeedVerdict.FINE) != SeedVerdict.FINE:
            fault = SeedFault(
                url=seed["url"],
                verdict=seed["verdict"],
                status=seed["final_status"],
                redirect=seed["redirect"] or "",
            )
            faults.setdefault(seed["tag"], []).append(fault)
    for row in summary.get("sources", ()):
        if "reason" not in row:
            continue  # the server takes the domains in its place
        yield SourceResult(
            source=row["tag"],
            objects=row["objects"],
            bytes=row["bytes"],
            reason=row["reason"],
            seeds=tuple(faults.get(row["tag"], ())),
        )


def _domains(rows: Sequence[Mapping[str, Any]], order: CrawlOrder) -> Iterator[DomainResult]:
    """In the order of the summary, the largest first: all that the job asked for, and some of the others."""
    asked = {seed.tag for seed in order.seeds}
    others = 0
    for row in rows:
        if row["domain"] not in asked:
            others += 1
            if others > MOST_OTHERS:
                continue
        yield DomainResult(
            domain=row["domain"], objects=row["objects"], bytes=row["bytes"], reason=row["reason"]
        )
