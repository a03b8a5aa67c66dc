"""Types of payloads: the browser's view on the vectors of whatwg-mimetype, ours beside file(1)."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from armarium.formats.media import Basis, MimeType, identify, sniff
from armarium.formats.media.names import compatible, same_type

# docs/reference/deviations.md says why these are named otherwise than by file(1)
ARGUED = {
    "file/CVE-2014-1943.testfile",
    "file/escapevel.testfile",
    "file/gpkg-1-zst.testfile",
}


def test_browsers_see_what_the_standard_says(corpora: Path) -> None:
    file = corpora / "mime-detection" / "vectors" / "whatwg_mime_sniff.json"
    cases: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["cases"]
    for case in cases:
        options = case["options"] or {}
        computed = sniff(
            base64.b64decode(case["bytes_base64"]),
            options.get("contentTypeHeader"),
            provided_type=options.get("providedType"),
            no_sniff=options.get("noSniff", False),
            supported=supported(case),
        )
        assert str(computed) == case["computed"], case["test"]
    assert len(cases) > 50


def supported(case: dict[str, Any]) -> Any:
    """The vectors keep only that there was a function; the name of the test says what it answered."""
    return lambda mime: isinstance(mime, MimeType) and "unsupported" not in case["test"]


def samples(corpora: Path) -> Iterator[tuple[str, bytes, str]]:
    expected = json.loads((corpora / "EXPECTED.json").read_text(encoding="utf-8"))["files"]
    for path, answer in expected.items():
        detected = answer.get("detectors", {}).get("file_5_44")
        if path.startswith("mime-detection/") and detected:
            yield path.removeprefix("mime-detection/"), (corpora / path).read_bytes(), detected


def test_samples_are_what_file_says_or_a_kind_of_it(corpora: Path) -> None:
    seen = 0
    for name, data, detected in samples(corpora):
        found = identify(data, name=None if name.startswith("file/") else name)
        if name not in ARGUED:
            assert same_type(found.mime, detected) or compatible(found.mime, detected), (
                name,
                found,
                detected,
            )
        seen += 1
    assert seen > 50


def test_samples_are_recognised_by_their_bytes_alone(corpora: Path) -> None:
    wrong = [
        (name, found.mime, detected)
        for name, data, detected in samples(corpora)
        if name not in ARGUED and not name.endswith(".java")  # a program is text to its bytes
        for found in [identify(data)]
        if not same_type(found.mime, detected) and not compatible(found.mime, detected)
    ]
    assert wrong == []


def test_openwaybacks_samples_are_of_the_type_of_their_folder(corpora: Path) -> None:
    types = {"html": "text/html", "css": "text/css", "json": "application/json", "js": "text/javascript"}
    for file in sorted((corpora / "mime-detection" / "openwayback").iterdir()):
        expected = types.get(file.name.split("_")[0])
        if expected is not None:
            found = identify(file.read_bytes(), name=file.name)
            assert same_type(found.mime, expected) or compatible(found.mime, expected), (file.name, found)


def test_a_wrong_declaration_does_not_hide_what_a_sample_is(corpora: Path) -> None:
    for name, data, _ in samples(corpora):
        plain = identify(data, pronom=False)
        if plain.basis is Basis.SIGNATURE:
            told = identify(data, declared="text/html; charset=utf-8", pronom=False)
            assert told.mime == plain.mime, name
