"""Hostile pages: whatever a page does to its tags, what a real parser finds in our output stays inside."""

import contextlib
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from turbohtml import parse

from armarium.access.rewrite import HtmlRewriter, Kind, Links, rewriter_for
from armarium.formats.url import InvalidUrl, resolve

PREFIX = "http://localhost:8091/all/"
LINKS = Links(PREFIX, "20131010000000", "http://example.com/path/page.html")
HERE = f"{PREFIX}20131010000000mp_/http://example.com/path/page.html"

TAGS = [
    "a",
    "A",
    "img",
    "IMG",
    "script",
    "style",
    "textarea",
    "title",
    "xmp",
    "noscript",
    "iframe",
    "noembed",
    "noframes",
    "svg",
    "math",
    "foreignObject",
    "desc",
    "div",
    "p",
    "table",
    "td",
    "form",
    "input",
    "body",
    "head",
    "html",
    "link",
    "meta",
    "base",
    "object",
    "embed",
    "video",
    "template",
    "button",
    "plaintext",
    "mi",
    "annotation-xml",
    "font",
    "br",
    "image",
    "use",
]
ADDRESSES = [
    "http://evil.com/x",
    "//evil.com/y",
    "/root",
    "../../../../up",
    "rel",
    "\\\\evil.com\\z",
    "&#104;ttp://evil.com/e",
    "http:evil",
    "#f",
    "javascript:x()",
    "HTTPS://EVIL.com",
    "h&#x09;ttp://evil.com/",
    "&#47;/evil.com",
    "&sol;&sol;evil.com",
    "/&#92;evil.com",
]
ODD = [
    "<!--",
    "-->",
    "--!>",
    "<!-->",
    "<!--->",
    "<![CDATA[",
    "]]>",
    "<!",
    "<?",
    "</",
    "</>",
    "<",
    ">",
    "/>",
    "=",
    "'",
    '"',
    "<script>",
    "</script>",
    "</SCRIPT/>",
    "<!--<script>\n</style/>",
    "<a/href=/x>",
    "<a\thref='",
    "&amp;",
    "text",
    "\x00",
]
ATTRIBUTES = [
    "href",
    "src",
    "action",
    "data",
    "poster",
    "HREF",
    "sRc",
    "formaction",
    "background",
    "xlink:href",
    "style",
    "title",
    "hr\x00ef",
]

FOLLOWED = {
    "href": {"a", "area", "link", "image", "use"},
    "src": {"img", "script", "iframe", "embed", "video", "input"},
    "action": {"form"},
    "formaction": {"input", "button"},
    "data": {"object"},
    "poster": {"video"},
    "background": {"body", "table", "td"},
}

attribute = st.builds(
    lambda space, name, equals, quoted, address: f"{space}{name}{equals}{quoted.format(address)}",
    st.sampled_from([" ", "\n", "/", "\t", ""]),
    st.sampled_from(ATTRIBUTES),
    st.sampled_from(["=", " = ", "=\n"]),
    st.sampled_from(['"{}"', "'{}'", "{}"]),
    st.sampled_from(ADDRESSES),
)
tag = st.builds(
    lambda name, attributes, end: f"<{name} {''.join(attributes)}{end}",
    st.sampled_from(TAGS),
    st.lists(attribute, max_size=3),
    st.sampled_from([">", ">", "/>", ""]),
)
end_tag = st.builds(
    lambda name, end: f"</{name}{end}", st.sampled_from(TAGS), st.sampled_from([">", " >", "/x>"])
)
soup = st.lists(st.one_of(tag, tag, end_tag, st.sampled_from(ODD)), max_size=14).map("".join)


def leaks(text: str) -> Iterator[tuple[str, str, str]]:
    document = parse(text, scripting=True)
    bases = [e.attrs["href"] for e in document.iter_elements() if e.tag == "base" and "href" in e.attrs]
    base = HERE
    if bases:
        with contextlib.suppress(InvalidUrl):
            base = resolve(HERE, str(bases[0]))
    for element in document.iter_elements():
        foreign = "HTML" not in str(element.namespace)
        for name, value in element.attrs.items():
            small = name.lower()
            follows = element.tag.lower() in FOLLOWED.get(small, ()) or (
                foreign and small in ("href", "xlink:href")
            )
            if follows and leads_out(base, str(value)):
                yield element.tag, name, str(value)


def leads_out(base: str, value: str) -> bool:
    try:
        seen = resolve(base, value)
    except InvalidUrl:
        return False
    return seen.startswith(("http:", "https:")) and not seen.startswith(PREFIX)


@settings(max_examples=400, deadline=None)
@given(soup)
def test_no_attribute_gets_past_us(text: str) -> None:
    assert list(leaks(HtmlRewriter(LINKS).rewritten(text))) == []


@settings(max_examples=200, deadline=None)
@given(soup, st.integers(min_value=1, max_value=9))
def test_pieces_make_no_difference(text: str, size: int) -> None:
    data = text.encode("latin-1")
    rewriter = HtmlRewriter(LINKS, head_insert=b"<i>")
    out = b"".join(rewriter.feed(data[at : at + size]) for at in range(0, len(data), size)) + rewriter.close()
    assert out.decode("latin-1") == HtmlRewriter(LINKS, head_insert=b"<i>").rewritten(text)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(Kind)), st.binary(max_size=300))
def test_no_bytes_are_an_error(kind: Kind, data: bytes) -> None:
    rewriter = rewriter_for(kind, LINKS, insert=b"<i>", callback="f")
    rewriter.feed(data)
    rewriter.close()
