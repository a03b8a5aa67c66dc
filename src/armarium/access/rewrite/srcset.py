"""The candidates of a `srcset`: addresses that may hold commas, with descriptors between commas."""

import re

from armarium.access.rewrite.links import Links

# HTML Standard, 4.8.4.2.1: an address ends at white space; commas at its end are separators. Pages also write
# `a.jpg 1x,b.jpg 2x` and, against the standard, `http://a,http://b`.
_ADDRESS = re.compile(r"([\t\n\f\r ,]*+)([^\t\n\f\r ]++)")
_DESCRIPTOR = re.compile(r"[^,(]*+(?:\([^)]*+\)?+[^,(]*+)*+")
_GLUED = re.compile(r",(?=https?://|//)", re.IGNORECASE)


def rewrite_srcset(value: str, links: Links, mod: str = "im_") -> str:
    pieces = []
    at = 0
    while found := _ADDRESS.match(value, at):
        address, at = found[2], found.end()
        # A comma at its end ends the candidate: what follows is no descriptor but the next one.
        descriptor = address[len(address.rstrip(",")) :]
        if descriptor:
            address = address[: -len(descriptor)]
        elif behind := _DESCRIPTOR.match(value, at):
            descriptor, at = behind[0], behind.end()
        addresses = _GLUED.split(address)
        pieces.append(found[1] + ", ".join(links.archived(each, mod) for each in addresses) + descriptor)
    return "".join(pieces) + value[at:]
