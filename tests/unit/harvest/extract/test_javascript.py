"""Guesses from scripts, on a labelled sample of what scripts on the web look like."""

import pytest

from armarium.core.crawl_order import Extraction
from armarium.harvest.extract import extract
from armarium.harvest.extract.javascript import script_addresses
from armarium.harvest.extract.script_strings import script_strings

# What is an address, and what is found.
ADDRESSES: list[tuple[str, list[str]]] = [
    ('var a = "https://news.test/story";', ["https://news.test/story"]),
    ("el.src = '//cdn.site.test/lib/player.js';", ["//cdn.site.test/lib/player.js"]),
    ('window.location = "/kontakt.html";', ["/kontakt.html"]),
    ("window.location.href = 'page2.php?id=4';", ["page2.php?id=4"]),
    ('document.location.replace("/mobile/index.html")', ["/mobile/index.html"]),
    ('location.assign("/welcome/start")', ["/welcome/start"]),
    ("window.open('popup.html','win','width=300,height=200')", ["popup.html"]),
    ('fetch("/data/articles.json").then(r => r.json())', ["/data/articles.json"]),
    ('fetch("/data/latest").then(r => r.json())', ["/data/latest"]),
    ("import('./chunk-4f2a.js').then(m => m.run())", ["./chunk-4f2a.js"]),
    ('import {h} from "/assets/vendor.mjs";', ["/assets/vendor.mjs"]),
    ('importScripts("/sw/precache.js");', ["/sw/precache.js"]),
    ('navigator.serviceWorker.register("/service-worker.js")', ["/service-worker.js"]),
    ('xhr.open("GET", "/api/comments.json", true);', ["/api/comments.json"]),
    ('$.getJSON("/map/points.json", draw);', ["/map/points.json"]),
    ('$("#box").load("/parts/menu.html");', ["/parts/menu.html"]),
    ('img.setAttribute("src", "/img/logo.png");', ["/img/logo.png"]),
    ("$('img').attr('src', 'images/on.gif');", ["images/on.gif"]),
    ('var pics = ["/img/1.jpg", "/img/2.jpg"];', ["/img/1.jpg", "/img/2.jpg"]),
    (
        "MM_preloadImages('images/nav_over.gif','images/home_over.gif')",
        ["images/nav_over.gif", "images/home_over.gif"],
    ),
    (
        'player.setup({file: "/media/film.mp4", image: "/media/film.jpg"});',
        ["/media/film.mp4", "/media/film.jpg"],
    ),
    ('{"url":"https:\\/\\/shop.test\\/item\\/7","price":3}', ["https://shop.test/item/7"]),
    ('{"FileRef": "\\u002fsites\\u002freport.pdf"}', ["/sites/report.pdf"]),
    ('x = ok ? "/yes.html" : "/no.html";', ["/yes.html", "/no.html"]),
    ('document.write("<img src=\\"/count.gif\\" width=1>");', ["/count.gif"]),
    ("document.write('<scr' + 'ipt src=\"/js/ads.js\"></scr' + 'ipt>');", ["/js/ads.js"]),
    ("location = '/edge/' + 'location' + '.html'", ["/edge/location.html"]),
    ('s.background = "url(/img/bg.png)";', ["/img/bg.png"]),
    ("const t = `/plain/template.html`;", ["/plain/template.html"]),
    ('var r = /["\']/; var u = "/after/regex.html";', ["/after/regex.html"]),
    ("// it's a comment\nvar u = '/after/comment.html';", ["/after/comment.html"]),
    ('var d = a / b; var u = "/x/y.html"; var e = c / d;', ["/x/y.html"]),
    ("return /[/'\"]/.test(s) ? 1 : '/z/regex-class.html'", ["/z/regex-class.html"]),
    (
        "f(`a ${b ? `inner ${'/x/in-template.html'}` : ''} c`, '/x/after.html')",
        ["/x/in-template.html", "/x/after.html"],
    ),
    ('a={href:"/news/2020/item",b:1}', ["/news/2020/item"]),
    ("new Worker('/workers/hash.js')", ["/workers/hash.js"]),
]
# What only looks like one.
NOTHING = [
    'var a = "www.elsewhere.test/story.html";',
    'var a = "cdn.elsewhere.com/player/main.html";',
    'var t = "text/html"; var i = "image/svg+xml"; h["Content-Type"] = "application/json";',
    'document.createElementNS("http://www.w3.org/2000/svg", "path")',
    'var ns = "http://www.w3.org/1999/xlink";',
    '{"@context": "https://schema.org", "@type": "Person"}',
    'jQuery.fn = "jquery.fn"; require("lodash.debounce");',
    'var d = "2020/01/31"; var e = "31.12.2020"; var v = "1.2.3";',
    'var f = "DD/MM/YYYY"; var g = "yyyy/mm/dd";',
    'url = "/article/" + id + ".html";',
    'url = base + "/static/logo.png";',
    "fetch(`/api/users/${id}/posts.json`)",
    "fetch(`https://api.test/v1/${name}`)",
    'u = "https://t.test/pixel?id=" + n;',
    'if (location.pathname.indexOf("/shop/cart.html") > -1) {}',
    'if (path == "/index.html") run();',
    's.replace(/\\/+/g, "/").split("/")',
    's.replace("/old.html", "")',
    "var re = /\\/img\\/logo\\.png/;",
    "/* see /docs/guide.html */ run();",
    '// "https://old.test/removed.js"\nrun();',
    'require("./module.js"); define(["./a.js"], f);'.replace('define(["./a.js"], f);', ""),
    'var c = "btn/primary"; el.className = "a b/c";',
    'throw new Error("See https://err.test/help for more");',
    'console.log("https://debug.test/x.js")',
    '{"./af.js": 12, "./ar.js": 13}',
    'var s = "<a href=\\"/item/" + id + "\\">x</a>";',
    "var k = 'and/or', m = 'km/h', n = 'w/o';",
    "'n/a' in x; var ua = 'Mozilla/5.0';",
    'var tz = "Europe/Berlin";',
    # A host follows, and none that is named whole.
    'var c = "//todo/later.js"; var d = "///cdn.test/x.js"; fetch("//assets/list.json")',
    # Only an import map says where these lie.
    'import "lodash/fp.js"; import("three/addons/loader.js"); export * from "vue/index.mjs"',
    'var q = "?page="; var h = "#top"; var m = "mailto:a@b.test";',
    'var p = "/"; var pp = "//"; var dots = "../";',
    'baseURL = "/api/"; apiRoot: "/v1/"',
    '_gaq.push(["_setDomainName", ".site.test"]);',
    "ga.src = ('https:' == document.location.protocol ? 'https://ssl' : 'http://www') + '.stats.test/ga.js';",
    'var sel = "div.content > a.link"; $("ul.menu li.html")',
    'var b = "data:image/png;base64,iVBORw0KGgo/abc/def.png";',
    'x = "{0}/img/{1}.png"; y = "%s/a/%d.html";',
    "var g = 'src/**/*.js';",
    'a.b = "/:lang/news/:id";',
    "unterminated = 'it is",
]


