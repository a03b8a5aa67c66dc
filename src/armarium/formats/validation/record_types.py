"""What each type of WARC record asks for beyond the matrix of fields; from the header alone."""

import re
from functools import lru_cache

from armarium.formats.validation.header import Finding, Header
from armarium.formats.validation.policy import CLAUSES
from armarium.formats.validation.values import EARLIEST_YEAR, essence

# ISO 28500:2017, 6.7.2 and 6.7.3; WARC 1.0, 6.7.2 and 6.7.3.
PROFILE = re.compile(
    r"http://netpreserve\.org/warc/(1\.[01])/(?:revisit/)?(identical-payload-digest|server-not-modified)"
)
IDENTICAL = "identical-payload-digest"
# "All 'warcinfo' and 'metadata' records shall not have a payload" (ISO 28500:2017, 4).
WITHOUT_PAYLOAD = ("warcinfo", "metadata")
PAYLOAD_FIELDS = ("WARC-Payload-Digest", "WARC-Identified-Payload-Type")
MSGTYPE = re.compile(r';[ \t]*msgtype[ \t]*=[ \t]*"?([a-z]+)', re.IGNORECASE)
HTTP_CLAUSES = {"response": "6.3.2", "request": "6.5.2"}


def check_record_type(header: Header, length: int, latest: str | None) -> list[Finding]:
    """Judge a record by its type. `length`: of its block; `latest`: no capture can be later."""
    findings: list[Finding] = []
    first, kind = header.first, header.kind
    content_type = first.get("content-type", "")
    # 5.6: all records with a block, except continuations, should have a Content-Type.
    if length and not content_type and kind != "continuation":
        findings.append(("warc-content-type-missing", {}))
    if kind in WITHOUT_PAYLOAD:
        findings.extend(
            ("warc-payload-field", {"field": name, "type": kind, "clause": CLAUSES[name]})
            for name in PAYLOAD_FIELDS
            if name.lower() in first
        )
    if kind != "revisit" and "warc-profile" in first:
        findings.append(("warc-profile-misplaced", {"type": kind}))
    check = BY_TYPE.get(kind)
    if check is not None:
        check(header, length, findings)
    if kind != "continuation" and first.get("warc-segment-number", "1") != "1":
        _check_first_segment(header, findings)
    check_plausible(first.get("warc-date", ""), latest, findings)
    return findings


def _check_first_segment(header: Header, findings: list[Finding]) -> None:
    """5.20: in the first segment its value is 1. JWAT asks this of responses only; the standard of all."""
    value = header.first["warc-segment-number"]
    if value.isascii() and value.isdigit() and int(value[:18]) != 1:
        findings.append(("warc-segment-first", {"value": value, "type": header.kind}))


def check_warcinfo(header: Header, _length: int, findings: list[Finding]) -> None:
    content_type = header.first.get("content-type")
    if content_type and essence(content_type) != "application/warc-fields":
        findings.append(("warc-warcinfo-type", {"value": content_type}))


def check_http(header: Header, length: int, findings: list[Finding]) -> None:
    """6.3.2 and 6.5.2: what should stand on records of http and https addresses."""
    kind, content_type = header.kind, header.first.get("content-type", "")
    uri = header.first.get("warc-target-uri", "").lstrip("<")[:8].lower()
    if not uri.startswith(("http:", "https:")):
        return
    if kind == "response" and "warc-ip-address" not in header.first:
        findings.append(("warc-ip-missing", {}))
    code = http_type_fault(kind, content_type) if content_type and length else ""
    if code:
        findings.append((code, {"type": kind, "value": content_type, "clause": HTTP_CLAUSES[kind]}))


@lru_cache(maxsize=256)
def http_type_fault(kind: str, content_type: str) -> str:
    """The code of what is wrong with the type of an HTTP message; "" where it is as it should be."""
    if essence(content_type) != "application/http":
        return "warc-http-type"
    match = MSGTYPE.search(content_type)
    if match is None:
        return "warc-http-msgtype"
    return "" if match[1].lower() == kind else "warc-http-msgtype-wrong"


def check_resource(header: Header, _length: int, findings: list[Finding]) -> None:
    # 6.4.4: for the dns scheme, a resource record shall contain material of content-type text/dns.
    dns = header.first.get("warc-target-uri", "")[:4].lower() == "dns:"
    content_type = header.first.get("content-type")
    if dns and content_type and essence(content_type) != "text/dns":
        findings.append(("warc-dns-type", {"value": content_type}))


def check_revisit(header: Header, length: int, findings: list[Finding]) -> None:
    first = header.first
    profile = first.get("warc-profile", "").strip("<>")
    match = PROFILE.fullmatch(profile)
    if profile and match is None:
        findings.append(("warc-profile-unknown", {"value": profile}))
    elif match is not None and match[1] != header.rules:
        findings.append(("warc-profile-version", {"value": profile, "version": f"WARC/{header.rules}"}))
    if IDENTICAL in profile:
        if "warc-payload-digest" not in first:
            findings.append(("warc-revisit-digest-missing", {}))
        if length and "warc-truncated" not in first:
            findings.append(("warc-revisit-not-truncated", {}))
    _check_refers_to(header, findings)


def _check_refers_to(header: Header, findings: list[Finding]) -> None:
    """6.7.2: WARC-Refers-To is recommended; in 1.1 also the address and the date of the original."""
    recommended = ["WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"] if header.rules == "1.1" else []
    missing = [name for name in ("WARC-Refers-To", *recommended) if name.lower() not in header.first]
    by_address = all(name in header.first for name in ("warc-refers-to-target-uri", "warc-refers-to-date"))
    # Before 1.1, address and date were the IIPC's advice for originals whose record id is not known.
    if missing and not (by_address and missing == ["WARC-Refers-To"]):
        findings.append(("warc-revisit-refers-to-missing", {"missing": ", ".join(missing)}))


def check_conversion(header: Header, _length: int, findings: list[Finding]) -> None:
    # 6.8: wherever practical, a conversion record should contain WARC-Refers-To.
    if "warc-refers-to" not in header.first:
        findings.append(("warc-conversion-refers-to-missing", {}))


BY_TYPE = {
    "warcinfo": check_warcinfo,
    "response": check_http,
    "request": check_http,
    "resource": check_resource,
    "revisit": check_revisit,
    "conversion": check_conversion,
}


def check_plausible(
    date: str, latest: str | None, findings: list[Finding], code: str = "warc-date-implausible"
) -> None:
    """A capture before the first web page, or later than now. Dates in UTC compare as text."""
    if date[:4] < EARLIEST_YEAR and date[:4].isdigit():
        findings.append((code, {"value": date, "reason": "before there was a web"}))
    elif latest is not None and date > latest:
        findings.append((code, {"value": date, "reason": "in the future"}))
