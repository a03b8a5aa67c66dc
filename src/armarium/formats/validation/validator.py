"""Validation of a WARC or ARC file: one pass, constant memory, every rule of the table."""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from armarium.formats.arc import ArcRecord
from armarium.formats.gzip.header import DEFLATE
from armarium.formats.gzip.member import Member
from armarium.formats.problem import Problem
from armarium.formats.validation.arc import ArcValidation
from armarium.formats.validation.gzip_members import GzipHeaders, check_gzip_file
from armarium.formats.validation.header import Finding
from armarium.formats.validation.inputs import Archive, Input, looks_like
from armarium.formats.validation.report import PER_CODE, Report, translated
from armarium.formats.validation.warc_record import WarcValidation
from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record
from armarium.formats.zstd.frames import Frame
from armarium.formats.zstd.header import Header as FrameHeader

PRACTICAL_SIZE = 10**9  # ISO 28500:2017, Annex C.2
ARCHIVE_NAME = re.compile(r"\.w?arc(\.|$)", re.IGNORECASE)
SUFFIXES = {".gz": Compression.GZIP, ".zst": Compression.ZSTD}
SAID_BY_FORMAT = ("archive-empty", "archive-unknown-compression")
NOT_PER_RECORD = {Compression.GZIP: "gzip-not-per-record", Compression.ZSTD: "zstd-not-per-record"}


@dataclass(frozen=True, slots=True)
class Options:
    """How a file is judged. What is None is not looked at."""

    strict: bool = False  # warnings make a file invalid too, as with JHOVE
    limit: int | None = PER_CODE  # findings of one code that are kept; None: all
    now: datetime | None = None  # no capture can be later
    begin: datetime | None = None  # of the harvest: captures before it are odd
    end: datetime | None = None
    archive: Archive | None = None  # the other files, for references that leave this one


def validate(source: BinaryIO, *, name: str = "", options: Options | None = None) -> Report:
    """Judge a file, from where it stands to its end. Raises nothing but what reading the file raises."""
    return Validation(source, name, options or Options()).run()


