"""What is put into an archived page: a banner that tells the date, and an end to the ways past the proxy."""

import re
from collections.abc import Iterator

from armarium.access.rewrite.head_insert import script_json

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


def insert(text: str, *, home: str, label: str, close: str) -> bytes:
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
