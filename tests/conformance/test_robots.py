"""robots.txt, on the vectors of Google and protego, and on real files with the verdicts of five readers."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.robots import (
    GOOGLE,
    LENIENT,
    Access,
    Dialect,
    outcome,
    parse,
    valid_product_token,
)


@pytest.fixture
def vectors(corpora: Path) -> Path:
    return corpora / "robots"


def octets(value: str | dict[str, str]) -> bytes:
    if isinstance(value, str):
        return value.encode()
    return base64.b64decode(value["base64"]) if "base64" in value else value["bytes_latin1"].encode("latin-1")


def text(value: str | dict[str, str]) -> str:
    return octets(value).decode("utf-8", "surrogateescape")


def cases(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["cases"]
    return found


def passes(case: dict[str, Any], dialect: Dialect) -> bool:
    if "valid_product_token" in case:
        return valid_product_token(text(case["valid_product_token"])) is bool(case["allowed"])
    robots = parse(octets(case["robots"]), dialect)
    if "sitemaps" in case:
        return bool(robots.sitemaps == case["sitemaps"])
    if "crawl_delay" in case:
        return bool(robots.crawl_delay(case["agent"]) == case["crawl_delay"])
    return bool(robots.allowed(text(case["agent"]), text(case["url"])).allowed == case["allowed"])


# What docs/reference/deviations.md argues, each as a question to a case.


def is_about_escapes(case: dict[str, Any]) -> bool:
    url = text(case["url"])
    return not url.isascii() or re.search(r"%[0-9A-Fa-f]{2}", text(case["robots"]) + url) is not None


def has_a_name_that_is_no_token(case: dict[str, Any]) -> bool:
    names = re.findall(r"(?im)^\s*user-agent:?\s*([^\s#]+)", text(case["robots"]))
    return any(not valid_product_token(name) for name in (text(case["agent"]), *names) if name != "*")


def has_other_lines_between_groups(case: dict[str, Any]) -> bool:
    return "Invalid_directive" in text(case["robots"])


def has_a_star_inside_a_name(case: dict[str, Any]) -> bool:
    return re.search(r"(?im)^\s*user-agent:\s*\w+\*", text(case["robots"])) is not None


def ends_in_a_dollar(case: dict[str, Any]) -> bool:
    return re.search(r"(\$|%24)$", text(case["url"])) is not None


def has_a_rule_without_slash(case: dict[str, Any]) -> bool:
    return re.search(r"(?im)^\s*(dis)?allow:\s*[^\s/*#]", text(case["robots"])) is not None


@pytest.mark.parametrize("name", ["google_robotstxt", "google_spec_test"])
def test_googles_dialect_gives_googles_answer_in_every_case(vectors: Path, name: str) -> None:
    found = cases(vectors / "vectors" / f"{name}.json")
    failed = [case for case in found if not passes(case, GOOGLE)]
    assert failed == []
    assert len(found) > 100


@pytest.mark.parametrize("name", ["google_robotstxt", "google_spec_test"])
def test_the_standard_departs_from_googles_parser_only_where_argued(vectors: Path, name: str) -> None:
    failed = [case for case in cases(vectors / "vectors" / f"{name}.json") if not passes(case, LENIENT)]
    argued = [is_about_escapes, has_a_name_that_is_no_token]
    assert [case for case in failed if not any(reason(case) for reason in argued)] == []


def test_protegos_answers_differ_only_where_argued(vectors: Path) -> None:
    failed = [case for case in cases(vectors / "vectors" / "protego.json") if not passes(case, LENIENT)]
    argued = [
        has_other_lines_between_groups,
        has_a_star_inside_a_name,
        ends_in_a_dollar,
        has_a_rule_without_slash,
    ]
    assert [case for case in failed if not any(reason(case) for reason in argued)] == []


_FIELD = re.compile(r'\s*(robotstxt|testurl|useragent|expected_outcome):\s*((?:"(?:[^"\\]|\\.)*"\s*)+|\w+)')
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_SIMPLE = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"f": b"\f", b"v": b"\v"}


def unescaped(found: re.Match[bytes]) -> bytes:
    escape = found[1]
    if escape[:1] == b"x" and len(escape) > 1:
        return bytes((int(escape[1:], 16),))
    return bytes((int(escape, 8),)) if escape.isdigit() else _SIMPLE.get(escape, escape)


def expectations(file: Path) -> Iterator[tuple[bytes, str, str, bool]]:
    """The tests of a text protocol buffer of Google's compliance suite."""
    robots, url, agent = b"", "", ""
    for name, value in _FIELD.findall(file.read_bytes().decode("utf-8", "surrogateescape")):
        strings = "".join(_STRING.findall(value)).encode("utf-8", "surrogateescape")
        whole = _ESCAPE.sub(unescaped, strings)
        if name == "robotstxt":
            robots = whole
        elif name == "testurl":
            url = whole.decode("utf-8", "surrogateescape")
        elif name == "useragent":
            agent = whole.decode("utf-8", "surrogateescape")
        else:
            yield robots, agent, url, value.strip() == "ALLOWED"


