"""Why an address was harvested, or why not: what the frontier knows, and what the scope says."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armarium.core.errors import NotFound, Refused
from armarium.formats.url import InvalidUrl, normal
from armarium.harvest.engine.changes import Changes
from armarium.harvest.extract.findings import MAX_LINKS, NOTED
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import Fate, QueueState, Whereabouts
from armarium.harvest.frontier.enquiry import FrontierReader
from armarium.harvest.model import DISREGARDED, Candidate, Hop, Status
from armarium.harvest.scope import Scope
from armarium.harvest.scope.scope import Explanation

FOUND_BY = {
    "L": "a link",
    "E": "an embedded file",
    "X": "a guess from a script",
    "R": "a redirect",
    "P": "a prerequisite",
    "I": "no link: browsers ask every site for its icon, and extraction.favicon for that of the seed",
    "M": "a sitemap or feed",
}


# Limits that keep out what no rule of the scope would.
LIMITS = {
    MAX_LINKS: "The document names more addresses than extraction.max_links lets be taken from one",
    "sitemap-entries": "The sitemap names more addresses than sitemaps may",
    "dash-segments": "The description of media names more pieces than are taken from one",
    "max-redirects": "It is one redirect more than fetching.max_redirects lets follow each other",
}


# What the codes mean that are no status of HTTP, as the end of "It was given up: …".
OUTCOMES = {
    Status.DNS_FAILED: "its name does not resolve",
    Status.CONNECT_FAILED: "its server takes no connection",
    Status.CONNECTION_LOST: "the connection broke",
    Status.TIMEOUT: "its server did not answer in time",
    Status.RUNTIME_ERROR: "a fault of the crawler; see runtime-errors.log",
    Status.PREREQUISITE_DOMAIN_FAILED: "its name does not resolve",
    Status.UNFETCHABLE: "it is not an address that can be fetched",
    Status.TOO_MANY_RETRIES: "every try failed",
    Status.ROBOTS_PREREQUISITE_FAILED: "robots.txt of its server cannot be had",
    Status.OTHER_PREREQUISITE_FAILED: "what it needs first cannot be had",
    Status.EMPTY_RESPONSE: "the answer was empty",
    Status.TOO_MANY_HOPS: "it lies too many links from the seed",
    Status.TOO_MANY_EMBED_HOPS: "it lies too many embedded files from the scope",
    Status.OUT_OF_SCOPE: "it is out of scope",
    Status.BLOCKED: "a setting forbids it: a denied network or a filter",
    Status.QUOTA: "a budget was spent",
    Status.RUNTIME_LIMIT: "the time of the crawl was over",
    Status.DELETED: "an operator took it out",
    Status.ROBOTS_PRECLUDED: "robots.txt forbids it",
}

MOST_SEEDS = 5  # that are named


def no_harvest(seeds: Sequence[Mapping[str, Any]]) -> str:
    """Of a crawl without any capture of a seed: what became of them, as the summary has them."""
    named = "; ".join(f"{one['url']}: {_given_up(one['status'])}" for one in seeds[:MOST_SEEDS])
    more = f"; and {len(seeds) - MOST_SEEDS:,} more" if len(seeds) > MOST_SEEDS else ""
    return f"No seed was harvested. {named}{more}. Check the addresses, and whether they can be reached."


def _given_up(status: int) -> str:
    if status == Status.UNTRIED:
        return "its turn never came"
    return OUTCOMES[Status(status)] if status in OUTCOMES else f"status {status}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an address, and what each rule of the scope says of it."""

    url: str
    fate: Fate | None  # None: no document of this crawl is known to name it
    rules: Explanation
    doubts: tuple[str, ...] = ()  # what this crawl does not know of the links in its documents
    ended: str = ""  # the status of a crawl that has ended

    @property
    def sentence(self) -> str:
        fate = self.fate
        if fate is None:
            known = "Nothing in this crawl led to it."
            if self.doubts:
                known = f"Nothing in this crawl is known to have led to it. But {'; '.join(self.doubts)}."
            return f"{known} What the scope would say of a link to it:"
        way = f"It was found by {FOUND_BY.get(fate.hops[-1:], 'no one: it is a seed')}"
        place = "" if fate.hops.endswith(Hop.INFERRED) else " in"
        way += f"{place} {fate.via}" if fate.via else ""
        way += f" (way from the seed: {fate.hops})" if fate.hops else ""
        return f"{way}. {_end(fate, self.ended)}"


