"""Encodings, on the vectors of html5lib and w3lib."""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.text import (
    charset_of_content_type,
    declared_in_html,
    decode,
    decode_as,
    encoding_of,
    whatwg_encoding,
)

# docs/reference/deviations.md: the declaration is made by a script, which nothing but a browser runs
SCRIPTED = b"document.write"


def html5lib_cases(folder: Path) -> Iterator[tuple[str, bytes, str]]:
    for file in sorted(folder.glob("*.dat")):
        for case in re.split(rb"(?:^|\n)#data\n", file.read_bytes())[1:]:
            data, _, encoding = case.partition(b"\n#encoding\n")
            yield file.name, data, encoding.split()[0].decode()


def test_html5libs_pages_are_read_in_the_encoding_they_declare(corpora: Path) -> None:
    seen = 0
    for name, data, encoding in html5lib_cases(corpora / "encoding" / "html5lib"):
        if SCRIPTED in data:
            continue
        assert decode(data).encoding == whatwg_encoding(encoding), (name, data[-300:])
        seen += 1
    assert seen > 20


def test_big5_without_a_declaration_is_recognised(corpora: Path) -> None:
    text = decode((corpora / "encoding" / "html5lib" / "test_big5.txt").read_bytes())
    assert text.encoding == "big5"
    assert text.replacements == 0


def w3lib(corpora: Path) -> list[dict[str, Any]]:
    file = corpora / "encoding" / "vectors" / "w3lib_encoding.json"
    cases: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["cases"]
    return cases


def python_name(encoding: str | None) -> str | None:
    """The name w3lib would give: of Python's codec, GBK being read as GB 18030 as the standard asks."""
    if encoding is None:
        return None
    return codecs.lookup({"gbk": "gb18030"}.get(encoding, encoding)).name


def test_w3libs_content_types_have_their_charset(corpora: Path) -> None:
    found = [case for case in w3lib(corpora) if case.get("op", "").startswith("http_content_type_encoding")]
    for case in found:
        assert python_name(charset_of_content_type(case["inputs"][0])) == case["expected"], case
    assert found


def test_w3libs_labels_mean_what_they_mean(corpora: Path) -> None:
    for case in w3lib(corpora):
        if case.get("op", "").startswith("resolve_encoding"):
            assert python_name(encoding_of(case["inputs"][0])) == case["expected"], case
        elif "encoding" in case:
            assert encoding_of(case["encoding"]) == "gb18030", case


def test_w3libs_bodies_declare_what_a_browser_reads(corpora: Path) -> None:
    for case in w3lib(corpora):
        if not case.get("op", "").startswith("html_body_declared_encoding"):
            continue
        body = case["inputs"][0]
        data = body.encode() if isinstance(body, str) else body["bytes_latin1"].encode("latin-1")
        # docs/reference/deviations.md: "content" counts only beside http-equiv="content-type"
        if (
            b"<?xml" not in data
            and b"content=" in data
            and not re.search(rb"(?i)http-equiv=.content-type", data)
        ):
            assert declared_in_html(data) is None
        else:
            assert python_name(declared_in_html(data)) == case["expected"], case


def test_w3libs_gb18030_is_decoded_as_the_standard_asks(corpora: Path) -> None:
    found = [case for case in w3lib(corpora) if "data" in case]
    for case in found:
        data = case["data"]["bytes_latin1"].encode("latin-1")
        assert decode_as(data, "gb18030").text == case["expected"], case
    assert found


def test_html5libs_tokenizer_inputs_are_text_whatever_they_hold(corpora: Path) -> None:
    folder = corpora / "encoding" / "html5lib-tokenizer"
    files = sorted(folder.glob("*.test"))
    if not files:
        pytest.skip("no tokenizer vectors in the corpora")
    for file in files:
        for case in json.loads(file.read_text(encoding="utf-8")).get("tests", []):
            data = case["input"].encode("utf-8", "surrogatepass")
            assert decode(data).text is not None
