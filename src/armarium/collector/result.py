"""What a job came to, in the words of the server."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from armarium.core.collecting import DomainResult, EndKind, JobEnd
from armarium.core.crawl_order import CrawlOrder

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
    return JobEnd(
        attempt=attempt,
        kind=EndKind.DONE,
        outcome=str(summary["status"]),
        objects=sum(row["objects"] for row in summary["domains"]),  # name look-ups are in no domain
        bytes=sum(row["bytes"] for row in summary["domains"]),
        domains=tuple(_domains(summary["domains"], order)),
        files=tuple(files),
    )


def _domains(rows: Sequence[Mapping[str, Any]], order: CrawlOrder) -> Iterator[DomainResult]:
    """In the order of the summary, the largest first: all that the job asked for, and some of the others."""
    asked = {seed.tag for seed in order.seeds} | set(order.queues.budgets)
    others = 0
    for row in rows:
        if row["domain"] not in asked:
            others += 1
            if others > MOST_OTHERS:
                continue
        yield DomainResult(
            domain=row["domain"], objects=row["objects"], bytes=row["bytes"], reason=row["reason"]
        )
