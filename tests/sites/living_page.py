"""A page that does what pages of the web do, each thing noted in `window.seen` once it has worked."""

import struct
import zlib

from tests.integration.access.world import Page

SITE = "http://site.example"
CDN = "https://cdn.example"

_INDEX = f"""<!doctype html>
<html><head><title>living</title>
<link rel="stylesheet" href="/style.css">
<script>window.seen = {{}}; seen.inline = true; var top_level = 1;</script>
<script type="importmap">{{"imports": {{"bare": "{CDN}/bare.js", "local/": "/lib/"}}}}</script>
<script src="/app.js"></script>
<script type="module" src="/module.js"></script>
<script type="module">import {{ word }} from "bare"; seen.importmap = word === "bare";</script>
</head><body onload="seen.handler = true">
<p id="styled">styled</p>
<img id="static" src="/static.png" srcset="/static.png 1x, {CDN}/double.png 2x">
<iframe id="inner" src="/inner.html"></iframe>
<audio id="tone" preload="auto" src="/tone.wav"></audio>
<a id="next" href="/next.html">next</a>
<a id="blank" href="{SITE}/next.html" target="_blank">in a window of its own</a>
<a id="upwards" href="/next.html" target="_top">upwards</a>
<form id="get" action="/search"><input name="q" value="owl"><button>find</button></form>
<form id="post" method="post" action="{SITE}/send"><input name="q" value="owl"><button>send</button></form>
<script>
fetch("/data.json").then((r) => r.json()).then((d) => {{ seen.fetch = d.name === "data" }});
const asked = new XMLHttpRequest();
asked.open("GET", "{SITE}/data.json");
asked.onload = () => {{ seen.xhr = JSON.parse(asked.responseText).name === "data" }};
asked.send();
const made = new Image();
made.onload = () => {{ seen.image = made.naturalWidth === 2 }};
made.src = "{CDN}/" + "made.png";
const worker = new Worker("/worker.js");
worker.onmessage = (event) => {{ seen.worker = event.data === "data" }};
const tone = document.getElementById("tone");
tone.addEventListener("canplaythrough", () => {{ seen.audio = tone.duration > 0.9 }});
addEventListener("message", (event) => {{ if (event.data === "from inside") seen.message = true }});
document.head.insertAdjacentHTML("beforeend", '<link rel="stylesheet" href="{CDN}/late.css">');
document.cookie = "mine=1"; seen.cookie = document.cookie.includes("mine=1");
localStorage.setItem("key", "value"); seen.storage = localStorage.getItem("key") === "value";
history.pushState({{}}, "", "/pushed"); seen.history = location.pathname === "/pushed"; history.back();
seen.eval = eval("top_level + 1") === 2;
</script>
</body></html>"""

_APP = """
seen.location = location.hostname === "site.example" && document.location.protocol === "http:" &&
  origin_of() === "http://site.example";
function origin_of() { return window.location.origin }
seen.referrer = typeof document.referrer === "string";
let shared = "let"; class Shared {}
seen.top = window.top === window;
"""

#: What `seen` holds in the end.
EXPECTED = frozenset(
    [
        "inline",
        "handler",
        "importmap",
        "module",
        "dynamic",
        "fetch",
        "xhr",
        "image",
        "worker",
        "audio",
        "message",
        "cookie",
        "storage",
        "history",
        "eval",
        "location",
        "referrer",
        "top",
        "shared",
    ]
)


def png(width: int) -> bytes:
    """A picture, so many pixels wide."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, 1, 8, 2, 0, 0, 0)
    row = zlib.compress(b"\0" + b"\x20\x60\x40" * width)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", row) + chunk(b"IEND", b"")


def wav(seconds: int = 1) -> bytes:
    """Silence."""
    samples = b"\x80" * (8000 * seconds)
    form = struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    chunks = (
        b"WAVEfmt "
        + struct.pack("<I", len(form))
        + form
        + b"data"
        + struct.pack("<I", len(samples))
        + samples
    )
    return b"RIFF" + struct.pack("<I", len(chunks)) + chunks


def living_pages(timestamp: str = "20200101000000") -> list[Page]:
    def page(url: str, body: bytes | str, kind: str = "text/html; charset=utf-8", **more: object) -> Page:
        return Page(url, body, timestamp, kind, **more)  # type: ignore[arg-type]

    script, style = "application/javascript", "text/css"
    return [
        page(f"{SITE}/", _INDEX),
        page(f"{SITE}/app.js", _APP, script),
        page(
            f"{SITE}/module.js",
            'import { dep } from "./lib/dep.js"; seen.module = dep === "dep"; '
            'import("./lib/later.js").then((m) => { seen.dynamic = m.default === "later" }); '
            'seen.shared = typeof Shared === "function" && shared === "let";',
            script,
        ),
        page(f"{SITE}/lib/dep.js", 'export const dep = "dep";', script),
        page(f"{SITE}/lib/later.js", 'export default "later";', script),
        page(f"{CDN}/bare.js", 'export const word = "bare";', script),
        page(
            f"{SITE}/worker.js",
            'fetch("/data.json").then(r => r.json()).then(d => postMessage(d.name));',
            script,
        ),
        page(f"{SITE}/data.json", '{"name": "data"}', "application/json"),
        page(f"{SITE}/style.css", '@import "more.css"; p { color: rgb(1, 2, 3) }', style),
        page(f"{SITE}/more.css", "p { background: url(/static.png); border: 3px solid rgb(4, 5, 6) }", style),
        page(f"{CDN}/late.css", "p { outline: 2px solid rgb(7, 8, 9) }", style),
        page(f"{SITE}/static.png", png(1), "image/png"),
        page(f"{CDN}/double.png", png(1), "image/png"),
        page(f"{CDN}/made.png", png(2), "image/png"),
        page(f"{SITE}/tone.wav", wav(), "audio/wav"),
        page(
            f"{SITE}/inner.html",
            "<!doctype html><script>parent.postMessage('from inside', 'http://site.example')</script>"
            "<a id=out href=/next.html target=_top>out</a>",
        ),
        page(f"{SITE}/next.html", "<!doctype html><title>next</title><p id=next>the next page</p>"),
        page(f"{SITE}/search?q=owl", "<!doctype html><title>found</title><p id=found>found owl</p>"),
        page(
            f"{SITE}/send",
            "<!doctype html><title>sent</title><p id=sent>sent owl</p>",
            method="POST",
            sent=b"q=owl",
        ),
    ]
