"""The scope of one crawl: which addresses are taken, by which rule, and why."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from armarium.core.crawl_order import Scope as Order
from armarium.harvest.model import Candidate, Status
from armarium.harvest.scope.facts import View, trail
from armarium.harvest.scope.filters import FilterSet, check
from armarium.harvest.scope.reach import Reach, host_of
from armarium.harvest.scope.rules import RULES, Rule

MOST_SEED_REDIRECTS = 5  # in a row that widen the scope, as in Heritrix
_MOST_PLANS = 65_536  # kept; then all are forgotten, for they are soon made again
_LONGEST_ORIGIN = 300  # `https://` and a name that the DNS can hold; a longer one is not kept


class Decision(NamedTuple):
    accepted: bool
    rule: str  # the id of the rule that decided
    reason: str  # the fact that made it apply
    status: Status  # for what is rejected


class Said(NamedTuple):
    """What one rule says of an address."""

    rule: str
    sentence: str
    verdict: str  # in, out, or – where it does not apply
    reason: str
    decides: bool  # the first that applies


class Explanation(tuple[Said, ...]):
    """What every rule says, in order; printed, a short table."""

    __slots__ = ()

    def __str__(self) -> str:
        width = max(len(said.rule) for said in self)
        sentences = max(len(said.sentence) for said in self)
        return "\n".join(
            f"{'>' if said.decides else ' '} {said.rule:{width}}  {said.sentence:{sentences}}  "
            f"{said.verdict:3}  {said.reason}".rstrip()
            for said in self
        )


class _Plan(NamedTuple):
    """What is left to ask about addresses of one origin and trail, and what holds if nothing applies."""

    view: View
    questions: tuple[tuple[Callable[[View, str], str], Rule], ...]
    otherwise: Decision


class Scope:
    """Decides about addresses. Pure: it changes by `add_seed`, `widen` and `add_filter` alone."""

    def __init__(self, order: Order, seeds: Sequence[str]) -> None:
        self.order = order
        self._reach = Reach(order)
        self._accept = FilterSet(order.accept)
        self._reject = FilterSet(order.reject)
        self._traps = {host_of(f"http://{name}"): list(patterns) for name, patterns in order.traps.items()}
        for patterns in self._traps.values():
            for pattern in patterns:
                check(pattern)
        self._compiled_traps: dict[str, FilterSet] = {}
        self._plans: dict[tuple[str, str], _Plan] = {}
        for seed in seeds:
            self._reach.add_seed(seed)

    def decide(self, candidate: Candidate) -> Decision:
        url = candidate[0]
        end = url.find("/", 8)  # behind the slashes of https://
        origin = url[:end] if end > 0 else url
        plan = self._plans.get((origin, candidate[1])) or self._plan(origin, url, candidate[1])
        view, questions, otherwise = plan
        for applies, rule in questions:
            if fact := applies(view, url):
                return _decision(rule, fact)
        return otherwise

    def explain(self, candidate: Candidate) -> Explanation:
        view = self._view(candidate.url, candidate.hops)
        facts = [(rule, rule.applies(view, candidate.url)) for rule in RULES]
        first = next(rule.id for rule, fact in facts if fact)
        return Explanation(
            Said(rule.id, rule.sentence, _verdict(rule, fact), fact, rule.id == first) for rule, fact in facts
        )

    def add_seed(self, url: str) -> None:
        """A seed that came while the crawl runs; raises `InvalidUrl`."""
        self._reach.add_seed(url)
        self._plans.clear()

    def widen(self, url: str, hops: str = "R") -> bool:
        """A seed was redirected here, with these hops: take its host in. Whether that changed anything."""
        if (
            not self.order.widen_redirected_seeds
            or not 0 < len(hops) <= MOST_SEED_REDIRECTS
            or hops.strip("R")
        ):
            return False
        widened = self._reach.widen(url)
        if widened:
            self._plans.clear()
        return widened

    def add_filter(self, pattern: str, accept: bool = False, domain: str = "") -> None:
        """From now on; raises `BadFilter`. With a domain or host, it rejects only there."""
        if domain:
            if accept:
                raise ValueError(
                    f"A filter for one domain ({domain}) only rejects; write the domain into it."
                )
            check(pattern)
            host = host_of(f"http://{domain}")
            self._traps.setdefault(host, []).append(pattern)
            self._compiled_traps.pop(host, None)
        elif accept:
            self._accept = FilterSet((*self._accept.patterns, pattern))
        else:
            self._reject = FilterSet((*self._reject.patterns, pattern))
        self._plans.clear()

    def _plan(self, origin: str, url: str, hops: str) -> _Plan:
        view = self._view(url, hops)
        questions = []
        for rule in RULES:
            if rule.asked(view):
                questions.append((rule.applies, rule))
            elif fact := rule.applies(view, url):
                plan = _Plan(view, tuple(questions), _decision(rule, fact))
                break
        else:
            raise AssertionError("the last rule applies to everything")
        if len(origin) <= _LONGEST_ORIGIN:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[origin, hops] = plan
        return plan

    def _view(self, url: str, hops: str) -> View:
        host = host_of(url)
        domain = self._reach.domain(host)
        return View(
            order=self.order,
            reach=self._reach,
            scheme=url.partition(":")[0] if ":" in url else "",
            host=host,
            domain=domain,
            trail=trail(hops),
            seed=not hops,
            accept=self._accept,
            reject=self._reject,
            traps=tuple(self._traps_for(host, domain)),
        )

    def _traps_for(self, host: str, domain: str) -> Iterator[FilterSet]:
        for name in dict.fromkeys((host, domain)):
            if name in self._traps:
                if name not in self._compiled_traps:
                    self._compiled_traps[name] = FilterSet(self._traps[name])
                yield self._compiled_traps[name]


def _decision(rule: Rule, fact: str) -> Decision:
    accepted = rule.rejects is None
    return Decision(accepted, rule.id, fact, Status.UNTRIED if rule.rejects is None else rule.rejects)


def _verdict(rule: Rule, fact: str) -> str:
    if not fact:
        return "–"
    return "in" if rule.rejects is None else "out"
