"""Why was an address harvested, or why not? And the memory of those the scope turned away."""

from collections.abc import Container

from armarium.formats.url import canonical
from armarium.harvest.frontier.item import Fate, Whereabouts
from armarium.harvest.frontier.queue_names import Naming
from armarium.harvest.frontier.seen import digest, key_of
from armarium.harvest.frontier.store import REJECTED_ROWS, Store
from armarium.harvest.model import Candidate

_RECENT = 100_000


class Rejections:
    """The latest ones, each once while it is remembered."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._number = int(store.recall("rejected") or 0)
        self._recent: set[bytes] = set()
        self._older: set[bytes] = set()

    def add(self, candidate: Candidate, rule: str, status: int) -> None:
        url = candidate.url
        key = digest(url.encode())
        if key in self._recent or key in self._older:
            return
        form = canonical(url)
        if form != url:
            key = digest(form.encode())
            if key in self._recent or key in self._older:
                return
        if len(self._recent) >= _RECENT:
            self._older = self._recent
            self._recent = set()
        self._recent.add(key)
        place = self._number % REJECTED_ROWS
        self._number += 1
        self._store.reject((place, key, url, candidate.hops, candidate.via, rule, int(status)))
        self._store.remember("rejected", self._number)


def look_up(url: str, store: Store, naming: Naming, in_flight: Container[int]) -> Fate | None:
    """What is known about an address; raises `InvalidUrl`."""
    id_ = store.seen(key_of(url))
    if id_ is None:
        rejection = store.rejection(key_of(url))
        if rejection is None:
            return None
        address, hops, via, rule, status = rejection
        return Fate(address, Whereabouts.REJECTED, hops, via, rule=rule, status=status)
    if id_ == 0:
        return Fate(url, Whereabouts.FOREIGN)
    address, hops, via, source, context, rule = store.url_row(id_)
    fate = Fate(
        address, Whereabouts.QUEUED, hops, via or "", store.text(source), store.text(context),
        store.text(rule), queue=naming.queue_of(address),
    )  # fmt: skip
    return _with_outcome(fate, id_, store, in_flight)


def _with_outcome(fate: Fate, id_: int, store: Store, in_flight: Container[int]) -> Fate:
    if id_ in in_flight:
        return fate._replace(state=Whereabouts.IN_FLIGHT)
    outcome = store.outcome(id_)
    if outcome is not None:
        status, size, attempts, time, mime, found, queue = outcome
        return fate._replace(
            state=Whereabouts.FINISHED, status=status, size=size, attempts=attempts, finished=time,
            mime=store.text(mime), digest=found or "", queue=queue,
        )  # fmt: skip
    waiting = store.waiting_row(id_)
    if waiting is not None:
        return fate._replace(state=Whereabouts.WAITING, attempts=waiting[1], queue=waiting[2])
    if store.open().execute("SELECT 1 FROM shelf WHERE url = ?", (id_,)).fetchone():
        return fate._replace(state=Whereabouts.LEFT)
    return fate
