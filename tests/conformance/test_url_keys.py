"""SURT keys, on the vectors of the tools that made the convention and on the indexes they wrote."""

import ast
import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.url import Match, public_suffix, registered_domain, search_range, surt, unsurt
from armarium.formats.url.canonical import keyed
from armarium.formats.url.sessions import without_path_session, without_query_session
from armarium.formats.url.surt import surt_form

Case = dict[str, Any]

# docs/reference/deviations.md, "SURT keys": `%26` separates parameters, as in every index seen.
ESCAPED_AMPERSAND = "http://example.com/script?type=a+b+%26+c&grape=wine"


def cases(corpora: Path, name: str) -> list[Case]:
    found: list[Case] = json.loads((corpora / "url-canon" / "vectors" / f"{name}.json").read_text())["cases"]
    assert found
    return found


def test_keys_equal_those_of_the_surt_librarys_own_tests(corpora: Path) -> None:
    wrong = []
    for case in cases(corpora, "surt"):
        if not case["op"].startswith("surt.surt(INPUT") or "canonicalizer=" in case["op"]:
            continue
        call = ast.parse(case["op"]).body[0]
        assert isinstance(call, ast.Expr)
        assert isinstance(call.value, ast.Call)
        given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.value.keywords}
        options = {
            "strip_www" if name == "host_massage" else str(name): value for name, value in given.items()
        }
        if surt(case["inputs"][0], **options) != case["expected"]:
            wrong.append(case["inputs"][0])
    assert wrong == [ESCAPED_AMPERSAND]


def test_the_stages_of_the_surt_library_lead_to_the_same_keys(corpora: Path) -> None:
    """Its intermediate forms are not ours, but before and after a stage the key must be the same."""
    stages = ("Canonicalizer.canonicalize(handyurl", "handyurl.parse(INPUT).geturl()", "attemptIPFormats")
    wrong = []
    for case in cases(corpora, "surt"):
        if not any(stage in case["op"] for stage in stages) or "lowercase=False" in case["op"]:
            continue
        if surt(case["inputs"][0]) != surt(case["expected"]):
            wrong.append((case["op"], case["inputs"], case["expected"]))
    assert wrong == []


PARTS: dict[str, Callable[[str], object]] = {
    "unescapeRepeatedly": keyed,
    "stripPathSessionID": without_path_session,
    "getPublicSuffix": registered_domain,
}


def test_the_parts_of_the_surt_library_have_their_like_here(corpora: Path) -> None:
    wrong, tried = [], 0
    for case in cases(corpora, "surt"):
        for name, function in PARTS.items():
            if name not in case["op"]:
                continue
            tried += 1
            want = keyed(case["expected"].replace("%", "%25")) if function is keyed else case["expected"]
            if function(case["inputs"][0]) != want:
                wrong.append((case["op"], case["inputs"], want))
    assert tried
    assert wrong == []


def test_queries_are_sorted_as_the_surt_library_sorts_them(corpora: Path) -> None:
    for case in cases(corpora, "surt"):
        if "alphaReorderQuery" in case["op"]:
            want = "a.b/" + (f"?{case['expected']}" if case["expected"] else "")
            assert unsurt(surt(f"http://a.b/?{case['inputs'][0]}")) == want


def pywb_answer(call: str, args: list[Any], kwargs: dict[str, Any]) -> object:
    surt_ordered = kwargs.get("surt_ordered", args[2] if len(args) > 2 else True)
    if call == "unsurt":
        return unsurt(args[0])
    if call == "canonicalize":
        return surt(args[0]) if surt_ordered else unsurt(surt(args[0]))
    return search_range(args[0], Match(args[1]))


def test_keys_and_ranges_equal_pywbs(corpora: Path) -> None:
    """Without ranges over unreversed hosts, which Armarium's index does not have (deviations.md)."""
    for case in cases(corpora, "pywb_canonicalize"):
        args = case["args"]
        if case["call"] == "calc_search_range" and len(args) > 2:
            continue
        want = ast.literal_eval(case["expected"])
        assert pywb_answer(case["call"], args, case.get("kwargs", {})) == want, case


