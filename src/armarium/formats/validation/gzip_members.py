"""The headers of gzip members judged (RFC 1952, 2.3); their data and trailers the reader judges."""

from typing import BinaryIO, cast

from armarium.formats.gzip.header import Header, parse_header
from armarium.formats.gzip.members import Members
from armarium.formats.source import Source
from armarium.formats.validation.header import Finding
from armarium.formats.validation.inputs import Input
from armarium.formats.validation.report import Report

BEST, FASTEST = 2, 4
RESERVED_FLAGS = 0xE0
# RFC 1952, 2.3.1: 0 to 13 are systems, 255 is "unknown".
SYSTEMS = frozenset({*range(14), 255})
PLAIN = 10  # bytes of a header without optional fields


class GzipHeaders:
    """Remembers the headers that were found good: a file has the same one in all its members."""

    def __init__(self) -> None:
        self._good: set[bytes] = set()

    def is_good(self, raw: bytes) -> bool:
        """Whether a header is known to be good."""
        return len(raw) == PLAIN and raw[2:4] + raw[8:] in self._good

    def check(self, raw: bytes) -> list[Finding]:
        """Judge the header of a member; the time in it may be anything."""
        if self.is_good(raw):
            return []
        header = parse_header(raw)
        findings = check_gzip_header(header) if header else []
        if len(raw) == PLAIN and not findings:
            self._good.add(raw[2:4] + raw[8:])
        return findings


def check_gzip_header(header: Header) -> list[Finding]:
    findings: list[Finding] = []
    flags = header.extra_flags
    if flags & BEST and flags & FASTEST:
        findings.append(("gzip-extra-flags-conflict", {"found": flags}))
    elif flags not in (0, BEST, FASTEST):
        findings.append(("gzip-extra-flags-reserved", {"found": flags}))
    if header.flags & RESERVED_FLAGS:
        findings.append(("gzip-flags-reserved", {"found": f"{header.flags:#04x}"}))
    if header.system not in SYSTEMS:
        findings.append(("gzip-system-unknown", {"found": header.system}))
    if header.extra is not None and header.subfields() is None:
        code = "gzip-extra-wget" if is_wget_extra(header.extra) else "gzip-extra-invalid"
        findings.append((code, {"length": len(header.extra)}))
    for code, text in (("gzip-name-encoding", header.name), ("gzip-comment-encoding", header.comment)):
        if text is not None and not is_latin_1(text):
            findings.append((code, {}))
    if not header.crc16_matches:
        findings.append(("gzip-header-crc", {"found": f"{header.crc16 or 0:04x}"}))
    return findings


def is_latin_1(text: bytes) -> bool:
    """RFC 1952, 2.3.1: ISO 8859-1 characters, LF for a new line; its control ranges have no characters."""
    return all(byte == 10 or 32 <= byte < 127 or byte >= 160 for byte in text)


def is_wget_extra(extra: bytes) -> bool:
    """wget 1.14: "sl", then twice four bytes, without the two bytes that say that eight bytes follow."""
    return len(extra) == 10 and extra.startswith(b"sl")


# --- A gzip file that is no archive: its members judged all the same, as JHOVE's GZIP module does.


def check_gzip_file(file: Input, report: Report) -> bool:
    """Go through the members again from the beginning; False where the file cannot be read twice."""
    if not file.seekable():
        return False
    members = Members(Source(cast(BinaryIO, file)))
    headers = GzipHeaders()
    number = 0
    while (member := members.next()) is not None:
        for code, facts in headers.check(member.raw_header):
            report.add(code, member.offset, number, facts)
        while member.read():
            pass
        for problem in member.problems:
            report.adopt(problem, problem.code, problem.offset, number)
        number += 1
    for problem in members.problems:
        report.adopt(problem, problem.code, problem.offset, None)
    report.types["member"] = number
    return True
