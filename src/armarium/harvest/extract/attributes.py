"""Which attributes hold addresses, and what each means for a crawler.

`ATTRIBUTES[element][attribute]` is the way to read it; an element that is not named is read as `ANY`.
"""

import enum
from collections.abc import Iterable
from typing import NamedTuple

from armarium.harvest.model import Hop


class Way(enum.Enum):
    """How the value of an attribute is read."""

    ADDRESS = enum.auto()
    LIST = enum.auto()  # addresses between spaces or commas
    SRCSET = enum.auto()
    STYLE = enum.auto()  # CSS declarations
    PAGE = enum.auto()  # a whole HTML page
    LAZY = enum.auto()  # an address for a script of the page, which loads it later
    LAZY_SRCSET = enum.auto()
    GUESS = enum.auto()  # perhaps an address


class Rule(NamedTuple):
    way: Way
    hop: Hop


_LINK = Rule(Way.ADDRESS, Hop.LINK)
_EMBED = Rule(Way.ADDRESS, Hop.EMBED)
_SRCSET = Rule(Way.SRCSET, Hop.EMBED)
_LIST = Rule(Way.LIST, Hop.EMBED)
_LAZY = Rule(Way.LAZY, Hop.EMBED)
_LAZY_SRCSET = Rule(Way.LAZY_SRCSET, Hop.EMBED)
_GUESS = Rule(Way.GUESS, Hop.SPECULATIVE)


def _rules(names: str, rule: Rule) -> dict[str, Rule]:
    return dict.fromkeys(names.split(), rule)


# No standard defines these: they are what the scripts for lazy loading, galleries and players of the last
# fifteen years have used.
_LAZY_NAMES = (
    "data-src data-original data-lazy data-lazy-src data-full-src data-src-small data-src-medium "
    "data-src-large data-src-retina data-src-mobile data-src-webp data-bg data-bg-src data-background "
    "data-background-image data-bgimage data-image data-image-src data-img data-img-src data-img-url "
    "data-thumb data-thumbnail data-poster data-large-image data-large_image data-large-file "
    "data-medium-file data-orig-file data-zoom-image data-zoom-src data-hi-res-src data-high-res-src "
    "data-flickity-lazyload data-flickity-lazyload-src data-echo data-ll-src data-pin-media data-setbg "
    "data-video-src data-mp4 data-webm data-ogg data-mp4-src data-webm-src data-hero data-fallback-src "
    "data-lightbox-src data-lowsrc data-original-src data-retina data-at2x data-expanded-image data-swf "
    "data-audio-src data-image-desktop data-image-mobile data-iframe-src data-defer-src"
)
_LAZY_SRCSET_NAMES = (
    "data-srcset data-lazy-srcset data-original-set data-srcset-webp data-flickity-lazyload-srcset"
)
_GUESS_NAMES = (
    "data-href data-url data-link data-target-url data-permalink data-file data-pdf data-download data-video "
    "data-audio data-gallery data-full data-large data-remote data-page-url data-next-url data-next-page"
)
_QUIET_NAMES = (
    "class id alt title width height rel type name lang dir target role tabindex hidden disabled "
    "checked selected method enctype placeholder for colspan rowspan align valign border cellpadding "
    "cellspacing bgcolor color size maxlength loading decoding crossorigin integrity async defer "
    "charset media sizes fetchpriority d viewbox xmlns itemprop itemscope itemtype itemid property "
    "http-equiv datetime autocomplete aria-label aria-hidden data-id data-type data-toggle data-target "
    "nonce referrerpolicy allow allowfullscreen start min max step"
)

ANY: dict[str, Rule] = {
    **_rules("href cite longdesc xlink:href", _LINK),
    **_rules("src background poster lowsrc dynsrc icon", _EMBED),
    **_rules("srcset imagesrcset", _SRCSET),
    **_rules(_LAZY_NAMES, _LAZY),
    **_rules(_LAZY_SRCSET_NAMES, _LAZY_SRCSET),
    **_rules(_GUESS_NAMES, _GUESS),
    "style": Rule(Way.STYLE, Hop.EMBED),
}

# SVG: these show or run what they name; only `a` leads elsewhere. In lower case, as HTML reads them.
_SVG = (
    "image use feimage script tref cursor pattern filter lineargradient radialgradient textpath mpath "
    "animate animatemotion animatetransform set glyphref font-face-uri color-profile audio video"
)


def _elements(names: str, rules: dict[str, Rule]) -> Iterable[tuple[str, dict[str, Rule]]]:
    return ((name, ANY | rules) for name in names.split())


ATTRIBUTES: dict[str, dict[str, Rule]] = {
    **dict(_elements(_SVG, _rules("href xlink:href", _EMBED))),
    **dict(_elements("iframe", {"srcdoc": Rule(Way.PAGE, Hop.EMBED)})),
    **dict(_elements("html", {"manifest": _EMBED})),
    **dict(_elements("option", {"value": _GUESS})),
    **dict(_elements("embed", {"href": _EMBED, "pluginurl": _LINK})),
}

_LOADING_NAMES = "img image iframe frame video audio source script embed input picture track amp-img"
# What a lazy attribute of these holds is an address, whatever it looks like.
LOADING = frozenset(_LOADING_NAMES.split())
# Attributes that never hold an address: passed over without a further look.
QUIET = frozenset(_QUIET_NAMES.split())

# Attributes that simply hold an address, with hop and context ready: asked for every link of every page.
PLAIN: dict[str, dict[str, tuple[Hop, str]]] = {}
_MAX_PLAIN = 1000  # a page may invent elements without end


def plain_of(tag: str) -> dict[str, tuple[Hop, str]]:
    """The line of `PLAIN` for an element, which is made when it is first met."""
    rules = ATTRIBUTES.get(tag, ANY).items()
    plain = {name: (rule.hop, f"{tag}/@{name}") for name, rule in rules if rule.way is Way.ADDRESS}
    if len(PLAIN) < _MAX_PLAIN:
        PLAIN[tag] = plain
    return plain
