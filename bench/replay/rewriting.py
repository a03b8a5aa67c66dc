"""How many bodies are rewritten in a second of CPU time, with pywb's rewriters beside ours in the same run.

    python bench/replay/rewriting.py [--peers FOLDER] [--seconds N]

`--peers` is a folder in which pywb is installed; without it only ours are measured.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable

from armarium.access.rewrite import HtmlRewriter, Links, ScriptRewriter
from armarium.access.rewrite.css import rewrite_css

_LINKS = Links("http://localhost:8091/all/", "20240101000000", "http://example.com/path/page.html")
_INSERT = "<script>wbinfo={};</script>"


def page(links: int = 90, size: int = 30_000) -> str:
    """A page like those of a news site: nested boxes, links, images, some styles and scripts."""
    choice = random.Random(7)  # noqa: S311  (the same page each time)
    pieces = [
        "<!DOCTYPE html><html><head><title>Page</title><link rel=stylesheet href=/main.css></head><body>"
    ]
    for number in range(links):
        href = choice.choice(
            ["/news/%d", "http://other.example/%d?a=1&amp;b=2", "article-%d.html", "//cdn.example/%d"]
        )
        pieces.append(
            f'<div class="box box-{number}" id="b{number}"><h2 class="title">'
            f'<a class="link" href="{href % number}" title="A">'
            f'Heading {number}</a></h2><p class="text">{"word " * 12}<span data-id="{number}">more</span></p>'
        )
        if number % 3 == 0:
            pieces.append(f'<img src="/images/{number}.jpg" width="100" height="80" alt="Picture">')
        if number % 10 == 0:
            pieces.append(
                f'<div style="background: url(\'/bg/{number}.png\')" onclick="show({number})"></div>'
            )
        pieces.append("</div>")
    pieces.append(
        "<script>var a = 1; function show(n) { document.getElementById('b' + n).hidden = true; }</script>"
    )
    text = "".join(pieces)
    return text + "<p>" + "filler " * max(0, (size - len(text)) // 7) + "</p></body></html>"


def sheet() -> str:
    rules = [
        f".a{number} {{ color: #{number:06x}; margin: 0 auto; padding: {number}px; }}\n"
        + (f".b{number} {{ background: url('/img/{number}.png') no-repeat; }}\n" if number % 10 == 0 else "")
        for number in range(900)
    ]
    return '@import "/base.css";\n' + "".join(rules)


def script() -> str:
    body = [
        f"function f{number}(a,b){{var c=this.x,d=[a,b,{number}];if(c&&d.length>1){{return this.go(c,d)}}"
        f'return document.getElementById("e{number}")||{{x:"y",r:/a[b/]c/g}}}}'
        for number in range(400)
    ]
    return "!function(window){const top=1;" + ";".join(body) + ";window.location.href;}(this);let answer=42;"


def per_second(work: Callable[[], object], seconds: float) -> float:
    work()
    count, begin = 0, time.process_time()
    while (spent := time.process_time() - begin) < seconds:
        work()
        count += 1
    return count / spent


def ours(html: str, css: str, js: str) -> dict[str, Callable[[], object]]:
    body = html.encode()

    def rewrite_page() -> bytes:
        rewriter = HtmlRewriter(_LINKS, charset="utf-8", head_insert=_INSERT.encode())
        return rewriter.feed(body) + rewriter.close()

    return {
        "html": rewrite_page,
        "css": lambda: rewrite_css(css, _LINKS),
        "js": lambda: ScriptRewriter(_LINKS).external(js),
    }


def theirs(html: str, css: str, js: str) -> dict[str, Callable[[], object]]:
    from pywb.rewrite.html_rewriter import HTMLRewriter  # noqa: PLC0415  (only there with --peers)
    from pywb.rewrite.regex_rewriters import CSSRewriter, JSWombatProxyRewriter  # noqa: PLC0415
    from pywb.rewrite.url_rewriter import UrlRewriter  # noqa: PLC0415

    def addresses() -> object:
        return UrlRewriter(
            "20240101000000mp_/http://example.com/path/page.html",
            "/all/",
            full_prefix="http://localhost:8091/all/",
        )

    def rewrite_page() -> str:
        rewriter = HTMLRewriter(
            addresses(),
            head_insert=_INSERT,
            js_rewriter_class=JSWombatProxyRewriter,
            url="http://example.com/path/page.html",
            defmod="mp_",
        )
        return str(rewriter.rewrite(html) + rewriter.close())

    return {
        "html": rewrite_page,
        "css": lambda: CSSRewriter(addresses()).rewrite_complete(css),
        "js": lambda: JSWombatProxyRewriter(addresses()).rewrite_complete(js),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--peers")
    options.add_argument("--seconds", type=float, default=2.0)
    chosen = options.parse_args()
    bodies = page(), sheet(), script()
    rows = {"ours": ours(*bodies)}
    if chosen.peers:
        sys.path.append(chosen.peers)
        rows["pywb"] = theirs(*bodies)
    print("body        size " + "".join(f"{name:>12}" for name in rows))  # noqa: T201
    for kind, body in zip(("html", "css", "js"), bodies, strict=True):
        speeds = [per_second(row[kind], chosen.seconds) for row in rows.values()]
        print(f"{kind:<8}{len(body):>8} " + "".join(f"{speed:>10.0f}/s" for speed in speeds))  # noqa: T201


if __name__ == "__main__":
    main()
