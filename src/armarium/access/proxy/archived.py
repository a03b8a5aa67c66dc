"""An archived answer: found by replay at the moment of its page, with a banner."""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Protocol
from urllib.parse import urlsplit

from armarium.access.proxy.connection import Answer
from armarium.access.proxy.headers import OURS, dressed, preflight
from armarium.access.proxy.pages import HOME
from armarium.access.proxy.request import Visit
from armarium.access.replay.model import ReplayRequest, Reply
from armarium.access.rewrite.head_insert import script_json
from armarium.core.errors import Forbidden, NotFound, Refused
from armarium.core.message import message
from armarium.formats.http import decode_content
from armarium.languages import speech

RESTRICTED, PROXY_WORD_WANTED, FORBIDDEN, PARTIAL = 451, 407, 403, 206
OF_THE_BODY = frozenset({"content-length", "content-encoding", "content-md5", "digest", "accept-ranges"})


class Replays(Protocol):
    """`access.replay.engine.Replay`."""

    def answer(self, request: ReplayRequest) -> Reply: ...


class Archived:
    def __init__(self, replay: Replays, *, banner: bool = True) -> None:
        self._replay = replay
        self._banner = banner
        self._moments = Moments()

    def answer(self, visit: Visit) -> Answer | Reply:
        """A `Reply` is one of replay's own, which has found nothing that could be shown."""
        asked = visit.asked
        _refuse_what_stays(visit)
        allowed = preflight(asked)
        if allowed is not None:
            return Answer(204, allowed)
        reply = self._replay.answer(self._request(visit))
        if not reply.found:
            return reply
        captured = captured_at(reply)
        if captured is not None and asked.by_navigation:
            self._moments.note(visit.browser, asked.url, digits_of(captured))
        return _shown(visit, reply, captured, banner=self._banner)

    def _request(self, visit: Visit) -> ReplayRequest:
        asked = visit.asked
        return ReplayRequest(
            visit.site.view(visit.choice.collection, visit.reader),
            asked.url.partition("#")[0],
            self._timestamp(visit),
            mod="oe_" if asked.is_part else "mp_",
            method=asked.method,
            # What it cannot show, replay is to say in one line of text: the page around it is the proxy's.
            headers={**asked.headers, "sec-fetch-dest": "empty"},
            body=asked.body,
            proxied=True,
            language=speech.language().code,
        )

    def _timestamp(self, visit: Visit) -> str:
        """The moment that is asked for: by the request itself (RFC 7089, 2.1.1), else by the page of which it
        is a part, else by the browser's choice."""
        headers = visit.asked.headers
        if wished := headers.get("accept-datetime"):
            return digits_of(_read_date(wished))
        page = self._moments.of(visit.browser, headers.get("referer", "")) if visit.asked.is_part else ""
        return page or visit.choice.timestamp


def digits_of(moment: datetime) -> str:
    return f"{moment.year:04}{moment:%m%d%H%M%S}"


def _read_date(wished: str) -> datetime:
    try:
        moment = parsedate_to_datetime(wished)
    except ValueError as error:
        raise Refused(
            message("Accept-Datetime has to be a date such as Thu, 31 May 2007 20:35:00 GMT.")
        ) from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def _refuse_what_stays(visit: Visit) -> None:
    headers = visit.asked.headers
    if headers.get("service-worker"):
        raise Forbidden(message("Service workers of archived pages would outlive the visit to the archive."))
    if "websocket" in headers.get("upgrade", "").lower():
        raise NotFound(message("Web socket traffic is not in the archive."))


def _shown(visit: Visit, reply: Reply, captured: datetime | None, *, banner: bool) -> Answer:
    headers = dressed(reply.headers, visit.asked, captured)
    # This status is the proxy's own: a browser would ask its user for a password.
    status = FORBIDDEN if reply.status == PROXY_WORD_WANTED else reply.status
    takes_banner = banner and captured is not None and _takes_banner(visit, reply)
    codings = codings_of(reply)
    if reply.status == PARTIAL or not (takes_banner or set(codings) - accepted(visit.asked.headers)):
        return Answer(status, headers, reply.body)
    pieces: Iterator[bytes] = iter((reply.body,)) if isinstance(reply.body, bytes) else reply.body
    if codings:  # as a stream: a few recorded bytes may unfold to very many
        pieces = iter(decode_content(codings, pieces))
    if takes_banner and captured is not None:
        pieces = with_banner(pieces, _banner(captured))
    body = b"".join(pieces) if isinstance(reply.body, bytes) and not codings else pieces
    return Answer(status, [pair for pair in headers if pair[0].lower() not in OF_THE_BODY], body)


def codings_of(reply: Reply) -> list[str]:
    """In the order in which they were applied."""
    coded = [value for name, value in reply.headers if name.lower() == "content-encoding"]
    return [one.strip().lower() for value in coded for one in value.split(",") if one.strip()]


def accepted(headers: Mapping[str, str]) -> frozenset[str]:
    """The codings that the client can undo (RFC 9110, 12.5.3). To sites without TLS browsers offer fewer of
    them, and what was recorded with TLS is shown without as well."""
    ranges = [one.partition(";") for one in headers.get("accept-encoding", "").lower().split(",")]
    named = {name.strip() for name, _, weight in ranges if weight.replace(" ", "").strip("0.") != "q="}
    return frozenset(named | ({"x-gzip"} if "gzip" in named else set()))


def captured_at(reply: Reply) -> datetime | None:
    for name, value in reply.headers:
        if name.lower() == "memento-datetime":
            return parsedate_to_datetime(value)
    return None


def own_fields(reply: Reply) -> list[tuple[str, str]]:
    """Of an answer that says that there is nothing."""
    return [pair for pair in reply.headers if pair[0].lower() in {"content-type", "retry-after"}] + list(OURS)


