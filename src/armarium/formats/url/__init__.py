"""URLs: parsed as browsers do, compared as a crawler must, keyed as web archives do, and measured.

Comes in: text as found in a page, a header, a list of seeds or an index.
Goes out: the normal form and its parts (WHATWG URL Standard), the canonical form by which the frontier knows
what it has seen, the SURT key of the Wayback convention and its search ranges, the registered domain, and
measures that betray a crawler trap.
It must never look up a name, open a file, or take longer than in proportion to the length of what came in.
"""

from armarium.formats.url.canonical import canonical
from armarium.formats.url.domain import fits_dns, public_suffix, registered_domain
from armarium.formats.url.measures import Measures, measure
from armarium.formats.url.ranges import Match, asked_for, search_range, unsurt
from armarium.formats.url.surt import surt
from armarium.formats.url.whatwg import InvalidUrl, Url, normal, parse, resolve

__all__ = [
    "InvalidUrl",
    "Match",
    "Measures",
    "Url",
    "asked_for",
    "canonical",
    "fits_dns",
    "measure",
    "normal",
    "parse",
    "public_suffix",
    "registered_domain",
    "resolve",
    "search_range",
    "surt",
    "unsurt",
]
