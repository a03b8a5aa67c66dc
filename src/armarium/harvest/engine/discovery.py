"""From the links of a document to addresses in the frontier.

Most links of a page are those of the page before: what a reference resolves to, and that its address is
scheduled already, is remembered, so that a known link costs two look-ups.
"""

from typing import NamedTuple, Protocol

from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.engine.addresses import origin_of
from armarium.harvest.extract import Found
from armarium.harvest.model import Candidate, Status
from armarium.harvest.scope.scope import Decision

MOST_REMEMBERED = 200_000
FETCHED_SCHEMES = ("http://", "https://")
ANYWHERE = ("/", "http://", "https://")  # leads to the same place from every document of a server
STRIPPED = "".join(map(chr, range(0x21)))  # URL Standard, 4.4: from both ends of a reference


class Outlink(NamedTuple):
    """A link of a document, resolved."""

    url: str
    hop: str
    context: str


class Gate(Protocol):
    """Decides over candidates: the scope."""

    def decide(self, candidate: Candidate) -> Decision: ...


class Register(Protocol):
    """Takes what was accepted, and notes what was not: the frontier."""

    def add(self, candidate: Candidate, *, rule: str = "", force: bool = False) -> bool: ...
    def reject(self, candidate: Candidate, rule: str, status: int) -> None: ...


class Discovery:
    """Takes in the links of one document after the other."""

    def __init__(self, scope: Gate, frontier: Register) -> None:
        self._scope = scope
        self._frontier = frontier
        self._resolved: dict[str, dict[str, str]] = {}  # place → reference → address
        self._remembered = 0
        self._scheduled: set[str] = set()

    def take(self, url: str, hops: str, source: str, found: Found) -> list[Outlink]:
        """Schedule what a document leads to, as far as the scope lets it; all its links, resolved."""
        outlinks = []
        base, encoding = found.base or url, found.encoding
        origin = origin_of(base)
        folder = base[: base.rfind("/") + 1]
        rooted, relative = self._place(origin + "\n" + encoding), self._place(folder + "\n" + encoding)
        scheduled = self._scheduled
        for reference, hop, context in found.links:
            place = rooted if reference.startswith(ANYWHERE) else relative
            target = place.get(reference)
            if target is None:
                target = self._resolve(base, reference, encoding)
                # A reference that begins so is added to the whole address of the document; `http:?` does too.
                added = reference.lstrip(STRIPPED)[:1] in ("?", "#", "")
                if place is rooted or not (added or (target and ":" in reference)):
                    self._remember(place, reference, target)
            if not target:
                continue
            outlinks.append(Outlink(target, hop, context))
            if target not in scheduled:
                self.candidate(Candidate(target, hops + hop, url, source, context))
        for reference, hop, context in found.dropped:
            target = self._resolve(base, reference, encoding)
            if target and target not in scheduled:
                self._frontier.reject(
                    Candidate(target, hops + hop, url, source, context), found.limit, Status.QUOTA
                )
        return outlinks

    def candidate(self, candidate: Candidate) -> bool:
        """Put one address before the scope; whether it is new and accepted."""
        decision = self._scope.decide(candidate)
        if not decision.accepted:
            self._frontier.reject(candidate, decision.rule, decision.status)
            return False
        if len(self._scheduled) >= MOST_REMEMBERED:
            self._scheduled.clear()
        self._scheduled.add(candidate.url)
        return self._frontier.add(candidate, rule=decision.rule)

    def forget(self) -> None:
        """The rules changed: what was remembered may no longer hold."""
        self._scheduled.clear()

    def _resolve(self, base: str, reference: str, encoding: str) -> str:
        """The address without fragment; "" for what is none, or none that can be fetched."""
        try:
            target = resolve(base, reference, encoding)
        except InvalidUrl:
            return ""
        if not target.startswith(FETCHED_SCHEMES):
            return ""
        return target.partition("#")[0] if "#" in target else target

    def _place(self, name: str) -> dict[str, str]:
        place = self._resolved.get(name)
        if place is None:
            place = self._resolved[name] = {}
            self._remembered += 1
        return place

    def _remember(self, place: dict[str, str], reference: str, target: str) -> None:
        if len(reference) > 1000:
            return
        self._remembered += 1
        if self._remembered > MOST_REMEMBERED:
            for one in self._resolved.values():
                one.clear()
            self._resolved.clear()
            self._remembered = 0
        place[reference] = target
