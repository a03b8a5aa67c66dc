"""What the rules of the scope look at: each function gives the fact that makes its rule apply, or nothing."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from armarium.core.crawl_order import Scope as Order
from armarium.core.crawl_order import ScopeKind
from armarium.formats.url.measures import consecutive_repetition, path_depth, path_segments
from armarium.harvest.extract.addresses import is_page, suffix
from armarium.harvest.scope.filters import FilterSet
from armarium.harvest.scope.reach import Reach

# --- The trail from the seed to an address, counted: Heritrix's letters, with redirects free of charge.


MOST_PREREQUISITE_REDIRECTS = 5  # of a robots.txt: RFC 9309, 2.3.1.2
_FREE = "RP"  # a redirect names the same thing twice; a prerequisite is not found but needed
_EMBEDS = "EXI"  # all other letters lead to a page: L, M, and S for a form in Heritrix


class Trail(NamedTuple):
    counted: int  # hops of the whole trail that count against max_hops: all but redirects and prerequisites
    links: int  # of those, the ones that lead to a page: links, sitemaps, feeds
    embeds: int  # since the last page: embedded, guessed and inferred
    guesses: int  # of those, guessed from scripts
    prerequisite: bool  # needed by something else, or where a redirect of that led to
    guessed: bool = False  # it is one of those guesses itself, or where one was redirected to


@lru_cache(maxsize=65_536)
def trail(hops: str) -> Trail:
    counted = [hop for hop in hops if hop not in _FREE]
    run = counted[_after_last_page(counted) :]
    needed = hops.rstrip("R")
    return Trail(
        counted=len(counted),
        links=sum(1 for hop in counted if hop not in _EMBEDS),
        embeds=len(run),
        guesses=run.count("X"),
        guessed=run[-1:] == ["X"],
        prerequisite=needed.endswith("P") and len(hops) - len(needed) <= MOST_PREREQUISITE_REDIRECTS,
    )


def _after_last_page(counted: list[str]) -> int:
    for position in range(len(counted), 0, -1):
        if counted[position - 1] not in _EMBEDS:
            return position
    return 0


# --- What the rules of the scope look at: each function gives the fact that makes its rule apply, or nothing.


# ruff: noqa: ARG001  (all have the same arguments, so that a table can call them)


@dataclass(frozen=True, slots=True)
class View:
    """What is the same for all addresses of one host with one trail, worked out once."""

    order: Order
    reach: Reach
    scheme: str
    host: str  # without www.
    domain: str
    trail: Trail
    seed: bool  # it has no hops
    accept: FilterSet
    reject: FilterSet
    traps: tuple[FilterSet, ...]  # for this host and its domain


def other_scheme(view: View, url: str) -> str:
    if view.scheme in ("http", "https") or (view.scheme == "dns" and view.trail.prerequisite):
        return ""
    return f"{view.scheme}: is not harvested" if view.scheme else "it has no scheme"


def is_seed(view: View, url: str) -> str:
    if view.seed:
        return "it has no hops"
    return "it is in the list of seeds" if url in view.reach.seeds else ""


def prerequisite(view: View, url: str) -> str:
    return "the last hop is P" if view.trail.prerequisite else ""


def too_long(view: View, url: str) -> str:
    most = view.order.max_url_length
    return f"{len(url)} characters are more than {most}" if len(url) > most else ""


def rejected(view: View, url: str) -> str:
    return view.reject.find(url)


def trapped(view: View, url: str) -> str:
    for traps in view.traps:
        if pattern := traps.find(url):
            return pattern
    return ""


def too_deep(view: View, url: str) -> str:
    most = view.order.max_path_depth
    if url.count("/") <= most + 2:  # two stand before the host, one before each segment
        return ""
    depth = path_depth(url)
    return f"{depth} segments are more than {most}" if depth > most else ""


def repeated(view: View, url: str) -> str:
    most = view.order.max_repetitions
    if url.count("/") < most + 3:  # two stand before the host
        return ""
    parts = url.partition("?")[0].split("/")
    # Each repetition of a run brings a part that was there already; the nothing behind a last slash is none.
    if len(parts) - len(set(parts)) - (not parts[-1]) < most or not most:
        return ""
    times = consecutive_repetition(path_segments(url))
    return f"{times} times in a row, more than {most}" if times > most else ""


def too_many_hops(view: View, url: str) -> str:
    most, trail = view.order.max_hops, view.trail
    if trail.counted - (trail.embeds if _few_embeds(view) else 0) <= most:
        return ""
    return f"{trail.counted} hops are more than {most}"


def near_page(view: View, url: str) -> str:
    trail = view.trail
    if view.order.kind is not ScopeKind.PAGE or trail.links > view.order.page_hops:
        return ""
    if not trail.embeds:
        return f"{trail.links} links from the seed"
    if view.host in view.reach.hosts and trail.guesses <= view.order.max_speculative_hops:
        return f"embedded {trail.links} links from the seed, on its host"
    return ""


def below_folder(view: View, url: str) -> str:
    if not where_folders(view):
        return ""
    folders = view.reach.folders[view.host]
    start = end = url.find("/", 8)  # behind the slashes of https://
    last = url.find("?")
    while end >= 0 and (end < last or last < 0):
        folder = url[start : end + 1]
        if folder in folders:
            return f"below {folder} of {folders[folder]}"
        end = url.find("/", end + 1)
    return ""


def on_host(view: View, url: str) -> str:
    if view.order.kind not in (ScopeKind.HOST, ScopeKind.SUFFIXES):
        return ""
    seed = view.reach.hosts.get(view.host)
    return f"the host of {seed}" if seed else ""


def in_domain(view: View, url: str) -> str:
    if view.order.kind is not ScopeKind.DOMAIN:
        return ""
    seed = view.reach.domains.get(view.domain)
    return f"the domain {view.domain} of {seed}" if seed else ""


def under_suffix(view: View, url: str) -> str:
    if view.order.kind is not ScopeKind.SUFFIXES:
        return ""
    suffix = view.reach.suffix(view.host)
    return f"under .{suffix}" if suffix else ""


def anything(view: View, url: str) -> str:
    return "everything is in" if view.order.kind is ScopeKind.ANY else ""


def widened(view: View, url: str) -> str:
    address = view.reach.widened.get(view.host)
    return f"a seed led to {address}" if address and view.order.kind is not ScopeKind.PAGE else ""


def accepted(view: View, url: str) -> str:
    return view.accept.find(url)


def embedded(view: View, url: str) -> str:
    trail = view.trail
    if not trail.embeds or not _few_embeds(view) or _beyond_pages(view):
        return ""
    if trail.guessed and (not suffix(url) or is_page(url)):
        return ""
    return f"{trail.embeds} embedded since the last page, of which {trail.guesses} guessed"


def too_many_embeds(view: View, url: str) -> str:
    trail = view.trail
    if not trail.embeds or _few_embeds(view):
        return ""
    return (
        f"{trail.embeds} embedded since the last page, at most {view.order.max_embed_hops}; "
        f"{trail.guesses} guessed, at most {view.order.max_speculative_hops}"
    )


def outside(view: View, url: str) -> str:
    return f"no rule took {view.host or 'it'} in"


def _few_embeds(view: View) -> bool:
    trail, order = view.trail, view.order
    return trail.embeds <= order.max_embed_hops and trail.guesses <= order.max_speculative_hops


def _beyond_pages(view: View) -> bool:
    return view.order.kind is ScopeKind.PAGE and view.trail.links > view.order.page_hops


def each_address(view: View) -> bool:
    return True


def once(view: View) -> bool:
    return False


def where_seeds(view: View) -> bool:
    return view.seed or view.host in view.reach.hosts


def where_folders(view: View) -> bool:
    return view.order.kind is ScopeKind.PATH and view.host in view.reach.folders


def where_rejects(view: View) -> bool:
    return bool(view.reject)


def where_traps(view: View) -> bool:
    return bool(view.traps)


def where_guessed(view: View) -> bool:
    return view.trail.guessed


def where_accepts(view: View) -> bool:
    return bool(view.accept)
