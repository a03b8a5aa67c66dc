"""Other people's vectors of rewriting. What we do otherwise stands in docs/reference/deviations.md."""

import ast
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
from turbohtml import tokenize

from armarium.access.rewrite import (
    Archival,
    Asked,
    CookieScope,
    HtmlRewriter,
    Links,
    ScriptRewriter,
    callback_in,
    parse_archival,
    replayed_cookie,
)
from armarium.access.rewrite.css import rewrite_css
from armarium.access.rewrite.js import rewrite_jsonp
from armarium.access.rewrite.playlists import rewrite_dash

PAGE = Links("/web/", "20131226101010", "http://example.com/some/path/index.html", mod="")
WABAC = Links("http://localhost:8080/prefix/", "20201226101010", "https://example.com/some/path/index.html")


def cases(corpora: Path, name: str) -> list[dict[str, Any]]:
    found = json.loads((corpora / "rewriting" / "vectors" / name).read_text(encoding="utf-8"))["cases"]
    assert isinstance(found, list)
    return found


def tokens(text: str) -> list[tuple[object, ...]]:
    """A page without the difference between `<A HREF='x'>` and `<a href="x">`."""
    found: list[tuple[object, ...]] = []
    for token in tokenize(text):
        if token.type.name.endswith("TAG"):
            found.append((token.type.name, token.tag, tuple(sorted(token.attrs or ()))))
        elif found and found[-1][0] == token.type.name == "TEXT":
            found[-1] = ("TEXT", f"{found[-1][1]}{token.data}")
        else:
            found.append((token.type.name, token.data))
    return found


# --- pywb

# pywb's page is rewritten for another prefix, or with an option that we do not have.
OTHER_OPTIONS = ("urlrewriter", "parse_comments", "js_proxy")
# Parts of pages that we leave, or rewrite otherwise: deviations, "Replay".
OTHERWISE = re.compile(
    r"<script|onclick|og:image|<html><head/>|^\ufeff|]]>|&#x2f;&#x2f;www|\"  page.html  \"|Href=\"  \""
    r"|<style>@import url|ya\u015far",
)


def as_ours(expected: str) -> str:
    """pywb gives no mod to candidates of a srcset, leaves `//` to the server, and writes `, ` between."""
    found = re.search(r'srcset="([^"]*)"', expected)
    if not found:
        return expected
    ours = (
        found[1].replace("/web/20131226101010/", "/web/20131226101010im_/").replace("im_///", "im_/http://")
    )
    return expected.replace(found[1], ours)


def test_pages_of_pywb(corpora: Path) -> None:
    differing = []
    run = 0
    for case in cases(corpora, "pywb_html_rewriter.json"):
        options = case.get("kwargs", {})
        if case["call"] != "parse" or any(name in options for name in OTHER_OPTIONS):
            continue
        text = case["args"][0]
        if OTHERWISE.search(text):
            continue
        run += 1
        insert = options.get("head_insert", "").encode()
        rewriter = HtmlRewriter(PAGE, head_insert=insert)
        rewritten = (rewriter.feed(text.encode()) + rewriter.close()).decode()
        same = tokens(as_ours(case["expected"])) == tokens(re.sub(r"(?<=\dw|\dx),(?=/web)", ", ", rewritten))
        if not same:
            differing.append((text, case["expected"], rewritten))
    assert differing == []
    assert run >= 69


def test_archival_addresses_of_pywb(corpora: Path) -> None:
    run = 0
    for case in cases(corpora, "pywb_wburl.json"):
        expression = next((arg["expr"] for arg in case.get("args", ()) if isinstance(arg, dict)), "")
        if case.get("call") != "repr" or not expression.startswith("WbUrl("):
            continue
        written = eval_text(expression.removeprefix("WbUrl(").removesuffix(")"))
        kind, timestamp, mod, url, _ = ast.literal_eval(ast.literal_eval(case["expected"]))
        found = parse_archival(written)
        run += 1
        assert found.url == url, written
        if kind in ("query", "url_query"):
            assert isinstance(found, Asked), written
            assert (found.from_, found.form, found.prefix) == (timestamp, mod, kind == "url_query"), written
        else:
            assert isinstance(found, Archival), written
            assert (found.timestamp, found.mod) == (timestamp, mod), written
    assert run > 35


