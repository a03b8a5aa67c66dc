"""How a page is shown under the addresses of the archive: its links, its insert, its rewriters."""

import re
from functools import partial

from armarium.access.replay.bodies import Rewriting
from armarium.access.replay.capture import Capture
from armarium.access.replay.model import ReplayRequest
from armarium.access.requests.site import Site
from armarium.access.requests.threads import current_work
from armarium.access.rewrite.content_kinds import Kind, rewriter_for
from armarium.access.rewrite.head_insert import PageInfo, head_insert
from armarium.access.rewrite.js import callback_in
from armarium.access.rewrite.links import LONGEST_BASE, Links
from armarium.access.rewrite.stream import Rewriter
from armarium.access.settings import wombat_folder
from armarium.formats.text import charset_of_content_type

WHOLE = 14  # digits of a timestamp
STATIC = "/-/static/"
# Only of these charsets must the beginning of a page be read closely before it is rewritten.
_ODD_CHARSET = re.compile(rb"\A(?:\xfe\xff|\xff\xfe)|iso-2022|utf-?16", re.IGNORECASE)


class PageRewriting:
    """`links` and `rewriting` of one site; it keeps nothing of a request."""

    def __init__(self, site: Site) -> None:
        self._content = site.settings.content
        self._reading = site.settings.reading
        self._static = self._content + STATIC  # whole: a worker made of a blob has no address to start from
        self._has_wombat = wombat_folder(site.settings) is not None

    def prefix(self, request: ReplayRequest) -> str:
        return f"{self._content}/{request.view.collection.name}/"

    def links(self, request: ReplayRequest, capture: Capture) -> Links:
        """Parts are asked for at the moment of the page, so that they come as near to it as they can."""
        moment = request.timestamp if len(request.timestamp) == WHOLE else capture.timestamp
        waited_for = partial(current_work().go_on, long=False)
        url = request.url
        if len(url) > LONGEST_BASE:  # with a user's name of any length it would still have the same key
            url = capture.seen.line.url or url
        return Links(self.prefix(request), moment, url, request.mod, go_on=waited_for)

    def rewriting(self, request: ReplayRequest, capture: Capture, links: Links) -> Rewriting:
        charset = charset_of_content_type(capture.field("content-type") or "")

        def make(kind: Kind, beginning: bytes) -> Rewriter:
            rewriting = not request.proxied and request.mod != "bn_"
            return rewriter_for(
                kind,
                links,
                charset=charset,
                insert=self._insert(kind, request, capture, links),
                callback=callback_in(request.url) if kind in (Kind.JS, Kind.JSON) else None,
                static=self._static,
                url_rewriting=rewriting,
                beginning=beginning if _ODD_CHARSET.search(beginning) else b"",
            )

        return make

    def exact(self, request: ReplayRequest, capture: Capture) -> str:
        """The address of the capture under its own moment."""
        return f"{self.prefix(request)}{capture.timestamp}{request.mod}/{request.url}"

    def _insert(self, kind: Kind, request: ReplayRequest, capture: Capture, links: Links) -> bytes:
        if request.proxied:
            return request.insert if kind is Kind.HTML else b""  # a banner is no XML
        if kind not in (Kind.HTML, Kind.XHTML):
            return b""
        collection = request.view.collection.name
        info = PageInfo(
            links,
            f"{self._reading}/{collection}/{capture.timestamp}/{request.url}",
            collection,
            static=self._static,
            timestamp=capture.timestamp,
            request_timestamp=request.timestamp,
            wombat=self._has_wombat,
            banner_only=request.mod == "bn_",
        )
        return head_insert(info, xml=kind is Kind.XHTML)
