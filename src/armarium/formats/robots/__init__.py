"""robots.txt as RFC 9309 has it, and as it is found on the web.

Comes in: the bytes of a robots.txt (``parse``) or the way its request ended (``outcome``).
Goes out: ``Robots``, which answers for an agent and a URL with a ``Decision`` that names the line it rests
on.

It must never raise for what a site sends, build a regular expression from it, or let a small file cost much
time.
"""

from armarium.formats.robots.document import (
    GOOGLE,
    LENIENT,
    STRICT,
    Decision,
    Dialect,
    Directive,
    RequestRate,
    Robots,
    valid_product_token,
)
from armarium.formats.robots.parser import MAX_BYTES, parse
from armarium.formats.robots.rules import Access, Outcome, Rule, outcome

__all__ = [
    "GOOGLE",
    "LENIENT",
    "MAX_BYTES",
    "STRICT",
    "Access",
    "Decision",
    "Dialect",
    "Directive",
    "Outcome",
    "RequestRate",
    "Robots",
    "Rule",
    "outcome",
    "parse",
    "valid_product_token",
]