def eval_text(expression: str) -> str:
    """The few expressions that the vectors are written in: strings, `+`, and quote_plus."""
    parts = re.findall(r"(quote_plus\()?u?'([^']*)'(?:\.encode\('utf-8'\)\))?", expression)
    return "".join(quote_plus(text) if quoted else text for quoted, text in parts)


def test_links_of_pywb(corpora: Path) -> None:
    """Those of a page with a date; the others are of parts of pywb that we do not have."""
    run = 0
    for case in cases(corpora, "pywb_url_rewriter.json"):
        if case.get("call") != "do_rewrite" or not re.match(r"\d{4,14}[a-z_]*/", case["args"][1]):
            continue
        written, page, prefix, *mods = case["args"]
        if prefix in ("", "/") or "\\" in written or written.startswith("//"):
            continue  # read as a browser reads them, not kept as they are written
        parsed = parse_archival(page)
        assert isinstance(parsed, Archival)
        links = Links(prefix, parsed.timestamp, parsed.url, mod=parsed.mod)
        expected = ast.literal_eval(case["expected"])
        if written == "file.js":
            expected = (
                f"{prefix}{parsed.timestamp}/http://example.com/file.js"  # nothing is beside a bare host
            )
        origin = re.match(r"https?://[^/]+", prefix)
        found = links.archived(written, *mods)
        assert found.removeprefix(origin[0] if origin else "") == expected.removeprefix(
            origin[0] if origin else ""
        )
        run += 1
    assert run >= 10


def test_cookies_of_pywb(corpora: Path) -> None:
    rewriters = {
        "urlrewriter": Links("/pywb/", "20131226101010", "http://example.com/some/path/index.html", mod=""),
        "urlrewriter2": Links("/preview/", "", "http://example.com/file.html", mod="em_"),
    }
    run = 0
    for case in cases(corpora, "pywb_cookie_rewriter.json"):
        if case.get("call") != "rewrite_cookie" or "Path=file.html" in case["args"][0]:
            continue  # a path that does not begin with a slash counts as none (RFC 6265, 5.2.4)
        written, rewriter, scope = case["args"]
        if "Path=../" in written:
            continue
        found = replayed_cookie(written, rewriters[rewriter["expr"]], CookieScope(scope))
        expected = ast.literal_eval(case["expected"])
        # Ours last no longer than the visit.
        kept = re.sub(r"; Max-Age=[1-9]\d*", "", expected[0][1]) if expected else None
        assert found == kept, written
        run += 1
    assert run >= 12


# --- wabac

PROLOGUE = re.compile(
    r".*?let arguments;\{[^\n]*\n|var _____WB\$wombat\$assign.*?\"\)\)(?:,\w+=[^;,]*)*;", re.DOTALL
)


def without_wrapping(script: str) -> str:
    found = PROLOGUE.match(script)
    return script[found.end() :].removesuffix("\n}}") if found else script


def without_wabac_wrapping(script: str) -> str:
    script = re.sub(
        r"\(self\.__WB_check_loc && (self\.__WB_check_loc\(location, )(?:arguments|\[\])\)\)",
        r"(self.__WB_check_loc ? \1arguments) : 0)",
        script,
    )
    if "let arguments;\n\n" in script:
        script = script.split("let arguments;\n\n", 1)[1].rsplit("\n\n}", 1)[0]
    return script


# `let`, `const` and `class` are kept visible in another way; no `document.close()` is added; no `;` is needed
# before a name; `this` at the very beginning is `this` too.
JS_OTHERWISE = re.compile(
    r"^\s*(?:let|const|class) .*[\s\S]*(?:document|location)|^document\.write|^this\.location|^a = 5\n\nthis"
)


