"""Normalisers of other crawlers: where they find two URLs to be one, so do we, or we say why not.

Each has its own idea of "the same page". Ours are two: `canonical`, which never makes one of two pages, and
`surt`, which is generous. A pair must be one by the former or by the latter; the rest is in
docs/reference/deviations.md under "URLs: normalisers of other crawlers", class by class.
"""

import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.url import InvalidUrl, canonical, measure, parse, registered_domain, resolve, surt
from armarium.formats.url.canonical import uniform

Pair = tuple[str, str]

# deviations.md: classes in which neither finds the two to be one.
HOST_OF_DOTS = re.compile(r"[a-z]+:/{0,3}(?:%2e)+/", re.IGNORECASE)
NO_HOST = re.compile(r"https?:/*$|file:")
NOT_SPECIAL_NOW = re.compile(r"gopher:")
EMPTY_PARAMETER = re.compile(r"[?&](?:&|=|[^&#]*=(?:&|#|$)|$)")
USER_BEHIND_ONE_SLASH = re.compile(r"http:/?[^/]*@")
BACKSLASHES = re.compile(r"\\")
SESSION_OF_ANOTHER_SHAPE = re.compile(r";jsessionid=|jsessionid=[^&]*\$")
NOT_ONE = (
    HOST_OF_DOTS,
    NO_HOST,
    NOT_SPECIAL_NOW,
    EMPTY_PARAMETER,
    USER_BEHIND_ONE_SLASH,
    BACKSLASHES,
    SESSION_OF_ANOTHER_SHAPE,
)


def with_scheme(url: str) -> str:
    """Armarium asks for a scheme; a normaliser that guesses it guesses http."""
    return url if re.match(r"\s*[A-Za-z][A-Za-z0-9+.-]*:(?![0-9])", url) else f"http://{url.lstrip('/')}"


def canonical_or_none(url: str) -> str | None:
    try:
        return canonical(with_scheme(url))
    except InvalidUrl:
        return None


def unexplained(pairs: Iterable[Pair]) -> list[tuple[str, str, str | None]]:
    found = []
    for given, want in pairs:
        ours = canonical_or_none(given)
        one = (ours is not None and ours == canonical_or_none(want)) or surt(given) == surt(want)
        if not one and not any(deviation.search(given) for deviation in NOT_ONE):
            found.append((given, want, ours))
    return found


