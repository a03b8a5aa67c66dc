"""What a body is, and so which rewriter it gets."""

import re
from collections.abc import Callable
from enum import StrEnum

from armarium.access.rewrite.css import rewrite_css
from armarium.access.rewrite.html import HtmlRewriter, rewrite_xml
from armarium.access.rewrite.js import ScriptRewriter, callback_in, rewrite_jsonp
from armarium.access.rewrite.links import Links
from armarium.access.rewrite.modules import rewrite_module_worker, rewrite_worker
from armarium.access.rewrite.playlists import rewrite_dash, rewrite_hls
from armarium.access.rewrite.stream import Recoded, Rewriter, Untouched, Whole, recoding


class Kind(StrEnum):
    HTML = "html"
    XHTML = "xhtml"  # a page that the browser reads as XML
    CSS = "css"
    JS = "js"
    MODULE = "module"
    JSON = "json"
    HLS = "hls"
    DASH = "dash"
    XML = "xml"
    WORKER = "worker"
    MODULE_WORKER = "module worker"
    PLAIN = "plain"  # nothing to rewrite


_BY_TYPE = {
    "text/html": Kind.HTML,
    "application/xhtml": Kind.XHTML,
    "application/xhtml+xml": Kind.XHTML,
    "application/vnd.wap.xhtml+xml": Kind.XHTML,
    "text/css": Kind.CSS,
    "application/json": Kind.JSON,
    "text/json": Kind.JSON,
    "application/x-mpegurl": Kind.HLS,
    "application/vnd.apple.mpegurl": Kind.HLS,
    "audio/mpegurl": Kind.HLS,
    "audio/x-mpegurl": Kind.HLS,
    "application/dash+xml": Kind.DASH,
    "image/svg+xml": Kind.XML,
    "text/xml": Kind.XML,
    "application/xml": Kind.XML,
}
# MIME Sniffing Standard, 4.6: the types of JavaScript.
_JAVASCRIPT = re.compile(
    r"(?:application|text)/(?:x-)?(?:java|ecma|live|j)script(?:1\.[0-5])?\Z|text/jscript\Z"
)
_BY_MOD = {
    "js_": Kind.JS,
    "cs_": Kind.CSS,
    "esm_": Kind.MODULE,
    "wkr_": Kind.WORKER,
    "wkrm_": Kind.MODULE_WORKER,
    "sw_": Kind.WORKER,
}
# `id_` and `ir_` are the body as it was; what a worker fetches, and what is downloaded, is data.
_UNTOUCHED_MODS = frozenset({"id_", "ir_", "vi_", "dl_"})
# A server that does not know a file calls it one of these, whatever it is.
_SAYS_NOTHING = frozenset(
    {"", "text/plain", "application/octet-stream", "text/html", "unknown/unknown", "*/*"}
)
_LOOKS_LIKE_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s++|<!--(?:[^-]++|-(?!->))*+-->)*+<(?:!doctype\s+html|html|head|body|title|meta|script|iframe|h1|div"
    rb"|font|table|a|style|b|br|p|frameset|link)[\s>]",
    re.IGNORECASE,
)
_LOOKS_LIKE_HLS = re.compile(rb"\s*(?:\xef\xbb\xbf)?#EXTM3U")
_LOOKS_LIKE_JSON = re.compile(rb"\s*(?:\xef\xbb\xbf)?(?:\{\s*[\"}]|\[\s*[\[{\"\]\d-])")