def test_scripts_of_wabac(corpora: Path) -> None:
    run = 0
    for case in cases(corpora, "wabac_rewriteJS.json"):
        text, expected = case["args"][:2]
        if JS_OTHERWISE.search(text):
            continue
        found = without_wrapping(ScriptRewriter(WABAC).external(text))
        found = found.replace(
            f'("{WABAC.url}", ', "(null, "
        )  # better known than not: a relative import needs it
        assert found == without_wabac_wrapping(expected or text), text
        run += 1
    assert run > 70


def test_calls_of_wabac(corpora: Path) -> None:
    for case in cases(corpora, "wabac_rewriteJSONP.json"):
        arguments = case["args"]
        url = arguments[2] if len(arguments) > 2 else "http://example.com/?callback=jQuery_ABC"
        callback = None if case["kind"] == "rewriteJSONPMissingCB" else callback_in(url)
        expected = arguments[1] if len(arguments) > 1 else ""
        assert rewrite_jsonp(arguments[0], callback) == (expected or arguments[0])


def test_sheets_of_wabac(corpora: Path) -> None:
    """wabac has one mod for all, removes a space, and a mark that we leave because it tells the charset."""
    for case in cases(corpora, "wabac_rewriteCSS.json"):
        found = re.sub(r"(?<=\d)(?:oe|cs)_", "mp_", rewrite_css(case["args"][0], WABAC))
        assert found.removeprefix("ï»¿").replace(" )", ")") == case["args"][1]


# --- OpenWayback, SolrWayback


@pytest.mark.parametrize("insert", ["", "[[[JSP-INSERT:head.jsp]]]"])
def test_pages_of_openwayback(corpora: Path, insert: str) -> None:
    links = Links("http://replay.archive.org/", "2001", "http://www.example.com/", mod="")
    run = 0
    for case in cases(corpora, "openwayback_html.json"):
        called = case["of"]
        expected = re.sub(r"\[\[\[JSP-INSERT:(?:body|end)[^\]]*\]\]\]", "", case["expected"])
        skipped = (
            "Script",
            "Javascript",
            "Disable",
            "Additional",
            "DOMEvent",
            "Fontface",
            "noHeadInsert",
            "NonHTML",
            "XHTML",
        )
        if called["call"] != "doEndToEnd" or any(word in case["test"] for word in skipped):
            continue
        if ("head.jsp" in expected) != bool(insert):
            continue
        if "testHTMLEntityInURL" in case["test"] or "MissingHeadCloseTag" in case["test"]:
            continue  # what is not an address is not written anew
        found = HtmlRewriter(links, head_insert=insert.encode()).rewritten(called["args"][0])
        found = re.sub(r'__wb_orig_src="([^"]*)" src="[^"]*"', r'src="\1"', found)
        # OpenWayback calls everything in a sheet an image.
        found = re.sub(r"(url\([^)]*2001)oe_", r"\1im_", found)
        assert tokens(found) == tokens(expected), case["test"]
        run += 1
    assert run >= 8


@pytest.mark.parametrize("name", ["simple", "multisource", "style_element", "css2"])
def test_every_address_of_the_pages_of_solrwayback_is_inside(corpora: Path, name: str) -> None:
    """SolrWayback asks its index for each address and has other answers; what it rewrites, we must too."""
    text = (corpora / "rewriting" / "solrwayback" / f"{name}.html").read_text(encoding="utf-8")
    links = Links("http://localhost/all/", "2020", "http://example.com/somefolder/page.html")
    found = HtmlRewriter(links).rewritten(text)
    outside = [
        value
        for token in tokenize(found)
        for key, value in token.attrs or ()
        if key != "xmlns" and re.match(r"(?:https?:)?/", value) and not value.startswith(links.prefix)
    ]
    assert outside == []


def test_of_the_film_of_pywb_one_representation_of_each_set_is_left(corpora: Path) -> None:
    text = (corpora / "rewriting" / "pywb-content" / "sample_dash.mpd").read_text(encoding="utf-8")
    found = rewrite_dash(text, Links("/all/", "2020", "http://example.com/film.mpd"))
    assert found.count("<Representation ") == found.count("<AdaptationSet")
