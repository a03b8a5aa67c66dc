"""Rewritten scripts, run by a real browser: what they declare, import and call must still be there."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route

from armarium.access.rewrite import (
    Archival,
    Links,
    PageInfo,
    head_insert,
    kind_of,
    parse_archival,
    rewriter_for,
)
from tests.chromium import running_chromium

PREFIX = "http://localhost:8091/all/"
TIMESTAMP = "20240101000000"
SITE = {
    "http://site.example/": (
        "text/html",
        """<!doctype html><title>t</title><script>
        let first = 1; const second = 2; class Third { ok() { return top === window } }
        async function fourth() { return 4 } function fifth() { return 5 }
        const {sixth, seventh: [eighth]} = {sixth: 6, seventh: [8]}; log = []; document.title
        </script><script>
        log.push(first, second, new Third().ok(), fifth(), sixth, eighth);
        fourth().then(v => log.push('async ' + v));
        </script><script>const name = {};
        log.push(typeof name, self === window, globalThis === window)</script>
        <script>var parent = 'mine'; if (true) { var opener = 1 } log.push(parent, window.parent)</script>
        <script>log.push(/[/"'`{]/.test("'"), `${ `x${1 + 1}` }`, window.a)</script>
        <script src="script.js"></script>
        <script type="importmap">{"imports": {"bare": "/js/bare.js"}}</script>
        <script type="module">import {a} from "./js/a.js"; import {b} from "bare";
        log.push('module ' + a + b + (location === window.location));
        log.push('later ' + (await import('./js/a.js')).a)
        </script><a onclick="log.push('click ' + this.id + (window === self))" id="link">x</a>""",
    ),
    "http://site.example/script.js": (
        "text/javascript",
        "import('./js/a.js').then(m => log.push('script ' + m.a))",
    ),
    "http://site.example/js/a.js": (
        "text/javascript",
        "import {c} from '../js/c.js'; export const a = 'A' + c",
    ),
    "http://site.example/js/c.js": ("text/javascript", "export const c = document.title; const top = 1;"),
    "http://site.example/js/bare.js": ("text/javascript", "export const b = 'B'"),
}


@pytest.fixture
def page() -> Iterator[Page]:
    with running_chromium() as browser:
        yield browser.new_page()


def answer(route: Route, left: list[str]) -> None:
    url = route.request.url
    if url.startswith("http://localhost:8091/-/static/"):
        route.fulfill(body="", content_type="text/javascript")
        return
    asked = parse_archival(url.removeprefix(PREFIX))
    if not url.startswith(PREFIX) or not isinstance(asked, Archival) or asked.url not in SITE:
        left.append(url)
        route.abort()
        return
    content_type, body = SITE[asked.url]
    links = Links(PREFIX, TIMESTAMP, asked.url, mod=asked.mod)
    kind = kind_of(content_type, asked.mod, asked.url, body.encode()[:100])
    insert = head_insert(PageInfo(links, PREFIX, "all", is_framed=False, wombat=False))
    rewriter = rewriter_for(kind, links, charset="utf-8", insert=insert)
    route.fulfill(body=rewriter.feed(body.encode()) + rewriter.close(), content_type=content_type)


def test_scripts_still_see_each_other_and_nothing_leaves_the_archive(page: Page) -> None:
    left: list[str] = []
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route("**/*", lambda route: answer(route, left))
    page.goto(f"{PREFIX}{TIMESTAMP}mp_/http://site.example/")
    page.wait_for_function("log.filter(line => /^(async|script|later) /.test(line)).length === 3")
    page.click("#link")
    log = page.evaluate("log.map(String)")
    assert (left, errors) == ([], [])
    assert log[:11] == ["1", "2", "true", "5", "6", "8", "async 4", "object", "true", "true", "mine"]
    assert {"x2", "module AtBtrue", "later At", "script At", "click linktrue"} <= set(log)
