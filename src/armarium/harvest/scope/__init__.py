"""The scope of a crawl: an ordered table of rules that says of each address whether it is taken, and why.

Comes in: the scope of a crawl order, the seeds, and each address that somebody found, with its trail.
Goes out: a decision with the rule that made it; on demand, what every rule says.
It must never take longer than in proportion to the length of an address, whatever filters people wrote.
"""

from armarium.harvest.scope.filters import BadFilter, FilterSet
from armarium.harvest.scope.rules import RULES, Rule
from armarium.harvest.scope.scope import MOST_SEED_REDIRECTS, Decision, Explanation, Said, Scope

__all__ = [
    "MOST_SEED_REDIRECTS",
    "RULES",
    "BadFilter",
    "Decision",
    "Explanation",
    "FilterSet",
    "Rule",
    "Said",
    "Scope",
]
