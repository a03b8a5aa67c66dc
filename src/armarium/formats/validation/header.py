"""A WARC header judged by itself: its lines, its fields, their values, and what the record type asks for.

Comes in: the fields of a header. Goes out: findings (code of a rule, facts).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from armarium.formats.validation.digests import HASHERS, is_unusual, parse_digest
from armarium.formats.validation.fast_header import LONGEST, UsualHeaders
from armarium.formats.validation.policy import CLAUSES, DEFINED, EXTENSIONS, MANDATORY, POLICIES, TYPES
from armarium.formats.validation.values import (
    TOKEN,
    UUID_ID,
    address_fault,
    date_fault,
    first_stranger,
    is_media_type,
    is_number,
    recommended_address,
    uri_fault,
)
from armarium.formats.warc.fields import MAX_FIELDS, Fields

Finding = tuple[str, Mapping[str, object]]
VERSIONS = {"0.17": "1.0", "0.18": "1.0", "1.0": "1.0", "1.1": "1.1"}  # → the rules by which it is judged
PLAIN = bytes(range(32, 127)) + b"\t\r\n"
TRUNCATION_REASONS = ("length", "time", "disconnect", "unspecified")
MOST_NAMES = 1000  # that are remembered
MALFORMED_SHOWN = 100  # lines of one header that get a finding of their own


class Header(NamedTuple):
    """A header taken apart: the first value of each name, and what was found on the way."""

    rules: str  # "1.0" or "1.1"
    kind: str  # the record type in lower case; "" where there is none
    first: dict[str, str]  # by name in lower case
    concurrent_to: Sequence[str]
    findings: list[Finding]


def check_header(version: str, fields: Fields, usual: UsualHeaders | None = None) -> Header:
    """Judge a header by itself; `usual` are the headers of the same file so far."""
    rules = VERSIONS.get(version, "1.1")
    raw = fields.raw
    if usual is None or len(raw) > LONGEST or not raw.isascii():
        return _look_closely(rules, fields)[0]
    text = raw.decode("ascii")
    first = usual.values(text, rules)
    if first is not None:
        concurrent = first.get("warc-concurrent-to")
        return Header(rules, first["warc-type"], first, (concurrent,) if concurrent else (), [])
    header, pairs = _look_closely(rules, fields)
    if pairs and not header.findings:
        usual.learn(text, rules, pairs)
    return header


def _look_closely(rules: str, fields: Fields) -> tuple[Header, Sequence[tuple[str, str]] | None]:
    """Field by field. The second value is the fields of a header whose lines are as they should be."""
    findings: list[Finding] = []
    plain = plain_pairs(fields.raw)
    pairs: Iterable[tuple[str, str]] = plain or ()
    if plain is None:
        check_lines(fields, findings)
        pairs = fields
    first: dict[str, str] = {}
    concurrent: list[str] = []
    for name, value in pairs:
        known = KNOWN.get(name) or _known(name)
        key = known.key
        if key == "warc-concurrent-to":
            concurrent.append(value)
        elif key in first:
            if known.check is not None:
                findings.append(("warc-field-repeated", {"field": known.field}))
            continue
        first[key] = value
        if known.check is None:
            findings.extend(known.findings)
        elif value:
            known.check(known.field, value, rules, findings)
        else:
            findings.append(("warc-field-empty", _facts(known.field)))
    if "" in first.values():
        first = {key: value for key, value in first.items() if value}  # an empty field is as good as none
    kind = first.get("warc-type", "").lower()
    check_policy(kind, rules, first, findings)
    return Header(rules, kind, first, concurrent, findings), plain


# The lines --------------------------------------------------------------------------------------------


def plain_pairs(raw: bytes) -> list[tuple[str, str]] | None:
    """Names and values of a header as nearly all are: ASCII, one CRLF line each. None where it is not."""
    if raw.translate(None, PLAIN) or b"\n " in raw or b"\n\t" in raw:
        return None
    lines = raw.decode("ascii").split("\r\n")
    if lines.pop():
        return None  # the last line has no end
    pairs: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        if (
            not colon
            or not name
            or name[-1] == " "
            or "\n" in line
            or "\r" in line
            or len(pairs) > MAX_FIELDS
        ):
            return None
        pairs.append((name, value.strip()))
    return pairs


def check_lines(fields: Fields, findings: list[Finding]) -> None:
    """The lines of a header that is not plain."""
    check_bytes(fields.raw, findings)
    for line in fields.malformed[:MALFORMED_SHOWN]:
        code = "warc-line-no-name" if line.lstrip().startswith(b":") else "warc-line-no-colon"
        findings.append((code, {"line": line.decode("latin-1")}))


def check_bytes(raw: bytes, findings: list[Finding]) -> None:
    """ISO 28500:2017, 4: lines end in CRLF; field values are UTF-8 without control characters."""
    lines = raw.count(b"\r\n")
    if raw.count(b"\n") != lines:
        findings.append(("warc-line-end", {}))
    if raw.count(b"\r") != lines:
        findings.append(("warc-line-stray-cr", {}))
    if b"\n " in raw or b"\n\t" in raw:
        findings.append(("warc-line-folded", {}))
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        findings.append(("warc-header-not-utf-8", {"at": error.start}))
    strange = raw.translate(None, PLAIN + bytes(range(128, 256)))
    if strange:
        findings.append(("warc-header-control", {"value": f"0x{strange[0]:02x}"}))


def _facts(field: str, value: str | None = None) -> dict[str, object]:
    facts: dict[str, object] = {"field": field, "clause": CLAUSES[field]}
    if value is not None:
        facts["value"] = value
    return facts


# The values -------------------------------------------------------------------------------------------


def check_type(_field: str, value: str, _rules: str, findings: list[Finding]) -> None:
    if value in TYPES:
        return
    known = value.lower() in TYPES
    findings.append(("warc-type-case" if known else "warc-type-unknown", {"value": value}))


def check_number(field: str, value: str, _rules: str, findings: list[Finding]) -> None:
    if not is_number(value):
        findings.append(("warc-number-invalid", _facts(field, value)))


def check_media_type(field: str, value: str, _rules: str, findings: list[Finding]) -> None:
    if not is_media_type(value):
        findings.append(("warc-media-type-invalid", _facts(field, value)))


def check_date(field: str, value: str, rules: str, findings: list[Finding]) -> None:
    # A revisit of a 1.1 record written as 1.0 may well quote its finer date: only WARC-Date is bound.
    fault = date_fault(value, rules if field == "WARC-Date" else "1.1")
    if fault:
        findings.append((f"warc-date-{fault}", _facts(field, value)))
    elif not value.isupper() and not value.replace("-", "").isdigit():
        findings.append(("warc-date-lower-case", _facts(field, value)))


def check_id(field: str, value: str, _rules: str, findings: list[Finding]) -> None:
    """ISO 28500:2017, 5.2: "<" uri ">"; 5.2 also wants no white space inside."""
    if UUID_ID.fullmatch(value):
        return
    inside = value
    if value.startswith("<") and value.endswith(">") and len(value) > 1:
        inside = value[1:-1]
    else:
        findings.append(("warc-id-brackets", _facts(field, value)))
        inside = value.removeprefix("<").removesuffix(">")
    _check_uri(field, inside, findings)


def check_uri(field: str, value: str, rules: str, findings: list[Finding]) -> None:
    """A URI without brackets: the grammar of 1.0 has them, its examples do not; 1.1 settled it (5.14)."""
    if value[0] == "<" or value[-1] == ">":
        findings.append(
            ("warc-uri-brackets" if rules == "1.1" else "warc-uri-brackets-old", _facts(field, value))
        )
        value = value.removeprefix("<").removesuffix(">")
    _check_uri(field, value, findings)


def _check_uri(field: str, value: str, findings: list[Finding]) -> None:
    fault = uri_fault(value)
    if not fault:
        return
    facts = _facts(field, value)
    if fault == "syntax":
        facts["character"] = first_stranger(value)
    findings.append((f"warc-uri-{fault}", facts))


def check_address(_field: str, value: str, _rules: str, findings: list[Finding]) -> None:
    fault = address_fault(value)
    if not fault:
        return
    facts = {"value": value}
    if fault == "form":
        facts["recommended"] = recommended_address(value)
    findings.append((f"warc-ip-{fault}", facts))


def check_digest(field: str, value: str, _rules: str, findings: list[Finding]) -> None:
    digest = parse_digest(value)
    if digest is None:
        findings.append(("warc-digest-syntax", _facts(field, value)))
    elif digest.algorithm not in HASHERS:
        findings.append(("warc-digest-algorithm-unknown", _facts(field, value.partition(":")[0])))
    elif digest.value is None:
        kind = "block" if field == "WARC-Block-Digest" else "payload"
        findings.append(
            (
                "warc-digest-encoding",
                _facts(field, digest.encoded) | {"algorithm": digest.algorithm, "kind": kind},
            )
        )
    elif is_unusual(digest):
        findings.append(("warc-digest-unusual", _facts(field, value)))


def check_truncated(field: str, value: str, _rules: str, findings: list[Finding]) -> None:
    if value in TRUNCATION_REASONS:
        return
    code = "warc-truncated-unknown" if TOKEN.fullmatch(value) else "warc-token-invalid"
    findings.append((code, _facts(field, value)))


def accept(_field: str, _value: str, _rules: str, _findings: list[Finding]) -> None:
    """Any text: TEXT or quoted-string (5.17)."""


Check = Callable[[str, str, str, list[Finding]], None]
CHECKS: Mapping[str, Check] = {
    name.lower(): check
    for check, names in {
        check_type: ("WARC-Type",),
        check_number: ("Content-Length", "WARC-Segment-Number", "WARC-Segment-Total-Length"),
        check_media_type: ("Content-Type", "WARC-Identified-Payload-Type"),
        check_date: ("WARC-Date", "WARC-Refers-To-Date"),
        check_id: (
            "WARC-Record-ID",
            "WARC-Concurrent-To",
            "WARC-Refers-To",
            "WARC-Warcinfo-ID",
            "WARC-Segment-Origin-ID",
        ),
        check_uri: ("WARC-Target-URI", "WARC-Refers-To-Target-URI", "WARC-Profile"),
        check_address: ("WARC-IP-Address",),
        check_digest: ("WARC-Block-Digest", "WARC-Payload-Digest"),
        check_truncated: ("WARC-Truncated",),
        accept: ("WARC-Filename",),
    }.items()
    for name in names
}


class Known(NamedTuple):
    """A field name as it is written: what it stands for, and how its value is judged."""

    key: str  # in lower case
    field: str  # as the standard writes it
    check: Check | None  # None: the standard does not define it
    findings: tuple[Finding, ...] = ()  # about the name itself


def _known(name: str) -> Known:
    key = name.lower()
    known = Known(key, DEFINED.get(key, name), CHECKS.get(key), () if key in CHECKS else _undefined(name))
    if len(KNOWN) < MOST_NAMES:
        KNOWN[name] = known
    return known


def _undefined(name: str) -> tuple[Finding, ...]:
    """A field that the standard does not define: allowed, if its name is a token (grammar of clause 4)."""
    if not TOKEN.fullmatch(name):
        return (("warc-field-name-invalid", {"line": name}),)
    key = name.lower()
    if key.startswith("warc-") and key not in EXTENSIONS:
        return (("warc-field-unknown", {"field": name}),)
    return ()


KNOWN: dict[str, Known] = {}  # names met so far: a file writes each of them in one way


# The matrix -------------------------------------------------------------------------------------------


def check_policy(kind: str, rules: str, first: Mapping[str, str], findings: list[Finding]) -> None:
    """Which fields must and may not stand on a record of this type (ISO 28500:2017, 5 and 6)."""
    findings.extend(("warc-field-mandatory", _facts(name)) for name in MANDATORY if name.lower() not in first)
    policy = POLICIES[rules].get(kind)
    if policy is None or policy.is_kept_by(first):
        return
    for code, names in (
        ("warc-field-required", policy.required - first.keys()),
        ("warc-field-forbidden", policy.forbidden & first.keys()),
        ("warc-field-undesired", policy.undesired & first.keys()),
    ):
        findings.extend((code, _facts(DEFINED[name]) | {"type": kind}) for name in sorted(names))
