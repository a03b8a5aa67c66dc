"""Why an address was harvested, or why not: what the frontier knows, and what the scope says."""

from dataclasses import dataclass
from pathlib import Path

from armarium.core.errors import NotFound, Refused
from armarium.formats.url import InvalidUrl, normal
from armarium.harvest.engine.changes import Changes
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import Fate, Whereabouts
from armarium.harvest.frontier.reader import FrontierReader
from armarium.harvest.model import Candidate
from armarium.harvest.scope import Scope
from armarium.harvest.scope.scope import Explanation

FOUND_BY = {
    "L": "a link",
    "E": "an embedded file",
    "X": "a guess from a script",
    "R": "a redirect",
    "P": "a prerequisite",
    "I": "an inference",
    "M": "a sitemap or feed",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an address, and what each rule of the scope says of it."""

    url: str
    fate: Fate | None  # None: no document of this crawl named it
    rules: Explanation

    @property
    def sentence(self) -> str:
        fate = self.fate
        if fate is None:
            return "Nothing in this crawl led to it. What the scope would say of a link to it:"
        way = f"It was found by {FOUND_BY.get(fate.hops[-1:], 'no one: it is a seed')}"
        way += f" in {fate.via}" if fate.via else ""
        way += f" (way from the seed: {fate.hops})" if fate.hops else ""
        return f"{way}. {_end(fate)}"


class _Nobody:
    """Opens no range: nothing is fetched for an answer."""

    def open_range_of(self, address: str) -> None:
        pass


def why(root: Path, text: str) -> Answer:
    """Ask a crawl, running or ended. Nothing of it is changed."""
    folder = CrawlFolder(root)
    order = folder.read_order()
    if not folder.frontier_file.exists():
        raise NotFound(f"The crawl in {root} has not begun yet.")
    try:
        url = normal(text if "://" in text else f"http://{text}").partition("#")[0]
    except InvalidUrl as error:
        raise Refused(str(error)) from None
    frontier = FrontierReader(folder.frontier_file)
    try:
        scope = Scope(order.scope, [seed.url for seed in order.seeds])
        Changes(frontier).apply(scope, _Nobody())
        fate = frontier.look_up(url)
    finally:
        frontier.close()
    hops = fate.hops if fate is not None else "L"
    said = scope.explain(Candidate(url, hops, fate.via if fate else "", ""))
    return Answer(url, fate, said)


def _end(fate: Fate) -> str:
    match fate.state:
        case Whereabouts.REJECTED:
            return f"The rule {fate.rule!r} kept it out (status {fate.status})."
        case Whereabouts.FINISHED:
            return (
                f"It is done, with status {fate.status} after {fate.attempts + 1} tries. Rule: {fate.rule!r}."
            )
        case Whereabouts.WAITING:
            return f"It failed {fate.attempts} times and is tried again. Rule: {fate.rule!r}."
        case Whereabouts.IN_FLIGHT:
            return "It is being fetched."
        case Whereabouts.FOREIGN:
            return "Another process of this crawl has it."
        case _:
            return f"It waits for its turn. Rule: {fate.rule!r}."
