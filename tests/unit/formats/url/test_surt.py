import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from armarium.formats.url import surt
from armarium.formats.url.sessions import without_path_session, without_query_session
from armarium.formats.url.surt import implied_prefix, surt_form
from tests.cost import processor_seconds

SESSION = "0123456789abcdefghijklmnopqrstuv"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.example.com/", "com,example)/"),
        ("https://WWW3.Example.COM/A/B/?b=2&A=1#top", "com,example)/a/b?a=1&b=2"),
        ("http://example.com", "com,example)/"),
        ("http://example.com?x", "com,example)/?x"),
        ("example.com/x", "com,example)/x"),
        ("http://user:secret@example.com/", "com,example)/"),
        ("http://example.com:80/", "com,example)/"),
        ("https://example.com:80/", "com,example:80)/"),
        ("http://example.com:08080/", "com,example:8080)/"),
        ("http://example.com:/", "com,example)/"),
        ("http://example.com:0/", "com,example)/"),
        ("http://192.168.1.1/x", "1,1,168,192)/x"),
        ("http://3279880203/", "11,0,127,195)/"),
        ("http://017.0.0.1/", "1,0,0,15)/"),
        ("http://10.0.258/", "2,1,0,10)/"),
        ("http://1.2.3.256/", "256,3,2,1)/"),
        ("http://08.1.1.1/", "1,1,1,08)/"),
        ("http://[2001:db8::1]:8080/x", "2001:db8::1:8080)/x"),
        ("http://bücher.example/", "example,xn--bcher-kva)/"),
        ("http://b%C3%BCcher.example/", "example,xn--bcher-kva)/"),
        ("http://straße.example/", "example,strasse)/"),
        ("http://example.com/caf%C3%A9", "com,example)/caf%c3%a9"),
        ("http://example.com/café", "com,example)/caf%c3%a9"),
        ("http://example.com/a%2525b", "com,example)/a%25b"),
        ("http://example.com/%2525%34%31", "com,example)/a"),
        ("http://example.com//a/./b//../c/", "com,example)/a/b/c"),
        ("http://example.com/../a", "com,example)/../a"),
        ("http://example.com/a/..", "com,example)/"),
        ("http://example.com/?q=a%26b", "com,example)/?b&q=a"),
        (f"http://example.com/?sid={SESSION}&a=1", "com,example)/?a=1"),
        ("http://example.com/?CFID=1&CFTOKEN=2&a=1", "com,example)/?a=1"),
        ("http://example.com/(S(4hqa0555fwsecu455xqckv45))/x.aspx", "com,example)/x.aspx"),
        ("http:////////www.example.com/x", "com,example)/x"),
        ("http://https://example.com/", "com,example)/"),
    ],
)
def test_a_url_has_the_key_of_the_wayback_convention(url: str, key: str) -> None:
    assert surt(url) == key
    assert surt(url.encode()) == key


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("dns:www.Example.com", "dns:www.example.com"),
        ("urn:uuid:12AB", "urn:uuid:12ab"),
        ("mailto:Info@Example.com", "mailto:info@example.com"),
        ("metadata://gnu.org/warc/MANIFEST.txt", "org,gnu)/warc/manifest.txt"),
        ("filedesc://A B.arc", "filedesc://A B.arc"),
        ("warcinfo:/Crawl-1.warc.gz/x", "warcinfo:/crawl-1.warc.gz/x"),
        ("screenshot:http://Example.com/", "screenshot:http://example.com"),
        ("data:text/plain,Hello World", "data:text/plain,hello%20world"),
        ("javascript:void(0)", "javascript:void(0)"),
        ("whois://whois.isoc.org.il/shaveh.co.il", "il,org,isoc,whois)/shaveh.co.il"),
        ("ftp://ftp.example.com:21/", "com,example,ftp:21)/"),
        ("example.com:8080/", "example.com:8080"),
    ],
)
def test_other_schemes_have_keys(url: str, key: str) -> None:
    assert surt(url) == key


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("", "-"),
        (" \t\n", "-"),
        (":", "http:"),
        ("http://", "http:"),
        ("http:///", "http:/"),
        ("http://example.com:port/x", "com,example:port)/x"),
        ("http://example.com:99999/x", "com,example:99999)/x"),
        ("http://example.com:٣/", "com,example:%d9%a3)/"),
        ("http://\ud800.example/\udce9", "example,%ed%a0%80)/%e9"),
        ("http://example.com/\udce9", "com,example)/%e9"),
        ("http://[::1/", "::1)/"),
        ("http://" + "1" * 5000 + "/", "1" * 5000 + ")/"),
        ("http://" + "ü" * 5000 + "/", "%c3%bc" * 5000 + ")/"),
    ],
)
def test_what_is_broken_has_a_key_all_the_same(url: str, key: str) -> None:
    assert surt(url) == key