def test_a_range_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="blah"):
        Match("blah")


def test_sessions_are_removed_as_the_java_library_removes_them(corpora: Path) -> None:
    for case in cases(corpora, "webarchive_commons_URLRegexTransformer"):
        if case.get("call") == "checkStripPathSessionID":
            given, want = case["args"]
            assert without_path_session(given) == want
        elif case["of"]["call"].endswith("stripQuerySessionID"):
            given, want = case["of"]["args"][0].lower(), case["expected"].lower()
            assert without_query_session(given) == want, case


def test_escapes_are_undone_as_the_java_library_undoes_them(corpora: Path) -> None:
    """It decodes only what is UTF-8; escaped again, the answers meet."""
    tried = 0
    for case in cases(corpora, "webarchive_commons_BasicURLCanonicalizer"):
        if case.get("of", {}).get("call") in ("guc.decode", "guc.unescapeRepeatedly"):
            tried += 1
            assert keyed(case["of"]["args"][0]) == keyed(case["expected"]), case
    assert tried


def test_what_is_one_url_to_the_java_library_has_one_key(corpora: Path) -> None:
    different = [
        case["args"][0]
        for case in cases(corpora, "webarchive_commons_BasicURLCanonicalizer")
        if case.get("call") == "checkCanonicalization" and surt(case["args"][0]) != surt(case["args"][1])
    ]
    # deviations.md, "SURT keys": three dots in a row; U+2028 and U+2029, which Java takes for line ends.
    assert all(re.search(r"\.{3}|[\u2028\u2029]", url) for url in different), different


def test_heritrix_writes_the_same_surt_form(corpora: Path) -> None:
    for case in cases(corpora, "heritrix_SURT"):
        assert surt_form(case["of"]["args"][0]) == case["expected"]


def lines_of_indexes(corpora: Path) -> Iterator[tuple[Path, str, str]]:
    """Key and URL of every line, in CDX and CDXJ, whose key is reversed."""
    for file in sorted(corpora.rglob("*")):
        if not file.is_file() or "cdx" not in file.as_posix().lower():
            continue
        data = file.read_bytes()
        try:
            text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", "replace")
        except (OSError, EOFError):
            continue
        for line in text.splitlines():
            key, _, rest = line.partition(" ")
            url = url_of(rest.partition(" ")[2])
            if url and ":" in url and re.match(r"[^/]*\)|[a-z]+:", key) and "__wb_" not in key:
                yield file, key, url


def url_of(rest: str) -> str | None:
    if not rest.startswith("{"):
        return rest.partition(" ")[0]
    try:
        found = json.loads(rest)
    except ValueError:
        return None
    return str(found.get("url", "")) if "method" not in found else None


# deviations.md, "SURT keys": made by the old Java tools, or by hand for a test.
OTHER_CONVENTIONS = ("dns:", "warcinfo:", "metadata:")
KEYS_MADE_BY_HAND = "example-arc-test.cdx"


def test_keys_equal_those_in_the_indexes_of_other_archives(corpora: Path) -> None:
    wrong, seen = [], 0
    for file, key, url in lines_of_indexes(corpora):
        seen += 1
        if surt(url) != key and not url.startswith(OTHER_CONVENTIONS) and file.name != KEYS_MADE_BY_HAND:
            wrong.append((file.name, url, key, surt(url)))
    assert seen > 100
    assert wrong == []


def test_an_escaped_ampersand_separates_in_the_indexes_of_other_archives(corpora: Path) -> None:
    keys = {key for _, key, url in lines_of_indexes(corpora) if "%26" in url.partition("?")[2]}
    assert keys
    assert not [key for key in keys if "%26" in key]


def test_the_suffix_is_what_is_left_of_the_registered_domain(corpora: Path) -> None:
    for _, _, url in lines_of_indexes(corpora):
        domain, suffix = registered_domain(url), public_suffix(url)
        assert domain is None or (suffix is not None and domain.endswith(f".{suffix}")), url
