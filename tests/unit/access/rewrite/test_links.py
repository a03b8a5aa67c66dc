import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.access.rewrite import Links
from armarium.formats.url import InvalidUrl, resolve

PREFIX = "http://localhost:8091/all/"
PAGE = "http://example.com/path/page.html"
LINKS = Links(PREFIX, "20131010000000", PAGE)
HERE = f"{PREFIX}20131010000000mp_/"


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("http://other.org/a?b#c", "http://other.org/a?b#c"),
        ("//other.org/a", "http://other.org/a"),
        ("/a/b", "http://example.com/a/b"),
        ("../../../up", "http://example.com/up"),
        ("\\\\other.org\\a", "http://other.org/a"),
        (" \n http://other.org/ ", "http://other.org/"),
        ("ht\ntp://other.org/", "http://other.org/"),
        ("HTTP://other.org/../..", "http://other.org/"),
        ("http:/rooted", "http://example.com/rooted"),
        ("/%2e%2e/x", "http://example.com/x"),
    ],
)
def test_an_address_is_read_as_a_browser_reads_it(written: str, url: str) -> None:
    assert LINKS.archived(written) == HERE + url


@pytest.mark.parametrize(
    "written",
    [
        "",
        "#top",
        "data:,x",
        "mailto:a@b",
        "about:blank",
        "java\nscript:x()",
        "blob:http://x/y",
        "tel:1",
        "page2.html",
        "?a=b",
    ],
)
def test_what_leads_nowhere_or_stays_beside_the_page_is_left(written: str) -> None:
    assert LINKS.archived(written) == written


def test_what_is_inside_already_is_left_unless_it_climbs_out() -> None:
    for written in (f"{HERE}http://x/", "/all/2013/http://x/", f"{PREFIX}http://x/"):
        assert LINKS.archived(written) == written
    assert LINKS.archived(f"{PREFIX}../other").startswith(HERE)
    assert LINKS.archived("/all/2013/http://x/../../../../other").startswith(HERE)
    assert LINKS.archived("/all/of/our/news.html") == f"{HERE}http://example.com/all/of/our/news.html"


def test_a_relative_script_is_absolute_because_its_mod_must_be_known() -> None:
    assert LINKS.archived("a.js", "js_") == f"{PREFIX}20131010000000js_/http://example.com/path/a.js"
    assert LINKS.archived("a.png", "im_") == "a.png"


def test_beside_an_address_without_path_nothing_stays_relative() -> None:
    links = Links(PREFIX, "20131010000000", "http://example.com")
    assert links.archived("file.html") == f"{HERE}http://example.com/file.html"


@given(st.text(alphabet=st.sampled_from("htp:/\\.%2eE?#@a \t\n&=;x"), max_size=20))
def test_no_address_leads_out(written: str) -> None:
    archived = LINKS.archived(written)
    try:
        seen = resolve(HERE + PAGE, archived)
    except InvalidUrl:
        return
    assert not seen.startswith(("http:", "https:")) or seen.startswith(PREFIX)
