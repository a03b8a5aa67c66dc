"""The `srcset` attribute: HTML Standard, 4.8.4.2.2, "parse a srcset attribute"."""

import re
from collections.abc import Iterator

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