def _found(script: str) -> list[str]:
    return [guess.reference for guess in script_addresses(script)]


@pytest.mark.parametrize(("script", "expected"), ADDRESSES, ids=[script[:40] for script, _ in ADDRESSES])
def test_an_address_in_a_script_is_found(script: str, expected: list[str]) -> None:
    assert _found(script) == expected


@pytest.mark.parametrize("script", NOTHING, ids=[script[:40] for script in NOTHING])
def test_what_only_looks_like_an_address_is_not_taken(script: str) -> None:
    assert _found(script) == []


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('import a from "./a.js"; b.src = "/b.js"', [("./a.js", True), ("/b.js", False)]),
        ("x = new URL('codec.wasm', import.meta.url).href", [("codec.wasm", True)]),
        ('new Worker(new URL("./w.js", import.meta.url), o)', [("./w.js", True)]),
        ('importScripts("a.js", "lib/b.js")', [("a.js", True), ("lib/b.js", True)]),
        ("const p = () => import('./page.js')", [("./page.js", True)]),
        ('import(/* webpackChunkName: "a" */ /* @vite-ignore */ "./a.js")', [("./a.js", True)]),
        ('self.importScripts("a.js"); globalThis.importScripts("b.js")', [("a.js", True), ("b.js", True)]),
        ("new window.URL('./codec.wasm', import.meta.url)", [("./codec.wasm", True)]),
        # What a bundler lists for a module; a page's own data counts from the page.
        (
            'import"./v.js";d=m.f=["./a-1.js","./b-2.css"]',
            [("./v.js", True), ("./a-1.js", True), ("./b-2.css", True)],
        ),
        ('import"./v.js"; fetch("./data.json")', [("./v.js", True), ("./data.json", False)]),
        ('import"./v.js"; icon("./favicon.png")', [("./v.js", True), ("./favicon.png", False)]),
        ('list = ["./a.js", "./b.js"]', [("./a.js", False), ("./b.js", False)]),
    ],
)
def test_an_address_counts_from_the_script_or_from_its_page(
    script: str, expected: list[tuple[str, bool]]
) -> None:
    assert [tuple(guess) for guess in script_addresses(script)] == expected