def json_of(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def rows(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        wanted = (line for line in lines if line.strip() and not line.startswith("#"))
        return list(csv.reader(wanted, skipinitialspace=True))


def test_crawler_commons_finds_the_same_urls_to_be_one(corpora: Path) -> None:
    pairs = rows(corpora / "url-canon" / "crawler-commons" / "weirdToNormalizedUrls.csv")
    assert pairs
    assert unexplained((row[0], row[1]) for row in pairs if len(row) == 2) == []


def test_crawler_commons_resolves_references_alike(corpora: Path) -> None:
    for reference, base, want in rows(corpora / "url-canon" / "crawler-commons" / "url-resolve.csv"):
        assert resolve(base or reference, reference) == parse(want).href


def test_nutch_finds_the_same_urls_to_be_one(corpora: Path) -> None:
    found = json_of(corpora / "url-canon" / "vectors" / "nutch_basic.json")["cases"]
    strings = [[value for value in case["args"] if isinstance(value, str)] for case in found]
    assert strings
    assert unexplained((pair[0], pair[1]) for pair in strings) == []


@pytest.mark.parametrize("name", ["semantic_precise", "aggressive"])
def test_urlcanon_finds_the_same_urls_to_be_one(corpora: Path, name: str) -> None:
    """Its cases hold one character per byte, as far as they can."""
    pairs = json_of(corpora / "url-canon" / "urlcanon" / f"{name}.json")
    assert pairs
    assert unexplained((from_bytes(given), from_bytes(want)) for given, want in pairs.items()) == []


def from_bytes(text: str) -> str:
    try:
        return text.encode("latin-1").decode("utf-8", "surrogateescape")
    except ValueError:
        return text


def test_canonical_forms_of_urlcanons_oddities_are_their_own(corpora: Path) -> None:
    for url in json_of(corpora / "url-canon" / "urlcanon" / "idempotence.json"):
        ours = canonical_or_none(url)
        assert ours is None or canonical(ours) == ours


def test_dot_segments_are_resolved_as_urlcanon_resolves_them(corpora: Path) -> None:
    """In special schemes a backslash is a slash, which urlcanon makes it in another stage."""
    groups = json_of(corpora / "url-canon" / "urlcanon" / "path_dots.json")
    for path, want in groups["special"].items():
        assert parse(f"http://host{path}").path == want.replace("\\", "/"), path
    for path, want in groups["nonspecial"].items():
        if path.startswith("/"):
            assert parse(f"scheme://host{path}").path == want, path


def test_strange_ipv4_addresses_are_read_as_urlcanon_reads_them(corpora: Path) -> None:
    for host, want in json_of(corpora / "url-canon" / "urlcanon" / "funky_ipv4.json").items():
        try:
            got = parse(f"http://{host}/").host
        except InvalidUrl:
            got = None
        assert got == want or (want is None and not re.fullmatch(r"[0-9.]+", got or "")), host


HERITRIX_RULES = [
    "heritrix_StripUserinfoRule",
    "heritrix_StripWWWNRule",
    "heritrix_StripWWWRule",
    "heritrix_FixupQueryString",
]


@pytest.mark.parametrize("name", HERITRIX_RULES)
def test_what_a_rule_of_heritrix_makes_one_has_one_key(corpora: Path, name: str) -> None:
    pairs = [
        (case["of"]["args"][0], case["expected"])
        for case in json_of(corpora / "url-canon" / "vectors" / f"{name}.json")["cases"]
    ]
    assert pairs
    assert unexplained(pairs) == []


def wpull_cases(corpora: Path, operation: str) -> list[tuple[list[str], Any]]:
    found = json_of(corpora / "url-canon" / "vectors" / "wpull_url.json")["cases"]
    wanted = [(case["inputs"], case["expected"]) for case in found if case["op"] == operation]
    assert wanted
    return wanted


def test_wpull_finds_the_same_urls_to_be_one(corpora: Path) -> None:
    cases = wpull_cases(corpora, "URLInfo.parse(INPUT).url")
    assert unexplained((inputs[0], want) for inputs, want in cases) == []


def test_wpull_resolves_references_alike(corpora: Path) -> None:
    """Not against a base that cannot be one, nor `//` alone: the URL Standard says failure to both."""
    for (base, reference), want in wpull_cases(corpora, "urljoin(INPUT, INPUT2)"):
        if not base.startswith("http") or not reference.strip("/"):
            with pytest.raises(InvalidUrl):
                resolve(base, reference)
            continue
        assert resolve(base, reference) == parse(want).href


def test_wpull_flattens_paths_and_writes_escapes_alike(corpora: Path) -> None:
    """A `..` takes away one segment, also an empty one; wpull's own `//a//../a` agrees."""
    for (path,), want in wpull_cases(corpora, "flatten_path(INPUT)"):
        assert parse(f"http://host/{path.removeprefix('/')}").path == want, path
    for (text,), want in wpull_cases(corpora, "uppercase_percent_encoding(INPUT)"):
        assert uniform(text) == want


OPENWAYBACK_PARTS = {"urlToHost": "host", "getURLPath": "path"}


def test_openwayback_takes_urls_apart_alike(corpora: Path) -> None:
    """But `dns:` has no host in the URL Standard: its path is the name."""
    tried = 0
    for case in json_of(corpora / "url-canon" / "vectors" / "openwayback_urloperations.json")["cases"]:
        call = case["of"]["call"].rpartition(".")[2]
        given = case["of"]["args"][0]
        if call in OPENWAYBACK_PARTS and not given.startswith("dns:"):
            tried += 1
            assert getattr(parse(with_scheme(given)), OPENWAYBACK_PARTS[call]) == case["expected"], case
        elif call == "urlToUserInfo":
            url = parse(given)
            assert (":".join(filter(None, (url.username, url.password))) or None) == case["expected"]
        elif call == "fixupScheme" and given.startswith(("http", "ftp")) and case["expected"] is not True:
            assert parse(given).href == parse(case["expected"]).href
    assert tried


def test_nutch_reduces_urls_to_their_registered_domain(corpora: Path) -> None:
    text = (corpora / "url-canon" / "nutch" / "regex-normalize-scope1.test").read_text(encoding="utf-8")
    for given, want in re.findall(r"^(http\S+) (\S+)$", text, re.MULTILINE):
        assert registered_domain(given) == parse(want).host


def test_paths_that_nutch_takes_for_loops_show_their_repetition(corpora: Path) -> None:
    text = (corpora / "url-canon" / "nutch-urlfilter" / "sample__WholeWebCrawling.urls").read_text()
    loops = re.findall(r"^-(http://\S+/)$", text, re.MULTILINE)
    assert loops
    assert [url for url in loops if measure(url).occurrences < 3] == []
