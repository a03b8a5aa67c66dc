"""Rewriting: archived bytes in, bytes that stay inside the archive out.

Comes in: the body and header of a record, where it is replayed (`Links`), what the page asked for (the mod).
Goes out: the body with its addresses inside the archive, and its scripts held there; the header for the
reader.
It must never read a file, a setting or a clock, change a byte that has nothing to do with an address or a
script, or take longer than in proportion to what came in, whatever came in.
"""

from armarium.access.rewrite.archival_addresses import Archival, Asked, NotArchival, parse_archival
from armarium.access.rewrite.content_kinds import Kind, kind_of, rewriter_for
from armarium.access.rewrite.head_insert import PageInfo, head_insert
from armarium.access.rewrite.headers import CookieScope, replayed_cookie, replayed_headers
from armarium.access.rewrite.html import HtmlRewriter
from armarium.access.rewrite.js import ScriptRewriter, callback_in
from armarium.access.rewrite.links import Links
from armarium.access.rewrite.stream import Rewriter, recoding

__all__ = [
    "Archival",
    "Asked",
    "CookieScope",
    "HtmlRewriter",
    "Kind",
    "Links",
    "NotArchival",
    "PageInfo",
    "Rewriter",
    "ScriptRewriter",
    "callback_in",
    "head_insert",
    "kind_of",
    "parse_archival",
    "recoding",
    "replayed_cookie",
    "replayed_headers",
    "rewriter_for",
]
