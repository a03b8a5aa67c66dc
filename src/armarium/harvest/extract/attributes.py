"""Which attributes hold addresses, and what each means for a crawler.

`ATTRIBUTES[element][attribute]` is the way to read it; an element that is not named is read as `ANY`.
"""

import enum
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from armarium.harvest.model import Hop


class Way(enum.Enum):
    """How the value of an attribute is read."""

    ADDRESS = enum.auto()
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


# --- What meta elements refer to.


_EMBED_WORDS = (
    "og:image og:image:url og:image:secure_url og:video og:video:url og:video:secure_url og:audio "
    "og:audio:url og:audio:secure_url twitter:image twitter:image:src twitter:image0 twitter:image1 "
    "twitter:image2 twitter:image3 twitter:player:stream msapplication-tileimage "
    "msapplication-square70x70logo msapplication-square150x150logo msapplication-square310x310logo "
    "msapplication-wide310x150logo msapplication-config thumbnail thumbnailurl sailthru.image.full "
    "sailthru.image.thumb parsely-image-url image contenturl logo image_src vk:image"
)
_EMBEDS = frozenset(_EMBED_WORDS.split())
_LINK_WORDS = (
    "og:url twitter:url twitter:player og:see_also embedurl url identifier-url parsely-link al:web:url "
    "msapplication-starturl article:publisher citation_pdf_url citation_fulltext_html_url "
    "citation_abstract_html_url bepress_citation_pdf_url"
)
_LINKS = frozenset(_LINK_WORDS.split())


def hop_of_meta(name: str) -> Hop | None:
    """What the content of a meta element of this name, property or itemprop is; None: no address."""
    name = name.lower()
    if name in _EMBEDS:
        return Hop.EMBED
    return Hop.LINK if name in _LINKS else None


# --- What the relation of a link means for a crawler.


# What a browser loads with the page.
_EMBEDDING_RELATIONS = (
    "stylesheet icon apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image mask-icon "
    "fluid-icon preload modulepreload manifest image_src import compression-dictionary"
)
_EMBEDS_OF_RELATIONS = frozenset(_EMBEDDING_RELATIONS.split())
# Hints to open a connection, addresses that only take POST, and names that are no addresses.
_NOTHING_WORDS = (
    "dns-prefetch preconnect pingback webmention micropub edituri profile hub edit edit-media openid.server "
    "openid.delegate openid2.provider openid2.local_id authorization_endpoint token_endpoint "
    "service.post wlwmanifest expect"
)
_NOTHING = frozenset(_NOTHING_WORDS.split())


def hop_of_relation(relation: str) -> Hop | None:
    """Embed, link or nothing: by the strongest of the words in a `rel`."""
    words = relation.lower().split()
    if not _EMBEDS_OF_RELATIONS.isdisjoint(words):
        return Hop.EMBED
    if words and (words[0] in _NOTHING or words[0].startswith(("schema.", "dcterms."))):
        return None
    return Hop.LINK


# --- The `srcset` attribute: HTML Standard, 4.8.4.2.2, "parse a srcset attribute".


_SPACE = " \t\n\f\r"
_next_url = re.compile(r"[ \t\n\f\r,]*+([^ \t\n\f\r]++)").match
# Descriptors up to the comma that ends the candidate; a comma inside parentheses does not.
_descriptors = re.compile(r"(?:[^,(]++|\([^)]*+\)?+)*+").match
_tokens = re.compile(r"(?:[^ \t\n\f\r(]++|\([^)]*+\)?+)++").findall
_INTEGER = r"[0-9]+"
_width = re.compile(rf"{_INTEGER}w").fullmatch
_height = re.compile(rf"{_INTEGER}h").fullmatch
_density = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?x").fullmatch


def srcset_urls(value: str) -> Iterator[str]:
    """The addresses of a srcset; candidates that a browser drops as malformed are left out."""
    at = 0
    while (found := _next_url(value, at)) is not None:
        url = found[1]
        at = found.end()
        if url[-1] == ",":
            url = url.rstrip(",")
            if url:
                yield url
            continue
        written = _descriptors(value, at)
        at = written.end() if written else at
        if written is None or _valid(written.group().strip(_SPACE)):
            yield url


def _valid(descriptors: str) -> bool:
    """The descriptor rules: at most one density, or a width with perhaps a height."""
    if not descriptors or _width(descriptors):
        return descriptors.strip("0") != "w"
    widths = heights = densities = 0
    for token in _tokens(descriptors):
        if _width(token) and token.strip("0") != "w":
            widths += 1
        elif _height(token) and token.strip("0") != "h":
            heights += 1
        elif _density(token) and float(token[:-1]) >= 0:
            densities += 1
        else:
            return False
    return widths <= 1 and heights <= widths and densities <= 1 and not (densities and widths)
