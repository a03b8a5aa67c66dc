"""What was changed while the crawl ran, and by what: kept with it, so that a resumed crawl knows it too."""

import json
from typing import Any, Protocol

from armarium.core.clock import now
from armarium.harvest.engine.memory import Memory
from armarium.harvest.scope import Scope

FACT = "changes"


class Opening(Protocol):
    """What opens ranges of addresses: the fetcher."""

    def open_range_of(self, address: str) -> None: ...


class Changes:
    """The list of changes, the oldest first."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.all: list[dict[str, Any]] = json.loads(str(memory.recall(FACT) or "[]"))

    def apply(self, scope: Scope, fetcher: Opening) -> None:
        """Make them again, in a crawl that is resumed."""
        for change in self.all:
            match change["what"]:
                case "widened":
                    scope.widen(change["url"], change["hops"])
                case "filter":
                    scope.add_filter(change["pattern"], accept=change["accept"], domain=change["domain"])
                case "seed":
                    scope.add_seed(change["url"])
                case "range":
                    fetcher.open_range_of(change["address"])

    def widened(self, url: str, hops: str) -> None:
        """A seed was redirected to another host."""
        self._note("widened", url=url, hops=hops)

    def filtered(self, pattern: str, *, accept: bool, domain: str, queued: int, why: str) -> None:
        self._note("filter", pattern=pattern, accept=accept, domain=domain, queued=queued, why=why)

    def opened(self, address: str, seed: str) -> None:
        """A seed lies in a range of addresses that is otherwise denied."""
        self._note("range", address=address, seed=seed)

    def other(self, what: str, **facts: object) -> None:
        """One that the frontier keeps itself, such as a budget: for the books only."""
        self._note(what, **facts)

    def _note(self, what: str, **facts: object) -> None:
        self.all.append({"what": what, "when": now().isoformat(), **facts})
        self._memory.remember(FACT, json.dumps(self.all))
