"""Validation against what JHOVE, JHOVE2, JWAT and warcio say of other people's good and damaged files.

The tools do not always agree with each other. Where JWAT loses its place after damage and takes text for
headers, its follow-up findings are not asked for; each kind of difference stands in a table here, with its
reason, and in docs/reference/deviations.md.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.problem import Severity
from armarium.formats.validation import RULES, Options, Report, content, validate
from armarium.formats.validation.fast_header import UsualHeaders

CORPORA = Path(__file__).resolve().parents[2].parent / "shared" / "corpora"
FOLDERS = ("warc", "warc-bad", "arc", "gzip")

# What JWAT does not look at, and the standard forbids.
BEYOND_JWAT = {
    "warc-id-repeated",  # 5.2: unique; wget gives its last two records one id
    "warc-revisit-digest-missing",  # 6.7.2: shall include a WARC-Payload-Digest
    "gzip-not-per-record",  # Annex D.2; JWAT stops after the first record of a member
    "gzip-trailing-data",  # JWAT stops after the first record of a member
    "arc-date-invalid",  # in records that JWAT does not reach
    "arc-length-too-large",
    "warc-payload-digest",  # JWAT takes no payload digest of what is not HTTP
}

# JWAT says the left where we say one of the right: the same fault seen from another side.
END_OF_RECORD = {
    "warc-trailer",
    "warc-block-truncated",
    "warc-header-truncated",
    "warc-length-too-small",
    "warc-length-too-large",
    "warc-empty-file",
    "warc-line-end",
}
BETWEEN_RECORDS = {
    "data-before",
    "empty-lines-before",
    "trailing-data",
    "length-too-small",
    "length-too-large",
    "block-truncated",
    "format-unknown",
    "byte-order-mark",
    "trailer",
}
SAME_FAULT: dict[str, set[str]] = {
    "Trailing newlines": END_OF_RECORD,
    "Payload length mismatch": END_OF_RECORD,
    "Missing CR": {"warc-line-end", "warc-trailer"},
    "Misplaced CR": {"warc-trailer", "arc-line-end", "arc-trailer"},
    "Misplaced LF": {"warc-trailer", "arc-line-end", "arc-trailer"},
    "Incorrect payload digest": {"warc-block-digest", "warc-block-truncated"},
    "Magic version number": {"warc-version-invalid", "warc-data-before"},
    "Magic Version string": {"warc-version-unknown", "warc-data-before", "warc-format-unknown"},
    "Header line": {"warc-data-before"},
    "ARC version block": {code for code in RULES if code.startswith(("arc-version", "arc-definition"))},
    "ARC file": {"arc-format-unknown", "arc-length-invalid", "arc-version-length"},
    "'WARC-Profile' value": {
        "warc-uri-space",
        "warc-profile-version",
        "warc-uri-brackets-old",
        "warc-version-draft",
    },
    "http header": {"warc-http-msgtype-wrong", "http-head-absent", "warc-block-truncated"},
    "GZip file": {"gzip-truncated", "gzip-lost-range"},
}
for _family in ("WARC", "ARC"):
    for _entity in ("Data before {}", "Empty lines before {}"):
        _name = _entity.format("WARC version" if _family == "WARC" else "ARC record")
        SAME_FAULT[_name] = {f"{_family.lower()}-{fault}" for fault in BETWEEN_RECORDS}
SAME_FAULT["Trailing data"] = SAME_FAULT["Data before WARC version"] | SAME_FAULT["Data before ARC record"]
SAME_FAULT["Data before ARC record"] |= {"arc-url-space", "arc-length-invalid", "arc-version-length"}

# Files in which JWAT, after a wrong length or a space in a URL, takes lines of content for record headers.
LOST = {
    "arc/warcio/bad.arc",
    "arc/warcio/example-space-in-url.arc",
    "arc/webcurator/WCT-20070813080023-00003-skynet.arc",
    "arc/jhove2-invalid/invalid-arcrecord-3.arc",
    "arc/jwat/test-arc-1.0-invalid-fields.arc",
    "arc/netarchivesuite/GetTest.ARC",
    "arc/netarchivesuite/integrity2.ARC",
    "arc/richardlehane/hello-world.arc",  # IP-address 0: the example of the ARC specification itself
    "warc-bad/toimik/malformed_header.warc",
}
# JWAT takes the digest with the chunks, which ISO 28500:2017, 6.3.2 excludes.
DIGEST_WITH_CHUNKS = {"warc/solrwayback/transfer_compression_gzip_chunked.warc.gz"}


def files() -> list[str]:
    return sorted(
        str(path.relative_to(CORPORA))
        for folder in FOLDERS
        for path in (CORPORA / folder).rglob("*")
        if path.is_file() and path.suffix != ".json"
    )


@cache
def expected() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CORPORA / "EXPECTED.json").read_text())["files"]
    return found


@cache
def report(name: str) -> Report:
    with (CORPORA / name).open("rb") as file:
        return validate(file, name=Path(name).name, options=Options(limit=None))


def errors(found: Report) -> set[str]:
    return {code for code in found.counts if RULES[code].severity is Severity.ERROR}


pytestmark = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the folder of test files (../shared/corpora) is not beside this checkout"
)
each_file = pytest.mark.parametrize("name", files() if CORPORA.is_dir() else [])


@each_file
def test_every_file_is_judged_and_the_report_can_be_written(name: str) -> None:
    told = json.loads(json.dumps(report(name).to_json()))
    assert told["valid"] is (told["errors"] == 0)
    assert all(problem["clause"] or problem["code"].startswith("http-") for problem in told["problems"])
    assert all(0 <= problem["offset"] <= told["bytes"] for problem in told["problems"])


@each_file
def test_a_file_that_jwat_calls_compliant_has_no_errors_but_those_jwat_does_not_look_for(name: str) -> None:
    if expected().get(name, {}).get("jwat", {}).get("compliant"):
        assert errors(report(name)) <= BEYOND_JWAT


@each_file
def test_what_jwat_finds_is_found(name: str) -> None:
    jwat = expected().get(name, {}).get("jwat", {})
    missing = [one for one in jwat.get("diagnoses", []) if not is_found(name, one["type"], one["entity"])]
    assert missing == []


def is_found(name: str, kind: str, entity: str) -> bool:
    found = report(name)
    if name in LOST or (name in DIGEST_WITH_CHUNKS and entity == "Incorrect payload digest"):
        return bool(errors(found)) or name in DIGEST_WITH_CHUNKS or name.endswith("hello-world.arc")
    if any(code in SAME_FAULT.get(entity, ()) for code in found.counts):
        return True
    return any(matches(problem.code, problem.message, kind, entity) for problem in found.problems)


def matches(code: str, message: str, kind: str, entity: str) -> bool:
    jwat = RULES[code].jwat
    if jwat is None:
        return False
    field = entity.split("'")[1] if entity.startswith("'") else ""
    # "Required and invalid" repeats that the value is invalid; a missing one is the same fault.
    same_kind = jwat.type == kind or (kind.startswith("REQUIRED") and field != "")
    if "%(field)s" in jwat.entity or field:
        return same_kind and (field in message or f"'{field}'" in jwat.entity)
    ours = jwat.entity.replace("%(kind)s", "block").replace("payload", "block")
    return same_kind and ours == entity.replace("payload", "block")


def cases(file: str) -> Iterator[tuple[str, bool]]:
    """Files and whether the tool calls them valid; it counts warnings too."""
    path = CORPORA / file
    if path.is_file():
        for case in json.loads(path.read_text())["cases"]:
            if case.get("path"):
                yield case["path"], case.get("verdict") == "valid" or case.get("validity") == "True"


@pytest.mark.parametrize(
    ("name", "valid"),
    sorted(
        {
            case
            for file in (
                "warc-bad/jhove-expected.shared.json",
                "warc-bad/jhove2-expected.shared.json",
                "arc/jhove2-expected.shared.json",
            )
            for case in cases(file)
        }
    ),
)
def test_jhove_and_jhove2_come_to_the_same_verdict(name: str, valid: bool) -> None:
    found = report(name)
    weighty = {code for code in found.counts if RULES[code].severity is not Severity.NOTE}
    if valid:
        assert errors(found) == set()
        assert not {code for code in weighty if RULES[code].jwat}
    else:
        assert weighty


@each_file
def test_digests_that_warcio_finds_wrong_are_wrong_or_explained(name: str) -> None:
    for failure in expected().get(name, {}).get("digest_failures_warcio", []):
        found = {problem.code for problem in report(name).problems if problem.record == failure["n"] - 1}
        explained = any("digest" in code for code in found) or name in DIGEST_WITH_CHUNKS
        assert explained, (name, failure, found)


@each_file
def test_as_many_records_are_counted_in_a_sound_file_as_the_tools_agree_on(name: str) -> None:
    known = expected().get(name, {})
    sound = known.get("jwat", {}).get("compliant") and not errors(report(name))
    if sound and known.get("tools_agree_on_records") and report(name).format in ("warc", "arc"):
        assert report(name).records == known["consensus_records"]


@each_file
def test_the_quick_look_finds_what_the_closer_look_finds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "usual_entity", lambda _block, _kind: -1)
    monkeypatch.setattr(UsualHeaders, "match", lambda _self, _text, _rules: None)
    with (CORPORA / name).open("rb") as file:
        closely = validate(file, name=Path(name).name, options=Options(limit=None))
    assert closely.to_json() == report(name).to_json()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("warc-bad/gowarc/good.warc.gz.open", "gzip-not-per-record"),
        ("warc-bad/slyrz/test.warc.gz", "gzip-not-per-record"),
        ("warc-bad/slyrz/test.warc", "warc-date-zone"),
        ("warc-bad/slyrz/test.warc.bz2", "warc-format-unknown"),
        ("warc-bad/warcio/example-space-in-target-uri.warc.gz", "warc-uri-space"),
        ("warc-bad/warcio/example-bad.warc.gz.bad", "gzip-not-per-record"),
        ("warc-bad/toimik/missing_header_field.warc", "warc-field-mandatory"),
        ("warc-bad/toimik/malformed_header.warc", "warc-field-repeated"),
        ("warc-bad/toimik/incorrect_content_length.warc", "warc-length-too-large"),
        ("warc-bad/toimik/premature_wo_trailing_newline.warc", "warc-header-truncated"),
        ("warc-bad/ipwb/1memento.warc", "warc-line-end"),
        ("warc-bad/jwat/invalid-warcfile-record-then-garbage.warc", "warc-trailing-data"),
        ("gzip/invalid-entries.gz", "gzip-crc32-mismatch"),
        ("arc/netarchivesuite/input-illegal.arc", "arc-version-block-missing"),
        ("arc/warcio/example-space-in-url.arc", "arc-url-space"),
    ],
)
def test_a_bad_file_gets_the_code_of_what_it_was_made_for(name: str, code: str) -> None:
    assert code in report(name).counts
    assert not report(name).valid
