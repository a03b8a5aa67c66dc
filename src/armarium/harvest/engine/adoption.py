"""What a killed crawl had recorded but not yet counted as done, is counted now instead of fetched again."""

from collections.abc import Iterable

from armarium.core.clock import now
from armarium.harvest.engine.addresses import resolved_location, told_location
from armarium.harvest.engine.ledger import cut_short
from armarium.harvest.engine.visiting import Parts, commit
from armarium.harvest.model import Candidate, Hop, is_prerequisite
from armarium.harvest.record.adoption import Adopted
from armarium.harvest.reports.crawl_log import DISCARDED, NAMELESS, Outcome
from armarium.harvest.reports.seeds import REDIRECTS

WHOLE = 200


def adopt_captures(parts: Parts, captures: Iterable[Adopted]) -> None:
    """In the order in which they were recorded: what one led to may be the next."""
    for capture in captures:
        _adopt(parts, capture)
    commit(parts)


def _adopt(parts: Parts, capture: Adopted) -> None:
    facts = capture.facts
    parts.ledger.adopted(_outcome(capture))  # the log was cut where the frontier ends: none of them is in it
    if is_prerequisite(facts.hops) and facts.hops.endswith(Hop.REDIRECT):
        return  # where a robots.txt has moved to: it was gone after without the frontier
    if not parts.frontier.settle(
        Candidate(capture.url, facts.hops, facts.via, facts.source),
        capture.status,
        capture.size,
        now=parts.clock(),
        mime=capture.mime,
        digest=capture.digest,
    ):
        return  # it is done already
    if _is_moved_seed(capture):
        _widen(parts, capture)
    for url, hop, context in facts.outlinks:
        parts.discovery.candidate(Candidate(url, facts.hops + hop, capture.url, facts.source, context))
    if capture.status == WHOLE and not capture.duplicate and not capture.truncated:
        parts.recorder.duplicates.add(capture.url, capture.digest, capture.date)


def _is_moved_seed(capture: Adopted) -> bool:
    return capture.status in REDIRECTS and not capture.facts.hops.strip(Hop.REDIRECT)


def _widen(parts: Parts, capture: Adopted) -> None:
    target = resolved_location(capture.url, capture.location)
    hops = capture.facts.hops + Hop.REDIRECT
    if target and parts.scope.widen(target, hops):
        parts.changes.widened(target, hops)


def _annotations(capture: Adopted) -> tuple[str, ...]:
    words = cut_short(capture.truncated, head=capture.head_truncated)
    if capture.duplicate:
        words.append(f"duplicate:{capture.duplicate}")
    words += capture.facts.noted
    if any(word.startswith(DISCARDED) for word in words):
        words.append(NAMELESS)
    return tuple(words)


def _outcome(capture: Adopted) -> Outcome:
    facts = capture.facts
    return Outcome(
        finished=now(),
        status=capture.status,
        size=capture.size,
        url=capture.url,
        hops=facts.hops,
        via=facts.via,
        mime=capture.mime,
        started=capture.date,
        milliseconds=capture.milliseconds,
        digest=capture.digest,
        source=facts.source,
        annotations=_annotations(capture),
        filename=capture.filename,
        offset=capture.offset,
        record_length=capture.record_length,
        location=told_location(capture.url, capture.location) if _is_moved_seed(capture) else "",
    )