def test_googles_compliance_suite_passes(vectors: Path) -> None:
    seen = 0
    for file in sorted((vectors / "google-spec-test").glob("*.textproto")):
        for robots, agent, url, allowed in expectations(file):
            assert parse(robots, GOOGLE).allowed(agent, url).allowed == allowed, (
                file.name,
                robots,
                agent,
                url,
            )
            seen += 1
    assert seen > 200


def test_real_files_get_the_verdict_on_which_google_protego_and_crawler_commons_agree(corpora: Path) -> None:
    expected = json.loads((corpora / "EXPECTED.json").read_text(encoding="utf-8"))["files"]
    seen = 0
    for path, answer in expected.items():
        if not path.startswith("robots/real/"):
            continue
        robots = parse((corpora / path).read_bytes())
        for row in answer["table"]:
            probe = dict(zip(answer["columns"], row, strict=True))
            verdicts = {probe["google"], probe["protego"], probe["crawler_commons"]}
            if len(verdicts) == 1:
                decision = robots.allowed(probe["agent"], probe["url"])
                assert decision.allowed == probe["google"], (path, probe, decision)
                seen += 1
    assert seen > 1000


def test_snippets_that_broke_other_readers_are_read(vectors: Path) -> None:
    seen = 0
    for folder in ("temoto-corpus", "robotspy"):
        for file in sorted((vectors / folder).iterdir()):
            robots = parse(file.read_bytes())
            for name in (*robots.names, "somebody"):
                robots.allowed(name, "https://example.org/path?query")
                delay = robots.crawl_delay(name)
                assert delay is None or delay >= 0, file.name
            seen += 1
    assert seen > 10


def test_precedence_and_delays_of_the_snippets_are_as_google_documents_them(vectors: Path) -> None:
    folder = vectors / "temoto-corpus"
    precedence = parse((folder / "google-precedence").read_bytes())
    for agent, path, allowed in [
        ("a", "/page", True),
        ("b", "/folder/page", True),
        ("c", "/page.htm", False),  # the longer rule; Google's document calls it undefined
        ("d", "/", True),
        ("d", "/page.htm", False),
    ]:
        assert precedence.allowed(agent, path).allowed is allowed, (agent, path)
    delays = parse((folder / "google-delays").read_bytes())
    # Between "e" and "f" stands only a sitemap, which ends no group (RFC 9309, 2.2.4): they are one.
    assert [delays.crawl_delay(name) for name in "abef"] == [None, 3.5, 5.0, 5.0]
    assert len(parse((folder / "google-sitemaps").read_bytes()).sitemaps) == 3
    assert parse((folder / "html").read_bytes()).html


def test_groups_of_one_name_are_merged_as_in_the_samples_of_robotspy(vectors: Path) -> None:
    robots = parse((vectors / "robotspy" / "merge_group.txt").read_bytes())
    assert [robots.allowed("ExampleBot", path).allowed for path in ("/foo", "/bar", "/baz", "/qux")] == [
        False,
        False,
        False,
        True,
    ]


def test_recorded_answers_to_the_request_for_the_file_have_the_consequence_of_the_standard(
    vectors: Path,
) -> None:
    seen = 0
    for file in sorted((vectors / "reppy-http").iterdir()):
        status = int(file.read_bytes().split()[1])
        expected = {2: Access.RULES, 3: Access.FOLLOW, 4: Access.ALLOW_ALL, 5: Access.DISALLOW_ALL}[
            status // 100
        ]
        assert outcome(status).access is expected, file.name
        seen += 1
    assert seen > 0
