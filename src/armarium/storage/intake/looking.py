"""A light look at a file: whether it is a W/ARC at all, and what it says of itself.

Only the beginning is read. Damage further on is no reason to refuse a file: what is whole in it is worth
keeping, and perhaps nobody has another copy.
"""

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import BinaryIO, cast

from armarium.formats.arc.records import ArcVersionBlock
from armarium.formats.problem import Problem, Severity
from armarium.formats.warc.fields import Fields
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record, Warcinfo
from armarium.storage.intake.naming import NamedJob, named_job

BEGINNING = 8 * 1024 * 1024  # bytes that are looked at, of files of any size
MOST_INFO = 64 * 1024  # bytes of a warcinfo that are read
RECORDS = 2  # a file that is one single gzip member shows itself at the second
OURS = "armarium/"  # how the software field of our own collectors begins
ONE_MEMBER = "Several records share one compressed member: none of them can be read without those before it."
_LONGEST_JOB = 200
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
_XML_JOB = re.compile(rb"<(?:\w+:)?isPartOf[^>]*>([^<]{1,200})<")


@dataclass(frozen=True)
class Look:
    """What the beginning of a file shows."""

    format: str  # WARC, ARC; empty: neither
    problem: str = ""  # what is wrong with the beginning
    software: str = ""
    part_of: str = ""  # isPartOf
    made_by: NamedJob | None = None  # as its warcinfo names job and harvest

    @property
    def ours(self) -> bool:
        return self.software.startswith(OURS)

    def original_job(self, name: str) -> str:
        """What a file from outside says of the job that made it: by its name, else by itself."""
        told = named_job(name) or self.made_by
        return str(told) if told else self.part_of

    def job_of_ours(self, name: str) -> NamedJob | None:
        """The job of this archive that made the file; None if another did, or nobody can tell.

        What the file says itself comes first: each profile may change the pattern of names, and those of
        metadata files never tell the harvest. Files of earlier versions have nothing but their names.
        """
        return (self.made_by or named_job(name)) if self.ours else None


def look(file: BinaryIO) -> Look:
    """Raises what reading the file raises; never because of its content."""
    beginning = _Beginning(file)
    reader = ArchiveReader(cast("BinaryIO", beginning))
    first: Look | None = None
    for record in islice(reader, RECORDS):
        if first is None:
            first = _described(record, reader.format)
        record.finish()
        if beginning.ended:
            return first  # whatever is missing may stand further on
        problem = _worst([*record.problems, *reader.problems]) or (ONE_MEMBER if record.shares else "")
        if problem:
            return replace(first, problem=problem)
    return first or Look("", _worst(reader.problems) or "It holds no record.")


class _Beginning:
    """The first bytes of a file: a record may be as long as a disk."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = BEGINNING
        self.ended = False

    def read(self, count: int = -1) -> bytes:
        if not self._left:
            self.ended = True
            return b""
        piece = self._file.read(self._left if count < 0 else min(count, self._left))
        self._left -= len(piece)
        return piece


def _described(record: Record, form: str) -> Look:
    if isinstance(record, Warcinfo):
        fields = Fields(record.block.read(MOST_INFO))
        software, part_of = (fields.get("software") or "")[:_LONGEST_JOB], _part_of(fields.get("isPartOf"))
        return Look(form, "", software, part_of, _made_by(fields))
    if isinstance(record, ArcVersionBlock):
        found = _XML_JOB.search(record.block.read(MOST_INFO))
        text = found[1].decode(errors="replace") if found else ""
        return Look(form, part_of=_part_of(text))
    return Look(form)


def _made_by(fields: Fields) -> NamedJob | None:
    """As NetarchiveSuite writes it, and our own crawler."""
    job = _number(fields.get("harvestInfo.jobId"))
    return None if job is None else NamedJob(job, _number(fields.get("harvestInfo.origHarvestDefinitionID")))


def _number(text: str | None) -> int | None:
    return int(text) if text and _NUMBER.fullmatch(text) else None


def _part_of(text: str | None) -> str:
    return " ".join((text or "").replace("\0", "").split())[:_LONGEST_JOB]


def _worst(problems: list[Problem]) -> str:
    """The first error, as a sentence; notes and warnings are for the validator."""
    worst = next((one for one in problems if one.severity is Severity.ERROR), None)
    return f"At byte {worst.offset}: {worst.message}" if worst else ""
