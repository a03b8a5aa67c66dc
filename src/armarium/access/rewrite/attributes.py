"""Which attributes hold addresses, and of what; how their values are escaped, and how `srcset` is read.

The table is of pywb's mods: `im_` for images, `oe_` for what is embedded, `if_` for frames; "" is the mod of
the page itself. Capital words are not mods but ways to treat a value.
"""

import html
import re
from html.entities import html5
from typing import Final

from armarium.access.rewrite.links import Links

CSS: Final = "CSS"  # a style sheet
SCRIPT: Final = "SCRIPT"  # an event handler
SET: Final = "SET"  # candidates of a srcset
SEVERAL: Final = "SEVERAL"  # addresses with spaces between
IF_ABSOLUTE: Final = "IF_ABSOLUTE"  # may be anything; what begins like an address is one
DISARMED: Final = "DISARMED"  # renamed to `_…`: it does something that must not happen here
TARGET: Final = "TARGET"  # the name of a window
DOCUMENT: Final = "DOCUMENT"  # a whole page

_ANY: Final = {
    "style": CSS,
    "background": "im_",
    "xlink:href": "",
    "xml:base": "",
    "ping": DISARMED,
    "attributionsrc": DISARMED,
}
_LAZY: Final = {
    "data-src": "im_",
    "data-srcset": SET,
    "data-lazy-src": "im_",
    "data-lazy-srcset": SET,
    "data-original": "im_",
    "data-bg": "im_",
}
_LINK: Final = {"href": "", "target": TARGET}
_CITED: Final = {"cite": ""}
_PLUGIN: Final = {
    "codebase": "oe_",
    "archive": SEVERAL,
    "classid": "oe_",
    "data": "oe_",
    "src": "oe_",
    "object": "oe_",
}

_TAGS: Final[dict[str, dict[str, str]]] = {
    "a": _LINK,
    "area": _LINK,
    "applet": _PLUGIN,
    "audio": {"src": "oe_", **_LAZY},
    "bgsound": {"src": "oe_"},
    "blockquote": _CITED,
    "body": {},
    "button": {"formaction": "", "formtarget": TARGET},
    "command": {"icon": "im_"},
    "del": _CITED,
    "embed": {"src": "oe_"},
    "fencedframe": {"src": "if_"},
    "form": {"action": "", "target": TARGET},
    "frame": {"src": "fr_", "longdesc": ""},
    "html": {"manifest": DISARMED},
    "iframe": {"src": "if_", "srcdoc": DOCUMENT, "longdesc": "", "csp": DISARMED, **_LAZY, "data-src": "if_"},
    "ilayer": {"src": "if_"},
    "image": {"src": "im_", "href": "im_", "xlink:href": "im_", "srcset": SET},
    "img": {"src": "im_", "srcset": SET, "lowsrc": "im_", "dynsrc": "oe_", "longdesc": "", **_LAZY},
    "input": {"src": "im_", "formaction": "", "formtarget": TARGET, "dynsrc": "oe_", "lowsrc": "im_"},
    "ins": _CITED,
    "isindex": {"action": ""},
    "layer": {"src": "if_"},
    "object": _PLUGIN,
    "param": {"value": IF_ABSOLUTE},
    "portal": {"src": "if_"},
    "q": _CITED,
    "source": {"src": "oe_", "srcset": SET, **_LAZY},
    "track": {"src": "oe_"},
    "use": {"href": "im_", "xlink:href": "im_"},
    "video": {"src": "oe_", "poster": "im_", "data-poster": "im_", **_LAZY},
}
ANY: Final[dict[str, str]] = dict(_ANY)
TAGS: Final[dict[str, dict[str, str]]] = {name: {**_ANY, **attributes} for name, attributes in _TAGS.items()}
# In SVG and MathML any element may link; what animates a link changes where it leads.
FOREIGN: Final[dict[str, str]] = {**_ANY, "href": "", "src": "oe_"}
ANIMATED: Final[dict[str, str]] = {**FOREIGN, "to": "", "from": "", "by": "", "values": "SEMICOLONS"}

# What a preload is for decides how it is rewritten.
PRELOADED: Final = {
    "script": "js_",
    "worker": "js_",
    "style": "cs_",
    "image": "im_",
    "document": "if_",
    "fetch": "mp_",
}
# Pragmas of <meta> that would act against the archive: they forbid our scripts, or reach for other hosts.
DISARMED_PRAGMAS: Final = frozenset(
    {
        "content-security-policy",
        "content-security-policy-report-only",
        "x-webkit-csp",
        "x-content-security-policy",
        "x-dns-prefetch-control",
        "set-cookie",
        "accept-ch",
        "delegate-ch",
        "origin-trial",
        "pics-label",
    }
)
JAVASCRIPT_TYPES: Final = frozenset(
    {
        "application/ecmascript",
        "application/javascript",
        "application/x-ecmascript",
        "application/x-javascript",
        "text/ecmascript",
        "text/javascript",
        "text/javascript1.0",
        "text/javascript1.1",
        "text/javascript1.2",
        "text/javascript1.3",
        "text/javascript1.4",
        "text/javascript1.5",
        "text/jscript",
        "text/livescript",
        "text/x-ecmascript",
        "text/x-javascript",
    }
)
# Their content is text to the tokeniser, up to their own end tag (HTML Standard, 13.2.6).
RAW_TEXT: Final = frozenset(
    {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript"}
)


# Character references in the values of attributes, as the tokeniser of HTML reads and we write them.


_REFERENCE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|([A-Za-z][A-Za-z0-9]*)(;?)(?=(=?)))")
_WRITTEN = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_SPECIAL = re.compile(r"[&<>\"'\x00-\x1f]|[^\x00-\xff]")


def unescape_attribute(value: str) -> str:
    """The value that a browser sees.

    HTML Standard, 13.2.5.73: in an attribute, `&copy` before `=` or a letter is no reference, for the sake of
    `?a=1&copy=2`.
    """
    return _REFERENCE.sub(_character, value) if "&" in value else value


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name is None:
        return html.unescape(found[0])
    if found[2]:
        return html5.get(name + ";", found[0])
    return found[0] if found[3] else html5.get(name, found[0])


def escape_attribute(value: str) -> str:
    """The value written so that it may stand in either kind of quotes, or in none if it has no space."""
    return _SPECIAL.sub(lambda found: _WRITTEN.get(found[0]) or f"&#{ord(found[0])};", value)


# The candidates of a `srcset`: addresses that may hold commas, with descriptors between commas.


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
