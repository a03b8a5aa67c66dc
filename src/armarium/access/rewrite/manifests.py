"""DASH: descriptions of a film and its pieces; and of films in general, which of their variants is shown.

A player chooses among variants by the speed of the connection, and a crawler has fetched what one player
chose once. So one variant of each kind is left: the largest that is not beyond what was usual.
"""

import re

from armarium.access.rewrite.links import Links

# 1080p at most: larger ones are rarely archived as a whole, and smaller ones are always there.
_MOST_LINES = 1080
_MOST_BANDWIDTH = 8_000_000

# An element without its end stops at the next one of its name: nothing is read twice.
_REPRESENTATION = re.compile(
    r"<Representation\b((?:[^<>\"'/]++|/(?!>)|\"[^\"]*+\"|'[^']*+')*+)"
    r"(?:/>|>(?:[^<]++|<(?!/?Representation\b))*+</Representation\s*>)"
)
_SET = re.compile(r"<AdaptationSet\b(?:[^<]++|<(?!/?AdaptationSet\b))*+</AdaptationSet\s*>")
_XML_ATTRIBUTE = re.compile(r"\b(bandwidth|height|width)\s*=\s*[\"'](\d+)[\"']")
_BASE_URL = re.compile(r"(<BaseURL\b[^<>]*+>)([^<]*+)(?=</BaseURL\s*+>)")
_DASH_ADDRESS = re.compile(
    r"(\b(?:initialization|media|sourceURL|index|xlink:href|href)\s*=\s*)(\"[^\"]*\"|'[^']*')"
)


def number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def best(variants: list[tuple[int, int]]) -> int:
    """The number of the best variant within the limits, or of the smallest if all are beyond them."""
    sane = [
        (bandwidth, -place)
        for place, (bandwidth, lines) in enumerate(variants)
        if bandwidth <= _MOST_BANDWIDTH and lines <= _MOST_LINES
    ]
    if sane:
        return -max(sane)[1]
    return min(range(len(variants)), key=lambda place: variants[place][0], default=-1)


def rewrite_dash(text: str, links: Links) -> str:
    text = _SET.sub(_one_representation, text)
    text = _BASE_URL.sub(lambda found: found[1] + links.archived(found[2].strip(), "oe_"), text)

    def address(found: re.Match[str]) -> str:
        quote, written = found[2][0], found[2][1:-1]
        return f"{found[1]}{quote}{links.archived(written, 'oe_')}{quote}"

    return _DASH_ADDRESS.sub(address, text)


def _one_representation(found: re.Match[str]) -> str:
    text = found[0]
    all_of_them = list(_REPRESENTATION.finditer(text))
    if len(all_of_them) < 2:
        return text
    variants = []
    for each in all_of_them:
        values = {name: number(value) for name, value in _XML_ATTRIBUTE.findall(each[1])}
        variants.append((values.get("bandwidth", 0), values.get("height", 0)))
    chosen = best(variants)
    kept, at = [], 0
    for place, each in enumerate(all_of_them):
        kept.append(text[at : each.start()])
        if place == chosen:
            kept.append(each[0])
        at = each.end()
    return "".join(kept) + text[at:]