def test_options_write_the_forms_of_other_tools() -> None:
    url = "https://www.example.com/x"
    assert surt(url, with_scheme=True) == "https://(com,example)/x"
    assert surt(url, with_scheme=True, trailing_comma=True, strip_www=False) == "https://(com,example,www,)/x"


def test_the_form_of_heritrix_canonicalises_nothing() -> None:
    assert surt_form("http://user@www.Archive.org:8080/A?b#c") == "http://(org,archive,www,:8080@user)/A?b#c"
    assert surt_form("http://[::1]:80/x") == "http://([::1]:80)/x"
    assert surt_form("dns:archive.org") == "dns:archive.org"


@pytest.mark.parametrize(
    ("seed", "prefix"),
    [
        ("http://www.archive.org", "http://(org,archive,www,"),
        ("http://www.archive.org/", "http://(org,archive,www,)/"),
        ("http://archive.org/movies/index.html", "http://(org,archive,)/movies/"),
        ("http://archive.org/movies", "http://(org,archive,)/"),
        ("archive.org", "http://(org,archive,"),
    ],
)
def test_a_seed_implies_the_prefix_of_its_folder(seed: str, prefix: str) -> None:
    assert implied_prefix(seed) == prefix


@pytest.mark.parametrize(
    ("query", "left"),
    [
        (f"a=1&xsid={SESSION}", "a=1&x"),
        (f"sid={SESSION}0&b", f"sid={SESSION}0&b"),
        (f"sid={SESSION}&sid={SESSION}", f"sid={SESSION}&"),
        ("cfid=1&cftoken=", "cfid=1&cftoken="),
        ("cfid=&cftoken=2", "cfid=&cftoken=2"),
        ("a&cfid=1&b&cfid=cfid=3&cftoken=4&c", "a&cfid=1&b&cfid=c"),
    ],
)
def test_only_a_whole_session_id_is_removed_from_a_query(query: str, left: str) -> None:
    assert without_query_session(query) == left


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("/(4hqa0555fwsecu455xqckv45)/.aspx", "/(4hqa0555fwsecu455xqckv45)/.aspx"),
        ("/(4hqa0555fwsecu455xqckv45)/a?b.aspx", "/(4hqa0555fwsecu455xqckv45)/a?b.aspx"),
        ("/x.aspx/(4hqa0555fwsecu455xqckv45)/y", "/x.aspx/(4hqa0555fwsecu455xqckv45)/y"),
    ],
)
def test_a_session_in_a_path_needs_a_page_after_it(path: str, left: str) -> None:
    assert without_path_session(path) == left


PIECES = (
    "http https :// : / // . .. ? # @ % %2 %25 %41 %2F %c3%a9 www. Example .com 127 0 :80 :x [ ] ::1 é & = "
    f"b=2 a ( ) .aspx (4hqa0555fwsecu455xqckv45) sid={SESSION} cfid=1&cftoken=2"
).split()
pieces = st.sampled_from([*PIECES, " ", "\t", "\ud800", "\udcff"])
anything = st.text() | st.lists(pieces, max_size=15).map("".join)


@given(anything)
@example("http://a/" + "%25" * 50)
def test_every_text_has_a_key_in_printable_ascii(url: str) -> None:
    key = surt(url)
    assert key
    if not url.startswith("filedesc"):
        assert key.isascii()
        assert key.isprintable()
        assert " " not in key


@given(st.binary())
def test_any_bytes_have_a_key(url: bytes) -> None:
    assert surt(url)


@given(anything)
def test_the_short_way_and_the_long_way_lead_to_one_key(url: str) -> None:
    """A space around the URL sends it the long way, and is removed there."""
    if not url.startswith("filedesc"):
        assert surt(f" {url}") == surt(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://a/" + "%25" * 50_000 + "41",
        "http://a/" + "/(4hqa0555fwsecu455xqckv45)" * 5_000 + "/",
        "http://a/x.aspx" + "/(4hqa0555fwsecu455xqckv45)" * 5_000 + "/",
        "http://a/?cftoken=&" + "cfid=" * 30_000,
        "http://a/?" + "sid=" * 30_000,
        "http://a/" + "a/../" * 30_000,
        "http://" + "a.é" * 30_000,
        "http://a:" + "9" * 100_000,
        "http" + "://http" * 20_000,
        "http://" * 20_000,
        "http://a/?" + "&" * 100_000,
    ],
)
def test_no_url_of_100_kilobytes_takes_a_second(url: str) -> None:
    with processor_seconds(1):
        surt(url)