def _takes_banner(visit: Visit, reply: Reply) -> bool:
    if not visit.asked.by_navigation or visit.asked.method not in {"GET", "POST"}:
        return False
    kinds = [value.lower() for name, value in reply.headers if name.lower() == "content-type"]
    return bool(kinds) and kinds[0].lstrip().startswith("text/html")


def _banner(captured: datetime) -> bytes:
    said = message("Web archive: captured on %(date)s (UTC)", date=f"{captured:%Y-%m-%d %H:%M:%S}")
    return page_insert(
        speech.say(said),
        home=HOME,
        label=speech.gettext("Web archive"),
        close=speech.gettext("Close"),
    )


# The parts of a page are asked for at the moment of the page's own capture.
# In a replay by address the moment stands in the addresses of the parts. A proxy's browser says only which
# page has asked, or for parts from elsewhere only on which site that page is (Referer).


MOST = 20_000
LONGEST = 2_000  # of an address that is remembered


class Moments:
    """Called from many threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: OrderedDict[tuple[bytes, str], str] = OrderedDict()
        self._lock = Lock()

    def note(self, browser: bytes, url: str, timestamp: str) -> None:
        """A page was shown."""
        with self._lock:
            for address in {url, _site(url)}:
                if len(address) <= LONGEST:
                    self._known[browser, address] = timestamp
                    self._known.move_to_end((browser, address))
            while len(self._known) > self._most:
                self._known.popitem(last=False)

    def of(self, browser: bytes, referrer: str) -> str:
        """Of the page that asks, else of the last one of its site; empty if neither was seen."""
        return self._known.get((browser, referrer)) or self._known.get((browser, _site(referrer)), "")


def _site(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"


# A page gets a banner that tells the date, and the ways past the proxy are closed.


LOOKED_AT = 65_536  # bytes in which the place is looked for

_MARKS = (b"\xef\xbb\xbf",)
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")  # UTF-16: nothing is put in
# Nothing is read twice, whatever has no end.
_PLACE = re.compile(rb"<head(?:\s[^<>]*+)?+>", re.IGNORECASE)
_ELSE = re.compile(rb"<html(?:\s[^<>]*+)?+>", re.IGNORECASE)
_DOCTYPE = re.compile(rb"\s*+(?:<!--(?:[^-]++|-(?!->))*+-->\s*+)*+<!doctype[^>]*+>", re.IGNORECASE)

# WebRTC and WebTransport go past a proxy: they are taken away, in empty frames too, which fire their load
# event before a script can reach into them. The banner lies in a shadow tree, where the page's styles do not
# reach it, and gets its own by script: no policy of the page forbids that.
_SCRIPT = """(function(i){try{
function shut(w){try{["RTCPeerConnection","webkitRTCPeerConnection","WebTransport"].forEach(function(n){
if(n in w)Object.defineProperty(w,n,{value:undefined})});w.document.addEventListener("load",function(e){
var f=e.target&&e.target.contentWindow;if(f)shut(f)},true)}catch(e){}}
shut(self);
if(self.top!==self)return;
function show(){if(!document.body||!document.body.attachShadow)return;
var h=document.createElement("div"),s=h.attachShadow({mode:"closed"}),b=document.createElement("div"),
a=document.createElement("a"),x=document.createElement("button");
h.style.cssText="all:initial;position:fixed;z-index:2147483647;inset:auto auto 12px 12px;"+
"max-width:calc(100vw - 24px)";
b.style.cssText="all:initial;display:flex;align-items:center;gap:10px;padding:8px 8px 8px 14px;"+
"border-radius:8px;background:#23302b;color:#fff;font:14px/1.3 system-ui,sans-serif;"+
"box-shadow:0 2px 10px rgba(0,0,0,.35)";
a.style.cssText="color:#fff;text-decoration:underline";a.href=i.home;a.textContent=i.text;
x.style.cssText="all:initial;color:#fff;font:18px/1 system-ui,sans-serif;padding:5px 10px;cursor:pointer;"+
"border-radius:6px";x.textContent="\\u00d7";x.setAttribute("aria-label",i.close);
x.onfocus=function(){x.style.outline="2px solid #fff"};x.onblur=function(){x.style.outline=""};
x.onclick=function(){h.remove()};b.setAttribute("role","complementary");b.setAttribute("aria-label",i.label);
b.append(a,x);s.append(b);document.documentElement.append(h)}
if(document.readyState==="loading")document.addEventListener("DOMContentLoaded",show);else show();
}catch(e){}})"""


def page_insert(text: str, *, home: str, label: str, close: str) -> bytes:
    """ASCII only, so that it is right in every charset that begins like ASCII."""
    values = script_json({"text": text, "home": home, "label": label, "close": close})
    return f"<script>{_SCRIPT}({values});</script>".encode("ascii")


def with_banner(pieces: Iterator[bytes], banner: bytes) -> Iterator[bytes]:
    """The page, with the insert as early as HTML allows without changing how the rest is read."""
    beginning = b""
    for piece in pieces:
        beginning += piece
        if len(beginning) >= LOOKED_AT:
            break
    place = place_in(beginning)
    yield beginning if place is None else beginning[:place] + banner + beginning[place:]
    yield from pieces


def place_in(beginning: bytes) -> int | None:
    """Behind `<head>`, else behind `<html>`, else behind the document type (before it the page would fall
    into the quirks of old browsers), else at the beginning."""
    if beginning.startswith(_WIDE):
        return None
    for found in (_PLACE.search(beginning), _ELSE.search(beginning), _DOCTYPE.match(beginning)):
        if found is not None:
            return found.end()
    return next((len(mark) for mark in _MARKS if beginning.startswith(mark)), 0)
