"""What kind of content an answer said it was: one kind, and the one that a browser would believe.

A server may have sent several types, in several fields or in one. Browsers take the last that can be read
(Fetch, "extract a MIME type"). If we looked at another one than they do, a page could pass for a picture.
"""

import re
from collections.abc import Iterable

_PART = re.compile(r'(?:[^",]|"(?:[^"\\]|\\.)*+"?)+')
_ESSENCE = re.compile(r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;|$)")
_CHARSET = re.compile(r""";\s*charset\s*=\s*"?([^\s;",]+)""", re.IGNORECASE)
NAME = "Content-Type"


def with_one_type(fields: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The fields with one type at most, where the first one stood."""
    kept: list[tuple[str, str]] = []
    said: list[str] = []
    place = 0
    for name, value in fields:
        if name.lower() != "content-type":
            kept.append((name, value))
        else:
            place = place if said else len(kept)
            said.append(value)
    believed = believed_type(said)
    if believed:
        kept.insert(place, (NAME, believed))
    return kept


def believed_type(values: Iterable[str]) -> str:
    """The type that a browser believes of these fields; empty where it believes none and looks for itself."""
    essence, charset = "", ""
    for part in _PART.findall(",".join(values)):
        found = _ESSENCE.match(part)
        if found is None or found[1] == "*/*":
            continue
        other = found[1].lower()
        told = _CHARSET.search(part)
        # The charset of the type before holds on, if this is the same type without one.
        charset = told[1] if told else (charset if other == essence else "")
        essence = other
    return f"{essence}; charset={charset}" if essence and charset else essence
