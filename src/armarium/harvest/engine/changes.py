"""What was changed while the crawl ran, and by what: kept with it, so that a resumed crawl knows it too."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from armarium.core.clock import now
from armarium.core.crawl_order import CrawlOrder
from armarium.harvest.engine.ledger import Memory
from armarium.harvest.scope import Scope

FACT = "changes"
OPERATOR = "operator"


class Opening(Protocol):
    """What opens ranges of addresses: the fetcher."""

    def open_range_of(self, address: str) -> None: ...


class Changes:
    """The list of changes, the oldest first."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.all: list[dict[str, Any]] = json.loads(str(memory.recall(FACT) or "[]"))
        self.tell: Callable[[dict[str, Any]], None] = lambda _: None  # the other processes of the crawl

    def apply(self, scope: Scope, fetcher: Opening) -> None:
        """Make them again, in a crawl that is resumed."""
        for change in self.all:
            _apply(change, scope, fetcher)

    def paced(self, order: CrawlOrder) -> CrawlOrder:
        """The order with the politeness that was last asked for."""
        for change in self.all:
            if change["what"] == "pace":
                told = {name: value for name, value in change.items() if name not in ("what", "when")}
                politeness = type(order.politeness).model_validate(order.politeness.model_dump() | told)
                order = order.model_copy(update={"politeness": politeness})
        return order

    def receive(self, change: dict[str, Any], scope: Scope, fetcher: Opening) -> None:
        """Another process of the crawl made a change: it holds here too."""
        _apply(change, scope, fetcher)
        self.all.append(change)
        self._memory.remember(FACT, json.dumps(self.all))

    def widened(self, url: str, hops: str) -> None:
        """A seed was redirected to another host."""
        self.tell(self._note("widened", url=url, hops=hops))

    def filtered(self, pattern: str, *, accept: bool, domain: str, queued: int, why: str) -> None:
        facts = {"pattern": pattern, "accept": accept, "domain": domain, "queued": queued, "why": why}
        change = self._note("filter", **facts)
        if why != OPERATOR:  # who tells all processes
            self.tell(change)

    def opened(self, address: str, seed: str) -> None:
        """A seed lies in a range of addresses that is otherwise denied."""
        self.tell(self._note("range", address=address, seed=seed))

    def other(self, what: str, **facts: object) -> None:
        """One that the frontier keeps itself, such as a budget: for the books only."""
        self._note(what, **facts)

    def _note(self, what: str, **facts: object) -> dict[str, Any]:
        change = {"what": what, "when": now().isoformat(), **facts}
        self.all.append(change)
        self._memory.remember(FACT, json.dumps(self.all))
        return change


def _apply(change: Mapping[str, Any], scope: Scope, fetcher: Opening) -> None:
    match change["what"]:
        case "widened":
            scope.widen(change["url"], change["hops"])
        case "filter":
            scope.add_filter(change["pattern"], accept=change["accept"], domain=change["domain"])
        case "seed":
            scope.add_seed(change["url"])
        case "range":
            fetcher.open_range_of(change["address"])