_LOADING = "function add(doc, path) { var e = doc.createElement('script'); e.src = PLACE; }"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("$(i).attr('src', src.substring(0, src.length - 8) + 'closed.png');", [("closed.png", True)]),
        ("script.src = root + 'search.js';", [("search.js", True)]),
        (_LOADING.replace("PLACE", "root + path") + "add(document, 'index.js');", [("index.js", True)]),
        (_LOADING.replace("PLACE", "path") + "add(document, 'index.js');", [("index.js", False)]),
        ("x.add = function (a) { e.src = a; }; x.add('a.js')", [("a.js", False)]),
        ("each(function (a) { e.src = a; }); ('a.js')", []),
        ("script.src = root + 'parts/search.js';", [("parts/search.js", True)]),
        ("zip.getBinaryContent(root + 'types.json', function () {})", [("types.json", True)]),
        ("Search.loadIndex('searchindex.js')", [("searchindex.js", False)]),
        ("script.src = root + '/parts/search.js';", []),
        ("script.src = root + 'search.js' + version;", []),
        ("if (script.src == root + 'search.js') run();", []),
        ("name = root + 'search.js';", []),
        ("function add(path) { names.push(path); e.src = root; } add('index.js');", []),
    ],
)
def test_a_name_that_a_script_completes_counts_from_the_script(
    script: str, expected: list[tuple[str, bool]]
) -> None:
    assert [tuple(guess) for guess in script_addresses(script)] == expected


@pytest.mark.parametrize(
    ("via", "script", "expected"),
    [
        ("/", 's = script.src.replace("js/doc.js", "index.js")', ["../index.js"]),
        ("/", 's = script.src.replace("js/other.js", "index.js")', []),
        ("/deep/page.html", 'a.href = "IO.html"', ["http://site.test/deep/IO.html"]),
        # Of a script that another one loads no page is known.
        ("/deep/loader.js", 'a.href = "IO.html"', ["IO.html"]),
    ],
)
def test_a_script_finds_files_from_its_own_place(via: str, script: str, expected: list[str]) -> None:
    url, page = "http://site.test/js/doc.js", f"http://site.test{via}"
    found = extract(url, None, "text/javascript", script.encode(), "E", Extraction(), via=page)
    assert [link.reference for link in found.links] == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('var pics = ["one.jpg", "two.jpg"]', ["one.jpg", "two.jpg"]),
        ('show(["a.png", "b.png"])', ["a.png", "b.png"]),
        ('var pics = new Array("one.gif", "two.gif")', ["one.gif", "two.gif"]),
        ('show(Array("a.png"))', ["a.png"]),
        ('var names = new Array("one.gif", "two.gif")', []),
        ('NAVTREE = [["Overview", "overview.html", null], ["x", "y.html"]]', ["overview.html", "y.html"]),
        ('{titles:["a"],filenames:["faq/admin.txt","intro.html"],x:1}', []),
        ('needs = ["jquery.js", "package.json", "index.html"]', []),
        ('show("one.jpg", "two.jpg")', []),
        ('new Map([["Page.pdf", {title: "PDF"}], ["Page.png", {}]])', []),
    ],
)
def test_bare_names_of_files_are_taken_from_lists(script: str, expected: list[str]) -> None:
    assert _found(script) == expected


def test_strings_are_told_from_comments_and_patterns() -> None:
    script = "a = 'x'; /* 'no' */ b = /'no'/g; c = \"y\\\"z\"; // 'no'\nd = 4 / 2 / 'q'.length"
    assert [string.value for string in script_strings(script)] == ["x", 'y"z', "q"]
