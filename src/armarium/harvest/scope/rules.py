"""The rules of the scope, in order: the first that applies decides.

Each is one sentence for people and one small function, which gives the fact that makes the rule apply, or
nothing. Heritrix lets the last rule win, so that one must read its sequence to the end; here one may stop.
"""

from collections.abc import Callable
from typing import NamedTuple

from armarium.harvest.model import Status
from armarium.harvest.scope.facts import (
    View,
    accepted,
    anything,
    below_folder,
    each_address,
    embedded,
    in_domain,
    is_seed,
    near_page,
    on_host,
    once,
    other_scheme,
    outside,
    prerequisite,
    rejected,
    repeated,
    too_deep,
    too_long,
    too_many_embeds,
    too_many_hops,
    trapped,
    under_suffix,
    where_accepts,
    where_folders,
    where_guessed,
    where_rejects,
    where_seeds,
    where_traps,
    widened,
)


class Rule(NamedTuple):
    id: str
    sentence: str
    rejects: Status | None  # with which status; None: it accepts
    applies: Callable[[View, str], str]  # the fact, or nothing
    asked: Callable[[View], bool]  # whether it must see each address, or one speaks for its host and trail


RULES = (
    Rule("scheme", "Only http and https are harvested.", Status.UNFETCHABLE, other_scheme, once),
    Rule("seed", "A seed is always in.", None, is_seed, where_seeds),
    Rule(
        "prerequisite",
        "What a host in use needs first is in: robots.txt, its name, a login.",
        None,
        prerequisite,
        once,
    ),
    Rule("length", "An address that is too long is out.", Status.OUT_OF_SCOPE, too_long, each_address),
    Rule("reject-filter", "What a filter rejects is out.", Status.BLOCKED, rejected, where_rejects),
    Rule(
        "trap-filter", "What a filter for this domain rejects is out.", Status.BLOCKED, trapped, where_traps
    ),
    Rule("path-depth", "A path with too many segments is out.", Status.OUT_OF_SCOPE, too_deep, each_address),
    Rule(
        "repetition",
        "A path that repeats a run of segments is out.",
        Status.OUT_OF_SCOPE,
        repeated,
        each_address,
    ),
    Rule(
        "hops",
        "What is too many hops away is out; what the last pages embed is not.",
        Status.TOO_MANY_HOPS,
        too_many_hops,
        once,
    ),
    Rule("page", "The seed and the pages so many links from it are in.", None, near_page, once),
    Rule("path", "What lies below the folder of a seed is in.", None, below_folder, where_folders),
    Rule("host", "The host of a seed is in, with and without www.", None, on_host, once),
    Rule("domain", "The registered domain of a seed is in.", None, in_domain, once),
    Rule("suffix", "Hosts under the listed suffixes are in.", None, under_suffix, once),
    Rule("any", "Everything is in.", None, anything, once),
    Rule("widened", "The host to which a seed was redirected is in.", None, widened, once),
    Rule("accept-filter", "What a filter accepts is in.", None, accepted, where_accepts),
    Rule(
        "embed",
        "What pages in scope embed is in, wherever it is; of guesses, files only.",
        None,
        embedded,
        where_guessed,
    ),
    Rule(
        "embed-hops",
        "Too many embeds, one in the other, outside the scope are out.",
        Status.TOO_MANY_EMBED_HOPS,
        too_many_embeds,
        once,
    ),
    Rule("outside", "Everything else is out.", Status.OUT_OF_SCOPE, outside, once),
)