class Validation:
    """One file being judged."""

    def __init__(self, source: BinaryIO, name: str, options: Options) -> None:
        self.report = Report(name, strict=options.strict, limit=options.limit)
        self._name = PurePosixPath(name.replace("\\", "/")).name
        self._input = Input(source)
        self._reader = ArchiveReader(cast(BinaryIO, self._input))
        self._gzip_headers = GzipHeaders()
        self._member: object = None
        self._last_offset = -1  # of a record
        self._held: Problem | None = None  # about the end of an ARC record, until another follows
        self._warc = WarcValidation(self._name, options)
        self._arc = ArcValidation(self._name, options)

    def run(self) -> Report:
        report, reader = self.report, self._reader
        for record in reader:
            if not self._is_usual(record):
                self._record(record)
        report.bytes = self._input.size
        report.records = reader.records
        report.compression = str(reader.compression)
        report.whole_file = reader.whole_file
        for place, finding in self._warc.finish():
            self._add((finding,), place.offset, place.number)
        if reader.records:
            self._adopt_rest(reader.problems, arc=report.format == "arc")
            self._check_file()
        else:
            self._no_records()
        report.problems.sort(key=lambda problem: problem.offset)
        return report

    def _is_usual(self, record: Record) -> bool:
        """Judge a record as nearly all are, alone in a sound member; False where it needs a closer look."""
        stroke = record.stroke
        if stroke is None or self._held is not None or not self._gzip_headers.is_good(stroke[2]):
            return False
        outcome = self._warc.check_usual(record)
        if outcome is None:
            return False
        kind, matched = outcome
        report = self.report
        self._last_offset = record.offset
        report.types[kind] += 1
        report.digests_checked += matched
        report.digests_matched += matched
        return True

    def _record(self, record: Record) -> None:
        report = self.report
        self._last_offset = record.offset
        arc = isinstance(record, ArcRecord)
        if report.version is None:
            report.format, report.version = ("arc" if arc else "warc"), record.version
        if record.member is not self._member:
            self._member = record.member
            self._check_member(record)
        outcome = self._arc.check(record) if isinstance(record, ArcRecord) else self._warc.check(record)
        report.types[outcome.kind] += 1
        report.digests_checked += outcome.checked
        report.digests_matched += outcome.matched
        if outcome.findings:
            self._add(outcome.findings, record.offset, record.number)
        for problem in outcome.problems:
            report.adopt(problem, problem.code, record.offset, record.number)
        record.finish()
        if self._held is not None:
            self._adopt((self._held,), record.number - 1, arc=True)
            self._held = None
        if record.problems:
            said = {code for code, _ in outcome.findings}
            self._adopt(record.problems, record.number, arc=arc, said=said)

    def _check_member(self, record: Record) -> None:
        member = record.member
        if isinstance(member, Member):
            findings = self._gzip_headers.check(member.raw_header)
        elif isinstance(member, Frame):
            findings = check_zstd_header(member.header)
        else:
            return
        if findings:
            self._add(findings, record.offset, record.number)

    def _add(self, findings: Iterable[Finding], offset: int, record: int | None) -> None:
        for code, facts in findings:
            self.report.add(code, offset, record, facts)

    def _adopt(
        self, problems: Iterable[Problem], record: int | None, *, arc: bool, said: Container[str] = ()
    ) -> None:
        for problem in problems:
            code = translated(problem.code, arc=arc)
            if code == "gzip-record-over-members" and self._reader.compression is Compression.ZSTD:
                continue  # WARC zstd, 3: a record may have several frames
            if code == "arc-trailer" and said != ():
                # In ARC a line end stands before each record, so the last one needs none behind it.
                self._held = problem
            elif code is not None and code not in said:
                self.report.adopt(problem, code, problem.offset, record)

    def _adopt_rest(self, problems: Iterable[Problem], *, arc: bool) -> None:
        """Those that belong to no record. Garbage that no record follows has a rule of its own."""
        for problem in problems:
            if problem.code == "archive-garbage" and problem.offset > self._last_offset:
                code = "arc-trailing-data" if arc else "warc-trailing-data"
                self.report.adopt(problem, code, problem.offset, None)
            elif problem.code == "gzip-trailing-data" and (method := self._gzip_method(problem.offset)):
                self.report.add("gzip-method", problem.offset, None, {"found": method})
            else:
                self._adopt((problem,), None, arc=arc)

    def _gzip_method(self, offset: int) -> int | None:
        """The compression method of what looks like a gzip member and is none; None where it does not."""
        if not self._input.seekable():
            return None
        self._input.seek(offset)
        start = self._input.read(3)
        return start[2] if len(start) == 3 and start[:2] == b"\x1f\x8b" and start[2] != DEFLATE else None

    # The file as a whole ---------------------------------------------------------------------------------

    def _check_file(self) -> None:
        reader, report = self._reader, self.report
        if reader.shared:
            facts = {"shared": reader.shared, "records": reader.records, "members": reader.members}
            report.add(NOT_PER_RECORD.get(reader.compression, "gzip-not-per-record"), 0, None, facts)
        if report.format == "warc" and report.bytes > PRACTICAL_SIZE:
            report.add("warc-file-large", 0, None, {"size": report.bytes})
        named = SUFFIXES.get(PurePosixPath(self._name.removesuffix(".open")).suffix.lower(), Compression.NONE)
        if ARCHIVE_NAME.search(self._name) and named is not reader.compression:
            compression = (
                "not compressed" if reader.compression is Compression.NONE else str(reader.compression)
            )
            report.add("gzip-name-differs", 0, None, {"compression": compression, "name": self._name})

    def _no_records(self) -> None:
        """No record at all: say what the file is instead."""
        report, reader = self.report, self._reader
        archive_name = ARCHIVE_NAME.search(self._name)
        arc = archive_name is not None and archive_name.group().lower().startswith(".arc")
        if not report.bytes:
            report.add("arc-empty-file" if arc else "warc-empty-file", 0, None, {})
            return
        if reader.compression is Compression.GZIP:
            self._gzip_only(archive=archive_name is not None)
            return
        if self._input.start[:5].upper() == b"WARC/":
            self._header_only()
        else:
            code = "arc-format-unknown" if arc else "warc-format-unknown"
            report.add(code, 0, None, {"what": looks_like(self._input.start)})
        problems = [problem for problem in reader.problems if problem.code not in SAID_BY_FORMAT]
        self._adopt(problems, None, arc=arc)

    def _gzip_only(self, *, archive: bool) -> None:
        """Sound gzip is enough for a file that does not call itself an archive."""
        report = self.report
        report.format = "gzip"
        if not check_gzip_file(self._input, report):
            self._adopt(self._reader.problems, None, arc=False)
        plain_gzip = self._name.lower().endswith(".gz") and not archive
        report.add("gzip-not-an-archive" if plain_gzip else "gzip-no-records", 0, None, {})

    def _header_only(self) -> None:
        """The file ends before its first header does: say at least what is wrong with that."""
        line, _, rest = self._input.start.partition(b"\n")
        version = line.strip().decode("latin-1").upper()
        self.report.format, self.report.version = "warc", version
        self._add(self._warc.check_beginning(version, rest), 0, None)
        self.report.add("warc-empty-file", 0, None, {})


def check_zstd_header(header: FrameHeader) -> list[Finding]:
    """What the specification of WARC with zstd asks of a frame: the size of its content, and a checksum."""
    findings: list[Finding] = []
    if header.content_size is None:
        findings.append(("zstd-no-size", {}))
    if not header.has_checksum:
        findings.append(("zstd-no-checksum", {}))
    return findings
