"""Names of crawlers: in the file, of our own, and how the two meet."""

import re
from collections.abc import Container, Iterator

# RFC 9309, 2.2: identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A) ; "-", "A" to "Z", "_", "a" to "z"
_IDENTIFIER = re.compile(r"[A-Za-z_-]+")
_NAME_END = re.compile(r"[\s/]")
_WORD_END = re.compile(r"[\s/;,()+]+")

ANYONE = "*"


def valid_product_token(name: str) -> bool:
    """Whether a crawler may go by this name: RFC 9309, 2.2.1 allows only letters, ``-`` and ``_``."""
    return _IDENTIFIER.fullmatch(name) is not None


def name_in_file(value: str, *, whole: bool) -> str:
    """The name that a user-agent line gives, in lower case; empty when it gives none."""
    # "* but not others": a star followed by a blank is the group for everyone, as in Google's parser.
    if value[:1] == ANYONE and (len(value) == 1 or value[1].isspace()):
        return ANYONE
    if whole:
        return _NAME_END.split(value, maxsplit=1)[0].lower()
    found = _IDENTIFIER.match(value)
    return found.group().lower() if found else ""


def own_names(agent: str, *, whole: bool) -> list[str]:
    """Our own name as names of the file are kept; of a whole User-Agent field, each of its words."""
    # RFC 9309, 2.2.1: "Crawlers MUST use case-insensitive matching"; the product token "SHOULD be a substring
    # in the identification string", so it is among the words.
    if not whole:
        return [agent.lower()]
    return [word for word in _WORD_END.split(agent.lower()) if word]


def family_names(name: str) -> Iterator[str]:
    """Shorter names to which a name without a group belongs: of ``a-b-c`` first ``a-b``, then ``a``."""
    for end in range(len(name) - 1, 0, -1):
        # Only where a word ends: a crawler "arm" has nothing to say about "armarium".
        if not name[end].isalpha() and name[end - 1].isalnum():
            yield name[:end]


def best_name(name: str, known: Container[str], *, families: bool) -> str | None:
    """The group that speaks to a name: its own, else that of its family."""
    if name == ANYONE:
        return None
    if name and name in known:
        return name
    if families:
        return next((shorter for shorter in family_names(name) if shorter in known), None)
    return None
