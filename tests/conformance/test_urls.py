"""The URL parser and the registered domain, on the Web Platform Tests and the public suffix list's."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.url import InvalidUrl, Url, fits_dns, parse, registered_domain, resolve


@pytest.fixture
def vectors(corpora: Path) -> Path:
    return corpora / "url-canon"


def cases(file: Path) -> list[dict[str, Any]]:
    """The cases of a file of the Web Platform Tests, in which bare strings are comments."""
    return [case for case in json.loads(file.read_text(encoding="utf-8")) if isinstance(case, dict)]


def parsed(case: dict[str, Any]) -> Url | None:
    try:
        base = case.get("base")
        return parse(resolve(base, case["input"]) if base else case["input"])
    except InvalidUrl:
        return None


def as_in_the_tests(url: Url | None) -> dict[str, str] | None:
    """The attributes of the URL class of the standard: absent and empty are the same there."""
    if url is None:
        return None
    port = "" if url.port is None else str(url.port)
    return {
        "href": url.href,
        "protocol": f"{url.scheme}:",
        "username": url.username,
        "password": url.password,
        "host": (url.host or "") + (f":{port}" if port else ""),
        "hostname": url.host or "",
        "port": port,
        "pathname": url.path,
        "search": f"?{url.query}" if url.query else "",
        "hash": f"#{url.fragment}" if url.fragment else "",
    }


def expected(case: dict[str, Any]) -> dict[str, str] | None:
    if case.get("failure"):
        return None
    return {name: case[name] for name in as_in_the_tests(parse("http://a/")) or {} if name in case}


def differences(tests: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    found = []
    for case in tests:
        want, got = expected(case), as_in_the_tests(parsed(case))
        if want is not None and got is not None:
            got = {name: got[name] for name in want}
        if want != got:
            found.append((case["input"], case.get("base"), want, got))
    return found


@pytest.mark.parametrize("name", ["urltestdata.json", "ada_long_urltestdata.json"])
def test_every_url_of_the_web_platform_tests_parses_as_expected(vectors: Path, name: str) -> None:
    tests = cases(vectors / "wpt" / name)
    assert tests
    assert differences(tests) == []


def test_an_older_snapshot_differs_only_where_the_standard_has_changed(vectors: Path) -> None:
    now = {(case["input"], case.get("base")): case for case in cases(vectors / "wpt" / "urltestdata.json")}
    strange = []
    for text, base, _, got in differences(cases(vectors / "wpt-2025" / "urltestdata.json")):
        newer = now.get((text, base))
        if newer is None or expected(newer) != {
            name: (got or {}).get(name) for name in expected(newer) or {}
        }:
            strange.append((text, base))
    assert strange == []


def test_international_names_become_ascii_as_expected(vectors: Path) -> None:
    wrong = []
    for case in cases(vectors / "wpt" / "toascii.json"):
        url = parsed({"input": f"https://{case['input']}/x"})
        if (url and url.host) != case["output"]:
            wrong.append(case)
    assert wrong == []


def test_queries_are_encoded_as_their_document_is(vectors: Path) -> None:
    wrong = []
    for case in cases(vectors / "wpt" / "percent-encoding.json"):
        for encoding, output in case["output"].items():
            direct = parse(f"https://doc.example/?{case['input']}", encoding).query
            resolved = parse(resolve("https://doc.example/", f"?{case['input']}", encoding)).query
            if not direct == resolved == output:
                wrong.append((case, encoding, direct, resolved))
    assert wrong == []


def test_names_too_long_for_the_dns_are_known(vectors: Path) -> None:
    wrong = [
        case["input"]
        for case in cases(vectors / "wpt" / "verifydnslength_tests.json")
        if fits_dns(parse(case["input"]).host or "") is case.get("failure", False)
    ]
    assert wrong == []


def test_what_the_setters_of_the_standard_yield_is_already_normal(vectors: Path) -> None:
    """Our URLs are values and have no setters; the results must still be fixed points of the parser."""
    groups = json.loads((vectors / "wpt" / "setters_tests.json").read_text(encoding="utf-8"))
    hrefs = {
        case["expected"]["href"]
        for name, group in groups.items()
        if name != "comment"
        for case in group
        if "href" in case["expected"]
    }
    assert hrefs
    assert [href for href in hrefs if parse(href).href != href] == []


def test_registered_domains_are_those_of_the_public_suffix_lists_vectors(corpora: Path) -> None:
    text = (corpora / "psl" / "test_psl.txt").read_text(encoding="utf-8")
    tests = re.findall(r"^checkPublicSuffix\((null|'[^']*'), (null|'[^']*')\);", text, re.MULTILINE)
    assert tests
    wrong = [
        (name, want)
        for name, want in tests
        if name != "null"
        and registered_domain(name.strip("'")) != (None if want == "null" else want.strip("'"))
    ]
    assert wrong == []


def test_every_suffix_of_the_list_is_no_registered_domain_and_one_below_it_is(corpora: Path) -> None:
    """The list of the corpora is older than the one installed; a handful of rules may have gone since."""
    rules = [
        line.strip()
        for line in (corpora / "psl" / "public_suffix_list.dat").read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith(("//", "*", "!"))
    ]
    gone = [rule for rule in rules if registered_domain(f"www.site.{rule}") != f"site.{rule}"]
    assert len(gone) < len(rules) / 100, gone
