"""The candidates of a `srcset`: addresses that may hold commas, with descriptors between commas."""

import re

from armarium.access.rewrite.links import Links

# HTML Standard, 4.8.4.2.1: an address ends at white space; commas at its end are separators. Pages also write
# `a.jpg 1x,b.jpg 2x` and, against the standard, `http://a,http://b`.
_CANDIDATE = re.compile(r"([\t\n\f\r ,]*+)([^\t\n\f\r ]++)([^,(]*+(?:\([^)]*+\)?+[^,(]*+)*+)")
_GLUED = re.compile(r",(?=https?://|//)", re.IGNORECASE)


def rewrite_srcset(value: str, links: Links, mod: str = "im_") -> str:
    pieces = []
    at = 0
    while found := _CANDIDATE.match(value, at):
        address, descriptor = found[2], found[3]
        at = found.end()
        if address.endswith(","):
            # The comma ends the candidate: what was taken for its descriptor is the next one.
            at = found.end(2)
            kept = address.rstrip(",")
            descriptor = address[len(kept) :]
            address = kept
        addresses = _GLUED.split(address)
        pieces.append(found[1] + ", ".join(links.archived(each, mod) for each in addresses) + descriptor)
    return "".join(pieces) + value[at:]