def kind_of(content_type: str | None, mod: str, url: str, beginning: bytes) -> Kind:
    """What the browser will take the body for.

    `mod` says what the page asked for; a server that sees `Sec-Fetch-Dest: script` or `style` should say
    `js_` or `cs_` here even where the address does not.
    """
    flags = set(re.findall(r"[a-z]+\d?_", mod))
    if flags & _UNTOUCHED_MODS:
        return Kind.PLAIN
    essence = (content_type or "").partition(";")[0].strip().lower()
    told = _told(essence)
    wanted = next((kind for flag, kind in _BY_MOD.items() if flag in flags), None)
    if wanted is not None:
        return _wanted(wanted, told, essence, beginning)
    if _LOOKS_LIKE_HLS.match(beginning) and (told is None or essence in _SAYS_NOTHING):
        return Kind.HLS
    if told is None and not essence:
        # MIME Sniffing Standard, 7: only what has no type at all is looked at.
        return Kind.HTML if _LOOKS_LIKE_HTML.match(beginning) else Kind.PLAIN
    if told is Kind.JSON and callback_in(url):
        return Kind.JSON
    if told is Kind.HTML and _LOOKS_LIKE_JSON.match(beginning):
        return Kind.JSON  # data with the type that PHP gives to everything: a script will read it
    return told or Kind.PLAIN


def _told(essence: str) -> Kind | None:
    if _JAVASCRIPT.match(essence):
        return Kind.JS
    if essence.endswith("+json"):
        return Kind.JSON
    return _BY_TYPE.get(essence)


def _wanted(wanted: Kind, told: Kind | None, essence: str, beginning: bytes) -> Kind:
    """An element takes any text for a script or a sheet, unless it is plainly something else."""
    if told is Kind.JSON:
        return Kind.JSON
    if wanted is Kind.CSS:
        if told not in (Kind.CSS, None) and essence not in _SAYS_NOTHING:
            return told or Kind.PLAIN
        return (
            Kind.PLAIN
            if _LOOKS_LIKE_HTML.match(beginning) or essence.startswith(("image/", "font/"))
            else Kind.CSS
        )
    if essence.startswith(("image/", "video/", "audio/", "font/")) or told in (Kind.CSS, Kind.HLS, Kind.DASH):
        return told or Kind.PLAIN
    return Kind.PLAIN if _LOOKS_LIKE_HTML.match(beginning) else wanted


def rewriter_for(
    kind: Kind,
    links: Links,
    *,
    charset: str | None = None,
    insert: bytes | Callable[[str], bytes] = b"",
    callback: str | None = None,
    static: str = "/-/static/",
    url_rewriting: bool = True,
    beginning: bytes = b"",
) -> Rewriter:
    """`beginning`, the first bytes of the body, may say in which charset it is; they are fed all the same."""
    codec = recoding(kind.value, charset, beginning)
    rewriter = _rewriter(kind, links, "utf-8" if codec else charset, insert, callback, static, url_rewriting)
    return Recoded(rewriter, codec) if codec else rewriter


def _rewriter(
    kind: Kind,
    links: Links,
    charset: str | None,
    insert: bytes | Callable[[str], bytes],
    callback: str | None,
    static: str,
    url_rewriting: bool,
) -> Rewriter:
    if kind in (Kind.HTML, Kind.XHTML):
        return HtmlRewriter(
            links, charset=charset, head_insert=insert, url_rewriting=url_rewriting, xml=kind is Kind.XHTML
        )
    scripts = ScriptRewriter(links)
    rewrites: dict[Kind, Callable[[str], str]] = {
        Kind.CSS: lambda text: rewrite_css(text, links),
        Kind.JS: lambda text: rewrite_jsonp(scripts.external(text), callback),
        Kind.MODULE: scripts.module,
        Kind.JSON: lambda text: rewrite_jsonp(text, callback),
        Kind.HLS: lambda text: rewrite_hls(text, links),
        Kind.DASH: lambda text: rewrite_dash(text, links),
        Kind.XML: lambda text: rewrite_xml(text, links),
        Kind.WORKER: lambda text: rewrite_worker(text, links, static),
        Kind.MODULE_WORKER: lambda text: rewrite_module_worker(text, links, static),
    }
    if not url_rewriting or kind not in rewrites or (kind is Kind.JSON and not callback):
        return Untouched()
    return Whole(rewrites[kind])
