"""Which files an import was given, and what they are.

Folders are walked, and indexes are put beside the files they speak of.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.arc import ArcVersionBlock
from armarium.formats.problem import Problem, Severity
from armarium.formats.warc.fields import Fields
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record, Warcinfo
from armarium.formats.warc.writer import OPEN_SUFFIX
from armarium.storage.intake.model import Line, Offered, Outcome
from armarium.storage.intake.naming import NamedJob, named_job
from armarium.storage.settings import is_within

#: Of an index of one file; the first that is there is taken.
INDEX_SUFFIXES = (".cdxj", ".cdx", ".cdxj.gz", ".cdx.gz")
ARCHIVE_SUFFIXES = (".warc.gz", ".warc", ".arc.gz", ".arc", ".warc.zst")
_INDEX_SUFFIX = re.compile(r"\.cdxj?(?:\.gz)?\Z", re.IGNORECASE)
_CLAIMS = re.compile(r"\.(?:w?arc|wacz)(\.|\Z)", re.IGNORECASE)
OURS = "It leads into a folder of the archive's own, from which nothing is imported."
_STEM = re.compile(r"(?:\.w?arc)(?:\.(?:gz|zst))?\Z", re.IGNORECASE)


def _none(_path: Path, _found: os.stat_result) -> bool:
    return False


def claims_to_be_archive(name: str) -> bool:
    return bool(_CLAIMS.search(name)) and not is_index(name)


def is_index(name: str) -> bool:
    return name.lower().endswith(INDEX_SUFFIXES)


def is_open(name: str) -> bool:
    """Whether somebody still writes it, as the name says."""
    return name.endswith(OPEN_SUFFIX)


def is_companion(path: Path) -> bool:
    """Whether the file of which an index speaks lies beside it, as its name says."""
    stem = _INDEX_SUFFIX.sub("", path.name)
    return any(path.with_name(f"{stem}{end}").is_file() for end in ("", *ARCHIVE_SUFFIXES))


@dataclass(frozen=True)
class Walk:
    own: Sequence[Path] = ()  # folders into which no link may lead: what lies there is not for us to keep
    passes: Callable[[Path, os.stat_result], bool] = _none  # folders whose files need not be looked at
    seen: set[tuple[int, int]] = field(default_factory=set)


def offered(paths: Iterable[Path], walk: Walk | None = None) -> Iterator[Offered | Line]:
    """The files, in the order of their paths; a line for what cannot even be looked at."""
    walk = walk or Walk()
    for path in paths:
        if not path.exists():
            raise Refused(message("%(path)s does not exist. Nothing was imported.", path=path), field="paths")
        yield from _walk(path.absolute(), walk)


def _walk(path: Path, walk: Walk) -> Iterator[Offered | Line]:
    try:
        if path.is_symlink() and is_within(path, walk.own):
            yield Line(str(path), Outcome.REFUSED, remark=OURS)
            return
        found = path.stat()
        if stat.S_ISREG(found.st_mode):
            yield Offered(path, found.st_size, max(found.st_mtime_ns, found.st_ctime_ns))
            return
        if not stat.S_ISDIR(found.st_mode):
            yield Line(str(path), Outcome.UNREADABLE, remark="It is neither a file nor a folder.")
            return
        if (found.st_dev, found.st_ino) in walk.seen:
            return  # a link that leads back
        walk.seen.add((found.st_dev, found.st_ino))
        below = _names(path, only_folders=walk.passes(path, found))
    except OSError as error:
        yield Line(str(path), Outcome.UNREADABLE, remark=f"{error.strerror or error}.")
        return
    for name in below:
        yield from _walk(path / name, walk)


def _names(path: Path, *, only_folders: bool) -> list[str]:
    """Names alone: a folder may hold a million."""
    with os.scandir(path) as found:
        return sorted(item.name for item in found if not only_folders or item.is_dir())


def companion_of(path: Path, indexes: Path | None = None) -> Path | None:
    """The index that lies beside a file: `NAME.warc.gz.cdxj`, `NAME.cdx` and their like.

    `indexes`: another folder in which it may lie.
    """
    stems = dict.fromkeys((path.name, _STEM.sub("", path.name)))
    for folder in (path.parent, indexes):
        for stem in stems:
            for suffix in INDEX_SUFFIXES:
                if folder is not None and (folder / f"{stem}{suffix}").is_file():
                    return folder / f"{stem}{suffix}"
    return None


# A light look at a file. Only the beginning is read: damage further on is no reason to refuse a file, since
# what is whole in it is worth keeping, and perhaps nobody has another copy.


BEGINNING = 8 * 1024 * 1024  # bytes that are looked at, of files of any size
MOST_INFO = 64 * 1024  # bytes of a warcinfo that are read
RECORDS = 2  # a file that is one single gzip member shows itself at the second
OUR_SOFTWARE = "armarium/"  # how the software field of our own collectors begins
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
        return self.software.startswith(OUR_SOFTWARE)

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
