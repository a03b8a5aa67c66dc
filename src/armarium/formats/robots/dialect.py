"""How a robots.txt is read where the standard leaves room, or where the web does not keep to it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """Each switch is one difference between real readers of robots.txt."""

    typos: bool = True
    """Take ``disalow``, ``useragent``, ``site-map`` and longer words (``disallowed``) for what was meant."""

    missing_colon: bool = True
    """Read ``disallow /private`` as a rule: the blank stands for the colon."""

    several_words: bool = True
    """Without a colon, ``user agent some name`` still names somebody; Google wants two words, no more."""

    index_pages: bool = True
    """``Allow: /folder/index.html`` allows ``/folder/`` too: it is the same page."""

    unreserved_decoded: bool = True
    """RFC 9309, 2.2.2: ``%62%61%7A`` and ``baz`` are the same path. Google compares them as written."""

    families: bool = True
    """A name without a group of its own (``name-image``, ``name2``) belongs to the group ``name``."""

    whole_names: bool = True
    """Compare whole names; Google ends a name in the file at the first character that no name may have."""


LENIENT = Dialect()
"""The standard, and every tolerance that does not contradict it. What the harvest uses."""

STRICT = Dialect(typos=False, missing_colon=False, several_words=False, index_pages=False, families=False)
"""The letter of RFC 9309."""

GOOGLE = Dialect(several_words=False, unreserved_decoded=False, families=False, whole_names=False)
"""What Google's published parser does, for comparison."""
