"""Links against other people's vectors: the srcset cases of the W3C, and Heritrix's extractors."""

import json
from pathlib import Path
from typing import Any

from armarium.core.crawl_order import Extraction
from armarium.formats.url import resolve
from armarium.harvest.extract import extract
from armarium.harvest.extract.attributes import srcset_urls

TYPES = {
    "ExtractorCSS": "text/css",
    "ExtractorHTML": "text/html",
    "ExtractorJS": "text/javascript",
    "ExtractorXML": "text/xml",
}
# Strings of scripts that Heritrix takes and we do not: bare host names, pieces of sums, quotation marks
# inside strings, text that is no script. (docs/decisions/link-extraction.md)
TAKEN_BY_HERITRIX_ONLY = (
    "string_with_",
    "scheme-less_",
    "server_name",
    "'example.com'",
    "host + ",
    "services.example.com",
    "en_US.html",
    "\\u0027",
    "\\u0022",
    "without/value.html",
    "1r71vq4i.pdf",
)
TAKEN_BY_US_ONLY = ("without/equals.html", "double/equals.html", "bad!hash", "/bad!/path")


def _cases(corpora: Path, name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((corpora / "html-links" / "vectors" / name).read_text())["cases"]
    return cases


def test_srcset_candidates_are_those_of_the_standard(corpora: Path) -> None:
    wrong = [
        case["desc"]
        for case in _cases(corpora, "srcset.json")
        if list(srcset_urls(case["srcset"])) != [candidate["url"] for candidate in case["all_candidates"]]
    ]
    assert wrong == []


def test_heritrix_and_we_agree_on_its_vectors(corpora: Path) -> None:
    wrong = []
    for case in _cases(corpora, "heritrix_extractor_pairs.json"):
        content, base, expected = case["content"], case["base"], case["expected_link"]
        if any(mark in content for mark in TAKEN_BY_HERITRIX_ONLY + TAKEN_BY_US_ONLY):
            continue
        found = extract(base, None, TYPES[case["extractor"]], content.encode(), "L", Extraction(), via=base)
        urls = [resolve(found.base, link.reference, found.encoding).partition("#")[0] for link in found.links]
        if (expected is None and urls) or (expected is not None and resolve(base, expected) not in urls):
            wrong.append((content[:80], expected, urls))
    assert wrong == []
