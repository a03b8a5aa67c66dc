"""ARC records judged: the values of the header line, the version block, and how they fit each other."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from armarium.formats.arc import V1, V2, ArcRecord, ArcVersionBlock
from armarium.formats.http import parse_response
from armarium.formats.validation.content import WHOLE
from armarium.formats.validation.header import Finding
from armarium.formats.validation.http_body import Body, check_body, chunk_problems
from armarium.formats.validation.record_types import check_plausible
from armarium.formats.validation.values import (
    address_fault,
    arc_date_fault,
    first_stranger,
    is_media_type,
    is_number,
    uri_fault,
)
from armarium.formats.validation.warc_record import Circumstances, Outcome

ABSENT = ("", "-")
NULLABLE = ("Checksum", "Location")  # "may be -" in the ARC File Format
UNTYPED = "no-type"  # what Heritrix writes where the server gave no type
UNKNOWN_ADDRESSES = ("0", "0.0.0.0")  # noqa: S104  "0" is the format's own example for a version block
MOST_METADATA = 1024 * 1024

# version-number SP reserved SP origin-code NL, then the names of the fields NL, then (1.1) metadata.
VERSIONS = {("1", "0"): "1.0", ("1", "1"): "1.1", ("2", "0"): "2.0"}
DEFINITIONS = {" ".join(V1): len(V1), " ".join(V2): len(V2)}
FIELDS_OF = {"1.0": len(V1), "1.1": len(V1), "2.0": len(V2)}


class Line(NamedTuple):
    """What a header line is judged by, beside its values."""

    version_block: bool
    expected_fields: int | None  # as the version block announces; None where that is not known
    offset: int | None  # where the record stands, if the file is not compressed
    latest: str | None  # yyyyMMddHHmmss: no capture can be later


def check_arc_line(raw: bytes, values: Mapping[str, str], line: Line) -> list[Finding]:
    """Judge a header line. `values` are its fields by name, `raw` are its bytes."""
    findings: list[Finding] = []
    if raw.endswith(b"\r\n"):
        findings.append(("arc-line-end", {}))
    for name, value in values.items():
        if value in ABSENT:
            if name not in NULLABLE:
                findings.append(("arc-field-missing", {"field": name}))
        elif name in CHECKS:
            CHECKS[name](value, line, findings)
    if line.expected_fields not in (None, len(values)):
        facts = {"found": len(values), "expected": line.expected_fields}
        findings.append(("arc-fields-differ", facts))
    url = values.get("URL", "").lower()
    if url.startswith(("http:", "https:")) and values.get("Archive-length") == "0":
        findings.append(("arc-http-empty", {}))
    return findings


def _check_url(value: str, _line: Line, findings: list[Finding]) -> None:
    fault = uri_fault(value)
    if fault == "not-absolute":
        findings.append(("arc-url-invalid", {"value": value}))
    elif fault == "space":
        findings.append(("arc-url-space", {"value": value}))
    elif fault == "syntax":
        findings.append(("arc-url-syntax", {"value": value, "character": first_stranger(value)}))


def _check_address(value: str, line: Line, findings: list[Finding]) -> None:
    if value == "0.0.0.0" or (line.version_block and value in UNKNOWN_ADDRESSES):  # noqa: S104
        return
    fault = address_fault(value)
    if fault == "invalid":
        findings.append(("arc-ip-invalid", {"value": value}))
    elif fault == "private" and not line.version_block:
        findings.append(("arc-ip-private", {"value": value}))


def _check_date(value: str, line: Line, findings: list[Finding]) -> None:
    fault = arc_date_fault(value)
    if fault == "invalid":
        findings.append(("arc-date-invalid", {"value": value}))
    elif fault:
        findings.append(("arc-date-length", {"value": value, "length": len(value)}))
    else:
        check_plausible(value, line.latest, findings, "arc-date-implausible")


def _check_type(value: str, line: Line, findings: list[Finding]) -> None:
    if value != UNTYPED and not is_media_type(value):
        findings.append(("arc-type-invalid", {"value": value}))
    elif line.version_block and value.lower() != "text/plain":
        findings.append(("arc-version-type", {"value": value}))


def _check_result_code(value: str, _line: Line, findings: list[Finding]) -> None:
    if not (is_number(value) and len(value) == 3 and value >= "100"):
        findings.append(("arc-result-code-invalid", {"value": value}))


def _check_offset(value: str, line: Line, findings: list[Finding]) -> None:
    if not is_number(value):
        findings.append(("arc-offset-invalid", {"value": value}))
    elif not line.version_block and line.offset is not None and int(value[:18]) != line.offset:
        findings.append(("arc-offset-wrong", {"value": value, "expected": line.offset}))


def _check_length(value: str, _line: Line, findings: list[Finding]) -> None:
    if not is_number(value):
        findings.append(("arc-length-invalid", {"value": value}))


CHECKS = {
    "URL": _check_url,
    "IP-address": _check_address,
    "Archive-date": _check_date,
    "Content-type": _check_type,
    "Result-code": _check_result_code,
    "Offset": _check_offset,
    "Archive-length": _check_length,
}


class VersionBlock(NamedTuple):
    """What a version block says of the records behind it."""

    version: str | None  # "1.0", "1.1", "2.0"
    fields: int | None  # of a header line


def check_version_block(block: bytes, findings: list[Finding]) -> VersionBlock:
    """Judge the content of a version block."""
    first, _, rest = block.partition(b"\n")
    definition, _, metadata = rest.partition(b"\n")
    version = _check_version_line(first.rstrip(b"\r").decode("latin-1"), findings)
    fields = _check_definition(definition.rstrip(b"\r").decode("latin-1"), version, findings)
    if version == "1.1" and fields and not metadata.strip():
        findings.append(("arc-metadata-missing", {}))
    elif version in ("1.0", "2.0") and metadata.strip(b"\r\n"):
        findings.append(("arc-metadata-unexpected", {"length": len(metadata)}))
    return VersionBlock(version, fields)


def _check_version_line(line: str, findings: list[Finding]) -> str | None:
    if not line.strip():
        findings.append(("arc-version-line-missing", {}))
        return None
    words = line.split(" ")
    if len(words) != 3:
        findings.append(("arc-version-line-invalid", {"line": line}))
        return None
    number, reserved, _origin = words
    if not is_number(number):
        findings.append(("arc-version-number-invalid", {"value": number}))
    if not is_number(reserved):
        findings.append(("arc-version-reserved-invalid", {"value": reserved}))
    version = VERSIONS.get((number, reserved))
    if version is None:
        findings.append(("arc-version-unknown", {"value": f"{number} {reserved}"}))
    return version


def _check_definition(line: str, version: str | None, findings: list[Finding]) -> int | None:
    if not line.strip():
        findings.append(("arc-definition-missing", {}))
        return None
    fields = DEFINITIONS.get(line)
    if fields is None:
        findings.append(("arc-definition-unknown", {"line": line}))
    elif version is not None and FIELDS_OF[version] != fields:
        findings.append(("arc-definition-differs", {"value": version}))
    return fields


# --- One ARC record after the other, judged by its line, its content, and the version block.


NOT_HTTP = ("alexa/dat", "text/dns")  # Alexa's own data stand under http: addresses
HTTP = ("http:", "https:")


def as_arc_date(moment: datetime | None) -> str | None:
    return moment.strftime("%Y%m%d%H%M%S") if moment else None


class ArcValidation:
    """The ARC records of one file."""

    def __init__(self, name: str, options: Circumstances) -> None:
        self._name = name
        self._latest = as_arc_date(options.now)
        self._block = VersionBlock(None, None)

    def check(self, record: ArcRecord) -> Outcome:
        """Judge one record; reads its block to the end."""
        values = {field.name: field.value for field in record.fields}
        outcome = Outcome(record.record_type, [], [])
        version_block = isinstance(record, ArcVersionBlock)
        if version_block:
            self._check_version_block(record, values, outcome.findings)
        plain = record.member is None or record.member.plain
        line = Line(version_block, self._block.fields, record.offset if plain else None, self._latest)
        outcome.findings.extend(check_arc_line(record.fields.raw, values, line))
        if not version_block:
            self._check_content(record, values, outcome)
        return outcome

    def _check_version_block(
        self, record: ArcRecord, values: dict[str, str], findings: list[Finding]
    ) -> None:
        if record.number:
            findings.append(("arc-version-block-again", {}))
        if values.get("Content-type") in ("", "-"):
            findings.append(("arc-version-type-missing", {}))
        stated = values.get("URL", "").partition("://")[2]
        if stated and self._name and _bare(stated) != _bare(self._name):
            findings.append(("arc-filename-differs", {"value": stated, "name": self._name}))
        if not record.block.length:
            findings.append(("arc-version-length", {}))
            return
        self._block = check_version_block(record.block.read(MOST_METADATA), findings)

    def _check_content(self, record: ArcRecord, values: dict[str, str], outcome: Outcome) -> None:
        http = values.get("URL", "").lower().startswith(HTTP)
        start = record.block.read(WHOLE)
        if not (http and start) or values.get("Content-type", "").lower().startswith(NOT_HTTP):
            return
        body = Body(parse_response(start))
        body.feed(start[body.head.length :])
        for piece in record.block:
            body.feed(piece)
        body.finish()
        outcome.problems.extend([*body.head.problems, *chunk_problems(body, "")])
        check_body(body, "", outcome.findings)


def _bare(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".open").removesuffix(".gz")
