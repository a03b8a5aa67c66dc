"""What is put at the head of every archived page: the facts that wombat and our own script need.

wombat is the script that answers, inside the page, as the live web would: it reads `wbinfo` and starts with
`_WBWombatInit`. Every value is written as JSON that no page can end or comment out.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from armarium.access.rewrite.links import Links

# `</script>` and `<!--` would end the element or hide its end (HTML Standard, 4.12.1.3); U+2028 ended lines
# of JavaScript before 2019; `&` matters where the page is XHTML.
_DANGEROUS = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029'"}
_XHTML_SCRIPT = '<script xmlns="http://www.w3.org/1999/xhtml"'
_ORIGIN = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://([^/?#]*)")

# Rewritten scripts call these by name. wombat brings them; without it a page must not fail for their lack.
_WITHOUT_WOMBAT = (
    "(function(p){function d(n,v){"
    "if(!(n in p))Object.defineProperty(p,n,{value:v,configurable:true,writable:true})}"
    'd("_____WB$wombat$check$this$function_____",function(t){return t});'
    'd("__WB_pmw",function(){return this});'
    'd("WB_wombat_runEval2",function(f){return{eval:function(t,a,c){return f(c,t===self)}}});'
    "})(Object.prototype);"
)
# `import(…)` of rewritten scripts. wombat's takes no second argument (`{with: {type: "css"}}`). In an element
# of its own, since browsers before 2021 cannot read it.
_IMPORT = (
    "(function(f){self.____wb_rewrite_import__=function(b,u,o){if(f){if(o===undefined)return f(b,u)}"
    "var p=wbinfo.prefix,s=/^[0-9]*(?:[a-z]+[0-9]?_)*[/]/;u=String(u);"
    "if(!/^(?:[.]{0,2}[/]|[a-z][a-z0-9+.-]*:)/i.test(u))return import(u,o);"
    "b=String(b||document.baseURI);if(b.indexOf(p)===0)b=b.slice(p.length).replace(s,'');"
    "var t=new URL(u,b).href;"
    "return import(!/^https?:/i.test(t)||t.indexOf(p)===0?t:p+wbinfo.timestamp+'esm_/'+t,o)};"
    "})(self.____wb_rewrite_import__);"
)


@dataclass(frozen=True)
class PageInfo:
    links: Links
    top_url: str  # the address of the frame page
    collection: str
    static: str = "/-/static/"  # on the origin of the content
    is_framed: bool = True
    timestamp: str = ""  # of the capture, 14 digits; "" is that of the links
    request_timestamp: str = ""  # what the reader asked for
    wombat: bool = True  # whether wombat.js is installed
    banner_only: bool = False  # `bn_`: nothing is rewritten, so nothing must pretend


def head_insert(info: PageInfo, *, xml: bool = False) -> bytes:
    """The block of `<script>` elements; ASCII only, so it is right in every charset.

    `xml`: for a page that is read as XML, where an element says of which language it is.
    """
    parts = ["<!-- Armarium -->", f"<script>wbinfo={script_json(_wbinfo(info))};</script>"]
    # Before wombat, which fails where a browser denies it the page's storage; our script puts something in
    # its place.
    parts.append(f'<script src="{info.static}content.js"></script>')
    if not info.banner_only:
        if info.wombat:
            parts.append(f'<script src="{info.static}wombat.js"></script>')
            parts.append("<script>if(window._WBWombatInit)window._WBWombatInit(wbinfo);</script>")
        else:
            parts.append(f"<script>{_WITHOUT_WOMBAT}</script>")
        parts.append(f"<script>{_IMPORT}</script>")
    parts.append("<!-- /Armarium -->")
    insert = "".join(parts)
    return (insert.replace("<script", _XHTML_SCRIPT) if xml else insert).encode("ascii")


def script_json(value: object) -> str:
    """JSON that may stand in a `<script>` element: ASCII, and without any character HTML knows."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).translate(_DANGEROUS)


def _wbinfo(info: PageInfo) -> dict[str, object]:
    links = info.links
    timestamp = info.timestamp or links.timestamp
    origin = _ORIGIN.match(links.url)
    return {
        "top_url": info.top_url,
        "url": links.url,
        "timestamp": timestamp,
        "request_ts": info.request_timestamp or links.timestamp,
        "prefix": links.prefix,
        "mod": links.mod,
        "is_framed": info.is_framed,
        "is_live": False,
        "coll": info.collection,
        "proxy_magic": "",
        "static_prefix": info.static,
        "enable_auto_fetch": False,
        "target_frame": "___wb_replay_top_frame",
        "wombat_ts": timestamp,
        "wombat_sec": _seconds(timestamp),
        "wombat_scheme": origin[1].lower() if origin else "http",
        "wombat_host": origin[2] if origin else "",
        "wombat_opts": {},
    }


def _seconds(timestamp: str) -> str:
    """The moment of the capture in seconds since 1970: what the clock of the page shows."""
    try:
        moment = datetime.strptime(timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return "0"  # not a date: the page may be odd, the reader must see it all the same
    return str(int(moment.timestamp()))
