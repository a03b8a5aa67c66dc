"""A gzip file that is no archive: its members judged all the same, as JHOVE's GZIP module does."""

from typing import BinaryIO, cast

from armarium.formats.gzip.members import Members
from armarium.formats.source import Source
from armarium.formats.validation.gzip_members import GzipHeaders
from armarium.formats.validation.inputs import Input
from armarium.formats.validation.report import Report


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