class _Nobody:
    """Opens no range: nothing is fetched for an answer."""

    def open_range_of(self, address: str) -> None:
        pass


def why(root: Path, text: str) -> Answer:
    """Ask a crawl, running or ended. Nothing of it is changed."""
    folder = CrawlFolder(root)
    order = folder.read_order()
    try:
        url = normal(text if "://" in text else f"http://{text}").partition("#")[0]
    except InvalidUrl as error:
        raise Refused(str(error)) from None
    scope = Scope(order.scope, [seed.url for seed in order.seeds])
    with ExitStack() as stack:
        frontiers = [stack.enter_context(closing(FrontierReader(path))) for path in _files(folder)]
        for frontier in frontiers:
            Changes(frontier).apply(scope, _Nobody())
        fate = _known(frontier.look_up(url) for frontier in frontiers)
        doubts = tuple(_doubts(frontiers))
    hops = fate.hops if fate is not None else "L"
    said = scope.explain(Candidate(url, hops, fate.via if fate else "", ""))
    summary = folder.final_summary()
    return Answer(url, fate, said, doubts, summary["status"] if summary else "")


def _files(folder: CrawlFolder) -> list[Path]:
    """One, or that of each process that shares the crawl."""
    parts = sorted(folder.state.glob("part-*/frontier.sqlite"))
    files = parts or [path for path in (folder.frontier_file,) if path.exists()]
    if not files:
        raise NotFound(f"The crawl in {folder.root} has not begun yet.")
    return files


def _known(fates: Iterator[Fate | None]) -> Fate | None:
    """What the process says that has it, if any has."""
    least = (Whereabouts.REJECTED, Whereabouts.FOREIGN)
    found = [fate for fate in fates if fate is not None]
    return max(
        found, key=lambda fate: (fate.state not in least, fate.state is Whereabouts.FOREIGN), default=None
    )


def _doubts(frontiers: Sequence[FrontierReader]) -> Iterator[str]:
    cut, dropped = (
        sum(int(frontier.recall(name) or 0) for frontier in frontiers)
        for name in ("cut_documents", "dropped_links")
    )
    if cut:
        yield f"{cut:,} documents were not read to their end (…Trunc in crawl.log)"
    if dropped > NOTED:
        yield f"{dropped:,} links were beyond a limit, not all of them known by name (dol: in crawl.log)"
    if forgotten := sum(frontier.forgotten for frontier in frontiers):
        yield f"of the addresses that were turned away the first {forgotten:,} are forgotten"


def _end(fate: Fate, ended: str) -> str:
    match fate.state:
        case Whereabouts.REJECTED if fate.rule in LIMITS:
            return f"{LIMITS[fate.rule]} (status {fate.status})."
        case Whereabouts.REJECTED:
            return f"The rule {fate.rule!r} kept it out (status {fate.status})."
        case Whereabouts.FINISHED:
            tries = f"{fate.attempts + 1} tries" if fate.attempts else "the first try"
            if fate.status in OUTCOMES:
                end = "was not fetched" if fate.status in DISREGARDED else f"was given up after {tries}"
                why = OUTCOMES[Status(fate.status)]
                return f"It {end}: {why} (status {fate.status}). Rule: {fate.rule!r}."
            return f"It is done, with status {fate.status} after {tries}. Rule: {fate.rule!r}."
        case Whereabouts.WAITING:
            then = "the crawl ended before the next try" if ended else "is tried again"
            times = "once" if fate.attempts == 1 else f"{fate.attempts} times"
            return f"It failed {times} and {then}. Rule: {fate.rule!r}."
        case Whereabouts.LEFT:
            return f"It was not asked for: the budget of its seeds ({fate.source}) is spent."
        case Whereabouts.IN_FLIGHT:
            return "It is being fetched."
        case Whereabouts.FOREIGN:
            return "Another process of this crawl has it."
        case _ if fate.queue_state is QueueState.RETIRED:
            return f"The budget of {fate.queue} was spent before its turn came. Rule: {fate.rule!r}."
        case _ if ended:
            return f"The crawl ended ({ended}) before its turn came. Rule: {fate.rule!r}."
        case _:
            return f"It waits for its turn. Rule: {fate.rule!r}."
